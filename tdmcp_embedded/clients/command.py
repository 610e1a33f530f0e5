"""`tdmcp client`: set up MCP clients."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from tdmcp_embedded import CONTRACT
from tdmcp_embedded.clients import launch, setup
from tdmcp_embedded.clients.catalogue import CLIENTS
from tdmcp_embedded.clients.machine import Machine, Refused

_F = TypeVar("_F", bound=Callable[..., Any])


class _Plain(click.ClickException):
    """A refusal as a person reads it, without the word Error in front of two sentences."""

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


#: Which file.
_PLACE = (
    click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True,
                 help="For all your work, or for one project folder."),
    click.option("--project", "folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="DIR",
                 help="The project folder; the current one by default."),
)  # fmt: skip
#: What is written there.
_REACH = (
    click.option("--transport", type=click.Choice(["auto", "http", "stdio"]), default="auto", show_default=True,
                 help="auto is stdio: it survives changes of port and key."),
    click.option("--url", default="", metavar="URL",
                 help="A server on another machine; the word public: the Public Address of the one here."),
    click.option("--token", default="", metavar="KEY",
                 help="A key for the server of --url; without it the client signs in (OAuth)."),
    click.option("--instance", default="", metavar="NAME", help="Always this one of several TouchDesigners."),
    click.option("--allow-open", is_flag=True, help="Let the agent start TouchDesigner with projects seen before."),
    click.option("--python", default="", metavar="FILE",
                 help="The Python that starts the shim; TouchDesigner's by default."),
)  # fmt: skip
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")


def _options(*options: Callable[[Any], Any]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.group()
def client() -> None:
    """Set up MCP clients: add this server to their configuration, or take it out again."""


@client.command("add")
@click.argument("name")
@_options(*_PLACE, *_REACH, _DRY_RUN)
def add(name: str, dry_run: bool, **options: Any) -> None:
    """Add this server to the configuration of client NAME.

    What is there is kept, the file as it was stays beside it, and `remove` brings it back.
    """
    _report(lambda: setup.add(name, _choice(options), dry_run=dry_run), dry_run)


@client.command("remove")
@click.argument("name")
@_options(*_PLACE, _DRY_RUN)
def remove(name: str, dry_run: bool, **options: Any) -> None:
    """Take this server out of the configuration of client NAME."""
    _report(lambda: setup.remove(name, _choice(options), dry_run=dry_run), dry_run)


@client.command("status")
@click.argument("name", required=False)
@_options(*_PLACE)
def status(name: str | None, **options: Any) -> None:
    """Show how client NAME, or every client, is set up. The exit code is 1 if something is wrong."""
    wrong = shown = False
    for one in [name] if name else list(CLIENTS):
        scopes = [options["scope"]] if name else CLIENTS[one].scopes
        seen: set[Path] = set()
        for scope in scopes:
            found = _try(partial(setup.status, one, _choice({**options, "scope": scope})))
            if found.path in seen:
                continue  # in the home folder, some clients' user file is also that of the "project"
            seen.add(found.path)
            if not name and found.state == "absent" and (scope == "project" or not found.installed):
                continue
            shown = True
            wrong |= found.state in ("broken", "differs") or bool(found.others)
            click.echo(f"{found.client.name} ({scope}): {found.state}. {found.sentence}")
            if found.others:
                click.echo(f"  the same server also stands there as: {', '.join(found.others)}")
    if not shown:
        click.echo("No client is set up, and none was found on this computer.")
    copy = launch.shim_file(Machine())
    if copy.exists() and (launch.contract_of(copy) or 0) < CONTRACT:
        click.echo("The copy of the shim is older; any `tdmcp client add` renews it.")
    sys.exit(1 if wrong else 0)


@client.command("print")
@click.argument("name")
@_options(*_PLACE, *_REACH)
def print_(name: str, **options: Any) -> None:
    """Print the entry for client NAME, or for `other`, instead of writing it."""
    choice = _choice(options)
    shown = _try(lambda: setup.text(name, choice))
    if choice.transport != "http" and not choice.url:
        _try(lambda: launch.install_shim(Machine()))
    click.echo(shown)


def _choice(options: dict[str, Any]) -> setup.Choice:
    return setup.Choice(**{**options, "folder": Path(options["folder"]).absolute()})


def _report(work: Callable[[], setup.Outcome], dry_run: bool) -> None:
    outcome = _try(work)
    if dry_run and outcome.difference:
        click.echo(outcome.difference)
    for sentence in outcome.sentences:
        click.echo(sentence)


def _try(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Refused as refusal:
        raise _Plain("\n".join(filter(None, (refusal.message, refusal.hint)))) from None

"""`tdmcp client`: set up MCP clients."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from tdmcp_embedded.clients import launch, setup
from tdmcp_embedded.clients.catalogue import CLIENTS
from tdmcp_embedded.clients.machine import Machine, Refused

_F = TypeVar("_F", bound=Callable[..., Any])


class _Plain(click.ClickException):
    """A refusal as a person reads it, without the word Error in front of two sentences."""

    def show(self, file: Any = None) -> None:
        click.echo(self.message, err=True)


def _options(*, transport: bool) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(
            [
                click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True,
                             help="For all your work, or for one project folder."),
                click.option("--project", "folder", type=click.Path(path_type=Path, file_okay=False), default=".",
                             metavar="DIR", help="The project folder; the current one by default."),
                *(
                    [
                        click.option("--transport", type=click.Choice(["auto", "http", "stdio"]), default="auto",
                                     show_default=True, help="auto is stdio: it survives changes of port and key."),
                        click.option("--instance", default="", metavar="NAME",
                                     help="Always this one of several TouchDesigners."),
                        click.option("--python", default="", metavar="FILE",
                                     help="The Python that starts the shim; TouchDesigner's by default."),
                    ]
                    if transport
                    else []
                ),
            ]
        ):  # fmt: skip
            function = option(function)
        return function

    return decorate


@click.group()
def client() -> None:
    """Set up MCP clients: add this server to their configuration, or take it out again."""


@client.command("add")
@click.argument("name")
@_options(transport=True)
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
def add(name: str, dry_run: bool, **options: Any) -> None:
    """Add this server to the configuration of client NAME.

    What is there is kept, the file as it was stays beside it, and `remove` brings it back.
    """
    _report(lambda: setup.add(name, _choice(options), dry_run=dry_run), dry_run)


@client.command("remove")
@click.argument("name")
@_options(transport=False)
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
def remove(name: str, dry_run: bool, **options: Any) -> None:
    """Take this server out of the configuration of client NAME."""
    _report(lambda: setup.remove(name, _choice(options), dry_run=dry_run), dry_run)


@client.command("status")
@click.argument("name", required=False)
@_options(transport=False)
def status(name: str | None, **options: Any) -> None:
    """Show how client NAME, or every client, is set up. The exit code is 1 if something is wrong."""
    wrong = False
    for one in [name] if name else list(CLIENTS):
        scopes = [options["scope"]] if name else CLIENTS[one].scopes
        for scope in scopes:
            found = _try(partial(setup.status, one, _choice({**options, "scope": scope})))
            if not name and found.state == "absent" and (scope == "project" or not found.installed):
                continue
            wrong |= found.state in ("broken", "differs") or bool(found.others)
            click.echo(f"{found.client.name} ({scope}): {found.state}. {found.sentence}")
            if found.others:
                click.echo(f"  the same server also stands there as: {', '.join(found.others)}")
    if launch.shim_is_current(Machine()) is False:
        click.echo("The copy of the shim is of another version; any `tdmcp client add` renews it.")
    sys.exit(1 if wrong else 0)


@client.command("print")
@click.argument("name")
@_options(transport=True)
def print_(name: str, **options: Any) -> None:
    """Print the entry for client NAME, or for `other`, instead of writing it."""
    choice = _choice(options)
    shown = _try(lambda: setup.text(name, choice))
    if choice.transport != "http":
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

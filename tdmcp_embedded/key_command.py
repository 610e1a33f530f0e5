"""`tdmcp key`: the access keys of this user's servers, from the command line. Running servers follow with the next request."""

from __future__ import annotations

import json
import re
import time

import click

from tdmcp_embedded.files import home
from tdmcp_embedded.http.keys import FIRST, Key, Keys
from tdmcp_embedded.logs.files import RotatingFile
from tdmcp_embedded.logs.log import audit_line
from tdmcp_embedded.logs.ring import Ring
from tdmcp_embedded.settings import Level

_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


class _Duration(click.ParamType[float]):
    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", str(value))
        if match is None:
            self.fail(f"{value!r} is no duration; write 30m, 12h, 7d or 2w.", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


@click.group()
def key() -> None:
    """Access keys: who may call, from where, and what they may do."""


@key.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for scripts.")
def list_keys(as_json: bool) -> None:
    """Show the keys; never the tokens themselves."""
    keys = list(_keys())
    if as_json:
        click.echo(json.dumps([_facts(entry) for entry in keys]))
    elif not keys:
        click.echo("There is no key yet; the first one is made when a server starts.")
    else:
        width = max(len(entry.name) for entry in keys)
        for entry in keys:
            facts = _facts(entry)
            click.echo(
                f"{entry.name:<{width}}  {facts['level']:<7}  {facts['where']:<12}  {facts['validity']}"
            )


@key.command()
@click.argument("name")
@click.option(
    "--level",
    type=click.Choice([level.value for level in Level]),
    default=Level.EDIT.value,
    show_default=True,
    help="observe reads, edit changes without code, full adds Python.",
)
@click.option("--expires", type=_Duration(), help="After this time it stops working: 30m, 12h, 7d, 2w.")
@click.option("--anywhere", is_flag=True, help="Let it be used from other machines too.")
def add(name: str, level: str, expires: float | None, anywhere: bool) -> None:
    """Make a key and print its token, this once, on standard output."""
    try:
        made = _keys().make(name, Level(level), local_only=not anywhere, expires_in=expires)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    _note("made", made.name)
    _show(made)


@key.command()
@click.argument("name", default=FIRST)
def renew(name: str) -> None:
    """Give a key a new token; the old one stops working at once, and its open connections are closed."""
    try:
        renewed = _keys().renew(name)
    except KeyError:
        raise _unknown(name) from None
    except OSError as error:
        raise click.ClickException(str(error)) from None
    _note("renewed", name)
    _show(renewed)


@key.command()
@click.argument("name")
def revoke(name: str) -> None:
    """Remove a key; it stops working at once, and its open connections are closed."""
    try:
        if not _keys().revoke(name):
            raise _unknown(name)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    _note("revoked", name)
    click.echo(f"{name} is revoked.", err=True)


def _keys() -> Keys:
    try:
        return Keys(home() / "keys.json")
    except OSError as error:
        raise click.ClickException(str(error)) from None


def _unknown(name: str) -> click.ClickException:
    return click.ClickException(f"There is no key {name!r}; `tdmcp key list` shows those there are.")


def _show(entry: Key) -> None:
    facts = _facts(entry)
    click.echo(f"{entry.name}: {facts['level']}, {facts['where']}, {facts['validity']}.", err=True)
    click.echo("Its token, which is not shown again:", err=True)
    click.echo(entry.token)


def _facts(entry: Key) -> dict[str, str]:
    if entry.expires is None:
        validity = "never expires"
    elif entry.expired(time.time()):
        validity = "expired"
    else:
        validity = f"expires {time.strftime('%Y-%m-%d %H:%M', time.localtime(entry.expires))}"
    where = "this machine" if entry.local_only else "anywhere"
    return {"name": entry.name, "level": entry.level.value, "where": where, "validity": validity}


def _note(what: str, name: str) -> None:
    record = Ring().add("info", f"The key was {what} from the command line.", key=name, outcome="ok")
    try:
        RotatingFile(home() / "logs" / "audit.log", keep=10).append([audit_line(record)])
    except OSError as error:
        click.echo(f"(The audit log cannot be written: {error}.)", err=True)

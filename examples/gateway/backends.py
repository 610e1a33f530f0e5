"""The TouchDesigners behind the gateway: where each is, which key it takes, and why it cannot be used."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import click
import httpx2
import keys

from tdmcp_embedded import instances
from tdmcp_embedded.settings import Level


@dataclass(frozen=True)
class Place:
    """Where a TouchDesigner is now, and the key it takes."""

    url: str
    key: str


class Backend:
    """One TouchDesigner behind the gateway.

    Args:
        prefix: what its tools' names begin with.
        name: its name in the registry of this computer; looked up for every call, so that a restart, another port or a
            new key need no restart of the gateway.
        url: where it is instead, if it is on another computer; its keys are in variables (see `variable`).
    """

    def __init__(self, prefix: str, name: str = "", url: str = "") -> None:
        self.prefix, self._name, self._url = prefix, name, url
        self._said: dict[Level, str] = {}

    def place(self, level: Level = Level.FULL) -> Place:
        """Where to reach it, with a key of this level: TouchDesigner itself holds its callers to it.

        Raises:
            ConnectionError: it does not run, or there is no key of that level for it.
        """
        if self._url:
            return Place(self._url, self._key_of(level))
        for entry in reversed(instances.listing()):
            if _name(entry) == self._name:
                key = str(entry.get("token") or "") if level is Level.FULL else keys.of_this_computer(level)
                return Place(str(entry["url"]), key)
        raise ConnectionError(
            f"TouchDesigner {self._name} is not running, or its component is off. Open its project, then repeat the call."
        )

    def say(self, sentence: str, level: Level = Level.FULL) -> None:
        """Write a line on the gateway's own output, once until all is well again at that level (empty)."""
        if sentence and sentence != self._said.get(level):
            click.echo(sentence, err=True)
        self._said[level] = sentence

    def variable(self, level: Level = Level.FULL) -> str:
        """The environment variable that has its key of a level."""
        return f"TDMCP_KEY_{self.prefix.upper()}" + ("" if level is Level.FULL else f"_{level.value.upper()}")

    def _key_of(self, level: Level) -> str:
        key = os.environ.get(self.variable(level), "")
        if not key:
            raise ConnectionError(
                f"The gateway has no key of level {level.value} for {self.prefix}: put one in {self.variable(level)}."
            )
        return key

    def explained(self, error: BaseException, place: Place) -> str:
        """Why it cannot be reached, in a sentence for callers and for the gateway's own output; empty if unknown."""
        status = next(
            filter(None, (getattr(getattr(e, "response", None), "status_code", 0) for e in _leaves(error))), 0
        )
        if status in (401, 403):
            where = f" in {self.variable()}" if self._url else ""
            return (
                f"TouchDesigner {self.prefix} refuses the gateway's key{where}: make one there with `tdmcp key add NAME "
                "--anywhere`, and start the gateway again with it."
            )
        if any("CERTIFICATE_VERIFY_FAILED" in str(e) for e in _leaves(error)):
            return (
                f"The certificate of TouchDesigner {self.prefix} is not accepted here: start the gateway with SSL_CERT_FILE "
                "set to the PEM file of its authority."
            )
        if any(isinstance(e, OSError | httpx2.TransportError) for e in _leaves(error)):
            return f"TouchDesigner {self.prefix} does not answer at {place.url}. Open its project, then repeat the call."
        return ""


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, and what they came from."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
        return
    yield error
    if error.__cause__ is not None:
        yield from _leaves(error.__cause__)


def trouble(backend: Backend, level: Level = Level.FULL) -> str:
    """What keeps a backend from being used at this level, in one line; empty if nothing does."""
    try:
        place = backend.place(level)
    except ConnectionError as error:
        return str(error)
    address = place.url.removesuffix("/mcp") + "/metrics"
    try:
        httpx2.get(address, headers={"Authorization": f"Bearer {place.key}"}, timeout=5).raise_for_status()
    except httpx2.HTTPError as error:
        return backend.explained(error, place) or f"TouchDesigner {backend.prefix} does not answer: {error}"
    return ""


def local_backends() -> list[Backend]:
    """The TouchDesigners that run on this computer, in the order of their names."""
    names = sorted({_name(entry) for entry in instances.listing()}, key=str.casefold)
    prefixes = unique_prefixes(names)
    return [Backend(prefix, name) for prefix, name in zip(prefixes, names, strict=True)]


def unique_prefixes(names: Iterable[str]) -> list[str]:
    """What tools' names may begin with: lower-case letters and digits, and different for each."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "", name.casefold()) or "td"
        number = 2
        prefix = plain
        while prefix in made:
            prefix, number = f"{plain}{number}", number + 1
        made.append(prefix)
    return made


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("name") or entry.get("project") or entry.get("pid"))

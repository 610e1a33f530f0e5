"""Addresses of resources: `td://kind/target`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

SCHEME = "td://"

#: Characters of a DAT, or of a network, that fit in one message, with room for what JSON adds.
MOST_CHARACTERS = 450_000


@dataclass(frozen=True)
class Address:
    """An address taken apart: `target` is an operator's path with its leading slash, a type, a name; or empty."""

    kind: str
    target: str


def parse(uri: str, paths: frozenset[str]) -> Address | None:
    """Take an address apart; None for one that is not ours.

    Args:
        paths: the kinds whose target is an operator's path. Its slashes may be written plainly or percent-encoded,
            and the leading one may be left out, since clients fill templates either way.
    """
    if not uri.startswith(SCHEME):
        return None
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    target = unquote(rest)
    if kind in paths:
        target = "/" + target.strip("/")
    return Address(kind, target)


def operator_uri(kind: str, path: str) -> str:
    """The address of an operator's resource, as the server itself writes it."""
    return f"{SCHEME}{kind}/{quote(path.strip('/'), safe='/')}"

"""OAuth's scopes: the levels. Others are dropped, not refused, since clients ask for some by habit."""

from __future__ import annotations

from typing import Final

from tdmcp_embedded.settings import Level

#: Every scope there is.
ALL: Final = " ".join(level.value for level in Level)


def known(asked: str) -> str:
    """Those of a list of scopes that exist here, as a list."""
    return " ".join(scope for scope in asked.split() if scope in set(Level))


def offered(ceiling: Level) -> list[str]:
    """Those that an agent can get at the moment."""
    return [level.value for level in Level if ceiling.allows(level)]

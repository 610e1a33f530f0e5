"""One copy of a list for all who get it.

The SDK keeps the last message it has sent in every session of the handshake era. For a client that has asked for the
tools and then goes quiet that is a third of a megabyte of nested schemas, the same for everybody.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

METHODS: Final = frozenset({"tools/list", "resources/templates/list", "prompts/list"})

#: Different answers kept for each method: keys differ in level, clients in revision.
_KEPT: Final = 8


class SharedLists:
    """Remembers the last answers to each of `METHODS`."""

    def __init__(self) -> None:
        self._known: dict[str, deque[dict[str, Any]]] = {method: deque(maxlen=_KEPT) for method in METHODS}

    def shared(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """An answer equal to `result` whose parts are those of an earlier one, if there was one."""
        known = self._known[method]
        for earlier in known:
            if earlier == result:
                return dict(earlier)
        known.append(dict(result))
        return result

"""The operators that a piece of code names, listed before and after it: enough to name what most code makes.

Both lists are taken in the code's own step, and cost what the code speaks of, not what the project holds. How many
operators there are in all (`census.count`) tells whether anything else came or went.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import census, operators
from tdmcp_embedded.touchdesigner.census import Census
from tdmcp_embedded.touchdesigner.python_effects import Effects
from tdmcp_embedded.touchdesigner.telling import told

#: Operators that are listed before the code; a network with more is listed without what its components hold, or not.
MOST_LISTED = 200
_MOST_WORDS = 60
_MOST_NAMED = 20


class NamedOperators:
    """What a piece of code names.

    Args:
        me: the operator the code runs as.
    """

    def __init__(self, td: ModuleType, me: Any, effects: Effects) -> None:
        self._named: dict[int, Any] = {}
        for used, operator in ((effects.from_me, me), (effects.from_root, td.op("/"))):
            if used and operator is not None:
                self._named[int(operator.id)] = operator
        words = sorted(effects.names)[:_MOST_WORDS]
        # Twice: `op('box').op('part')`.
        for places in ([me], list(self._named.values())):
            for place in (*places, *self._named.values()):
                for word in words:
                    self._name(told(lambda place=place, word=word: place.op(word)))  # type: ignore[misc]
        self.whole = True
        """Whether everything inside of what is named is listed."""
        self._deep: list[Any] = []
        self._flat: list[Any] = []
        self._choose()

    def _name(self, operator: Any) -> None:
        if operator is None or len(self._named) >= _MOST_NAMED or not hasattr(operator, "isCOMP"):
            return
        if not str(operator.path).startswith(operators.SYSTEM_NETWORKS):
            self._named[int(operator.id)] = operator

    def _choose(self) -> None:
        left = MOST_LISTED
        flat: dict[int, Any] = {}
        for operator in self._named.values():
            if operator.isCOMP:
                inside = int(operator.numChildrenRecursive)
                if inside <= left:
                    left -= inside
                    self._deep.append(operator)
                else:
                    self.whole = False
                    flat[int(operator.id)] = operator
            home = operator.parent()
            if home is not None:
                # Where it is renamed, deleted, or replaced by one of another type.
                flat[int(home.id)] = home
        for network in flat.values():
            if int(network.numChildren) <= left:
                left -= int(network.numChildren)
                self._flat.append(network)
            else:
                self.whole = False

    def listed(self, before: Census | None = None) -> Census:
        """The named operators and what is in their networks, by id.

        Args:
            before: the list from before the code; what a new component holds is new as well.
        """
        found: Census = {}
        for operator in self._named.values():
            if operator.valid:
                found[int(operator.id)] = str(operator.path)
        for network in self._deep:
            if network.valid:
                found |= census.inside(network)
        for network in self._flat:
            for child in network.findChildren(depth=1, includeUtility=True) if network.valid else ():
                number = int(child.id)
                if before is not None and number not in before and child.isCOMP:
                    found |= census.inside(child)
                found[number] = str(child.path)
        return found

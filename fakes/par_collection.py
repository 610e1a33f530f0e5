"""`ParCollection`: all parameters of an operator, by name (fact 21)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fakes import evaluation
from fakes.by_name import ByName
from fakes.errors import NotFaked
from fakes.sequences import unmade

if TYPE_CHECKING:
    from fakes.parameters import Par


#: Names that parameters had before their types got sequences (`value0`): scripts in the wild use them, and what
#: TouchDesigner does with them today is not established (fact 81).
_LEGACY = {"constantCHOP": re.compile(r"(name|value)\d+")}


class ParCollection(ByName):
    """`n.par`."""

    __slots__ = ()
    _speaks_as = ""

    def _member(self, name: str) -> Par | None:
        from fakes.parameters import Par

        info = None if unmade(self._node, name) else self._node.par_info(name)
        if info is None and (old := _LEGACY.get(self._node.type)) and old.fullmatch(name):
            raise NotFaked(f"the older name {name} of a parameter of {self._node.type}")
        return Par(self._node, name, info) if info is not None else None

    def __setattr__(self, name: str, value: Any) -> None:
        evaluation.set_constant(self._required(name)._state, value)

    def __setitem__(self, name: Any, value: Any) -> None:
        found = self[name]
        if found is None:
            raise NotFaked("assigning to an item of a ParCollection that has none of that name")
        evaluation.set_constant(found._state, value)

    def __dir__(self) -> Iterable[str]:
        return [n for n in self._node.par_names() if n.startswith(self._block)]

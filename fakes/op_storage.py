"""Python objects kept with an operator (fact 36)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes import paths
from fakes.errors import tdError
from fakes.nodes import Node
from fakes.op_core import Held

if TYPE_CHECKING:
    from fakes.operators import OP


class Storing(Held):
    """The storage of one operator."""

    __slots__ = ()

    @property
    def storage(self) -> dict[str, Any]:
        """Python objects kept with the operator and saved in the project file."""
        node = self._live()
        if node.storage is None:
            node.storage = {}
        return node.storage

    def store(self, key: str, value: Any) -> Any:
        """Keep a Python object under a key."""
        self.storage[key] = value
        self._node.world.cooking.touched(self._node, f"storage {key}")
        return value

    def unstore(self, *keys: str) -> None:
        """Forget what is kept under matching keys."""
        for stored in list(self.storage):
            if any(paths.match_any(k, stored) for k in keys):
                del self.storage[stored]

    def fetch(self, key: str, *default: Any, search: bool = True, storeDefault: bool = False) -> Any:
        """What is kept under a key here or, with `search`, in a parent; else the default.

        Raises:
            tdError: nothing is kept there and no default given.
        """
        node: Node | None = self._live()
        while node is not None:
            node.world.cooking.note(node, f"storage {key}")
            if node.storage and key in node.storage:
                return node.storage[key]
            node = node.parent if search else None
        if not default:
            raise tdError(f"Storage key '{key}' not found. Context:{self._node.path}")
        if storeDefault:
            self.store(key, default[0])
        return default[0]

    def fetchOwner(self, key: str) -> OP | None:
        """The operator, here or above, that keeps something under the key."""
        node: Node | None = self._live()
        while node is not None and not (node.storage and key in node.storage):
            node = node.parent
        return self._world.face(node) if node is not None else None

    def storeStartupValue(self, key: str, value: Any) -> None:
        """Keep what `store` shall start with when the project is opened, and store it now (fact 80)."""
        self.store(key, value)
        self._live().startup = {**(self._node.startup or {}), key: value}

    def unstoreStartupValue(self, *keys: str) -> None:
        left = {
            k: v
            for k, v in (self._live().startup or {}).items()
            if not any(paths.match_any(p, k) for p in keys)
        }
        self._node.startup = left or None

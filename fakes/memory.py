"""What an operator remembers from one cook to the next: feedback's last picture, a speed's sum, a timer's state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from fakes.errors import NotFaked

if TYPE_CHECKING:
    from fakes.nodes import Node

T = TypeVar("T")

#: The most numbers or cells one operator may hold here. TD would try, on a bigger machine.
MOST = 1 << 26
_SERVICE = "memory"


def recall(node: Node, make: Callable[[], T]) -> T:
    """The operator's memory, made by `make` on first use and forgotten when the operator goes.

    A copied or reloaded operator starts afresh, as in TouchDesigner, where such state is not saved.
    """
    world = node.world
    store: dict[int, dict[Any, Any]] | None = world.services.get(_SERVICE)
    if store is None:
        kept: dict[int, dict[Any, Any]] = {}
        world.services[_SERVICE] = store = kept

        def forget_gone(gone: Node) -> None:
            kept.pop(gone.id, None)

        world.op_destroying.append(forget_gone)
    # By kind as well: a DAT remembers its compiled module beside what its cook shows.
    memories = store.setdefault(node.id, {})
    if make not in memories:
        memories[make] = make()
    found: T = memories[make]
    return found


def affordable(count: float, what: str) -> None:
    """Refuse data that would eat this machine's memory.

    Raises:
        NotFaked: there is too much of it.
    """
    if count > MOST:
        raise NotFaked(f"{what}: more than the stand-in holds")


def listen(node: Node, pulsed: Callable[[Node, str], None]) -> None:
    """Have `pulsed` hear of every pulsed parameter in the operator's world, once however often it is asked for."""
    hooks = node.world.par_pulsed
    if pulsed not in hooks:
        hooks.append(pulsed)


def forget(node: Node) -> None:
    """Start afresh: what a reset does."""
    store = node.world.services.get(_SERVICE)
    if store is not None:
        store.pop(node.id, None)

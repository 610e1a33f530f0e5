"""Panels: the values of a control (`op('button1').panel.state`), and what changes them (Derivative: Panel Value).

Nobody points a mouse at a panel here. Values change by scripts: `panel.u = 0.5`, and `click()` on a button that keeps
its state. Other ways to act on a panel are not faked, and values that depend on a screen are not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.like_value import LikeValue, plain
from fakes.memory import recall
from fakes.module import provide_class
from fakes.nodes import Node
from fakes.operators import extends

if TYPE_CHECKING:
    from fakes.operators import OP


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Values every panel has that are 0 as long as nobody's mouse or keyboard has touched it.
_AT_REST = _names(
    """select lselect mselect rselect click wheel u v trueu truev rollu rollv rollover inside insideu insidev
    reposition resize dragout ldragout mdragout rdragout dragrollu dragrollv dragrollover drag drop
    ctrl alt shift cmd focusselect"""
)
#: Values every panel has whose state at rest is not established.
_UNKNOWN = _names(
    """key character radio lradio mradio rradio radioname lradioname mradioname rradioname children winopen
    screenw screenh screenwm screenhm"""
)
#: Values that a parameter of the same name holds.
_PARAMETERS = _names("display enable")
#: Values of some types only; those of a button begin at 0.
_OF_TYPES = {
    "buttonCOMP": _names("state lstate mstate rstate picked"),
    "fieldCOMP": _names("field fieldediting invalidkey focus"),
    "listCOMP": _names("scrollu scrollv"),
    "sliderCOMP": _names("stateu statev"),
    "tableCOMP": _names(
        """celloverid cellfocusid cellselectid celllselectid cellmselectid cellrselectid cellradioid celldragid
        celldropid"""
    ),
}
_SPECIAL = frozenset[str]().union(*_OF_TYPES.values())
NAMES = _AT_REST | _UNKNOWN | _PARAMETERS | _SPECIAL

#: Told of every value that a script sets: (operator, name, previous value).
Heard = Callable[[Node, str, Any], None]


class _State:
    """The values of one panel that somebody set."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}


def listen(node: Node, heard: Heard) -> None:
    """Have `heard` told of panel values in the operator's world."""
    hooks: list[Heard] = node.world.services.setdefault("panel values", [])
    hooks.append(heard)


def value(node: Node, name: str) -> Any:
    """A panel value now.

    Raises:
        NotFaked: its state at rest is not established.
    """
    node.world.cooking.note(node, f"panel {name}")
    values = recall(node, _State).values
    if name in values:
        return values[name]
    if name in _PARAMETERS:
        return int(node.value(name))
    if name in _AT_REST or name in _OF_TYPES["buttonCOMP"] & _OF_TYPES.get(node.type, frozenset()):
        return 0
    raise NotFaked(f"{node.type}.panel.{name} before anybody set it")


def put(node: Node, name: str, given: Any) -> None:
    """Set a panel value; whoever read it is evaluated again."""
    if name in _PARAMETERS:
        raise NotFaked(f"setting {node.type}.panel.{name}")
    try:
        before = value(node, name)
    except NotFaked:
        before = None
    recall(node, _State).values[name] = plain(given)
    node.world.cooking.touched(node, f"panel {name}")
    for heard in node.world.services.get("panel values", ()):
        heard(node, name, before)


class PanelValue(LikeValue):
    """One value of a panel. Used as a number or a text, it is its value."""

    __slots__ = ("_name", "_node")
    _node: Node
    _name: str

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        self._name = name

    def _eval(self) -> Any:
        return value(self._node, self._name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    @property
    def valid(self) -> bool:
        return self._node.alive

    @property
    def val(self) -> Any:
        return self._eval()

    @val.setter
    def val(self, given: Any) -> None:
        put(self._node, self._name, given)

    def __repr__(self) -> str:
        return f"type:PanelValue name:{self._name} owner:{self._node.path}"


class Panel(Guarded):
    """`comp.panel`: the panel's values by name; assigning to one sets it."""

    __slots__ = ("_node",)
    _node: Node

    def __init__(self, node: Node) -> None:
        object.__setattr__(self, "_node", node)

    def _find(self, name: str) -> PanelValue:
        if name in _SPECIAL and name not in _OF_TYPES.get(self._node.type, ()):
            raise NotFaked(f"{self._node.type}.panel.{name}")
        if name not in NAMES:
            raise tdAttributeError(f"'td.Panel' object has no attribute '{name}'")
        return PanelValue(self._node, name)

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._find(name)

    def __setattr__(self, name: str, given: Any) -> None:
        self._find(name).val = given


@extends("PanelCOMP")
class WithPanel(Guarded):
    """What a PanelCOMP has for scripts beside its size."""

    __slots__ = ()
    _live: Any

    @property
    def panel(self) -> Panel:
        return Panel(self._live())


@extends("buttonCOMP")
class Clicked(Guarded):
    """A button that scripts can click."""

    __slots__ = ()
    _live: Any

    def click(
        self,
        val: Any = None,
        clickCount: int = 1,
        force: bool = False,
        left: bool = False,
        middle: bool = False,
        right: bool = False,
    ) -> None:
        """As a click of the mouse: the state turns over, or becomes `val` and stays so.

        Raises:
            NotFaked: another mouse button, several clicks, or a button that does not keep its state.
        """
        node: Node = self._live()
        if middle or right or clickCount != 1:
            raise NotFaked("buttonCOMP.click with other buttons or several times")
        if not (force or node.value("enable")):
            return
        if val is None:
            if node.value("buttontype") not in ("toggledown", "toggleup"):
                raise NotFaked(f"buttonCOMP.click on a {node.value('buttontype')} button")
            val = 0 if value(node, "state") else 1
        elif not isinstance(plain(val), (int, float)):
            raise tdError("A button's state is a number.")
        put(node, "state", int(plain(val)))


for _class in (Panel, PanelValue):
    provide_class(_class)

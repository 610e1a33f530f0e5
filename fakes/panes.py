"""Panes of the main window, and the networks they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from fakes.errors import tdError
from fakes.guard import Guarded


class PaneType(Enum):
    """Kinds of panes."""

    NETWORKEDITOR = "NETWORKEDITOR"
    PANEL = "PANEL"
    GEOMETRYVIEWER = "GEOMETRYVIEWER"
    TOPVIEWER = "TOPVIEWER"
    CHOPVIEWER = "CHOPVIEWER"
    ANIMATIONEDITOR = "ANIMATIONEDITOR"
    PARAMETERS = "PARAMETERS"
    TEXTPORT = "TEXTPORT"


class PaneState:
    """Plain state of one pane."""

    def __init__(self, number: int, owner: Any) -> None:
        self.id = number
        self.name = f"pane{number}"
        self.owner = owner  # A Node; perhaps destroyed meanwhile.
        self.x = 0.0
        self.y = 0.0
        self.zoom = 1.0
        self.maximize = False
        self.open = True


class Layout:
    """The panes of the main window; there is always a current one."""

    def __init__(self, owner: Any, face: Callable[[Any], Any]) -> None:
        self.face = face
        self._numbers = 1
        self.panes = [PaneState(1, owner)]
        self.current = self.panes[0]
        self.moved: Callable[[str], None] = lambda what: None
        """Told whenever a script moves what a pane shows."""

    def add(self, like: PaneState) -> PaneState:
        """One more pane, showing what `like` shows."""
        self._numbers += 1
        pane = PaneState(self._numbers, like.owner)
        self.panes.append(pane)
        return pane

    def close(self, pane: PaneState) -> None:
        if len(self.panes) > 1:
            pane.open = False
            self.panes.remove(pane)
            if self.current is pane:
                self.current = self.panes[0]


class NetworkEditor(Guarded):
    """A pane that shows a network."""

    __slots__ = ("_layout", "_pane")

    def __init__(self, layout: Layout, pane: PaneState) -> None:
        self._layout = layout
        self._pane = pane

    @property
    def id(self) -> int:
        return self._pane.id

    @property
    def name(self) -> str:
        return self._pane.name

    @name.setter
    def name(self, value: str) -> None:
        self._pane.name = str(value)

    @property
    def type(self) -> PaneType:
        return PaneType.NETWORKEDITOR

    @property
    def open(self) -> bool:
        return self._pane.open

    @property
    def maximize(self) -> bool:
        return self._pane.maximize

    @maximize.setter
    def maximize(self, value: bool) -> None:
        self._pane.maximize = bool(value)

    @property
    def owner(self) -> Any:
        node = self._pane.owner
        if not node.alive:
            # The network was deleted: the pane shows the nearest one above that is left.
            while not node.alive:
                node = node.parent
            self._pane.owner = node
        return self._layout.face(node)

    @owner.setter
    def owner(self, value: Any) -> None:
        if not getattr(value, "isCOMP", False):
            raise tdError("Invalid owner for pane: a COMP is needed")
        self._layout.moved("pane.owner")
        self._pane.owner = value._node

    @property
    def x(self) -> float:
        return self._pane.x

    @x.setter
    def x(self, value: float) -> None:
        self._layout.moved("pane.x")
        self._pane.x = float(value)

    @property
    def y(self) -> float:
        return self._pane.y

    @y.setter
    def y(self, value: float) -> None:
        self._layout.moved("pane.y")
        self._pane.y = float(value)

    @property
    def zoom(self) -> float:
        return self._pane.zoom

    @zoom.setter
    def zoom(self, value: float) -> None:
        self._layout.moved("pane.zoom")
        self._pane.zoom = float(value)

    def home(self, zoom: bool = True, op: Any = None) -> None:
        """Bring the whole network, or one operator, into view."""
        self._look_at([op] if op is not None else list(self.owner.children), zoom)

    def homeSelected(self, zoom: bool = True) -> None:
        """Bring the selected operators into view."""
        self._look_at([o for o in self.owner.children if o.selected], zoom)

    def close(self) -> None:
        self._layout.close(self._pane)

    def splitRight(self) -> NetworkEditor:
        return NetworkEditor(self._layout, self._layout.add(self._pane))

    def splitLeft(self) -> NetworkEditor:
        return self.splitRight()

    def splitTop(self) -> NetworkEditor:
        return self.splitRight()

    def splitBottom(self) -> NetworkEditor:
        return self.splitRight()

    def floatingCopy(self) -> NetworkEditor:
        return self.splitRight()

    def _look_at(self, operators: list[Any], zoom: bool) -> None:
        self._layout.moved("pane.home")
        if not operators:
            return
        self._pane.x = sum(o.nodeCenterX for o in operators) / len(operators)
        self._pane.y = sum(o.nodeCenterY for o in operators) / len(operators)
        if zoom:
            self._pane.zoom = 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetworkEditor) and other._pane is self._pane

    def __hash__(self) -> int:
        return hash(self._pane.id)


class Panes(Guarded):
    """The panes: iterable, by index or by name."""

    __slots__ = ("_layout",)

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    @property
    def current(self) -> NetworkEditor:
        return NetworkEditor(self._layout, self._layout.current)

    def __iter__(self) -> Iterator[NetworkEditor]:
        return iter([NetworkEditor(self._layout, p) for p in self._layout.panes])

    def __len__(self) -> int:
        return len(self._layout.panes)

    def __getitem__(self, key: int | str) -> NetworkEditor | None:
        if isinstance(key, int):
            return NetworkEditor(self._layout, self._layout.panes[key])
        for pane in self._layout.panes:
            if pane.name == key:
                return NetworkEditor(self._layout, pane)
        return None

"""`COMP`, `ObjectCOMP`, `PanelCOMP`: operators that hold networks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fakes import catalogue, copying, find, wiring
from fakes.connectors import Connector
from fakes.errors import NotFaked
from fakes.nodes import FLAGS
from fakes.op_core import wanted
from fakes.op_custom import Customizable
from fakes.operators import OP, flag, unknown_type


class COMP(Customizable, OP):
    """An operator with a network inside."""

    __slots__ = ()

    pickable = flag("pickable")
    utility = flag("utility")
    componentCloneImmune = flag("componentCloneImmune")

    # -- operators inside ------------------------------------------------------------------------------------

    def create(self, opType: Any, name: str | None = None, initialize: bool = True) -> OP:
        """A new operator inside, at (0, 0); a taken name gets the next number, silently (fact 17).

        Raises:
            tdError: no such type: it takes a class or its exact name (fact 16).
        """
        node = self._live()
        type_name = opType if isinstance(opType, str) else getattr(opType, "__name__", "")
        if type_name not in catalogue.types():
            raise unknown_type(opType, *(() if name is None else (name,)))
        if not initialize:
            raise NotFaked("COMP.create(initialize=False)")
        return self._world.face(self._world.create(node, type_name, name or ""))

    def copy(self, OP: OP, name: str | None = None, includeDocked: bool = True) -> OP:
        """A copy of an operator inside this one; wires to others are lost (fact 18)."""
        made = copying.copy_into(
            self._live(),
            [wanted(OP, *((OP,) if name is None else (OP, name)))],
            name=name or "",
            docked=includeDocked,
        )
        return self._world.face(made[0])

    def copyOPs(self, listOfOPs: Iterable[OP]) -> list[OP]:
        """Copies of several operators, wires among them kept (fact 18)."""
        made = copying.copy_into(self._live(), [wanted(o, listOfOPs) for o in listOfOPs])
        return [self._world.face(m) for m in made]

    def findChildren(
        self,
        type: Any = None,
        name: str | None = None,
        path: str | None = None,
        depth: int | None = None,
        maxDepth: int | None = None,
        text: str | None = None,
        comment: str | None = None,
        tags: Any = (),
        allTags: bool = False,
        parValue: str | None = None,
        parExpr: str | None = None,
        parName: str | None = None,
        onlyNonDefaults: bool = False,
        includeUtility: bool = False,
        key: Any = None,
    ) -> list[OP]:
        """See `find.find_children` (fact 14)."""
        return find.find_children(
            self._live(), type=type, name=name, path=path, depth=depth, maxDepth=maxDepth, text=text,
            comment=comment, tags=tags, allTags=allTags, parValue=parValue, parExpr=parExpr, parName=parName,
            onlyNonDefaults=onlyNonDefaults, includeUtility=includeUtility, key=key,
        )  # fmt: skip

    @property
    def selectedChildren(self) -> list[OP]:
        return [self._world.face(c) for c in self._live().children.values() if c.flags & FLAGS["selected"]]

    @property
    def currentChild(self) -> OP | None:
        """The child that is current."""
        current = [c for c in self._live().children.values() if c.flags & FLAGS["current"]]
        return self._world.face(current[0]) if current else None

    # -- hierarchy of objects and panels ---------------------------------------------------------------------

    def _hierarchy(self, is_input: bool) -> list[Connector]:
        node = self._live()
        return [Connector(node, 0, is_input, True)] if wiring.comp_kind(node) else []

    @property
    def inputCOMPConnectors(self) -> list[Connector]:
        return self._hierarchy(True)

    @property
    def outputCOMPConnectors(self) -> list[Connector]:
        return self._hierarchy(False)

    @property
    def inputCOMPs(self) -> list[OP]:
        above = self._live().comp_input
        return [self._world.face(above)] if above else []

    @property
    def outputCOMPs(self) -> list[OP]:
        return [self._world.face(c) for c in self._live().comp_outputs or ()]


class ObjectCOMP(COMP):
    """A COMP with a place in 3D."""

    __slots__ = ()


class PanelCOMP(COMP):
    """A COMP with a place on a control panel; sizes in pixels."""

    __slots__ = ()

    width = property(lambda self: self._live().value("w"))
    height = property(lambda self: self._live().value("h"))
    x = property(lambda self: self._live().value("x"))
    y = property(lambda self: self._live().value("y"))

    @property
    def panelChildren(self) -> list[OP]:
        """The panels inside this one and wired below it."""
        node = self._live()
        inside = [
            c for c in node.children.values() if wiring.comp_kind(c) == "panel" and c.comp_input is None
        ]
        return [self._world.face(c) for c in [*inside, *(node.comp_outputs or ())]]

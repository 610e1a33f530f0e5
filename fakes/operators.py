"""`OP`: what every operator offers to scripts, and the classes of all operator types."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from fakes import api_index, catalogue, creating, evaluation, paths, problems, wiring
from fakes.catalogue import type_info
from fakes.connectors import Connector
from fakes.custom import CustomInfo
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.pages import Page
from fakes.parameters import Par, ParCollection
from fakes.pargroups import ParGroup, ParGroupCollection
from fakes.sequences import SequenceCollection
from fakes.shortcuts import IOPShortcut, IparShortcut, OPEXShortcut, OPShortcut, ParentShortcut

if TYPE_CHECKING:
    from fakes.world import World

M = TypeVar("M", bound=type)

_mixins: dict[str, list[type]] = {}
_classes: dict[str, type[OP]] = {}

#: Where the class of a family is, when it is not just OP.
_FAMILY_MODULES = {
    "COMP": "fakes.components",
    "ObjectCOMP": "fakes.components",
    "PanelCOMP": "fakes.components",
    "TOP": "fakes.tops.face",
    "CHOP": "fakes.chops.face",
    "DAT": "fakes.dats.face",
    "SOP": "fakes.sops.face",
    "POP": "fakes.sops.face",
}

#: Modules that add to the classes below with `extends` or register what types cook to.
_PARTS = (
    "fakes.annotations",
    "fakes.exports",
    "fakes.tops",
    "fakes.chops",
    "fakes.dats",
    "fakes.sops",
    "fakes.life",
)


def extends(*names: str) -> Callable[[M], M]:
    """Add a mixin (a Guarded class with empty slots) to the class of a family or operator type.

    Must happen while the parts are imported, before the first class is asked for.
    """

    def register(mixin: M) -> M:
        for name in names:
            _mixins.setdefault(name, []).append(mixin)
        return mixin

    return register


def load_parts() -> None:
    """Import everything that adds to the operator classes."""
    for part in (*_PARTS, *_FAMILY_MODULES.values()):
        _import(part)


def _import(name: str) -> Any:
    if not name:
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def face_class(name: str) -> type[OP]:
    """The Python class of an operator type or family: noiseTOP, TOP, OP.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in _classes:
        if not _classes:
            load_parts()
        _classes[name] = _make_class(name)
    return _classes[name]


def _make_class(name: str) -> type[OP]:
    parent = _parent_of(name)
    bases: list[type] = list(reversed(_mixins.get(name, ())))
    own = OP if not parent else getattr(_import(_FAMILY_MODULES.get(name, "")), name, None)
    if own is not None:
        bases.append(own)
    if parent and not (own is not None and issubclass(own, face_class(parent))):
        bases.append(face_class(parent))
    if bases == [own] and own is not None:
        return own
    made: type[OP] = type(name, tuple(bases), {"__slots__": (), "__module__": "td"})
    return made


def _parent_of(name: str) -> str:
    """The Python base class of an operator class, by name; of OP, none.

    Raises:
        KeyError: there is no such class.
    """
    if name == "OP":
        return ""
    if name in _FAMILY_MODULES:
        return "COMP" if name in ("ObjectCOMP", "PanelCOMP") else "OP"
    if name in catalogue.types():
        return catalogue.types()[name].bases[0]
    # Retired types still have their classes; so has MAT.
    documented = api_index.bases_of(name)
    if "OP" not in documented:
        raise KeyError(name)
    return documented[0]


def _flag(name: str) -> Any:
    def get(self: OP) -> bool:
        return self._live().flag(name)

    def put(self: OP, on: bool) -> None:
        self._live().set_flag(name, bool(on))

    return property(get, put)


def _is_family(family: str) -> Any:
    return property(lambda self: self._live().info.family == family)


def _float32(value: Any) -> float:
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])


class OP(Guarded):
    """Any operator. Invalid once destroyed; undoing that makes a new object with a new id (fact 15)."""

    __slots__ = ("_id", "_node")
    _node: Node
    _id: int

    def __init__(self, node: Node) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_id", node.id)

    # -- inside ----------------------------------------------------------------------------------------------

    def _live(self) -> Node:
        node = self._node
        if not node.alive or node.id != self._id:
            raise tdError("Cannot use an operator that was destroyed.")
        return node

    def _td_name(self) -> str:
        return self._node.info.name

    @property
    def _world(self) -> World:
        return self._node.world

    # -- who and where ---------------------------------------------------------------------------------------

    @property
    def valid(self) -> bool:
        """Whether the operator still exists."""
        return self._node.alive and self._node.id == self._id

    @property
    def id(self) -> int:
        """A number that changes on reload and undo."""
        return self._live().id

    @property
    def name(self) -> str:
        return self._live().name

    @name.setter
    def name(self, name: str) -> None:
        creating.rename(self._live(), str(name))

    @property
    def path(self) -> str:
        return self._live().path

    @property
    def opType(self) -> str:
        """`noiseTOP`."""
        return self._live().info.name

    @property
    def OPType(self) -> str:
        """The older spelling of `opType`."""
        return self._live().info.name

    @property
    def type(self) -> str:
        """`noise`."""
        return self._live().info.stem

    @property
    def family(self) -> str:
        return self._live().info.family

    @property
    def subType(self) -> str:
        """`object` or `panel` for COMPs of those kinds."""
        return wiring.comp_kind(self._live())

    isTOP = _is_family("TOP")
    isCHOP = _is_family("CHOP")
    isSOP = _is_family("SOP")
    isPOP = _is_family("POP")
    isDAT = _is_family("DAT")
    isMAT = _is_family("MAT")
    isCOMP = _is_family("COMP")
    isObject = property(lambda self: wiring.comp_kind(self._live()) == "object")
    isPanel = property(lambda self: wiring.comp_kind(self._live()) == "panel")
    isCustom = property(lambda self: self._live() is None)

    @property
    def digits(self) -> int | None:
        """The number at the end of the name."""
        from fakes import tdu

        return tdu.digits(self._live().name)

    @property
    def base(self) -> str:
        """The name without the number at its end."""
        from fakes import tdu

        return tdu.base(self._live().name)

    @property
    def time(self) -> OP | None:
        """The Time COMP that is this operator's clock (the root's)."""
        node = self._live().world.node("/local/time")
        return self._world.face(node) if node else None

    # -- network ---------------------------------------------------------------------------------------------

    @property
    def parent(self) -> ParentShortcut:
        """Call it: `n.parent()`, `n.parent(2)`."""
        return ParentShortcut(self._world, self._live(), False)

    @property
    def op(self) -> OPShortcut:
        """`n.op("child")`: paths begin inside the operator."""
        return OPShortcut(self._world, self._live(), False)

    @property
    def opex(self) -> OPEXShortcut:
        return OPEXShortcut(self._world, self._live(), False)

    @property
    def iop(self) -> IOPShortcut:
        return IOPShortcut(self._world, self._live(), False)

    @property
    def ipar(self) -> IparShortcut:
        return IparShortcut(self._world, self._live(), False)

    def ops(self, *patterns: Any, includeUtility: bool = False) -> list[OP]:
        """Every operator that the patterns name, from the inside of this one."""
        found = OPShortcut(self._world, self._live(), False)._find(patterns, includeUtility)
        return [self._world.face(n) for n in found]

    @property
    def children(self) -> list[OP]:
        """The operators inside; empty off COMPs."""
        return [self._world.face(c) for c in self._live().children.values()]

    @property
    def numChildren(self) -> int:
        return len(self._live().children)

    @property
    def numChildrenRecursive(self) -> int:
        return sum(1 for _ in self._world.walk(self._live()))

    @property
    def dock(self) -> OP | None:
        """The operator this one is docked to."""
        host = self._live().dock
        return self._world.face(host) if host else None

    @dock.setter
    def dock(self, host: OP | None) -> None:
        creating.set_dock(self._live(), host._live() if host is not None else None)

    @property
    def docked(self) -> list[OP]:
        """The operators docked to this one."""
        return [self._world.face(d) for d in self._live().docked or ()]

    # -- parameters ------------------------------------------------------------------------------------------

    @property
    def par(self) -> ParCollection:
        return ParCollection(self._live())

    @property
    def parGroup(self) -> ParGroupCollection:
        return ParGroupCollection(self._live())

    @property
    def seq(self) -> SequenceCollection:
        return SequenceCollection(self._live())

    def _par_list(self, names: Iterable[str]) -> list[Par]:
        node = self._live()
        found = [(n, node.par_info(n)) for n in names]
        return [Par(node, n, i) for n, i in found if i is not None]

    def pars(self, *patterns: str) -> list[Par]:
        """The parameters whose names match any of the patterns, in order; without any, all."""
        names = self._live().par_names()
        if patterns:
            names = [n for n in names if any(paths.match_any(p, n) for p in patterns)]
        return self._par_list(names)

    def parGroups(self, *patterns: str) -> list[ParGroup]:
        """The parameter groups whose names match."""
        node = self._live()
        groups = dict.fromkeys(p._known.group or p._name for p in self.pars())
        return [
            ParGroup(node, g) for g in groups if not patterns or any(paths.match_any(p, g) for p in patterns)
        ]

    @property
    def builtinPars(self) -> list[Par]:
        return [p for p in self.pars() if not isinstance(p._known, CustomInfo)]

    @property
    def customPars(self) -> list[Par]:
        custom = self._live().custom
        return self._par_list(custom.pars if custom is not None else ())

    @property
    def customParGroups(self) -> list[ParGroup]:
        node = self._live()
        return [ParGroup(node, g) for g in (node.custom.groups() if node.custom else ())]

    @property
    def pages(self) -> list[Page]:
        """The built-in pages."""
        return [Page(self._node, p) for p in self._live().info.pages]

    @property
    def customPages(self) -> list[Page]:
        node = self._live()
        return [Page(node, p) for p in (node.custom.pages if node.custom else ())]

    def copyParameters(self, OP: OP, custom: bool = True, builtin: bool = True) -> None:
        """Take over the parameters of another operator that this one has too."""
        node = self._live()
        for par in OP.pars():
            is_custom = isinstance(par._known, CustomInfo)
            info = node.par_info(par._name)
            touched = par._touched is not None or node.state(par._name) is not None
            if info is not None and touched and (custom if is_custom else builtin) and info.style != "Pulse":
                Par(node, par._name, info).copy(par)

    def resetPars(
        self,
        parNames: str = "*",
        parGroupNames: str = "*",
        pageNames: str = "*",
        includeBuiltin: bool = True,
        includeCustom: bool = True,
    ) -> bool:
        """Matching parameters back to their defaults; whether anything changed."""
        changed = False
        for par in self.pars(parNames):
            known = par._known
            is_custom = isinstance(known, CustomInfo)
            page = known.page.name if isinstance(known, CustomInfo) else known.page
            if (
                (includeCustom if is_custom else includeBuiltin)
                and paths.match_any(parGroupNames, par._known.group or par._name)
                and paths.match_any(pageNames.replace(" ", "?") if pageNames != "*" else "*", page)
                and par._touched is not None
            ):
                changed = par.reset() or changed
        return changed

    def evalExpression(self, text: str) -> Any:
        """Evaluate text as an expression of this operator."""
        return evaluation.evaluate_text(self._live(), text)

    # -- wires -----------------------------------------------------------------------------------------------

    @property
    def inputConnectors(self) -> list[Connector]:
        return [Connector(self._node, i, True) for i in range(wiring.num_inputs(self._live()))]

    @property
    def outputConnectors(self) -> list[Connector]:
        return [Connector(self._node, i, False) for i in range(wiring.num_outputs(self._live()))]

    @property
    def inputs(self) -> list[OP]:
        """The operators wired to the inputs, gaps left out (fact 31)."""
        return [self._world.face(w.source) for w in self._live().wires or () if w is not None]

    @property
    def outputs(self) -> list[OP]:
        """The operators that this one is wired to."""
        readers = dict.fromkeys(r for r, _ in self._live().consumers or ())
        return [self._world.face(r) for r in readers]

    def setInputs(self, listOfOPs: Iterable[OP | None]) -> None:
        """Wire the inputs to these operators, in order; None leaves an input unwired."""
        node = self._live()
        for index in reversed(range(len(node.wires or ()))):
            wiring.disconnect(node, index)
        for index, source in enumerate(listOfOPs):
            if source is not None:
                wiring.connect(source._live(), 0, node, index)

    @property
    def maxInputs(self) -> int:
        node = self._live()
        if node.info.family != "COMP" and node.info.max_inputs is None:
            raise NotFaked(f"maxInputs of {node.info.name}")
        return wiring.max_inputs(node)

    @property
    def isFilter(self) -> bool:
        return self.maxInputs > 0

    @property
    def isMultiInputs(self) -> bool:
        return self.maxInputs > 1

    # -- looks -----------------------------------------------------------------------------------------------

    bypass = _flag("bypass")
    display = _flag("display")
    render = _flag("render")
    viewer = _flag("viewer")
    lock = _flag("lock")
    expose = _flag("expose")
    cloneImmune = _flag("cloneImmune")
    selected = _flag("selected")
    current = _flag("current")
    activeViewer = _flag("activeViewer")
    python = _flag("python")
    showCustomOnly = _flag("showCustomOnly")
    showDocked = _flag("showDocked")

    @property
    def allowCooking(self) -> bool:
        return self._live().flag("allowCooking")

    @allowCooking.setter
    def allowCooking(self, on: bool) -> None:
        if self._live().info.family != "COMP":
            raise tdError("allowCooking can be set on components only.")  # fact 20
        self._node.set_flag("allowCooking", on)

    def _relocate(self, **fields: Any) -> None:
        node = self._live()
        before = {k: getattr(node, k) for k in fields}

        def put(values: dict[str, Any]) -> None:
            for key, value in values.items():
                setattr(node, key, value)

        node.world.undo.record("place", lambda: put(before), lambda: put(fields))
        put(fields)

    @property
    def nodeX(self) -> int:
        """The left edge in network units."""
        return int(self._live().x)

    @nodeX.setter
    def nodeX(self, x: float) -> None:
        self._relocate(x=int(x))

    @property
    def nodeY(self) -> int:
        """The bottom edge in network units."""
        return int(self._live().y)

    @nodeY.setter
    def nodeY(self, y: float) -> None:
        self._relocate(y=int(y))

    @property
    def nodeWidth(self) -> int:
        return int(self._live().w)

    @nodeWidth.setter
    def nodeWidth(self, width: float) -> None:
        self._relocate(w=max(int(width), 54))  # fact 20

    @property
    def nodeHeight(self) -> int:
        return int(self._live().h)

    @nodeHeight.setter
    def nodeHeight(self, height: float) -> None:
        self._relocate(h=max(int(height), 49 if self._live().info.family == "COMP" else 29))  # fact 20

    @property
    def nodeCenterX(self) -> int:
        return int(self._live().x + self._node.w / 2)

    @nodeCenterX.setter
    def nodeCenterX(self, x: float) -> None:
        self._relocate(x=int(x - self._live().w / 2))

    @property
    def nodeCenterY(self) -> int:
        return int(self._live().y + self._node.h / 2)

    @nodeCenterY.setter
    def nodeCenterY(self, y: float) -> None:
        self._relocate(y=int(y - self._live().h / 2))

    def resetNodeSize(self) -> None:
        """Back to the size of a new operator."""
        comp = self._live().info.family == "COMP"
        self._relocate(w=160 if comp else 130, h=130 if comp else 90)

    @property
    def color(self) -> tuple[float, float, float]:
        """Tile colour, stored as 32-bit floats."""
        return self._live().color or _DEFAULT_COLOR

    @color.setter
    def color(self, color: Iterable[float]) -> None:
        r, g, b = color
        self._relocate(color=(_float32(r), _float32(g), _float32(b)))

    @property
    def comment(self) -> str:
        return self._live().comment

    @comment.setter
    def comment(self, text: str) -> None:
        self._relocate(comment=str(text))

    @property
    def tags(self) -> set[str]:
        """The live set: adding to it tags the operator."""
        node = self._live()
        if node.tags is None:
            node.tags = set()
        return node.tags

    @tags.setter
    def tags(self, tags: Iterable[str]) -> None:
        self._relocate(tags=set(tags))

    # -- storage ---------------------------------------------------------------------------------------------

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
        """Keep what `store` shall start with when the project is opened."""
        self._live().startup = {**(self._node.startup or {}), key: value}

    def unstoreStartupValue(self, *keys: str) -> None:
        left = {
            k: v
            for k, v in (self._live().startup or {}).items()
            if not any(paths.match_any(p, k) for p in keys)
        }
        self._node.startup = left or None

    # -- cooking ---------------------------------------------------------------------------------------------

    def cook(self, force: bool = False, recurse: bool = False, includeUtility: bool = False) -> None:
        """Cook if anything changed, or in any case with `force`; `recurse` cooks what is inside as well."""
        node = self._live()
        if recurse:
            for child in list(self._world.walk(node)):
                if child.alive:
                    self._world.cooking.bring_up_to_date(child, force=force)
        self._world.cooking.bring_up_to_date(node, force=force)

    totalCooks = property(lambda self: self._live().cooks)
    cookFrame = property(lambda self: self._live().cook_frame)
    cookAbsFrame = property(lambda self: self._live().cook_frame)
    cookTime = property(lambda self: self._live().cook_ms, doc="Milliseconds of the last cook.")
    cpuCookTime = property(lambda self: self._live().cook_ms)
    cookedThisFrame = property(lambda self: self._live().cook_tick == self._world.tick)
    cookedPreviousFrame = property(lambda self: self._live().cook_tick == self._world.tick - 1)

    @property
    def childrenCookTime(self) -> float:
        """Milliseconds that everything inside took in the last frame in which it cooked."""
        tick = self._world.tick
        return sum(n.cook_ms for n in self._world.walk(self._live()) if n.cook_tick >= tick - 1)

    @property
    def childrenCPUCookTime(self) -> float:
        return self.childrenCookTime

    def errors(self, recurse: bool = False) -> str:
        """The errors as one string; empty if there are none (fact 33)."""
        return problems.errors_text(self._live(), recurse)

    def warnings(self, recurse: bool = False) -> str:
        return problems.warnings_text(self._live(), recurse)

    def scriptErrors(self, recurse: bool = False) -> str:
        return problems.script_errors_text(self._live(), recurse)

    def clearScriptErrors(self, recurse: bool = False, error: str = "*") -> None:
        if error != "*":
            raise NotFaked("OP.clearScriptErrors(error=)")
        problems.clear_script_errors(self._live(), recurse)

    def addError(self, msg: str) -> None:
        """Have the operator show an error; only while it cooks (fact 33)."""
        self._cooking("addError").errors = [*(self._node.errors or ()), str(msg)]

    def addWarning(self, msg: str) -> None:
        self._cooking("addWarning").warnings = [*(self._node.warnings or ()), str(msg)]

    def _cooking(self, what: str) -> Node:
        if not self._live().cooking:
            raise tdError(f"{what} can only be called while the operator is cooking.")
        return self._node

    # -- life ------------------------------------------------------------------------------------------------

    def destroy(self) -> None:
        """Remove the operator and all in it.

        Raises:
            tdError: it is gone already (fact 19).
        """
        creating.destroy(self._world, self._live())

    def changeType(self, OPtype: Any) -> OP:
        """A new operator of another type in this one's place; this one is invalid afterwards (fact 18)."""
        name = OPtype if isinstance(OPtype, str) else getattr(OPtype, "__name__", "")
        if name not in catalogue.types():
            raise unknown_type(OPtype)
        return self._world.face(creating.retype(self._live(), name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OP) and self._node is other._node and self._id == other._id

    def __hash__(self) -> int:
        return self._id

    def __str__(self) -> str:
        return self._node.path if self._node.alive else "<invalid OP>"

    def __repr__(self) -> str:
        if not self._node.alive:
            return "<invalid OP>"
        return f"type:{self._node.info.name} path:{self._node.path}"


#: Tile colour of a new operator. The shade is not established; that it is a grey is.
_DEFAULT_COLOR = (_float32(0.67), _float32(0.67), _float32(0.67))


def unknown_type(given: Any) -> tdError:
    """What TouchDesigner says of something that is no operator type (fact 16)."""
    name = given if isinstance(given, str) else getattr(given, "__name__", "")
    if name not in catalogue.types() and "OP" in api_index.bases_of(name) and name not in _FAMILY_MODULES:
        return tdError("Invalid number or type of arguments.")  # a retired type
    return tdError(f"Unknown operator type. Value:{given!r} Type:{type(given)}.")


__all__ = ["OP", "extends", "face_class", "load_parts", "type_info", "unknown_type"]

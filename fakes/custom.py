"""Custom parameters of a COMP: their definitions, pages and names (facts 25 and 27)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from fakes.errors import NotFaked, tdError
from fakes.nodes import Node, ParState

_NAME = re.compile(r"[A-Z][a-z0-9]*")

#: Operators that take custom parameters without being COMPs: their callbacks set them up.
SCRIPTED = ("scriptCHOP", "scriptDAT", "scriptSOP", "scriptTOP")

#: Style -> suffixes of the members that the group reports. Three-letter groups carry a fourth (fact 27).
SUFFIXES: dict[str, tuple[str, ...]] = {
    "RGB": ("r", "g", "b"),
    "RGBA": ("r", "g", "b", "a"),
    "UV": ("u", "v"),
    "UVW": ("u", "v", "w"),
    "WH": ("w", "h"),
    "XY": ("x", "y"),
    "XYZ": ("x", "y", "z"),
    "XYZW": ("x", "y", "z", "w"),
}

#: Style asked for -> style that `Par.style` reports (fact 27).
REPORTED = {"RGB": "RGBA", "UV": "UVW", "XY": "XYZW", "XYZ": "XYZW"}


@dataclass(eq=False)
class CustomInfo:
    """The definition of one custom parameter; unlike a built-in one's, every part can be changed."""

    name: str
    label: str
    page: CustomPage
    style: str
    group: str
    vec_index: int = 0
    order: float = 0
    menu_names: tuple[str, ...] = ()
    menu_labels: tuple[str, ...] = ()
    menu_source: str = ""
    default: Any = 0.0
    default_expr: str = ""
    default_bind: str = ""
    default_mode: int = 0
    min: float = 0.0
    max: float = 1.0
    clamp_min: bool = False
    clamp_max: bool = False
    norm: tuple[float, float] = (0.0, 1.0)
    start_section: bool = False
    help: str = ""
    password: bool = False
    sequence: str = ""
    known: bool = True

    @property
    def creation(self) -> Any:
        """The value until somebody sets one."""
        return self.default

    @property
    def is_int(self) -> bool:
        return self.style == "Int"

    @property
    def clamp(self) -> tuple[float | None, float | None]:
        """The limits that hold, in the parameter's units."""
        return (self.min if self.clamp_min else None, self.max if self.clamp_max else None)


@dataclass(eq=False)
class CustomPage:
    """One page of custom parameters."""

    name: str


@dataclass(eq=False)
class CustomPages:
    """All custom parameters of one operator, in order."""

    pages: list[CustomPage] = field(default_factory=list)
    pars: dict[str, CustomInfo] = field(default_factory=dict)

    def on_page(self, page: CustomPage) -> list[CustomInfo]:
        """The parameters of a page in their order."""
        return sorted((p for p in self.pars.values() if p.page is page), key=lambda p: p.order)

    def groups(self) -> dict[str, list[CustomInfo]]:
        """Group name -> members in vector order."""
        found: dict[str, list[CustomInfo]] = {}
        for info in self.pars.values():
            found.setdefault(info.group, []).append(info)
        return {g: sorted(m, key=lambda i: i.vec_index) for g, m in found.items()}


def check_name(name: str) -> None:
    """Refuse names that are not one capital followed by lower case and digits.

    Raises:
        tdError: the name is not valid (fact 27).
    """
    if not _NAME.fullmatch(name):
        raise tdError(
            f"Invalid custom parameter name '{name}'. Names must begin with an uppercase letter, followed by "
            "lowercase letters or numbers."
        )


def first_default(style: str) -> Any:
    """The default of a new custom parameter."""
    if style in ("Int", "WH"):
        return 0
    if style in ("Toggle", "Pulse", "Momentary"):
        return False
    if style in ("Float", "RGB", "RGBA", "UV", "UVW", "XY", "XYZ", "XYZW"):
        return 0.0
    return 1 if style == "Sequence" else ""


def pages_of(node: Node) -> CustomPages:
    """The custom parameters of an operator, made if there are none.

    Raises:
        tdError: only COMPs and script operators take custom pages (fact 27).
    """
    if node.info.family != "COMP" and node.info.name not in SCRIPTED:
        raise tdError(f"Custom parameters are supported on components only, not on {node.info.name}.")
    if node.custom is None:
        node.custom = CustomPages()
    return node.custom


def append_page(node: Node, name: str) -> CustomPage:
    """A new page at the end, or the existing one of that name."""
    custom = pages_of(node)
    for page in custom.pages:
        if page.name == name:
            return page
    page = CustomPage(name)
    custom.pages.append(page)
    node.world.undo.record("page", lambda: _remove_page(custom, page), lambda: _put_page(custom, page))
    return page


def _remove_page(custom: CustomPages, page: CustomPage) -> None:
    # Scripts that undo runs (its callbacks) may have removed it already.
    if page in custom.pages:
        custom.pages.remove(page)


def _put_page(custom: CustomPages, page: CustomPage, place: int | None = None) -> None:
    if page not in custom.pages:
        custom.pages.insert(len(custom.pages) if place is None else place, page)


def append(
    node: Node,
    page: CustomPage,
    style: str,
    name: str,
    label: str | None = None,
    *,
    size: int = 1,
    order: float | None = None,
    replace: bool = True,
) -> str:
    """Add a custom parameter (of `size` members) and give back its group's name.

    An existing one of that name is defined anew, defaults and values wiped.

    Raises:
        tdError: the name is not valid.
        NotFaked: the name exists and `replace` is off.
    """
    check_name(name)
    custom = pages_of(node)
    suffixes = SUFFIXES.get(style) or (("",) if size == 1 else tuple(str(i + 1) for i in range(size)))
    existing = [i for i in custom.pars.values() if i.group == name]
    if existing and not replace:
        raise NotFaked(f"append{style} with replace=False where {name} exists")
    before = dict(custom.pars)
    states = _held(node, existing)
    for old in existing:
        drop(node, old)
    base = order if order is not None else float(max((i.order for i in before.values()), default=-1) + 1)
    norm = (0.0, 10.0) if style == "Int" else (0.0, 1.0)
    for index, suffix in enumerate(suffixes):
        info = CustomInfo(
            name + suffix, label or name, page, REPORTED.get(style, style), name, index, base,
            default=first_default(style), max=norm[1], norm=norm,
        )  # fmt: skip
        if style == "Toggle":
            info.menu_names, info.menu_labels = ("off", "on"), ("Off", "On")
        custom.pars[info.name] = info
    after = dict(custom.pars)
    node.world.undo.record("custom", lambda: _put(node, before, states), lambda: _put(node, after))
    node.changed("pages")
    return name


def drop(node: Node, info: CustomInfo) -> None:
    """Remove one custom parameter; Par objects held from before are invalid afterwards (fact 19)."""
    custom = pages_of(node)
    custom.pars.pop(info.name, None)
    if node.states is not None:
        node.states.pop(info.name, None)
    node.par_generation += 1
    node.changed(f"par {info.name}")


def destroy_group(node: Node, group: str) -> None:
    """`Par.destroy()`: remove a custom parameter with all its members, undoably."""
    custom = pages_of(node)
    before = dict(custom.pars)
    going = [i for i in before.values() if i.group == group]
    states = _held(node, going)
    for info in going:
        drop(node, info)
    after = dict(custom.pars)
    node.world.undo.record("custom", lambda: _put(node, before, states), lambda: _put(node, after))


def destroy_page(node: Node, page: CustomPage) -> None:
    """`Page.destroy()`: remove a page and what is on it."""
    custom = pages_of(node)
    for group in dict.fromkeys(i.group for i in custom.on_page(page)):
        destroy_group(node, group)
    place = custom.pages.index(page)
    custom.pages.remove(page)
    node.world.undo.record("page", lambda: _put_page(custom, page, place), lambda: _remove_page(custom, page))


def _held(node: Node, infos: list[CustomInfo]) -> dict[str, ParState]:
    states = ((i.name, node.state(i.name)) for i in infos)
    return {name: state for name, state in states if state is not None}


def _put(node: Node, pars: dict[str, CustomInfo], states: dict[str, ParState] | None = None) -> None:
    custom = pages_of(node)
    gone = [n for n, i in custom.pars.items() if pars.get(n) is not i]
    custom.pars = dict(pars)
    for name in gone:
        (node.states or {}).pop(name, None)
    if states:
        node.states = {**(node.states or {}), **states}
    if gone:
        node.par_generation += 1
    node.changed("pages")

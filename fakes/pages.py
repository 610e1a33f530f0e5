"""`Page`: parameter pages, and the `append...` methods that make custom parameters (fact 27)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes import custom
from fakes.custom import CustomPage
from fakes.errors import tdError
from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.pargroups import ParGroup

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.parameters import Par


def _appender(style: str) -> Callable[..., ParGroup]:
    def append(
        self: Page, name: str, label: str | None = None, order: float | None = None, replace: bool = True
    ) -> ParGroup:
        return self._append(style, name, label, order=order, replace=replace)

    append.__doc__ = f"Add a custom {style} parameter and give back its ParGroup."
    append.__qualname__ = f"Page.append{style}"
    return append


def _sized(style: str) -> Callable[..., ParGroup]:
    def append(
        self: Page,
        name: str,
        label: str | None = None,
        size: int = 1,
        order: float | None = None,
        replace: bool = True,
    ) -> ParGroup:
        return self._append(style, name, label, size=size, order=order, replace=replace)

    append.__doc__ = f"Add a custom {style} parameter of `size` members."
    append.__qualname__ = f"Page.append{style}"
    return append


class Page(Guarded):
    """One page of parameters; built-in pages can only be read."""

    __slots__ = ("_node", "_page")
    _node: Node
    _page: CustomPage | str

    def __init__(self, node: Node, page: CustomPage | str) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_page", page)

    def _custom(self) -> CustomPage:
        page = self._page
        if not isinstance(page, CustomPage):
            raise tdError(f"The page {page} is built in.")
        if not self._node.alive or page not in custom.pages_of(self._node).pages:
            raise tdError("Invalid Page object: the page was destroyed.")
        return page

    def _append(self, style: str, name: str, label: str | None, **options: Any) -> ParGroup:
        return ParGroup(self._node, custom.append(self._node, self._custom(), style, name, label, **options))

    @property
    def name(self) -> str:
        return self._page.name if isinstance(self._page, CustomPage) else self._page

    @name.setter
    def name(self, name: str) -> None:
        self._custom().name = str(name)
        self._node.changed("pages")

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    @property
    def isCustom(self) -> bool:
        return isinstance(self._page, CustomPage)

    @property
    def index(self) -> int:
        """Position among the operator's pages of its kind."""
        if isinstance(self._page, CustomPage):
            return custom.pages_of(self._node).pages.index(self._custom())
        return list(self._node.info.pages).index(self._page)

    def _names(self) -> list[str]:
        if isinstance(self._page, CustomPage):
            return [i.name for i in custom.pages_of(self._node).on_page(self._custom())]
        on_page = []
        for name in self._node.par_names():
            info = self._node.par_info(name)
            if info is not None and info.page == self._page:
                on_page.append(name)
        return on_page

    @property
    def pars(self) -> list[Par]:
        from fakes.parameters import Par

        found = [(n, self._node.par_info(n)) for n in self._names()]
        return [Par(self._node, n, i) for n, i in found if i is not None]

    @property
    def parGroups(self) -> list[ParGroup]:
        groups = dict.fromkeys(p._info.group or p._name for p in self.pars)
        return [ParGroup(self._node, g) for g in groups]

    def sort(self, *pars: Any) -> None:
        """Put parameters, given by name or Par, first on the page in that order."""
        page, custom_pages = self._custom(), custom.pages_of(self._node)
        names = [p if isinstance(p, str) else p.name for p in pars]
        on_page = custom_pages.on_page(page)
        first = [i for n in names for i in on_page if n in (i.name, i.group)]
        for order, info in enumerate(first + [i for i in on_page if i not in first]):
            info.order = float(order)
        self._node.changed("pages")

    def resetPars(self) -> bool:
        """All parameters of the page back to their defaults; whether anything changed."""
        # All of them, not only up to the first that changes.
        return sum(p.reset() for p in self.pars) > 0

    def destroy(self) -> None:
        """Remove a custom page and what is on it."""
        custom.destroy_page(self._node, self._custom())

    def appendParGroup(
        self,
        name: str,
        parGroup: ParGroup | None = None,
        label: str | None = None,
        order: float | None = None,
        replace: bool = True,
    ) -> ParGroup:
        """Add a parameter like an existing one."""
        if parGroup is None:
            return self._append("Float", name, label, order=order, replace=replace)
        size = len(parGroup._pars())
        style = parGroup._pars()[0]._info.style
        made = self._append(
            style, name, label or parGroup._pars()[0]._info.label, order=order, replace=replace,
            **({"size": size} if style not in custom.SUFFIXES else {}),
        )  # fmt: skip
        for new, old in zip(made._pars(), parGroup._pars(), strict=False):
            for attribute in ("menu_names", "menu_labels", "default", "norm"):
                setattr(new._info, attribute, getattr(old._info, attribute))
        return made

    appendFloat = _sized("Float")
    appendInt = _sized("Int")
    appendCHOP = _appender("CHOP")
    appendCOMP = _appender("COMP")
    appendDAT = _appender("DAT")
    appendFile = _appender("File")
    appendFileSave = _appender("FileSave")
    appendFolder = _appender("Folder")
    appendHeader = _appender("Header")
    appendMAT = _appender("MAT")
    appendMenu = _appender("Menu")
    appendMomentary = _appender("Momentary")
    appendOP = _appender("OP")
    appendObject = _appender("Object")
    appendPOP = _appender("POP")
    appendPanelCOMP = _appender("PanelCOMP")
    appendPulse = _appender("Pulse")
    appendPython = _appender("Python")
    appendRGB = _appender("RGB")
    appendRGBA = _appender("RGBA")
    appendSOP = _appender("SOP")
    appendSequence = _appender("Sequence")
    appendStr = _appender("Str")
    appendStrMenu = _appender("StrMenu")
    appendTOP = _appender("TOP")
    appendToggle = _appender("Toggle")
    appendUV = _appender("UV")
    appendUVW = _appender("UVW")
    appendWH = _appender("WH")
    appendXY = _appender("XY")
    appendXYZ = _appender("XYZ")
    appendXYZW = _appender("XYZW")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Page) and self._node is other._node and self._page == other._page

    def __hash__(self) -> int:
        return hash((self._node.id, id(self._page) if self.isCustom else self._page))

    def __str__(self) -> str:
        return str(self.name)

    def __repr__(self) -> str:
        return f"type:Page name:{self.name} owner:{self._node.path}"

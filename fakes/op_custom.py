"""Custom pages of an operator: COMPs take them, and the script operators (fact 27)."""

from __future__ import annotations

from typing import Any

from fakes import custom
from fakes.classes import extends
from fakes.errors import tdError
from fakes.op_core import Held
from fakes.pages import Page


@extends(*custom.SCRIPTED)
class Customizable(Held):
    """What takes custom parameters."""

    __slots__ = ()

    def appendCustomPage(self, name: str) -> Page:
        """A new page for custom parameters, or the one of that name."""
        return Page(self._live(), custom.append_page(self._live(), str(name)))

    def sortCustomPages(self, *pages: Any) -> None:
        """Put custom pages, given by name or Page, first in that order."""
        own = custom.pages_of(self._live())
        names = [p if isinstance(p, str) else p.name for p in pages]
        unknown = set(names) - {p.name for p in own.pages}
        if unknown:
            raise tdError(f"There is no custom page {unknown.pop()}.")
        own.pages.sort(key=lambda p: names.index(p.name) if p.name in names else len(names))
        self._node.changed("pages")

    def destroyCustomPars(self) -> int:
        """Remove all custom parameters and pages; how many parameters went."""
        node = self._live()
        if node.custom is None:
            return 0
        count = len(node.custom.pars)
        for page in list(node.custom.pages):
            custom.destroy_page(node, page)
        return count

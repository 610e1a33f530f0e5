"""An operator's parameters as a whole: collections, pages, copying and resetting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fakes import evaluation, paths
from fakes.custom import CustomInfo
from fakes.op_core import Held
from fakes.pages import Page
from fakes.parameters import Par, ParCollection
from fakes.pargroups import ParGroup, ParGroupCollection
from fakes.sequences import SequenceCollection, unmade

if TYPE_CHECKING:
    from fakes.operators import OP


class Parametered(Held):
    """The parameters of one operator."""

    __slots__ = ()

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
        node = self._live()
        if not patterns and node.custom is None and not node.blocks and node.info.family != "POP":
            # Readings of large projects ask every operator for them.
            return [Par(node, name, info) for name, info in node.info.as_made]
        names = [name for name in node.par_names() if not unmade(node, name)]
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

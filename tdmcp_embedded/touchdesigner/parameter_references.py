"""What speaks of custom parameters and of global shortcuts by name: expressions, binds, scripts, and the lists of names
of some operators.

What stands before `.par.Name` is worked out from its text as far as that tells. Where it does not (`self.owner`), the
nearest component around that has such a parameter, or had, is taken to be meant.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from types import ModuleType
from typing import Any, Final

from tdmcp_embedded.touchdesigner.builds import find, op_type
from tdmcp_embedded.touchdesigner.telling import told

#: `….par.Name`, `….parGroup['Name']`; and a name in quotes, beside which `par` is spoken of.
_USE: Final = re.compile(
    r"\.par(?:Group)?(?:\.(?P<a>[A-Z][A-Za-z0-9]*)|\[\s*['\"](?P<b>[A-Z][A-Za-z0-9]*)['\"]\s*\])"
)
_INTERNAL: Final = re.compile(r"\bipar\.\w+\.(?P<a>[A-Z][A-Za-z0-9]*)")
_QUOTED: Final = re.compile(r"['\"](?P<a>[A-Z][A-Za-z0-9]*)['\"]")
_SPEAKS_OF_PAR: Final = re.compile(r"par|Par")
#: What stands before it, at its end.
_NAMED: Final = re.compile(r"(?P<dot>\.)?\b(?:op|opex)\(\s*['\"](?P<word>[^'\"\n]+)['\"]\s*\)$")
_PARENT: Final = re.compile(r"(?<![\w.])(?:me\.)?parent\(\s*(?P<up>\d*)\s*\)$")
_SHORTCUT: Final = re.compile(r"(?<![\w.])(?:me\.)?(?P<how>parent|op|iop)\.(?P<word>\w+)$")
_ME: Final = re.compile(r"(?<![\w.])me$")

#: Parameters that list names of another operator's parameters, by type: which names that operator, which the names.
_LISTS: Final = {
    "parameterexecuteDAT": ("op", "pars"),
    "parameterDAT": ("ops", "parameters"),
    "parameterCHOP": ("ops", "parameter"),
}
#: Levels of networks that are looked through for the component that is meant.
_DEEPEST: Final = 64


class ParameterNames:
    """Names of custom parameters that are no more, and who speaks of them.

    Args:
        gone: by the path of their component, as it is now.
        resolved: the absolute path that a word means, as seen from an operator's path.
        shortcuts: global shortcuts (`op.Name`) that are no more.
    """

    def __init__(
        self,
        td: ModuleType,
        gone: Mapping[str, Collection[str]],
        resolved: Callable[[str, str], str],
        shortcuts: Collection[str] = (),
    ) -> None:
        self._td = td
        self._resolved = resolved
        self._gone = {path: frozenset(names) for path, names in gone.items() if names}
        self._names = frozenset(name for names in self._gone.values() for name in names)
        words = "|".join(sorted(map(re.escape, shortcuts)))
        self._shortcuts = re.compile(rf"(?<![\w.])op\.(?:{words})\b") if words else None
        self._any = re.compile("|".join(sorted(map(re.escape, self._names))) or r"(?!)")
        self._comps = {posixpath.basename(path): path for path in self._gone}

    def __bool__(self) -> bool:
        return bool(self._gone or self._shortcuts)

    def spoken(self, code: str, path: str) -> bool:
        """Whether code of the operator at `path` asks for one of them."""
        if self._shortcuts is not None and self._shortcuts.search(code):
            return True
        if not self._gone or not self._any.search(code):
            return False
        used: set[int] = set()
        for match in _USE.finditer(code):
            name = match["a"] or match["b"]
            used.add(match.start("b"))
            if name in self._names and self._meant(code[: match.start()], name, path):
                return True
        if any(self._around(match["a"], path) for match in _INTERNAL.finditer(code)):
            return True
        return bool(_SPEAKS_OF_PAR.search(code)) and any(
            match.start("a") not in used and self._around(match["a"], path)
            for match in _QUOTED.finditer(code)
        )

    def listed(self, operator: Any) -> Iterator[Any]:
        """The parameters of an operator that list one of them by name."""
        if not self._gone or (names := _LISTS.get(op_type(operator))) is None:
            return
        about, listing = (operator.par[name] for name in names)
        if about is None or listing is None:
            return
        words = set(str(told(lambda: listing.val) or "").split())
        if not words & self._names:
            return
        path = str(operator.path)
        for word in str(told(lambda: about.val) or "").split():
            if words & self._gone.get(self._resolved(word, path), frozenset()):
                yield listing
                return

    def _meant(self, before: str, name: str, path: str) -> bool:
        """Whether the operator before `.par` is one that had the parameter."""
        if found := _NAMED.search(before):
            if not found["dot"]:
                return name in self._gone.get(self._resolved(found["word"], path), ())
            # From which network it starts only running it would tell.
            target = self._comps.get(posixpath.basename(found["word"]), "")
            return name in self._gone.get(target, ())
        if _ME.search(before):
            return name in self._gone.get(path, ())
        if found := _PARENT.search(before):
            for _ in range(min(int(found["up"] or 1), _DEEPEST)):
                path = posixpath.dirname(path)
            return name in self._gone.get(path, ())
        if found := _SHORTCUT.search(before):
            kind = "parentshortcut" if found["how"] == "parent" else "opshortcut"
            return found["how"] == "iop" or any(
                name in names
                and self._shortcut(comp, kind) == found["word"]
                and (kind == "opshortcut" or path.startswith(comp + "/"))
                for comp, names in self._gone.items()
            )
        return self._around(name, path)

    def _shortcut(self, comp: str, kind: str) -> str:
        found = find(self._td, comp)
        par = found.par[kind] if found is not None else None
        return str(told(lambda: par.eval()) or "") if par is not None else ""

    def _around(self, name: str, path: str) -> bool:
        """Whether nothing nearer than one that had such a parameter has one."""
        if name not in self._names:
            return False
        for _ in range(_DEEPEST):
            if name in self._gone.get(path, ()):
                return True
            found = find(self._td, path)
            if found is not None and found.par[name] is not None:
                return False
            if path in ("/", ""):
                break
            path = posixpath.dirname(path)
        return True

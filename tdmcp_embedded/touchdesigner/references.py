"""What speaks of operators by name: parameters, expressions and scripts, and which of it leads nowhere now.

References by name do not follow a rename (fact 77), and only what cooks shows a warning. TouchDesigner has no list of
them, so all operators are asked, over as many frames as it takes: what a reference means is worked out from its text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Generator, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from tdmcp_embedded.touchdesigner import describe, operators
from tdmcp_embedded.touchdesigner.builds import find, op_type
from tdmcp_embedded.touchdesigner.parameter_references import ParameterNames
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

#: `op('name')` and its like, also after a dot, where the network it starts from is another one.
_CALL = re.compile(r"(?P<dot>\.)?\b(?:op|opex|ops)\(\s*(?P<quote>['\"])(?P<text>[^'\"\n]+)(?P=quote)")
_IMPORT = re.compile(
    r"\bimport\s+(?P<a>\w+)|\bfrom\s+(?P<b>\w+)\s+import\b|\bmod\.(?P<c>\w+)|\bmod\(\s*['\"](?P<d>[^'\"\n]+)['\"]"
)
_PATTERN = re.compile(r"[*?\[\]^]")
#: Texts longer than this are data.
_LONGEST_SCRIPT = 200_000
_LONGEST_SHOWN = 200
#: Frames one look may take; what was not asked by then is said.
_MOST_FRAMES = 240
_MOST_FOUND = 500


class Reference(NamedTuple):
    """A parameter, expression or line of a script that names an operator."""

    path: str
    where: str
    """The parameter, or `line N`."""
    text: str

    def __str__(self) -> str:
        return f"{self.path} {self.where}: {cut(clean(self.text.strip()), _LONGEST_SHOWN)}"


class Found(NamedTuple):
    """References, and whether every operator was asked."""

    references: list[Reference]
    asked: int
    complete: bool


def broken(
    td: ModuleType,
    gone: Mapping[str, str],
    own: str = "",
    parameters: Mapping[str, Collection[str]] | None = None,
    shortcuts: Collection[str] = (),
) -> Generator[None, None, Found]:
    """The references to paths and custom parameters that are no more, in all of the project but the server's own
    component (`own`).

    Args:
        gone: the old path of each operator that was deleted, renamed or moved, and its new path ("": none). What was
            inside is gone with it.
        parameters: names of custom parameters that are gone, by the path of their component.
        shortcuts: global shortcuts (`op.Name`) that lead nowhere.
    """
    look = _Look(td, gone, ParameterNames(td, parameters or {}, resolved, shortcuts))
    pace = operators.Pace(every=32)
    asked = steps = 0
    complete = True
    skip = [*operators.SYSTEM_NETWORKS, *([own] if own else [])]
    for current, _ in operators.walk(td.op("/"), skip=skip):
        asked += 1
        if own and str(current.path).startswith(own + "/"):
            continue
        look.at(current)
        if pace.due(2):
            steps += 1
            yield
        if len(look.found) >= _MOST_FOUND or steps >= _MOST_FRAMES * 16:
            complete = False
            break
    return Found(look.found, asked, complete)


class _Look:
    def __init__(self, td: ModuleType, gone: Mapping[str, str], parameters: ParameterNames) -> None:
        self._td = td
        self._parameter_names = parameters
        self._gone = dict(gone)
        names = {posixpath.basename(path) for path in gone}
        self._named = re.compile("|".join(sorted(map(re.escape, names), key=len, reverse=True)) or r"(?!)")
        self._names = names
        self._moved = {
            new: old for old, new in gone.items() if new and posixpath.dirname(old) != posixpath.dirname(new)
        }
        self._by_default: dict[str, list[str]] = {}
        """Built-in parameters by type whose default names an operator."""
        self.found: list[Reference] = []

    def at(self, operator: Any) -> None:
        """Ask one operator."""
        path = str(operator.path)
        was = self._was(path)
        for par in self._parameters(operator):
            how = describe.mode(par)
            if how == "constant" and par.isOP:
                text = str(told(lambda par=par: par.val) or "")  # type: ignore[misc]
                if any(self._lost(word, path, was) for word in text.split()):
                    self.found.append(Reference(path, str(par.name), text))
            elif how in ("expression", "bind"):
                text = str(par.expr if how == "expression" else par.bindExpr)
                if self._spoken(text, path, was) or self._parameter_names.spoken(text, path):
                    self.found.append(Reference(path, str(par.name), text))
        for par in self._parameter_names.listed(operator):
            self.found.append(Reference(path, str(par.name), str(par.val)))
        if operator.isDAT and operator.isEditable and operator.isText:
            self._script(operator, path, was)

    def _parameters(self, operator: Any) -> Iterator[Any]:
        """Those that are not at their default, and those whose default names an operator; nothing else does."""
        # One attribute of each parameter: in a large project there are hundreds of thousands of them.
        for par in operator.pars():
            if not par.isDefault:
                yield par
        kind = op_type(operator)
        if kind not in self._by_default:
            self._by_default[kind] = [str(par.name) for par in operator.builtinPars if _names_by_default(par)]
        for name in self._by_default[kind]:
            par = operator.par[name]
            if par is not None and par.isDefault:
                yield par
        yield from (par for par in operator.customPars if par.isOP and par.isDefault)

    def _script(self, dat: Any, path: str, was: str) -> None:
        text = str(dat.text)
        if len(text) > _LONGEST_SCRIPT:
            return
        parameters = self._parameter_names.spoken(text, path)
        if not (was or parameters or self._named.search(text)):
            return
        for number, line in enumerate(text.splitlines(), 1):
            if (
                self._spoken(line, path, was) or (parameters and self._parameter_names.spoken(line, path))
            ) or any(
                self._lost(word, path, was)
                for match in _IMPORT.finditer(line)
                if (word := next(filter(None, match.groups()), "")) and (word in self._names or "/" in word)
            ):
                self.found.append(Reference(path, f"line {number}", line))

    def _spoken(self, code: str, path: str, was: str) -> bool:
        """Whether code asks for an operator that is no more."""
        if "op" not in code or not (was or self._named.search(code)):
            return False
        for match in _CALL.finditer(code):
            word = match["text"]
            if match["dot"] and not word.startswith("/"):
                # From which network it starts only running it would tell: a name that is gone is taken for it.
                if posixpath.basename(word) in self._names and self._nowhere(word):
                    return True
            elif self._lost(word, path, was):
                return True
        return False

    def _nowhere(self, word: str) -> bool:
        name = posixpath.basename(word)
        return any(posixpath.basename(old) == name and find(self._td, old) is None for old in self._gone)

    def _lost(self, word: str, path: str, was: str) -> bool:
        """Whether a word named something that is not there any more, as seen from an operator."""
        if _PATTERN.search(word):
            return False
        target = resolved(word, path)
        if _inside(target, self._gone) and find(self._td, target) is None:
            return True
        # In an operator that was moved, relative paths start elsewhere now.
        if was and not word.startswith("/"):
            old = resolved(word, was)
            if (old + "/").startswith(was + "/"):
                # What is inside of it came along; what is not there now never was.
                return False
            return (
                old != target
                and find(self._td, target) is None
                and (find(self._td, old) is not None or _inside(old, self._gone))
            )
        return False

    def _was(self, path: str) -> str:
        """Where an operator was before it was moved; "" for any other."""
        for new, old in self._moved.items():
            if (path + "/").startswith(new + "/"):
                return old + path[len(new) :]
        return ""


def _names_by_default(par: Any) -> bool:
    return bool(par.isOP) and bool(told(lambda: par.default) or told(lambda: par.val))


def resolved(word: str, path: str) -> str:
    """The absolute path that a name in a parameter or script of the operator at `path` means."""
    if word.startswith("/"):
        return posixpath.normpath(word)
    start = path if word.startswith(".") else posixpath.dirname(path)
    return posixpath.normpath(posixpath.join(start, word))


def _inside(path: str, tops: Collection[str]) -> bool:
    while path not in tops:
        path = path.rpartition("/")[0]
        if not path:
            return False
    return True

"""What became of extensions whose source an edit wrote: built at once, so that a fault shows now and not when used.

TouchDesigner builds extensions when somebody asks for them (fact 38), and says nothing of one that cannot be built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from tdmcp_embedded.frame_queue import NEXT_FRAME, TimeLimitExceeded
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Call, Steps
from tdmcp_embedded.touchdesigner import census, diagnostics, parameters
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.exports import extension
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

_DECLARING = re.compile(r"ext\d+(object|name|promote)")
#: Components of one call whose extensions are built.
_MOST = 8
_MOST_MEMBERS = 20
_QUOTED = re.compile(r"['\"]([^'\"\n]+)['\"]")
_LONGEST = 2_000


def declaring(written: Iterable[parameters.Written]) -> list[str]:
    """Paths of the operators whose extension parameters were written."""
    return [each.path for each in written if any(map(_DECLARING.fullmatch, each.params))]


class Sources:
    """What extensions are made of, to see which of them a piece of code has written. Main thread, one step.

    Args:
        named: operators that the code names; in a large project only the components around these are looked at.
    """

    def __init__(self, td: ModuleType, named: Iterable[Any] = ()) -> None:
        self._td = td
        self._small = census.is_small(td)
        self._named = [str(each.path) for each in named]
        self._held = self._read()

    def written(self) -> list[str]:
        """Paths of the components whose extensions, or the texts of those, are others now."""
        now = self._read()
        return [path for path, source in now.items() if self._held.get(path) != source]

    def _read(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for comp in self._components():
            # Most have none: asked first, all the parameters of a component need hardly ever be.
            if _has_extension(comp) and (expressions := extension(comp)):
                dats = [told(partial(comp.op, word)) for word in _QUOTED.findall(expressions)[:_MOST]]
                texts = [str(dat.text) for dat in dats if dat is not None and dat.isDAT]
                found[str(comp.path)] = (expressions, *texts)
        return found

    def _components(self) -> Iterator[Any]:
        if self._small:
            yield from census.components(self._td)
            return
        seen: set[str] = set()
        for path in self._named:
            operator = find(self._td, path)
            while operator is not None and str(operator.path) not in seen:
                seen.add(str(operator.path))
                if operator.isCOMP:
                    yield operator
                operator = operator.parent()


def _has_extension(comp: Any) -> bool:
    for index in range(_MOST):
        par = comp.par[f"ext{index}object"]
        if par is None:
            return False
        if par.val or par.expr:
            return True
    return False


def build_extensions(
    call: Call, dats: Iterable[str] = (), comps: Iterable[str] = (), built: bool = False
) -> Steps[list[str] | None]:
    """Build the extensions that come from some DATs, and those of some components; a sentence about each.

    A frame passes before, since a DAT's text takes effect in the next one (fact 11), and one after it, since errors
    show then (fact 66). Below level full nothing is built: it runs code.

    Args:
        built: whether somebody has built them already; then it is only said what became of them.
    """
    if not call.level.allows(Level.FULL):
        return None
    found = _affected(call, dats, comps)
    if not found:
        return None
    yield NEXT_FRAME
    raised: dict[str, str] = {}
    for comp in found if not built else ():
        if comp.valid:
            path = str(comp.path)
            try:
                with call.queue.limit(call.settings.python_limit):
                    comp.initializeExtensions()
            except TimeLimitExceeded:
                raised[path] = f"it was broken off after {call.settings.python_limit:g} s"
            except Exception as error:  # noqa: BLE001 - an extension raises whatever it likes
                raised[path] = f"{type(error).__name__}: {clean(str(error))}"
            yield
    yield NEXT_FRAME
    lines: list[str] = []
    for comp in found:
        if comp.valid:
            lines += _report(comp, raised.get(str(comp.path), ""))
            yield
    return lines or None


def _affected(call: Call, dats: Iterable[str], comps: Iterable[str]) -> list[Any]:
    found: dict[str, Any] = {}
    for path in comps:
        comp = call.td.op(path)
        if comp is not None and extension(comp):
            found[str(comp.path)] = comp
    for path in dats:
        dat = call.td.op(path)
        home = dat.parent() if dat is not None and dat.isDAT else None
        while home is not None:
            if re.search(rf"\b{re.escape(dat.name)}\b", extension(home)):
                found[str(home.path)] = home
            home = home.parent()
    own = str(call.instance.get("component", ""))
    # The server's own component would end and begin anew.
    return [comp for path, comp in found.items() if path != own][:_MOST]


def _report(comp: Any, raised: str) -> list[str]:
    built = [each for each in comp.extensions if each is not None]
    if comp.extensionsReady and built and not raised:
        return [_ready(comp, index, each) for index, each in enumerate(built)]
    said = [each.message for each in diagnostics.problems(comp) if each.severity != "warning"]
    reason = (said[-1] if said else "") or raised or _fault(comp) or "TouchDesigner gives no reason"
    names = ", ".join(_names(comp)) or "extension"
    return [f"extension {names} of {comp.path} failed: {cut(reason, _LONGEST)}"]


def _ready(comp: Any, index: int, instance: Any) -> str:
    named = comp.par[f"ext{index}name"]
    name = (str(named.eval()).strip() if named is not None else "") or type(instance).__name__
    promote = comp.par[f"ext{index}promote"]
    line = f"extension {name} of {comp.path} ready"
    if promote is None or not promote.eval():
        return f"{line}, promotes nothing: {comp.path}.ext.{name} reaches it"
    # Of the class and the object; a property is not asked for its value.
    members = sorted(
        each for each in {*dir(type(instance)), *getattr(instance, "__dict__", ())} if each[:1].isupper()
    )
    shown = ", ".join(members[:_MOST_MEMBERS]) + (" …" if len(members) > _MOST_MEMBERS else "")
    return f"{line}, promotes {shown or 'nothing: only names with a capital are'}"


def _names(comp: Any) -> list[str]:
    found = []
    for par in comp.pars("ext*object"):
        text = str(par.expr or par.val or "")
        named = comp.par[par.name.replace("object", "name")]
        given = str(named.eval()).strip() if named is not None else ""
        last = re.findall(r"(\w+)\(", text)
        if text:
            found.append(given or (last[-1] if last else text))
    return found


def _fault(comp: Any) -> str:
    """What keeps the text of an extension from being a module at all."""
    for par in comp.pars("ext*object"):
        for name in re.findall(r"op\(\s*['\"]([^'\"]+)['\"]\s*\)\s*\.module", str(par.expr or par.val or "")):
            dat = comp.op(name)
            if dat is None:
                return f"there is no DAT {name!r} as seen from {comp.path}"
            try:
                told_module = dat.module
            except Exception as error:  # noqa: BLE001 - a module raises whatever is in it
                return f"{dat.path}: {type(error).__name__}: {clean(str(error))}"
            del told_module
    return ""

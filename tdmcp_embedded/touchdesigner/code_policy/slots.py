"""The places of one operator from which code runs, each resolved to what it runs.

A slot is a parameter that holds an expression, a bind or Python, that names the DAT whose functions TouchDesigner
calls, or the text of a DAT that TouchDesigner runs. Its code is its own text and, through every name in that text, the
texts of other DATs: of each, which operator it is and what it holds. Of a DAT that puts its text together (Merge,
Select, In ...) everything upstream counts as well, since its text follows a cook later (fact 11). GLSL is not code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_policy import reach
from tdmcp_embedded.touchdesigner.code_policy.references import NONE, References, references
from tdmcp_embedded.touchdesigner.code_text import runnable, runs_nothing
from tdmcp_embedded.touchdesigner.code_users import exported
from tdmcp_embedded.touchdesigner.footprint import Name
from tdmcp_embedded.touchdesigner.telling import told

#: Parameters that name the DAT whose functions or text TouchDesigner runs, block numbers taken out.
REFERRING = frozenset(
    {
        "callbacks", "callback", "scriptcallback", "dragdropcallbacks", "dragscript", "dropscript",
        "dropdestscript", "droptypescript", "script", "datexpr", "executedat",
    }
)  # fmt: skip
#: Text parameters that are Python, or another script language, though their style does not say so.
SCRIPTS = frozenset(
    {
        "expr", "exprexpr", "exprs", "expression", "rowexpr", "colexpr", "cellexpr", "fillsexpr", "replaceexpr",
        "parexpressionfilter", "tscript", "aend", "extobject", "extname", "extpromote", "multitexexpr",
    }
)  # fmt: skip
#: What brings in code from a file or from another component, or says that it is to be brought in.
SOURCES = frozenset(
    {
        "clone", "enablecloning", "externaltox", "enableexternaltox", "loadonstart", "syncfile", "plugin", "tox",
        "initextonstart", "executeloc", "fromop", "master",
    }
)  # fmt: skip
#: A COMP's shortcuts: not code, but code is found by them.
SHORTCUTS = frozenset({"opshortcut", "parentshortcut", "iopshortcut", "iopop"})

#: By type, and by the number of its built-in parameters: those of them that may hold code while they are constant. With
#: another number of blocks in a sequence there are other parameters.
_speaking: dict[tuple[str, int], tuple[str, ...]] = {}

_NUMBER = re.compile(r"\d+")
#: Bounds of what one slot may lead to; beyond them it is looked at in every edit.
_MOST_REACHED = 60
_MOST_UPSTREAM = 40


def base(name: str) -> str:
    """A parameter's name without the block number of its sequence."""
    return _NUMBER.sub("", name)


@dataclass(frozen=True, slots=True)
class Part:
    """One operator that a slot's code depends on."""

    id: int
    path: str
    content: bytes

    def same(self, other: Part) -> bool:
        """Whether it is the same operator with the same content; ids change by undo, paths by a rename above."""
        return self.content == other.content and (self.id == other.id or self.path == other.path)


@dataclass(frozen=True, slots=True)
class Slot:
    """One place from which code runs, and what it runs."""

    path: str
    """The operator's path when it was read, for the words of a refusal."""
    where: str
    """The parameter's name, or `text`."""
    kind: str
    """expression, bind, python, reference, text, source, export, settings."""
    likeness: tuple[str, str, str, bytes]
    """Type, kind, parameter and content: what copies of an operator have in common."""
    content: bytes
    parts: tuple[Part, ...] = ()
    inert: bool = False
    """Whether nothing would happen if it ran."""
    awake: bool = True
    names: frozenset[Name] = frozenset()
    """Names by which its code is found: an operator that gets or loses one of them may change it."""
    operators: frozenset[int] = frozenset()
    """Ids of the operators it was read from."""
    dynamic: bool = False
    """Whether it is found by a value, which anything may change."""

    def same(self, other: Slot) -> bool:
        """Whether it runs the code that `other` ran before, and is not woken up."""
        if (self.awake and not other.awake) or (self.kind != other.kind and not (self.inert and other.inert)):
            return False
        if self.inert and other.inert:
            return True
        if self.content != other.content or len(self.parts) != len(other.parts):
            return False
        return all(any(mine.same(part) for part in other.parts) for mine in self.parts)


def digest(*parts: object) -> bytes:
    """A short fingerprint of some texts."""
    return blake2b("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=12).digest()


@dataclass
class _Found:
    """What a slot leads to, while it is being read."""

    parts: dict[tuple[int, str], Part] = field(default_factory=dict)
    operators: set[int] = field(default_factory=set)
    names: set[Name] = field(default_factory=set)
    dynamic: bool = False


class SlotReader:
    """Reads slots, for the length of one step: what it has read of a DAT is good for all slots that lead there."""

    def __init__(self, td: ModuleType, component: str = "") -> None:
        self._td = td
        self._component = component
        self._contents: dict[int, tuple[bytes, str, bool, _Upstream]] = {}

    def read(self, operator: Any) -> list[Slot]:
        """Every slot of one operator."""
        kind = op_type(operator)
        outside = reach.reason(kind) or ""
        executor = reach.is_executor(kind)
        slots: list[Slot] = []
        settings: list[str] = []
        judged = executor or bool(outside)
        for par in operator.pars() if judged else _telling(operator, kind):
            mode, name = par.mode, str(par.name)
            mode = mode.name
            if mode == "CONSTANT":
                slot = self._constant(operator, kind, par, name)
                if slot is not None:
                    slots.append(slot)
                if executor or outside:
                    settings.append(_setting(par, name))
            else:
                slots += self._driven(operator, kind, par, name, mode)
        if operator.isCOMP:
            slots += self._custom(operator, kind)
        if operator.isDAT and executor:
            slots.append(self._text(operator, kind))
        if executor or outside:
            content = digest(*(each for each in settings if each))
            slots.append(
                Slot(
                    str(operator.path), "settings", "settings", (kind, "settings", "", content), content,
                    awake=_awake(operator), operators=frozenset({int(operator.id)}),
                )
            )  # fmt: skip
        if (operator.isCHOP or operator.isDAT) and operator.export:
            slots.append(self._export(operator, kind))
        return slots

    # One kind each

    def _constant(self, operator: Any, kind: str, par: Any, name: str) -> Slot | None:
        plain = base(name)
        python = bool(par.isPython)
        if not (python or plain in REFERRING or plain in SCRIPTS or plain in SOURCES):
            return None
        if par.isPulse or par.isMomentary or par.isSequence:
            return None
        if kind == "jsonDAT" and plain == "expression":
            return None
        value = told(lambda: par.val)
        text = "" if value is None else str(value)
        if plain in SOURCES:
            if not text or par.isDefault:
                return None
            found = _Found()
            if plain in ("clone", "master", "fromop"):
                self._named(operator, text, found)
                for target in _evaluated(par):
                    found.operators.add(int(target.id))
                    found.parts[int(target.id), ""] = Part(int(target.id), str(target.path), b"")
            return self._slot(operator, kind, name, "source", text, found)
        if not text.strip() or (par.isNumber and not python):
            return None
        found = _Found()
        if plain in REFERRING:
            return self._reference(operator, kind, par, name, text, found)
        self._follow(operator, references(runnable(text)), found)
        return self._slot(
            operator, kind, name, "python", text, found, inert=plain in ("extname", "extpromote")
        )

    def _driven(self, operator: Any, kind: str, par: Any, name: str, mode: str) -> list[Slot]:
        found = _Found()
        if mode == "EXPORT":
            if not _starts_code(operator, par, name):
                return []
            source = par.exportOP
            text = f"{source.path if source is not None else ''} {told(lambda: par.eval())}"
            found.dynamic = True
            return [self._slot(operator, kind, name, "export", text, found)]
        text = str(par.expr if mode == "EXPRESSION" else par.bindExpr)
        self._follow(operator, references(text), found)
        slots = [
            self._slot(operator, kind, name, "expression" if mode == "EXPRESSION" else "bind", text, found)
        ]
        plain = base(name)
        if plain in REFERRING or par.isPython or plain in SCRIPTS or plain in SOURCES:
            found = _Found(dynamic=True)
            value = told(lambda: par.eval())
            # A parameter that takes several operators evaluates to a list (fact 76).
            several = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
            words = " ".join(str(getattr(each, "path", each)) for each in several)
            if plain in REFERRING:
                slots.append(self._reference(operator, kind, par, f"{name} value", words, found))
            else:
                self._follow(operator, references(runnable(words)), found)
                slots.append(self._slot(operator, kind, f"{name} value", "python", words, found))
        return slots

    def _reference(self, operator: Any, kind: str, par: Any, name: str, text: str, found: _Found) -> Slot:
        """A parameter that names DATs to run; the text itself counts only where it names none."""
        self._named(operator, text, found)
        nothing = True
        for target in _meant(operator, par, text):
            nothing &= self._reach(target, found)
        if not found.parts and base(name.removesuffix(" value")) in (
            "script",
            "droptypescript",
            "dropscript",
        ):
            # Not a DAT's name: a script.
            self._follow(operator, references(runnable(text)), found)
            return self._slot(operator, kind, name, "python", text, found)
        return self._slot(operator, kind, name, "reference", "", found, inert=nothing)

    def _text(self, operator: Any, kind: str) -> Slot:
        """The text of a DAT that TouchDesigner runs; of an Evaluate DAT, what it evaluates."""
        found = _Found()
        inert = self._reach(operator, found)
        own = found.parts.pop((int(operator.id), ""), None)
        content = own.content if own is not None else b""
        return self._slot(
            operator, kind, "text", "text", content.hex(), found, inert=inert, awake=_awake(operator)
        )

    def _custom(self, operator: Any, kind: str) -> Iterator[Slot]:
        for par in operator.customPars:
            for attribute in ("menuSource", "enableExpr"):
                if attribute == "menuSource" and not par.isMenu:
                    continue
                text = str(told(lambda par=par, attribute=attribute: getattr(par, attribute)) or "")  # type: ignore[misc]
                if text:
                    found = _Found()
                    self._follow(operator, references(text), found)
                    yield self._slot(operator, kind, f"{par.name} {attribute}", "expression", text, found)

    def _export(self, operator: Any, kind: str) -> Slot:
        """What an export drives that can start code, or that belongs to this server."""
        driven = []
        for target, name, value in told(lambda: list(exported(operator))) or ():
            par = target.par[name] if name.isidentifier() else None
            own = self._component and (str(target.path) + "/").startswith(self._component + "/")
            if par is not None and (own or _starts_code(target, par, name)):
                driven.append(f"{target.path} {name} {value}")
        found = _Found(dynamic=True)
        text = "\n".join(sorted(driven))
        return self._slot(operator, kind, "export", "export", text, found, inert=not driven)

    def _slot(
        self, operator: Any, kind: str, where: str, what: str, text: str, found: _Found, *,
        inert: bool = False, awake: bool = True,
    ) -> Slot:  # fmt: skip
        content = digest(text)
        found.operators.add(int(operator.id))
        return Slot(
            str(operator.path), where, what, (kind, what, where, content), content, tuple(found.parts.values()),
            inert, awake, frozenset(found.names), frozenset(found.operators), found.dynamic,
        )  # fmt: skip

    # From names to operators

    def _named(self, operator: Any, text: str, found: _Found) -> None:
        found.names |= _looked_up(operator, text)
        if any(char in text for char in "*?[^"):
            found.dynamic = True

    def _follow(self, operator: Any, named: References, found: _Found) -> None:
        """Everything that a text of `operator` runs by name."""
        if named is NONE:
            return
        found.names |= named.shortcuts
        places = list(_places(operator))
        groups: list[list[Any]] = []
        for name in named.shortcuts:
            meant = self._by_shortcut(operator, places, name)
            for each in meant:
                # Which operator a shortcut means is part of the code, whatever is found from there.
                found.operators.add(int(each.id))
                found.parts[int(each.id), name] = Part(int(each.id), str(each.path), digest(name))
            groups.append(meant)
        paths = set(named.paths)
        for source in named.computed:
            found.dynamic = True
            value = self._value(operator, source)
            paths |= {value} if value else set()
        found.dynamic |= any(char in path for path in paths for char in "*?[^")
        by_path = {path: [each for place in places for each in _found_in(place, path)] for path in paths}
        # `op('lib').op('part')`: from there as well.
        further = [each for group in (*groups, *by_path.values()) for each in group if each.isCOMP]
        for path, group in by_path.items():
            if not path.startswith("/"):
                group += [each for place in further for each in _found_in(place, path)]
        groups += by_path.values()
        for path in paths:
            for place in (*places, *further) if not path.startswith("/") else places[:1]:
                found.names.update(_walked(place, path))
        networks = [place for place in (*places, *further) if place.isCOMP]
        for name in named.modules:
            modules = [place.op(path) for place in networks for path in (name, f"local/modules/{name}")]
            groups.append([each for each in modules if each is not None])
            for place in networks:
                found.names.update((*_walked(place, name), *_walked(place, f"local/modules/{name}")))
        for group in groups:
            self._reach_all(operator, group, found)
            for each in group if named.words else ():
                number = int(each.id)
                found.operators.add(number)
                content = digest(each.comment, *sorted(map(str, each.tags)))
                found.parts[number, "words"] = Part(number, str(each.path), content)

    def _reach_all(self, operator: Any, group: list[Any], found: _Found) -> None:
        """Take in all operators that one name may mean; one that does nothing counts where it may hide another."""
        still = []
        for target in group:
            if len(found.operators) > _MOST_REACHED:
                found.dynamic = True
                return
            if str(target.path) != str(operator.path) and self._reach(target, found):
                still.append(target)
        if len(still) < len(group):
            for target in still:
                number = int(target.id)
                if target.isDAT:
                    found.parts.setdefault((number, ""), Part(number, str(target.path), b""))

    def _by_shortcut(self, operator: Any, above: Iterable[Any], name: str) -> list[Any]:
        found = []
        if (target := told_quietly(lambda: getattr(self._td.op, name))) is not None:
            found.append(target)
        if (target := told_quietly(lambda: getattr(operator.iop, name))) is not None:
            found.append(target)
        for place in above:
            if not place.isCOMP:
                continue
            for par in (place.par.parentshortcut, *place.pars("ext*name")):
                if str(told(par.eval) or "") == name:
                    found.append(place)
        return [each for each in found if hasattr(each, "isCOMP")]

    def _value(self, operator: Any, source: str) -> str:
        """The path that an expression gives; it was read before, and only reads values of operators."""
        home = operator.parent() or operator

        def parent(n: int = 1) -> Any:
            place = operator
            for _ in range(n):
                place = place.parent()
            return place

        try:
            value = eval(
                source, {"__builtins__": {"str": str}, "me": operator, "op": home.op, "parent": parent}
            )
            value = value.eval() if hasattr(value, "eval") else value
            if isinstance(value, (list, tuple)):
                value = " ".join(str(getattr(each, "path", each)) for each in value)
        except Exception:  # noqa: BLE001 - whatever the project's own expression raises
            return ""
        return str(getattr(value, "path", value))

    def _reach(self, target: Any, found: _Found) -> bool:
        """Take in an operator whose code runs, with what that runs in turn; whether nothing of it does anything."""
        number = int(target.id)
        if number in found.operators:
            return (number, "") not in found.parts
        found.operators.add(number)
        if target.isCOMP:
            text = "\n".join(
                f"{par.val}\n{par.expr}" for par in target.pars("ext*object") if par.val or par.expr
            )
            if text:
                found.parts[number, ""] = Part(number, str(target.path), digest(text))
                self._follow(target, references(runnable(text)), found)
            return not text
        if not target.isDAT:
            return True
        content, text, inert, upstream = self._content(target)
        found.operators |= upstream.contents.keys() | upstream.watched
        found.names |= upstream.names
        found.dynamic |= upstream.dynamic
        if inert:
            return True
        found.parts[number, ""] = Part(number, str(target.path), content)
        self._follow(target, references(runnable(text)), found)
        return False

    def _content(self, dat: Any) -> tuple[bytes, str, bool, _Upstream]:
        """What a DAT holds: fingerprint, text, whether it does nothing, and what it is made from."""
        number = int(dat.id)
        if number in self._contents:
            return self._contents[number]
        text = _text_of(dat)
        upstream = _upstream(dat)
        inert = not text.strip() if dat.isTable else runs_nothing(text)
        # What is put together from operators may be another text in the next frame.
        inert = inert and len(upstream.contents) <= 1
        found = (digest(text, *upstream.contents.values()), text, inert, upstream)
        self._contents[number] = found
        return found


def _telling(operator: Any, kind: str) -> Iterator[Any]:
    """The parameters that may be slots: those that are not constant, and those whose constants may be code."""
    pars, custom = operator.pars(), operator.customPars
    constant: Any = None
    for par in pars:
        # The one question asked of every parameter in the project.
        mode = par.mode
        if constant is None:
            constant = type(mode).CONSTANT
        if mode is not constant:
            yield par
    key = (kind, len(pars) - len(custom))
    names = _speaking.get(key)
    if names is None:
        builtin = operator.builtinPars
        names = tuple(str(par.name) for par in builtin if _may_be_code(par))
        if not any(par.isSequence for par in builtin):
            _speaking[key] = names
    for name in names:
        par = operator.par[name]
        if par is not None and par.mode is constant:
            yield par
    yield from (par for par in custom if par.mode is constant)


def _may_be_code(par: Any) -> bool:
    plain = base(str(par.name))
    return bool(par.isPython) or plain in REFERRING or plain in SCRIPTS or plain in SOURCES


def told_quietly(read: Any) -> Any:
    """What TouchDesigner says, or None: a shortcut that does not exist raises AttributeError."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - no such shortcut
        return None


@dataclass
class _Upstream:
    """What a DAT's text is made from: fingerprints by operator id, and the names by which it was found."""

    contents: dict[int, str] = field(default_factory=dict)
    names: set[Name] = field(default_factory=set)
    watched: set[int] = field(default_factory=set)
    """COMPs whose wires it depends on."""
    dynamic: bool = False


def _upstream(operator: Any) -> _Upstream:
    """Everything that makes a DAT's text, the DAT itself among it."""
    found = _Upstream()
    waiting = [operator]
    while waiting and len(found.contents) < _MOST_UPSTREAM:
        each = waiting.pop(0)
        number = int(each.id)
        if number in found.contents:
            continue
        facts = [op_type(each), bool(each.bypass), bool(getattr(each, "lock", False))]
        if each.isDAT:
            facts.append(_text_of(each))
        if not (each.isDAT and _is_editable(each)):
            for par in each.pars():
                facts.append(_setting(par, str(par.name)))
                if par.isOP and not par.isDefault:
                    found.dynamic |= par.mode.name != "CONSTANT"
                    found.names |= _looked_up(each, _constant(par))
        found.contents[number] = digest(*facts).hex()
        if op_type(each).startswith("in") and each.parent() is not None:
            found.watched.add(int(each.parent().id))
        waiting += _sources(each)
    found.dynamic |= bool(waiting)
    return found


def _text_of(dat: Any) -> str:
    """A DAT's text, or nothing where it cannot cook."""
    return str(told(lambda: dat.text) or "")


def _is_editable(dat: Any) -> bool:
    """Whether a DAT's text is its own."""
    fed = any(connector.connections for connector in dat.inputConnectors)
    return told(lambda: dat.isEditable) is True and not fed


def _sources(operator: Any) -> Iterator[Any]:
    """What an operator's data is made from: its inputs, through COMPs too, and the operators its parameters name."""
    connectors = list(operator.inputConnectors)
    if op_type(operator).startswith("in") and operator.parent() is not None:
        # The connector of the COMP around it is its own.
        outside = operator.parent().inputConnectors
        connectors += [each for each in outside if each.inOP is not None and each.inOP.path == operator.path]
    for connector in connectors:
        for far in connector.connections:
            yield far.outOP if far.owner.isCOMP and far.outOP is not None else far.owner
    if operator.isCOMP or (operator.isDAT and _is_editable(operator)):
        return
    for par in operator.pars():
        if par.isOP and not par.isDefault:
            yield from _evaluated(par)


def _looked_up(operator: Any, text: str) -> set[Name]:
    """The names that a parameter's words are looked for by: beside its operator, and inside of it."""
    home = operator.parent()
    places = [place for place in (operator, home) if place is not None and place.isCOMP]
    return {name for path in text.split() for place in places for name in _walked(place, path)}


def _walked(place: Any, path: str) -> Iterator[Name]:
    """The names on a path, each with the network it is looked for in."""
    while path.startswith("/") and place.parent() is not None:
        place = place.parent()
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if place is None or not place.isCOMP:
            return
        if part == "..":
            place = place.parent()
            continue
        yield (int(place.id), part)
        place = place.op(part)


def _constant(par: Any) -> str:
    """What a parameter holds as a constant, as text."""
    held = told(lambda: par.val)
    return "" if held is None else str(getattr(held, "path", held))


def _evaluated(par: Any) -> list[Any]:
    """The operators that a parameter names."""
    return list(told(par.evalOPs) or ())


def _found_in(place: Any, path: str) -> list[Any]:
    """The operators that a path or a pattern names, seen from an operator."""
    return list(told(lambda: place.ops(path)) or ())


def _setting(par: Any, name: str) -> str:
    """What a parameter is set to, if it was set."""
    if name == "pageindex" or par.isDefault or par.isPulse or par.isMomentary:
        return ""
    mode = par.mode.name
    held = par.expr if mode == "EXPRESSION" else par.bindExpr if mode == "BIND" else told(lambda: par.val)
    if mode == "EXPORT":
        held = par.exportOP.path if par.exportOP is not None else ""
    return f"{name} {mode} {getattr(held, 'path', held)}"


def _starts_code(operator: Any, par: Any, name: str) -> bool:
    plain = base(name)
    return (
        reach.is_executor(op_type(operator))
        or bool(reach.reason(op_type(operator)))
        or bool(par.isPython)
        or plain in REFERRING
        or plain in SCRIPTS
        or plain in SOURCES
        or plain in SHORTCUTS
        or str(par.style) in ("File", "FileSave", "Folder")
    )


def _meant(operator: Any, par: Any, text: str) -> list[Any]:
    """The operators that a parameter names; one that only holds their names as text is read from where it stands."""
    if par.isOP:
        return _evaluated(par)
    if not text:
        return []
    place = operator.parent()
    return _found_in(operator, text) + (_found_in(place, text) if place is not None else [])


def _places(operator: Any) -> Iterator[Any]:
    """Where names in an operator's code are looked for: the operator itself, and every COMP around it."""
    place = operator
    while place is not None:
        yield place
        place = place.parent()


def _awake(operator: Any) -> bool:
    """Whether an operator can run: neither bypassed nor in a component that does not cook."""
    if operator.bypass:
        return False
    return all(place.allowCooking for place in _places(operator) if place.isCOMP)

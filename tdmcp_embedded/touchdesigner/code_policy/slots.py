"""The places of one operator from which code runs, each resolved to what it runs.

A slot is a parameter that holds an expression, a bind or Python, that names the DAT whose functions TouchDesigner
calls, or the text of a DAT that TouchDesigner runs. Its code is its own text and, through every name in that text, the
texts of other DATs: of each, which operator it is and what it holds. Of a DAT that puts its text together (Merge,
Select, In ...) everything upstream counts as well, since its text follows a cook later (fact 11). GLSL is not code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_policy import reach
from tdmcp_embedded.touchdesigner.code_policy.code_follower import CodeFollower, Found
from tdmcp_embedded.touchdesigner.code_policy.dat_sources import is_editable, text_of
from tdmcp_embedded.touchdesigner.code_policy.name_lookup import (
    evaluated,
    meant_by,
    places_of,
)
from tdmcp_embedded.touchdesigner.code_policy.references import References, references
from tdmcp_embedded.touchdesigner.code_policy.slot import Part, Slot, digest
from tdmcp_embedded.touchdesigner.code_policy.slot_parameters import (
    REFERRING,
    SCRIPTS,
    SOURCES,
    base,
    possible_slots,
    setting,
    starts_code,
)
from tdmcp_embedded.touchdesigner.code_text import is_code, runnable
from tdmcp_embedded.touchdesigner.exports import exported
from tdmcp_embedded.touchdesigner.telling import told


class SlotReader(CodeFollower):
    """Reads slots, for the length of one step: what it has read of a DAT is good for all slots that lead there."""

    def read(self, operator: Any) -> list[Slot]:
        """Every slot of one operator."""
        kind = op_type(operator)
        outside = reach.reason(kind) or ""
        executor = reach.is_executor(kind)
        slots: list[Slot] = []
        settings: list[str] = []
        judged = executor or bool(outside)
        for par in operator.pars() if judged else possible_slots(operator, kind):
            mode, name = par.mode, str(par.name)
            mode = mode.name
            if mode == "CONSTANT":
                slot = self._constant(operator, kind, par, name)
                if slot is not None:
                    slots.append(slot)
                if executor or outside:
                    settings.append(setting(par, name))
            else:
                slots += self._driven(operator, kind, par, name, mode)
        if operator.isCOMP:
            slots += self._custom(operator, kind)
        if operator.isDAT and executor:
            slots.append(self._text(operator, kind))
        elif operator.isDAT and (script := self._script(operator, kind)) is not None:
            slots.append(script)
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
            found = Found()
            if plain in ("clone", "master", "fromop"):
                self._named(operator, text, found)
                for target in evaluated(par):
                    found.operators.add(int(target.id))
                    found.parts[int(target.id), ""] = Part(int(target.id), str(target.path), b"")
            return self._slot(operator, kind, name, "source", text, found)
        if not text.strip() or (par.isNumber and not python):
            return None
        found = Found()
        if plain in REFERRING:
            return self._reference(operator, kind, par, name, text, found)
        self._follow(operator, references(runnable(text)), found)
        return self._slot(
            operator, kind, name, "python", text, found, inert=plain in ("extname", "extpromote")
        )

    def _driven(self, operator: Any, kind: str, par: Any, name: str, mode: str) -> list[Slot]:
        found = Found()
        if mode == "EXPORT":
            if not starts_code(operator, par, name):
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
            found = Found(dynamic=True)
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

    def _reference(self, operator: Any, kind: str, par: Any, name: str, text: str, found: Found) -> Slot:
        """A parameter that names DATs to run; the text itself counts only where it names none."""
        self._named(operator, text, found)
        nothing = True
        for target in meant_by(operator, par, text):
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
        found = Found()
        inert = self._reach(operator, found)
        own = found.parts.pop((int(operator.id), ""), None)
        content = own.content if own is not None else b""
        return self._slot(
            operator, kind, "text", "text", content.hex(), found, inert=inert, awake=_awake(operator)
        )

    def _script(self, operator: Any, kind: str) -> Slot | None:
        """A script that nothing is known to run, which a person or a made-up name may: what it names stays what it is.

        Only names that stand in it count: what is found by a value is looked at in every edit, for what may never run.
        """
        if operator.isTable or not is_editable(operator):
            return None
        text = text_of(operator)
        named = references(runnable(text))
        literal = frozenset(path for path in named.paths if not any(char in path for char in "*?[^"))
        if not (literal or named.modules) or not is_code(text):
            return None
        found = Found()
        self._follow(operator, References(literal, named.modules), found)
        return self._slot(operator, kind, "text", "script", text, found)

    def _custom(self, operator: Any, kind: str) -> Iterator[Slot]:
        for par in operator.customPars:
            for attribute in ("menuSource", "enableExpr"):
                if attribute == "menuSource" and not par.isMenu:
                    continue
                text = str(told(lambda par=par, attribute=attribute: getattr(par, attribute)) or "")  # type: ignore[misc]
                if text:
                    found = Found()
                    self._follow(operator, references(text), found)
                    yield self._slot(operator, kind, f"{par.name} {attribute}", "expression", text, found)

    def _export(self, operator: Any, kind: str) -> Slot:
        """What an export drives that can start code, or that belongs to this server."""
        driven = []
        for target, name, value in told(lambda: list(exported(operator))) or ():
            par = target.par[name] if name.isidentifier() else None
            own = self._component and (str(target.path) + "/").startswith(self._component + "/")
            if par is not None and (own or starts_code(target, par, name)):
                driven.append(f"{target.path} {name} {value}")
        found = Found(dynamic=True)
        text = "\n".join(sorted(driven))
        return self._slot(operator, kind, "export", "export", text, found, inert=not driven)

    def _slot(
        self, operator: Any, kind: str, where: str, what: str, text: str, found: Found, *,
        inert: bool = False, awake: bool = True,
    ) -> Slot:  # fmt: skip
        content = digest(text)
        found.operators.add(int(operator.id))
        return Slot(
            str(operator.path), where, what, (kind, what, where, content), content, tuple(found.parts.values()),
            inert, awake, frozenset(found.names), frozenset(found.operators), found.dynamic,
        )  # fmt: skip


def _awake(operator: Any) -> bool:
    """Whether an operator can run: neither bypassed nor in a component that does not cook."""
    if operator.bypass:
        return False
    return all(place.allowCooking for place in places_of(operator) if place.isCOMP)

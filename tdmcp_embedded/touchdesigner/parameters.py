"""Writing parameters: checked before anything is written, read back afterwards.

TD hides what goes wrong here: an unknown menu word becomes the first entry (fact 23), setting `.val` drops an
expression (fact 22), numbers are cut to whole ones (fact 24), some parameters take nothing and say nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import describe, lookup, undo
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.values import Json, clean, cut, short_repr

#: The four ways of writing that are not a constant, as the wire format spells them.
FORMS = ("expr", "bind", "reset", "pulse")

_BLOCK = re.compile(r"^(?P<sequence>[A-Za-z]+?)(?P<block>\d+)(?P<rest>[a-zA-Z]\w*)$")
_MENU_SHOWN = 12
#: Blocks of a sequence one call may ask for; TD's own limits are lower for some and show on writing.
MOST_BLOCKS = 1000
_LONGEST_TEXT = 1_000_000


@dataclass(frozen=True)
class Write:
    """One checked write: what was asked, and the value as TD will be given it."""

    name: str
    form: str
    value: Any
    asked: Any


@dataclass
class Plan:
    """Everything that is to be written to one operator, in an order that works."""

    operator: Any
    sequences: dict[str, int] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)


@dataclass
class Written:
    """What is there after writing to one operator."""

    path: str
    params: dict[str, Json] = field(default_factory=dict)
    """Read back, as a network states it: a constant, {"expr": …} or {"bind": …}."""
    values: dict[str, Json] = field(default_factory=dict)
    """What expressions and binds come to."""
    notes: list[str] = field(default_factory=list)
    """Where what is there is not what was asked, and why."""
    changed: int = 0


def plan(
    operator: Any,
    params: Mapping[str, Any],
    access: Access,
    sequences: Mapping[str, int] | None = None,
    locked: bool = True,
) -> Plan:
    """Check every write to one operator without writing anything.

    Args:
        params: `{name: value}`; a value is a plain constant or a one-entry mapping of `FORMS`.
        sequences: number of blocks by sequence name, set before the parameters.
        locked: whether read-only parameters are refused (builders restore those they define themselves).

    Raises:
        ToolFailure: `parameter_not_found`, `parameter_read_only`, `menu_value_invalid`, `value_invalid` or
            `access_denied`, about the first write that is wrong.
    """
    planned, failures = plan_each(operator, params, access, sequences, locked)
    if failures:
        name, first = next(iter(failures.items()))
        if len(failures) > 1:
            others = [f"{other}: {failure.message}" for other, failure in failures.items() if other != name]
            first.details["also"] = others[:10]
        raise first
    return planned


def plan_each(
    operator: Any,
    params: Mapping[str, Any],
    access: Access,
    sequences: Mapping[str, int] | None = None,
    locked: bool = True,
) -> tuple[Plan, dict[str, ToolFailure]]:
    """The same, giving what can be written and, by parameter name, what cannot."""
    planned = Plan(operator)
    failures: dict[str, ToolFailure] = {}
    wanted: dict[str, Any] = dict(sequences or {})
    for name, value in params.items():
        par = operator.par[name] if name.isidentifier() else None
        if (
            par is not None
            and par.isSequence
            and isinstance(value, (int, float))
            and not isinstance(value, bool)
        ):
            wanted[name] = value
    for name, count in wanted.items():
        try:
            planned.sequences[name] = _check_blocks(operator, name, count, access)
        except ToolFailure as failure:
            failures[name] = failure
    for name, value in params.items():
        if name in wanted:
            continue
        try:
            par, grow = _target(operator, name, planned.sequences)
            write = _check(operator, par, name, value, access, locked)
        except ToolFailure as failure:
            failures[name] = failure
            continue
        if grow is not None:
            planned.sequences[grow[0]] = max(grow[1], planned.sequences.get(grow[0], 0))
        planned.writes.append(write)
    return planned, failures


def apply(planned: Plan) -> Written:
    """Write what was planned and read it back. Writes that would change nothing are left out.

    Raises:
        ToolFailure: `td_error`, when TD refuses a write that the checks let through.
    """
    operator = planned.operator
    result = Written(str(operator.path))
    for name, count in planned.sequences.items():
        _set_blocks(operator, name, count, result)
    for write in planned.writes:
        par = operator.par[write.name]
        if par is None:
            result.notes.append(f"{write.name}: no longer there after the writes before it")
            continue
        try:
            _write(par, write, result)
        except ToolFailure:
            raise
        except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
            raise ToolFailure(
                Code.TD_ERROR,
                f"TouchDesigner refused {operator.path} {write.name}: {cut(clean(str(error)), 400)}",
            ) from None
    return result


def _target(operator: Any, name: str, growing: Mapping[str, int]) -> tuple[Any, tuple[str, int] | None]:
    """The parameter to check against, and the (sequence, blocks) it needs where its block is not there yet."""
    try:
        return lookup.parameter(operator, name), None
    except ToolFailure:
        match = _BLOCK.match(name)
        sequence = operator.par[match["sequence"]] if match else None
        if match is None or sequence is None or not sequence.isSequence:
            raise
        template = operator.par[f"{match['sequence']}0{match['rest']}"]
        blocks = int(match["block"]) + 1
        if template is None or blocks > MOST_BLOCKS:
            raise
        return template, (match["sequence"], blocks)


def _check_blocks(operator: Any, name: str, count: Any, access: Access) -> int:
    par = lookup.parameter(operator, name)
    if not par.isSequence:
        raise _invalid(operator, name, "is no sequence: it has no number of blocks")
    access.parameter(operator, par)
    if not float(count).is_integer() or count < 0:
        raise _invalid(operator, name, f"takes a whole number of blocks, not {count!r}")
    if count > MOST_BLOCKS:
        raise _invalid(operator, name, f"takes at most {MOST_BLOCKS} blocks here, not {int(count)}")
    return int(count)


def _set_blocks(operator: Any, name: str, count: int, result: Written) -> None:
    sequence = operator.par[name].sequence
    before = int(sequence.numBlocks)
    if before != count:
        path, td_journal = operator.path, undo.journal()

        def put_back() -> None:
            if operator.valid and operator.path == path and operator.par[name].sequence.numBlocks != before:
                operator.par[name].sequence.numBlocks = before

        if count < before:
            # Blocks that go away take their values with them: note those first, so that they come back last.
            for par in operator.pars(f"{name}*"):
                match = _BLOCK.match(par.name)
                if match and match["sequence"] == name and int(match["block"]) >= count:
                    td_journal.parameter(par)
        td_journal.put_back_with(put_back)
        try:
            sequence.numBlocks = count
        except Exception as error:  # noqa: BLE001 - many sequences refuse to be empty (fact 27)
            raise _invalid(operator, name, f"refuses {count} blocks: {cut(clean(str(error)), 200)}") from None
        result.changed += 1
    result.params[name] = int(operator.par[name].sequence.numBlocks)
    if result.params[name] != count:
        result.notes.append(f"{name}: asked {count} blocks, has {result.params[name]}")


def _check(operator: Any, par: Any, name: str, asked: Any, access: Access, locked: bool) -> Write:
    form, value = _form(asked)
    if not _holds(par, form, value):
        # What is there already brings nothing in, whoever brought it.
        access.parameter(operator, par, form)
    if form == "pulse":
        if not (par.isPulse or par.isMomentary):
            raise _invalid(operator, name, f"is no button (style {par.style}): it cannot be pulsed")
        return Write(name, form, True, asked)
    if par.readOnly and locked:
        # readOnly does not stop scripts (fact 24), so it must be asked.
        raise ToolFailure(
            Code.PARAMETER_READ_ONLY,
            f"{operator.path} {name} is read-only.",
            hint="Its value is made by the operator itself.",
        )
    if form == "reset":
        return Write(name, form, True, asked)
    if par.isPulse or par.isMomentary:
        raise _invalid(operator, name, "is a button: it holds no value", 'Press it with {"pulse": true}.')
    if form in ("expr", "bind"):
        return Write(name, form, _checked_expression(operator, name, form, value), asked)
    return Write(name, form, _checked_constant(operator, par, name, value), asked)


def _holds(par: Any, form: str, value: Any) -> bool:
    if form == "expr":
        return describe.mode(par) == "expression" and par.expr == value
    if form == "bind":
        return describe.mode(par) == "bind" and par.bindExpr == value
    return form == "constant" and describe.mode(par) == "constant" and _same(par, value)


def _form(asked: Any) -> tuple[str, Any]:
    if isinstance(asked, Mapping):
        given = [(form, asked[form]) for form in FORMS if asked.get(form) is not None]
        if len(given) == 1:
            return given[0]
    return "constant", asked


def _checked_expression(operator: Any, name: str, form: str, text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise _invalid(operator, name, f"needs a text as {form}, not {short_repr(text, 60)}")
    try:
        compile(text.strip(), name, "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise _invalid(
            operator,
            name,
            f"cannot take the {form} {cut(text, 120)!r}: {why}",
            "It is one Python expression.",
        ) from None
    return text.strip()


def _checked_constant(operator: Any, par: Any, name: str, value: Any) -> Any:
    if isinstance(value, (Mapping, list, tuple)) or value is None:
        raise _invalid(operator, name, f"takes one plain value, not {short_repr(value, 60)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise _invalid(operator, name, f"takes a finite number, not {value}")
    if par.isOP:
        return _text(operator, name, value)
    if par.isToggle:
        return _toggle(operator, name, value)
    if describe.is_menu(par):
        return _menu_word(operator, par, name, value)
    if par.isNumber:
        return _number(operator, par, name, value)
    return _text(operator, name, value)


def _text(operator: Any, name: str, value: Any) -> str:
    if isinstance(value, bool):
        raise _invalid(operator, name, f"takes a text, not {value}")
    text = str(value)
    if len(text) > _LONGEST_TEXT:
        raise ToolFailure(Code.TOO_LARGE, f"{operator.path} {name}: {len(text)} characters are too many.")
    return text


def _toggle(operator: Any, name: str, value: Any) -> bool:
    if value in (True, False, "on", "off"):  # 1 and 0 equal True and False
        return value in (True, "on")
    raise _invalid(operator, name, f"is a toggle: it takes true or false, not {short_repr(value, 60)}")


def _number(operator: Any, par: Any, name: str, value: Any) -> float | int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        if abs(value) > 3.4e38:
            raise _invalid(operator, name, f"takes a number a float can hold, not {value}")
        return value
    hint = 'Give a number; for an expression write {"expr": "…"}.'
    if par.isMenu:
        hint = f"Give a number; the menu beside it holds {', '.join(map(str, par.menuNames[:_MENU_SHOWN]))}."
    raise _invalid(operator, name, f"takes a number, not {short_repr(value, 60)}", hint)


def _menu_word(operator: Any, par: Any, name: str, value: Any) -> Any:
    words = [str(word) for word in par.menuNames]
    if not words:
        return value  # a menu filled elsewhere (devices, fonts): only reading back can tell
    if value in words or value == par.val:
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if str(value) in words:
            return str(value)
        if float(value).is_integer() and 0 <= value < len(words):
            return words[int(value)]
    labels = [str(label) for label in par.menuLabels]
    wanted = str(value).strip().lower()
    suggestions = [word for word, label in zip(words, labels, strict=False) if label.lower() == wanted]
    suggestions += [word for word in near(str(value), words) if word not in suggestions]
    by_label = dict(zip(reversed(labels), reversed(words), strict=False))
    suggestions += [
        by_label[label] for label in near(str(value), labels) if by_label[label] not in suggestions
    ]
    shown = ", ".join(words[:_MENU_SHOWN]) + (f" … ({len(words)})" if len(words) > _MENU_SHOWN else "")
    raise ToolFailure(
        Code.MENU_VALUE_INVALID,
        f"{operator.path} {name} has no menu entry {value!r}.",
        hint=f"It has: {shown}.",
        suggestions=suggestions[:5] or words[:_MENU_SHOWN],
    )


def _write(par: Any, write: Write, result: Written) -> None:
    before = undo.ParameterState(par)
    if write.form == "pulse":
        par.pulse()
        result.params[write.name] = {"pulse": True}
        result.changed += 1
        return
    undo.journal().parameter(par)
    if write.form == "expr":
        if (before.mode, before.expr) != ("EXPRESSION", write.value):
            par.expr = write.value
    elif write.form == "bind":
        if (before.mode, before.bind) != ("BIND", write.value):
            par.bindExpr = write.value
    elif write.form == "reset":
        par.reset()
    elif before.mode != "CONSTANT" or not _same(par, write.value):
        par.val = write.value
    result.changed += undo.ParameterState(par) != before
    result.params[write.name] = describe.stated(par)
    result.notes += _differences(par, write, before)
    if write.form in ("expr", "bind"):
        result.values[write.name] = describe.effective(par)


def _differences(par: Any, write: Write, before: undo.ParameterState) -> list[str]:
    """What an agent could not guess from its own words."""
    notes = []
    name = write.name
    mode = describe.mode(par)
    expected = {"expr": "expression", "bind": "bind"}.get(write.form, "constant")
    if write.form != "reset" and mode != expected:
        driver = f" from {par.exportOP.path}" if mode == "export" and par.exportOP is not None else ""
        notes.append(f"{name}: is still driven by its {mode}{driver}; the {expected} written has no effect")
    if write.form == "constant":
        if before.mode == "EXPRESSION":
            notes.append(f"{name}: replaced the expression {cut(before.expr, 200)}")
        elif before.mode == "BIND":
            notes.append(f"{name}: replaced the bind {cut(before.bind, 200)}")
        if not _same(par, write.value):
            notes.append(
                f"{name}: asked {write.asked!r}, is {describe.constant(par)!r}{_reason(par, write.value)}"
            )
        elif par.isOP and write.value and not par.evalOPs():
            notes.append(f"{name}: no operator at {write.value!r} as seen from {par.owner.path}")
    elif write.form == "expr":
        _note_failure(par, f"{name}: the expression fails", notes)
    elif write.form == "bind" and par.bindMaster is None:
        notes.append(f"{name}: binds to nothing")
    if not par.enable:
        notes.append(f"{name}: is disabled at present, so it has no effect yet")
    return notes


def _note_failure(par: Any, what: str, notes: list[str]) -> None:
    try:
        par.eval()
    except Exception as error:  # noqa: BLE001 - a broken expression raises whatever the code in it raises (fact 34)
        notes.append(f"{what}: {type(error).__name__}: {cut(clean(str(error)), 300)}")


def _same(par: Any, value: Any) -> bool:
    """Whether the constant already is `value`; TD keeps numbers as float32 and operators as objects or paths."""
    held = par.val
    if isinstance(held, (int, float)) and isinstance(value, (int, float)):
        return math.isclose(held, value, rel_tol=1e-6, abs_tol=1e-9)
    if par.isOP:
        text = describe.plain(par, held)
        return bool(text == value or (value and text and [found.path for found in par.evalOPs()] == [text]))
    return bool(held == value)


def _reason(par: Any, value: Any) -> str:
    if par.isInt and isinstance(value, float) and not value.is_integer():
        return " (whole numbers only)"
    if par.isNumber and isinstance(value, (int, float)):
        if par.clampMin and value < par.min:
            return f" (its least is {par.min})"
        if par.clampMax and value > par.max:
            return f" (its most is {par.max})"
    return " (TouchDesigner did not take it)"


def _invalid(operator: Any, name: str, what: str, hint: str = "") -> ToolFailure:
    return ToolFailure(Code.VALUE_INVALID, f"{operator.path} {name} {what}.", hint=hint)

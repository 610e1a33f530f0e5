"""Writing parameters: checked before anything is written, read back afterwards.

TD hides what goes wrong here: an unknown menu word becomes the first entry (fact 23), setting `.val` drops an
expression (fact 22), numbers are cut to whole ones (fact 24), some parameters take nothing and say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import describe, lookup, parameter_lists, parameter_values, sequences, undo
from tdmcp_embedded.touchdesigner.builds import is_annotation, make_sequences
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.values import Json, clean, cut

#: The four ways of writing that are not a constant, as the wire format spells them.
FORMS = ("expr", "bind", "reset", "pulse")

#: Names that are wrong and get near matches, which are dear to find; hundreds of them are no slips.
_MOST_EXPLAINED = 20


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
    unchecked: dict[str, Any] = field(default_factory=dict)
    """Writes to the first block of a sequence that has none yet (fact 86): there is nothing to check them against before
    the block is made."""
    check: Callable[[Any, str, Any], Write] | None = None
    """Checks one of those."""


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
    writes: list[Write] = field(default_factory=list)
    """What `reread` looks at once everything else of the call is there."""


def plan(
    operator: Any,
    params: Mapping[str, Any],
    access: Access,
    blocks: Mapping[str, int] | None = None,
    locked: bool = True,
) -> Plan:
    """Check every write to one operator without writing anything.

    Args:
        params: `{name: value}`; a value is a plain constant, a list (see `parameter_lists`) or a one-entry mapping of
            `FORMS`.
        blocks: number of blocks by sequence name, set before the parameters.
        locked: whether read-only parameters are refused (builders restore those they define themselves).

    Raises:
        ToolFailure: `parameter_not_found`, `parameter_read_only`, `menu_value_invalid`, `value_invalid` or
            `access_denied`, about the first write that is wrong.
    """
    planned, failures = plan_each(operator, params, access, blocks, locked)
    if failures:
        name, first = next(iter(failures.items()))
        if len(failures) > 1:
            others = [
                f"{cut(clean(other), 80)}: {failure.message}"
                for other, failure in failures.items()
                if other != name
            ]
            first.details["also"] = others[:10]
        raise first
    return planned


def plan_each(
    operator: Any,
    params: Mapping[str, Any],
    access: Access,
    blocks: Mapping[str, int] | None = None,
    locked: bool = True,
) -> tuple[Plan, dict[str, ToolFailure]]:
    """The same, giving what can be written and, by parameter name, what cannot."""
    planned = Plan(operator)
    planned.check = lambda par, name, asked: _check(operator, par, name, asked, access, locked)
    make_sequences(operator)
    params, failures = parameter_lists.spread(operator, params)
    wanted: dict[str, Any] = dict(blocks or {})
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
            planned.sequences[name] = sequences.check(operator, name, count, access)
        except ToolFailure as failure:
            failures[name] = failure
    for name, value in params.items():
        if name in wanted:
            continue
        if empty := sequences.without_block(operator, name):
            sequence, needed = empty
            planned.sequences[sequence] = max(needed, planned.sequences.get(sequence, 0))
            planned.unchecked[name] = value
            continue
        if len(failures) >= _MOST_EXPLAINED and not _known(operator, name):
            failures[name] = ToolFailure(
                Code.PARAMETER_NOT_FOUND, f"{operator.path} has no parameter {name!r}."
            )
            continue
        try:
            par, grow = _target(operator, name)
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
        ToolFailure: `td_error`, when TD refuses a write that the checks let through; what `plan` raises, for parameters of
            a sequence that had no block.
    """
    operator = planned.operator
    result = Written(str(operator.path))
    for name, count in planned.sequences.items():
        result.changed += sequences.resize(operator, name, count)
        result.params[name] = int(operator.par[name].sequence.numBlocks)
        if result.params[name] != count:
            result.notes.append(f"{name}: asked {count} blocks, has {result.params[name]}")
    for name, asked in planned.unchecked.items():
        assert planned.check is not None
        planned.writes.append(planned.check(lookup.parameter(operator, name), name, asked))
    planned.unchecked.clear()
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


def reread(operator: Any, written: Written) -> list[str]:
    """Bring what was read back up to date: later writes change what earlier ones come to, callbacks what anyone wrote.

    Returns:
        In words, which parameters are not as they were right after the write, and which of them do not work.
    """
    notes = []
    for name, then in written.params.items():
        par = operator.par[name]
        if par is None or par.isPulse or par.isMomentary or par.isSequence:
            continue
        now = describe.stated(par)
        if now != then:
            written.params[name] = now
            notes.append(f"{name}: was {then!r} when it was written, is {now!r} now")
        if name in written.values:
            written.values[name] = describe.effective(par)
    for write in written.writes:
        par = operator.par[write.name]
        if par is not None:
            notes += _standing(par, write)
    written.writes.clear()
    written.notes += notes
    return notes


def _known(operator: Any, name: str) -> bool:
    return name.isidentifier() and (
        operator.par[name] is not None or sequences.template(operator, name) is not None
    )


def _target(operator: Any, name: str) -> tuple[Any, tuple[str, int] | None]:
    """The parameter to check against, and the (sequence, blocks) it needs where its block is not there yet."""
    try:
        return lookup.parameter(operator, name), None
    except ToolFailure:
        found = sequences.template(operator, name)
        if found is None:
            raise
        first, sequence, count = found
        return first, (sequence, count)


def _check(operator: Any, par: Any, name: str, asked: Any, access: Access, locked: bool) -> Write:
    form, value = _form(asked)
    if not _holds(par, form, value):
        # What is there already brings nothing in, whoever brought it.
        access.parameter(operator, par, form)
    if form == "pulse":
        if not (par.isPulse or par.isMomentary):
            raise parameter_values.invalid(
                operator, name, f"is no button (style {par.style}): it cannot be pulsed"
            )
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
        raise parameter_values.invalid(
            operator, name, "is a button: it holds no value", 'Press it with {"pulse": true}.'
        )
    if name == "Mode" and is_annotation(operator):
        _refuse_hidden(operator, par, form, value)
    if form in ("expr", "bind"):
        return Write(name, form, parameter_values.expression(operator, name, form, value), asked)
    return Write(name, form, parameter_values.constant(operator, par, name, value), asked)


def _refuse_hidden(operator: Any, par: Any, form: str, value: Any) -> None:
    """Refuse to make an annotation a network box: Python could not find it again (fact 55)."""
    if form == "constant" and parameter_values.constant(operator, par, "Mode", value) != "networkbox":
        return
    raise parameter_values.invalid(
        operator, "Mode", "takes annotate or comment: a network box cannot be found by Python again"
    )


def _holds(par: Any, form: str, value: Any) -> bool:
    if form == "expr":
        return describe.mode(par) == "expression" and par.expr == value
    if form == "bind":
        return describe.mode(par) == "bind" and par.bindExpr == value
    return form == "constant" and describe.mode(par) == "constant" and parameter_values.same(par, value)


def _form(asked: Any) -> tuple[str, Any]:
    if isinstance(asked, Mapping):
        given = [(form, asked[form]) for form in FORMS if asked.get(form) is not None]
        if len(given) == 1:
            return given[0]
    return "constant", asked


def _write(par: Any, write: Write, result: Written) -> None:
    before = undo.ParameterState(par)
    if write.form == "pulse":
        # What it starts runs the code that is there now: it must be what was there before this call.
        undo.journal().look()
        # Nothing to put back, but something that was done.
        undo.journal().aside(lambda: None)
        if not undo.journal().trial:
            par.pulse()
        result.params[write.name] = {"pulse": True}
        result.changed += 1
        return
    if write.form == "expr":
        if (before.mode, before.expr) != ("EXPRESSION", write.value):
            undo.journal().parameter(par)
            par.expr = write.value
    elif write.form == "bind":
        if (before.mode, before.bind) != ("BIND", write.value):
            undo.journal().parameter(par)
            par.bindExpr = write.value
    elif write.form == "reset":
        if not par.isDefault or par.isSequence:
            undo.journal().parameter(par)
            par.reset()
    elif before.mode != "CONSTANT" or not parameter_values.identical(par, write.value):
        undo.journal().parameter(par)
        undo.unbind(par)
        par.val = write.value
    result.changed += undo.ParameterState(par) != before
    result.params[write.name] = describe.stated(par)
    result.writes.append(write)
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
        if not parameter_values.same(par, write.value):
            notes.append(
                f"{name}: asked {write.asked!r}, is {describe.constant(par)!r}{_reason(par, write.value)}"
            )
        elif describe.is_menu(par) and isinstance(write.asked, str) and write.value != write.asked:
            notes.append(f"{name}: {write.asked!r} is the label of {write.value!r}")
    return notes


def _standing(par: Any, write: Write) -> list[str]:
    """What can only be said once all that came with a write is there: operators, wires, other parameters."""
    name, how = write.name, describe.mode(par)
    notes: list[str] = []
    if write.form == "constant" and how == "constant":
        if par.isOP and write.value and not par.evalOPs():
            notes.append(f"{name}: no operator at {write.value!r} as seen from {par.owner.path}")
    elif write.form == "expr" and how == "expression":
        _note_failure(par, f"{name}: the expression fails", notes)
    elif write.form == "bind" and how == "bind" and par.bindMaster is None:
        notes.append(f"{name}: binds to nothing")
    if not par.enable and write.form not in ("reset", "pulse"):
        notes.append(f"{name}: is disabled at present, so it has no effect yet{_enabled_by(par)}")
    return notes


#: Parameters that another one switches on, and the word it takes.
_SWITCHED_ON = {name: ("outputresolution", "custom") for name in ("resolutionw", "resolutionh", "resmenu")}


def _enabled_by(par: Any) -> str:
    """Which parameter would give a disabled one its effect, where that is known."""
    name, word = _SWITCHED_ON.get(str(par.name), ("", ""))
    switch = par.owner.par[name] if name else None
    return f": set {name} to {word!r}" if switch is not None and switch.eval() != word else ""


def _note_failure(par: Any, what: str, notes: list[str]) -> None:
    try:
        par.eval()
    except Exception as error:  # noqa: BLE001 - a broken expression raises whatever the code in it raises (fact 34)
        notes.append(f"{what}: {type(error).__name__}: {cut(clean(str(error)), 300)}")


def _reason(par: Any, value: Any) -> str:
    if par.isInt and isinstance(value, float) and not value.is_integer():
        return " (whole numbers only)"
    if par.isNumber and isinstance(value, (int, float)):
        if par.clampMin and value < par.min:
            return f" (its least is {par.min})"
        if par.clampMax and value > par.max:
            return f" (its most is {par.max})"
    return " (TouchDesigner did not take it)"

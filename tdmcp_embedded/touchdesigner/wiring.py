"""Wires: checked before they are drawn, read back afterwards, for TD drops what it does not like without a word."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import undo
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.operators import wires_in
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut


@dataclass(frozen=True)
class Wire:
    """One wire as it is: from output `output` of `source` to input `input` of `target`."""

    source: str
    output: int
    target: str
    input: int
    replaced: str = ""
    """Path of the operator whose wire this one took the place of."""


def check(source: Any, output: int, target: Any, index: int, comp: bool = False) -> None:
    """Refuse a wire that TD would refuse, or drop silently.

    Raises:
        ToolFailure: `wiring_invalid`.
    """
    if source.path == target.path:
        raise _invalid(f"{source.path} cannot feed itself.", "Use a feedback operator for loops.")
    here, there = source.parent(), target.parent()
    if here is None or there is None or here.path != there.path:
        # TD does nothing at all when asked to connect across networks (fact 32).
        raise _invalid(
            f"{source.path} and {target.path} are in different networks; wires do not leave a network.",
            "Use an In operator inside the COMP, or a select operator that names the other by path.",
        )
    if comp:
        _check_comps(source, target)
    if not comp:
        for operator, wanted, side in (
            (source, output, "outputConnectors"),
            (target, index, "inputConnectors"),
        ):
            if operator.isCOMP and wanted >= len(getattr(operator, side)):
                # Those of In and Out operators that were just made may come with a cook only (fact 69).
                told(partial(operator.cook, force=True))
    outputs = source.outputCOMPConnectors if comp else source.outputConnectors
    inputs = target.inputCOMPConnectors if comp else target.inputConnectors
    if not 0 <= output < len(outputs):
        raise _invalid(
            f"{source.path} has no output {output}: it has {len(outputs)}.",
            "An Out operator inside the COMP gives it an output." if source.isCOMP else "",
        )
    if index < 0 or (index >= len(inputs) and not (grows(target) and index < len(inputs) + 1)):
        hint = ""
        if not inputs and target.isCOMP:
            hint = "A COMP has inputs once it holds In operators (inTOP, inCHOP …)."
        elif not inputs:
            hint = f"A {op_type(target)} makes its own data."
        raise _invalid(f"{target.path} has no input {index}: it has {len(inputs)}.", hint)
    if comp:
        return
    given = _family(source, outputs[output], "outOP")
    taken = _family(target, inputs[min(index, len(inputs) - 1)], "inOP") if inputs else target.family
    if given and taken and given != taken and "COMP" not in (given, taken):
        raise _invalid(
            f"{source.path} gives {given} data, {target.path} takes {taken}s.",
            _converter(given, taken),
        )


def _check_comps(*operators: Any) -> None:
    if not all(operator.isCOMP for operator in operators):
        raise _invalid("Only COMPs have connectors on top and bottom.", "Leave comp out for ordinary wires.")


def connect(source: Any, output: int, target: Any, index: int, comp: bool = False) -> Wire:
    """Draw a wire and read it back; a wire already there is left alone.

    Raises:
        ToolFailure: `wiring_invalid`, also when TD took the wire but it is not there.
    """
    check(source, output, target, index, comp)
    inputs = target.inputCOMPConnectors if comp else target.inputConnectors
    outputs = source.outputCOMPConnectors if comp else source.outputConnectors
    # Multi-input operators offer one free input beyond those in use.
    slot = min(index, len(inputs) - 1)
    before = wires_in(target, comp)
    present = before[slot] if slot < len(before) else None
    if present is not None and (present[0].path, present[1]) == (source.path, output):
        return Wire(source.path, output, target.path, slot)
    note(target, comp)
    try:
        inputs[slot].connect(outputs[output])
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise _invalid(
            f"TouchDesigner refused the wire from {source.path} to {target.path}: {cut(clean(str(error)), 300)}"
        ) from None
    after = wires_in(target, comp)
    matching = [
        i for i, wire in enumerate(after) if wire and (wire[0].path, wire[1]) == (source.path, output)
    ]
    if not matching:
        raise _invalid(
            f"TouchDesigner did not take the wire from {source.path} to {target.path} input {index}."
        )
    actual = slot if slot in matching else matching[-1]
    return Wire(source.path, output, target.path, actual, present[0].path if present is not None else "")


def disconnect(target: Any, index: int, comp: bool = False) -> Wire:
    """Take the wire off an input.

    Raises:
        ToolFailure: `wiring_invalid`, when there is no such input or nothing is wired to it.
    """
    if comp:
        _check_comps(target)
    inputs = target.inputCOMPConnectors if comp else target.inputConnectors
    before = wires_in(target, comp)
    present = before[index] if 0 <= index < len(before) else None
    if present is None:
        wired = [str(i) for i, wire in enumerate(before) if wire is not None]
        raise _invalid(
            f"{target.path} has no wire at input {index}.",
            f"Wired inputs: {', '.join(wired)}." if wired else "None of its inputs is wired.",
        )
    note(target, comp)
    inputs[index].disconnect()
    after = wires_in(target, comp)
    if index < len(after) and len(after) >= len(before) and after[index] is not None:
        kept = after[index]
        if kept is not None and (kept[0].path, kept[1]) == (present[0].path, present[1]):
            raise _invalid(f"TouchDesigner kept the wire at {target.path} input {index}.")
    return Wire(present[0].path, present[1], target.path, index)


def gap_note(target: Any, wanted: Sequence[tuple[Any, int] | None], comp: bool = False) -> str:
    """In words, where an operator closed the gaps between the inputs asked for (fact 31); "" where it did not."""
    asked = [None if wire is None else str(wire[0].name) for wire in wanted]
    while asked and asked[-1] is None:
        asked.pop()
    there = [None if wire is None else str(wire[0].name) for wire in wires_in(target, comp)]
    if None not in asked or there == asked:
        return ""
    return f"inputs: asked {_listed(asked)}, are {_listed(there)}: it leaves no gaps between its inputs"


def _listed(names: Sequence[str | None]) -> str:
    return "[" + ", ".join("null" if name is None else name for name in names) + "]"


def set_inputs(target: Any, wanted: Sequence[tuple[Any, int] | None], comp: bool = False) -> list[Wire]:
    """Make the inputs of an operator exactly these: (operator, its output) or None by input index.

    Returns:
        The wires that were drawn. Nothing is touched where all is as wanted.
    """
    wanted = list(wanted)
    while wanted and wanted[-1] is None:
        wanted.pop()
    if _same(wires_in(target, comp), wanted):
        return []
    for index, wire in enumerate(wanted):
        if wire is not None and not grows(target):
            check(wire[0], wire[1], target, index, comp)
    note(target, comp)
    # From the last to the first: multi-input operators close the gap (fact 31).
    for index in range(len(wires_in(target, comp)) - 1, -1, -1):
        now = wires_in(target, comp)
        if (
            index < len(now)
            and now[index] is not None
            and not _same(now[index : index + 1], wanted[index : index + 1])
        ):
            (target.inputCOMPConnectors if comp else target.inputConnectors)[index].disconnect()
    drawn = []
    for index, wire in enumerate(wanted):
        if wire is not None:
            now = wires_in(target, comp)
            if index >= len(now) or not _same(now[index : index + 1], [wire]):
                drawn.append(connect(wire[0], wire[1], target, index, comp))
    return drawn


def note(target: Any, comp: bool = False) -> None:
    """Note in the journal how the inputs of an operator are wired now."""
    before = [(w[0].path, w[1]) if w else None for w in wires_in(target, comp)]
    path, journal = target.path, undo.journal()
    journal.touch(target)

    def put_back() -> None:
        if not target.valid or target.path != path:
            return
        now = [(w[0].path, w[1]) if w else None for w in wires_in(target, comp)]
        if now == before:
            return
        found = [journal.find(w[0]) if w else None for w in before]
        wanted = [(op, w[1]) if w and op is not None else None for op, w in zip(found, before, strict=True)]
        with suppress(ToolFailure):
            set_inputs(target, wanted, comp)

    journal.put_back_with(put_back)


def losing(operators: Sequence[Any]) -> list[Wire]:
    """Wires from `operators` to others, which these would lose if `operators` went."""
    going = {operator.path for operator in operators}
    found = []
    for operator in operators:
        pairs = [(operator.outputConnectors, False)]
        if operator.isCOMP:
            pairs.append((operator.outputCOMPConnectors, True))
        for connectors, _ in pairs:
            for connector in connectors:
                for far in connector.connections:
                    if far.owner.path not in going:
                        found.append(
                            Wire(operator.path, int(connector.index), far.owner.path, int(far.index))
                        )
        found += _outer_wires(operator, going)
    return found


def _outer_wires(operator: Any, going: set[str]) -> list[Wire]:
    """An In or Out operator carries a connector of the COMP around it, whose wires go with it."""
    parent = operator.parent()
    if parent is None or parent.path in going or not op_type(operator).startswith(("in", "out")):
        return []
    found = []
    for connector in parent.outputConnectors:
        if connector.outOP is not None and connector.outOP.path == operator.path:
            found += [
                Wire(parent.path, int(connector.index), f.owner.path, int(f.index))
                for f in connector.connections
            ]
    for connector in parent.inputConnectors:
        if connector.inOP is not None and connector.inOP.path == operator.path:
            found += [
                Wire(f.owner.path, int(f.index), parent.path, int(connector.index))
                for f in connector.connections
            ]
    return found


def _same(now: Sequence[tuple[Any, int] | None], wanted: Sequence[tuple[Any, int] | None]) -> bool:
    return [(w[0].path, w[1]) if w else None for w in now] == [
        (w[0].path, w[1]) if w else None for w in wanted
    ]


def grows(operator: Any) -> bool:
    """Whether an operator offers one more input once those it has are taken; a crossTOP has two and no more."""
    return 0 < len(operator.inputConnectors) < (told(lambda: int(operator.maxInputs)) or 0)


def data_family(operator: Any, output: int) -> str:
    """The family of data that an output gives; "" where that cannot be told."""
    connectors = operator.outputConnectors
    return _family(operator, connectors[output], "outOP") if 0 <= output < len(connectors) else ""


def _family(operator: Any, connector: Any, inner: str) -> str:
    """The family of data at a connector; of a COMP, that of the In or Out operator behind it."""
    if not operator.isCOMP:
        return str(operator.family)
    behind = getattr(connector, inner)
    return str(behind.family) if behind is not None else ""


#: Pairs of families that one operator converts between, by the type that does it.
_CONVERTERS = frozenset(
    {
        "choptoDAT", "choptoPOP", "choptoSOP", "choptoTOP", "dattoCHOP", "dattoPOP", "dattoSOP", "poptoCHOP",
        "poptoDAT", "poptoSOP", "poptoTOP", "soptoCHOP", "soptoDAT", "soptoPOP", "toptoCHOP", "toptoPOP",
    }
)  # fmt: skip


def _converter(given: str, taken: str) -> str:
    name = f"{given.lower()}to{taken}"
    if name in _CONVERTERS:
        return f"{name} converts; it names its source by parameter, without a wire."
    return ""


def _invalid(message: str, hint: str = "") -> ToolFailure:
    return ToolFailure(Code.WIRING_INVALID, message, hint=hint)

"""A network as one draws it: tiles, wires, flags, errors; without parameters, so that a thousand operators are cheap.

The rows have the names of the format in which networks are written (`tools/network_model.py`), and two more:
`problems`, and `holds` (how many operators are inside).
"""

from __future__ import annotations

from collections.abc import Generator
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import diagnostics, lookup, operators
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.error_context import with_context
from tdmcp_embedded.touchdesigner.flags import changed_flags
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.rows import boxes, members
from tdmcp_embedded.touchdesigner.values import Json, clean, cut, rounded

#: Operators that are drawn at most; nobody can read more, and the page has to hold them.
MOST_DRAWN = 3000
#: Characters of a message, with what it is about.
_LONGEST = 800


def draw(td: ModuleType, path: str) -> Generator[None, None, dict[str, Json]]:
    """The network of a COMP, ready to be drawn; offers the frame back every few operators.

    Raises:
        ToolFailure: `operator_not_found`, or `value_invalid` for an operator without a network.
    """
    network = lookup.component(td, path)
    facts: dict[str, Any] = {"path": str(network.path), "type": op_type(network)}
    inside = members(network)
    facts["total"] = len(inside)
    pace = Pace(every=4)
    rows: list[Json] = []
    for current in inside[:MOST_DRAWN]:
        if pace.due():
            yield
        if not network.valid:
            break
        # Somebody may delete it while the frame is given back.
        if current.valid:
            row = _tile(current, network)
            rows.append(row)
            # What the messages are about is looked for among all parameters.
            if "problems" in row and pace.due(4):
                yield
    notes: list[Json] = []
    for box in boxes(td, network) if network.valid else ():
        if pace.due():
            yield
        if box.valid:
            notes.append(_box(box))
    return facts | {"operators": rows, "annotations": notes}


def _tile(op: Any, network: Any) -> dict[str, Json]:
    row: dict[str, Json] = {
        "name": str(op.name),
        "type": op_type(op),
        "position": operators.position(op),
        "size": operators.size(op),
        "color": [rounded(part, 3) for part in op.color],
    }
    for field, comp in (("inputs", False), ("comp_inputs", True)):
        if comp and not op.isCOMP:
            continue
        sources: list[Json] = []
        for wire in operators.wires_in(op, comp):
            name = None if wire is None else operators.relative(wire[0], network)
            sources.append({"from": name, "output": wire[1]} if wire and wire[1] else name)
        if sources:
            row[field] = sources
    flags = changed_flags(op)
    if flags:
        row["flags"] = flags
    if op.comment:
        row["comment"] = cut(clean(str(op.comment)), 200)
    if op.dock is not None:
        row["dock"] = str(op.dock.name)
    if op.isCOMP:
        row["holds"] = len(members(op))
    if diagnostics.has_problems(op):
        row["problems"] = [
            {"severity": found.severity, "message": cut(with_context(op, found.message), _LONGEST)}
            for found in diagnostics.problems(op)
        ]
    return row


def _box(op: Any) -> dict[str, Json]:
    return {
        "name": str(op.name),
        "title": cut(clean(str(op.par.Titletext.eval())), 200),
        "text": cut(clean(str(op.par.Bodytext.eval())), 500),
        "position": operators.position(op),
        "size": operators.size(op),
        "color": [rounded(op.par[f"Backcolor{part}"].eval(), 3) for part in "rgb"],
    }

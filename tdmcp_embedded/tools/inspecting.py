"""inspect_operator: everything about a few operators."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import describe, diagnostics, lookup, operators
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.error_context import with_context
from tdmcp_embedded.touchdesigner.flags import changed_flags
from tdmcp_embedded.touchdesigner.values import clean, cut, weight
from tdmcp_embedded.wording import counted

#: Bytes of one answer: default answers stay below 20 kB with it, larger ones below the message limit.
_BYTES = {"changed": 8_000}
_BYTES_ASKED = 150_000

#: Bytes of one text, by what was asked for, and entries of one list.
_CHARACTERS = {"changed": 600}
_CHARACTERS_ASKED = 4_000
_ENTRIES = 40


class InspectOperator(Arguments):
    """Which operators, and which of their parameters."""

    paths: list[str] = Field(min_length=1, max_length=20, description="One to twenty.")
    parameters: str = Field(
        default="changed",
        description='"changed" (not at default), "all", or a pattern of names such as "t? res*".',
    )


class Inspected(Output):
    """The operators in the order asked for."""

    operators: list[dict[str, Any]]
    left_out: list[str] | None = None
    """What did not fit, each a sentence."""

    def text(self) -> str:
        parts = [_outline(row) for row in self.operators]
        return "\n".join([*parts, *(self.left_out or [])])


def inspect_operator(call: Call, given: InspectOperator) -> Steps[Inspected]:
    """Looks at one operator after the other, offering the frame back within long parameter lists too."""
    rows: list[dict[str, Any]] = []
    left_out: list[str] = []
    room = _BYTES.get(given.parameters, _BYTES_ASKED)
    longest = _CHARACTERS.get(given.parameters, _CHARACTERS_ASKED)
    found = [lookup.operator(call.td, path) for path in given.paths]
    for index, current in enumerate(found):
        if not current.valid:
            continue
        row, bounded = _bounded(_facts(current), longest, room // 2 if index == 0 else room)
        if rows and weight(row) > room:
            more = len(found) - index
            left_out.append(f"{counted(more, 'more operator')} not shown; ask for fewer at once.")
            break
        left_out += bounded
        room -= weight(row)
        yield
        shown: dict[str, Any] = {}
        hidden = 0
        for count, par in enumerate(describe.selected(current, given.parameters)):
            if room <= 0:
                hidden += 1
                continue
            entry: dict[str, Any] = {
                key: cut(value, longest) if isinstance(value, str) else value
                for key, value in describe.parameter(par).items()
            }
            if weight(entry) > 4 * longest and "menu" in entry:
                entry["menu_left_out"] = len(entry.pop("menu")) + entry.get("menu_left_out", 0)
            size = weight(entry) + len(par.name) + 6
            if size > room:
                hidden += 1
                continue
            shown[str(par.name)] = entry
            room -= size
            if count % 8 == 7:
                yield
                if not current.valid:
                    break
        row["parameters"] = shown
        if hidden:
            left_out.append(
                f"{counted(hidden, 'more parameter')} of {row['path']} are not shown; ask for fewer operators or a pattern of names."
            )
        rows.append(row)
        yield
    return Inspected(operators=rows, left_out=left_out or None)


def _bounded(row: dict[str, Any], longest: int, most: int) -> tuple[dict[str, Any], list[str]]:
    """The facts with no text and no list too long, `most` bytes in all, and in sentences what was left out."""
    lengths = {key: len(value) for key, value in row.items() if isinstance(value, list)}
    for key, value in row.items():
        if isinstance(value, str) and key != "path":
            row[key] = cut(value, longest)
        elif isinstance(value, list):
            row[key] = value[:_ENTRIES]
    for problem in row["problems"]:
        problem["message"] = cut(problem["message"], longest // 2)
    pages: list[dict[str, Any]] = row.get("custom_pages", [])
    for page in pages:
        names = page["parameters"]
        if len(names) > _ENTRIES or len(pages) > _ENTRIES:
            page["parameters"] = [*names[:3], f"… {len(names)} in all"]
    while weight(row) > most:
        heaviest = max(lengths, key=lambda key: weight(row[key]) if row[key] else 0)
        if not row[heaviest]:
            break
        row[heaviest] = row[heaviest][: len(row[heaviest]) // 2]
    left_out = [
        f"{length - len(row[key])} more {key} of {row['path']} are not shown."
        for key, length in lengths.items()
        if len(row[key]) < length
    ]
    return row, left_out


def _facts(op: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "path": str(op.path),
        "type": op_type(op),
        "data": operators.data_facts(op),
        "inputs": _inputs(op),
        "outputs": _outputs(op),
        "position": operators.position(op),
        "size": operators.size(op),
        "cook": operators.cook_facts(op),
        "problems": [
            {"severity": p.severity, "message": with_context(op, p.message)} for p in diagnostics.problems(op)
        ],
    }
    flags = changed_flags(op)
    if flags:
        row["flags"] = flags
    for name, value in (("comment", clean(str(op.comment))), ("tags", operators.tags(op))):
        if value:
            row[name] = value
    if op.dock is not None:
        row["dock"] = str(op.dock.path)
    docked = [str(d.path) for d in op.docked]
    if docked:
        row["docked"] = docked
    storage = sorted(clean(str(key)) for key in op.storage)[:50]
    if storage:
        row["storage_keys"] = storage
    if op.isCOMP:
        pages = describe.custom_pages(op)
        if pages:
            row["custom_pages"] = pages
        # TD builds extensions when somebody asks for them (fact 38): looking must not run the user's code.
        if op.extensionsReady:
            extensions = [type(extension).__name__ for extension in op.extensions if extension is not None]
            if extensions:
                row["extensions"] = extensions
    return row


def _inputs(op: Any) -> list[dict[str, Any]]:
    rows = []
    for comp in (False, True) if op.isCOMP else (False,):
        for index, wire in enumerate(operators.wires_in(op, comp)):
            if wire is not None:
                row: dict[str, Any] = {"input": index, "from": str(wire[0].path), "output": wire[1]}
                rows.append(row | {"comp": True} if comp else row)
    return rows


def _outputs(op: Any) -> list[dict[str, Any]]:
    rows = []
    for comp in (False, True) if op.isCOMP else (False,):
        for index, wires in enumerate(operators.wires_out(op, comp)):
            for far, at in wires:
                row: dict[str, Any] = {"output": index, "to": str(far.path), "input": at}
                rows.append(row | {"comp": True} if comp else row)
    return rows


def _compact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _side(wire: dict[str, Any]) -> str:
    """Which of a COMP's two kinds of connectors a wire is on."""
    return "comp " if wire.get("comp") else ""


def _outline(row: dict[str, Any]) -> str:
    lines = [f"{row['path']} {row['type']} {_compact(row['data'])}"]
    for wire in row["inputs"]:
        lines.append(
            f"  {_side(wire)}input {wire['input']} <- {wire['from']}"
            + (f" output {wire['output']}" if wire["output"] else "")
        )
    for wire in row["outputs"]:
        lines.append(f"  {_side(wire)}output {wire['output']} -> {wire['to']} input {wire['input']}")
    lines.append(f"  at {row['position']} size {row['size']}; cook {_compact(row['cook'])}")
    for key in ("flags", "comment", "tags", "dock", "docked", "storage_keys", "custom_pages", "extensions"):
        if key in row:
            lines.append(f"  {key}: {_compact(row[key])}")
    for problem in row["problems"]:
        lines.append(f"  {problem['severity']}: {problem['message']}")
    for name, entry in row.get("parameters", {}).items():
        rest = " ".join(f"{key}={_compact(value)}" for key, value in entry.items() if key != "value")
        lines.append(f"  {name} = {_compact(entry['value'])}" + (f"  ({rest})" if rest else ""))
    return "\n".join(lines)


TOOLS = [
    Tool(
        name="inspect_operator",
        title="Inspect operators",
        description=(
            "Everything about one to twenty operators: parameters with value, mode, expression, default, range and menu "
            "words; wires by index; flags; errors; resolution, channels or rows; cook time in ms; storage keys, custom "
            "pages, extensions. Look here before setting unfamiliar parameters."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=InspectOperator,
        output=Inspected,
        run=inspect_operator,
        core=True,
    )
]

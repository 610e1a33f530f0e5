"""Writes docs/tools.md, the page of all tools, from the table of tools.

python scripts/tools_page.py            writes it
python scripts/tools_page.py --check    ends with 1 if it is not current
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pydantic import BaseModel

from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.protocol.schemas import input_schema, output_schema
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Effect, Output, Tool

PAGE = ROOT / "docs" / "tools.md"

_HEAD = """\
# The tools

<!-- Written by scripts/tools_page.py from the table of tools; change that, not this. -->

{count} tools; the setting *Toolset: core* offers the {core} marked *core*. Names, descriptions and input schemas of \
all take {size:.1f} kB of a client's context ({core_size:.1f} kB the core), output schemas another {outputs:.1f} kB.

Paths are TouchDesigner's. A **parameter value** is a plain JSON value (a constant), `{{"expr": "…"}}`, \
`{{"bind": "…"}}`, `{{"reset": true}}` or `{{"pulse": true}}`. A **network** is written one way everywhere: what \
`read_network` gives, `build_network` takes. Lists page with `limit` and `cursor` and say `total`, `returned` and \
`next_cursor`; a cursor finds its place again when operators come and go between two pages. Every answer comes twice, as structured content and as a text that says the same; an answer \
with pictures comes as pictures and text, since some clients drop the pictures beside structured content.

Listed schemas are plain, for every client and its model: arrays name their items, no argument is a reference, and an \
output schema requires nothing at its root, so that a refusal fits it too. The server checks arguments more strictly: \
unknown names are refused. `null` for an optional argument means that it is left out, and so does `""` for one that is not \
text. An empty path is refused; it never means the root.

**Every edit** is one undo step, is read back, and answers with `problems` (errors and warnings new one frame later, on \
what was touched and what it feeds) and `undo` (the name of the step; empty if nothing changed). A call that fails \
changes nothing: its result has `isError`, one sentence, and `code`, `message`, `hint`, `suggestions`, `retryable`.

**Default answers** stay below 20 kB whatever the project: long lists page, long texts are cut and say how long they \
were, and an edit of hundreds of operators says in `left_out` what it does not show.

**Levels**: *observe* looks. *edit* also changes the project, but brings nothing in from outside and no code by any \
route: no expressions, binds, Python, text of DATs that run it, types that run code, and no files. The last holds for the \
`file` parameter of a movie, too: a path may lead out of the project, and what is loaded from it may be a script. Saving \
the project and exporting a component into its folder is open. *full* may do all of it.

| tool | level | effect | title |
|---|---|---|---|
{rows}
"""


def page() -> str:
    """The whole page."""
    sizes = {tool.name: _listed_bytes(tool) for tool in TABLE.values()}
    head = _HEAD.format(
        count=len(TABLE),
        core=sum(tool.core for tool in TABLE.values()),
        size=sum(sizes.values()) / 1000,
        core_size=sum(sizes[tool.name] for tool in TABLE.values() if tool.core) / 1000,
        outputs=sum(len(_compact(schema)) for tool in TABLE.values() if (schema := output_schema(tool)))
        / 1000,
        rows="\n".join(_row(tool) for tool in TABLE.values()),
    )
    return head + "".join(_section(tool) for tool in TABLE.values())


def _listed_bytes(tool: Tool) -> int:
    """What a tool takes in `tools/list`, its output schema left out."""
    listed = {"name": tool.name, "description": tool.description, "inputSchema": input_schema(tool)}
    return len(_compact(listed))


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _row(tool: Tool) -> str:
    core = ", core" if tool.core else ""
    return f"| [`{tool.name}`](#{tool.name}) | {tool.level.value}{core} | {_effect(tool)} | {tool.title} |"


def _effect(tool: Tool) -> str:
    if tool.effect is Effect.READ:
        return "reads"
    word = "deletes or overwrites" if tool.effect is Effect.DESTRUCTIVE else "edits"
    return f"{word}; again changes nothing" if tool.idempotent else word


def _section(tool: Tool) -> str:
    schema = input_schema(tool)
    lines = [f"\n## {tool.name}\n", f"{tool.description}\n"]
    arguments = schema.get("properties", {})
    if arguments:
        lines += ["| argument | type | meaning |", "|---|---|---|"]
        required = schema.get("required", ())
        lines += [_argument(name, part, schema, name in required) for name, part in arguments.items()]
        lines.append("")
    lines.append("Answer: " + _answer(tool) + "\n")
    for sentence, call in EXAMPLES[tool.name]:
        lines += [sentence + "\n", "```json", _pretty(call), "```\n"]
    return "\n".join(lines)


def _argument(name: str, part: Mapping[str, Any], root: Mapping[str, Any], required: bool) -> str:
    words = [str(part.get("description", "")).rstrip(".")] if part.get("description") else []
    if required:
        words.append("**required**")
    if "default" in part:
        words.append(f"default `{json.dumps(part['default'], ensure_ascii=False)}`")
    if "minimum" in part and "maximum" in part:
        words.append(f"{part['minimum']} to {part['maximum']}")
    elif "maximum" in part:
        words.append(f"at most {part['maximum']}")
    elif "minimum" in part:
        words.append(f"{part['minimum']} or more")
    return f"| `{name}` | {_type(part, root)} | {_cell('; '.join(words))} |"


def _type(part: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    if "$ref" in part:
        return _type(root["$defs"][part["$ref"].rsplit("/", 1)[1]], root)
    if "enum" in part:
        return _cell(" \\| ".join(f"`{word}`" for word in part["enum"]))
    if "anyOf" in part:
        return " or ".join(_type(option, root) for option in part["anyOf"])
    if part.get("type") == "array":
        inner = _type(part["items"], root) if isinstance(part.get("items"), Mapping) else ""
        return f"list of {inner}" if inner and inner != "any" else "list"
    kind = part.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _answer(tool: Tool) -> str:
    told = _told(tool.output)
    parts = []
    for name, field in tool.output.model_fields.items():
        key = field.serialization_alias or field.alias or name
        if key in ("problems", "undo", "total", "returned", "next_cursor"):
            continue
        meaning = field.description or told.get(name, "")
        parts.append(f"`{key}` ({meaning.rstrip('.')})" if meaning else f"`{key}`")
    return ", ".join(parts) + "."


def _told(model: type[BaseModel]) -> dict[str, str]:
    """What the strings below the fields of a model say."""
    told: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if not (issubclass(cls, Output) and cls is not Output):
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = ast.get_docstring(ast.Module([below], [])) if isinstance(below, ast.Expr) else None
                if text:
                    told[field.target.id] = " ".join(text.split())
    return told


def _pretty(value: Any) -> str:
    """JSON a person can read: on one line where it fits, else opened one level at a time."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= 100:
        return flat
    open_, close = ("{", "}") if isinstance(value, dict) else ("[", "]")
    items = (
        [f"{json.dumps(key)}: {_pretty(item)}" for key, item in value.items()]
        if isinstance(value, dict)
        else [_pretty(item) for item in value]
    )
    return open_ + "\n" + textwrap.indent(",\n".join(items), "  ") + "\n" + close


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace(" | ", " \\| ")


def main(arguments: list[str]) -> int:
    current = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text("utf-8") == current:
            return 0
        print("docs/tools.md is out of date: python scripts/tools_page.py", file=sys.stderr)
        return 1
    PAGE.write_text(current, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

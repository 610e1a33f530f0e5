"""From the JSON a client sent to a tool's input model, strict where it matters and forgiving where it is safe."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.protocol.json_faults import fault
from tdmcp_embedded.protocol.schemas import input_schema
from tdmcp_embedded.tools.tool import Arguments, Tool

Schema = Mapping[str, Any]

_JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def parse(tool: Tool, given: Mapping[str, Any] | None) -> Arguments:
    """The tool's arguments as its input model.

    Unknown names are refused with near matches. A text where the schema wants an object, list, number or boolean is
    read as JSON when it holds one (some clients send nested values that way); never where the schema takes text.

    Raises:
        ToolFailure: `value_invalid`, naming every argument that is wrong.
    """
    given = dict(given or {})
    schema = input_schema(tool)
    known = list(schema.get("properties", {}))
    unknown = [name for name in given if name not in known]
    if unknown:
        raise _unknown(tool.name, unknown, known)
    repaired = {
        name: _read_json_text(value, schema["properties"][name], schema) for name, value in given.items()
    }
    if wrong := fault(repaired):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{tool.name}: {wrong}.",
            hint="Nothing was changed. Correct the arguments and call again.",
        )
    try:
        return tool.arguments.model_validate(repaired)
    except ValidationError as error:
        raise _refusal(tool, schema, error) from None


def _unknown(where: str, names: Iterable[str], known: list[str]) -> ToolFailure:
    names = list(names)
    suggestions = list(dict.fromkeys(match for name in names for match in near(name, known)))
    word = "argument" if len(names) == 1 else "arguments"
    return ToolFailure(
        Code.VALUE_INVALID,
        f"{where} has no {word} {', '.join(repr(n) for n in names)}.",
        hint="It takes: " + (", ".join(known) if known else "no arguments") + ".",
        suggestions=suggestions,
    )


def _refusal(tool: Tool, schema: Schema, error: ValidationError) -> ToolFailure:
    problems, suggestions = [], []
    for item in error.errors(include_url=False, include_context=False)[:5]:
        # pydantic puts the tags of union members into the location; they mean nothing to the caller.
        path = [
            str(part)
            for part in item["loc"]
            if not (isinstance(part, str) and ("[" in part or part[:1].isupper()))
        ]
        where = ".".join(path) or "arguments"
        if item["type"] == "extra_forbidden":
            known = _names_at(schema, path[:-1], schema)
            suggestions += near(path[-1], known)
            problems.append(f"{where} is not known" + (f" (known: {', '.join(known)})" if known else ""))
        elif item["type"] == "missing":
            problems.append(f"{where} is missing")
        else:
            problems.append(f"{where}: {item['msg']}, got {_brief(item['input'])}")
    return ToolFailure(
        Code.VALUE_INVALID,
        f"{tool.name}: " + "; ".join(dict.fromkeys(problems)) + ".",
        hint="Nothing was changed. Correct the arguments and call again.",
        suggestions=list(dict.fromkeys(suggestions)),
    )


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _resolve(schema: Schema, root: Schema) -> Schema:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _resolve(root["$defs"][reference.rsplit("/", 1)[1]], root)
    return schema


def _branches(schema: Schema, root: Schema) -> list[Schema]:
    schema = _resolve(schema, root)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return [branch for option in options for branch in _branches(option, root)]
    return [schema]


def _accepts(branch: Schema, kind: str) -> bool:
    declared = branch.get("type")
    if declared is None:
        # No type: an enumeration of words takes text; an empty schema takes anything.
        return kind == "string" or not ({"enum", "const"} & set(branch))
    return kind in (declared if isinstance(declared, list) else [declared])


def _names_at(schema: Schema, path: list[str], root: Schema) -> list[str]:
    """Property names known at a location, for near matches."""
    branches = _branches(schema, root)
    if not path:
        return list(dict.fromkeys(name for branch in branches for name in branch.get("properties", {})))
    head, rest = path[0], path[1:]
    for branch in branches:
        step = branch.get("items") if head.isdigit() else branch.get("properties", {}).get(head)
        if step is None and isinstance(branch.get("additionalProperties"), Mapping):
            step = branch["additionalProperties"]
        if step is not None:
            names = _names_at(step, rest, root)
            if names:
                return names
    return []


def _read_json_text(value: Any, schema: Schema, root: Schema) -> Any:
    branches = _branches(schema, root)
    if isinstance(value, str):
        if any(_accepts(branch, "string") for branch in branches):
            return value
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        fits = any(
            _accepts(branch, kind)
            and isinstance(parsed, python)
            and (kind == "boolean" or not isinstance(parsed, bool))
            for branch in branches
            for kind, python in _JSON_TYPES.items()
        )
        return _read_json_text(parsed, schema, root) if fits else value
    if isinstance(value, list):
        items = next((b["items"] for b in branches if isinstance(b.get("items"), Mapping)), None)
        return value if items is None else [_read_json_text(item, items, root) for item in value]
    if isinstance(value, dict):
        for branch in branches:
            properties = branch.get("properties")
            if properties:
                return {
                    name: _read_json_text(item, properties[name], root) if name in properties else item
                    for name, item in value.items()
                }
    return value

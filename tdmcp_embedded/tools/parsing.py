"""From the JSON a client sent to a tool's input model, strict where it matters and forgiving where it is safe."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.tools import validation_messages
from tdmcp_embedded.tools.json_faults import fault
from tdmcp_embedded.tools.shapes import Schema, accepts, branches, names_at, shape, takes_text
from tdmcp_embedded.tools.sizes import excess
from tdmcp_embedded.tools.tool import Arguments, Tool

_JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}

#: What pydantic calls the alternatives of a union, at the end of a location.
_TAGS = frozenset({"bool", "int", "float", "str", "list", "dict"})
_MOST_PROBLEMS = 5
#: How pydantic calls what is over a limit of a model.
_TOO_MUCH = frozenset({"too_long", "string_too_long"})
_VECTOR = 4

#: What other tools and TouchDesigner's own scripts call the fields of an operator.
_OTHER_WORDS = {
    "operators": "children", "ops": "children", "nodes": "children", "network": "children", "parameters": "params",
    "pars": "params", "values": "params", "optype": "type", "op_type": "type", "kind": "type", "class": "type",
    "connections": "inputs", "wires": "inputs", "input": "inputs", "content": "text", "code": "text", "rows": "table",
    "pos": "position", "x": "position", "y": "position", "nodex": "position", "nodey": "position",
    "custom_parameters": "custom", "pages": "custom", "docked_to": "dock", "host": "dock", "bypass": "flags",
    "display": "flags", "render": "flags", "viewer": "flags", "lock": "flags", "notes": "comment",
}  # fmt: skip


def parse(tool: Tool, given: Mapping[str, Any] | None) -> Arguments:
    """The tool's arguments as its input model.

    Unknown names are refused with near matches. A text where the model wants an object, list, number or boolean is
    read as JSON when it holds one (some clients send nested values that way); never where the model takes text.
    An optional argument that is null, or empty text where the model takes none, is as if left out: some clients send
    every argument that there is. That holds at every depth.

    Raises:
        ToolFailure: `value_invalid`, naming every argument that is wrong; `too_large`, where it is its size.
    """
    given = dict(given or {})
    schema = shape(tool.arguments)
    known = list(schema["properties"])
    unknown = [name for name in given if name not in known]
    if unknown:
        raise _unknown(tool.name, unknown, known)
    repaired: dict[str, Any] = _read(given, schema, schema)
    if wrong := fault(repaired):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{tool.name}: {wrong}.",
            hint="Nothing was changed. Correct the arguments and call again.",
        )
    if much := excess(repaired):
        raise ToolFailure(
            Code.TOO_LARGE, f"{tool.name}: {much}.", hint="Nothing was changed. Do it in several calls."
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
    faults = error.errors(include_url=False)
    # A position of three numbers is wrong, not large.
    much = any(
        item["type"] in _TOO_MUCH and item.get("ctx", {}).get("max_length", 0) > _VECTOR for item in faults
    )
    problems: dict[str, list[str]] = {}
    wrong: dict[str, list[ErrorDetails]] = {}
    suggestions: list[str] = []
    for item in faults:
        where = location(item["loc"], item["type"])
        name = ".".join(where) or "arguments"
        if item["type"] == "extra_forbidden":
            known = names_at(schema, where[:-1], schema)
            suggestions += [each for each in (_OTHER_WORDS.get(where[-1].lower()),) if each in known]
            suggestions += near(where[-1], known)
            said = "is not known" + (f" (known: {', '.join(known)})" if known else "")
        elif item["type"] == "missing":
            said = "is missing"
        else:
            wrong.setdefault(name, []).append(item)
            said = ""
        if said not in problems.setdefault(name, []):
            problems[name].append(said)
    # Of a union, what the object in it says of its own names; that it is no text is not news then.
    told = {name: said for name, said in problems.items() if not _inner(name, problems) or name not in wrong}
    lines = [_sentence(name, said, wrong) for name, said in list((told or problems).items())[:_MOST_PROBLEMS]]
    return ToolFailure(
        Code.TOO_LARGE if much else Code.VALUE_INVALID,
        f"{tool.name}: " + "; ".join(lines) + ".",
        hint="Nothing was changed. Correct the arguments and call again.",
        suggestions=list(dict.fromkeys(suggestions)),
    )


def location(place: tuple[int | str, ...], kind: str) -> list[str]:
    """The names that lead to what is wrong, from where pydantic says it is and how it calls the fault."""
    # pydantic puts the tags of union members into the location; they mean nothing to the caller.
    path = [
        str(part) for part in place if not (isinstance(part, str) and ("[" in part or part[:1].isupper()))
    ]
    if path and kind not in ("extra_forbidden", "missing") and path[-1] in _TAGS:
        path.pop()
    return path


def _inner(name: str, problems: Mapping[str, Any]) -> bool:
    return any(other.startswith(name + ".") for other in problems)


def _sentence(name: str, said: list[str], wrong: Mapping[str, list[ErrorDetails]]) -> str:
    if name not in wrong:
        return f"{name} {said[0]}"
    return f"{name} {validation_messages.clause(wrong[name], _brief(wrong[name][0]['input']))}"


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _read(value: Any, schema: Schema, root: Schema) -> Any:
    """The value with JSON in texts read, and what is as good as left out left out, at every depth."""
    options = branches(schema, root)
    if isinstance(value, str):
        if any(accepts(branch, "string") for branch in options):
            return value
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        fits = any(
            accepts(branch, kind)
            and isinstance(parsed, python)
            and (kind == "boolean" or not isinstance(parsed, bool))
            for branch in options
            for kind, python in _JSON_TYPES.items()
        )
        return _read(parsed, schema, root) if fits else value
    if isinstance(value, list):
        items = next((branch["items"] for branch in options if "items" in branch), None)
        return value if items is None else [_read(item, items, root) for item in value]
    if isinstance(value, dict):
        for branch in options:
            named = branch.get("properties", {})
            rest = branch.get("additionalProperties")
            if named or rest:
                return {
                    name: _read(item, named.get(name, rest), root)
                    if name in named or rest is not None
                    else item
                    for name, item in value.items()
                    if not (
                        name in named
                        and name not in branch["required"]
                        and _is_left_out(item, named[name], root)
                    )
                }
    return value


def _is_left_out(value: Any, schema: Schema, root: Schema) -> bool:
    return value is None or (value == "" and not takes_text(schema, root, ""))

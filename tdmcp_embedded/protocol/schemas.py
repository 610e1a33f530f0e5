"""JSON schemas of the tools as `tools/list` carries them: small, since every client pays for each byte, and plain.

Clients convert them for the API of their model. What some converter or API refuses is left out: a boolean
`additionalProperties`, and of arguments references and limits to the length of arrays. The server checks arguments with
the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from tdmcp_embedded.tools.tool import Tool

#: Gemini compiles schemas, and gives up at arrays of up to 500 items; limits that matter are told in words.
_LENGTHS = ("minItems", "maxItems")


@lru_cache(maxsize=256)
def input_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without references."""
    schema = _small(tool.arguments, "validation")
    models = schema.pop("$defs", {})
    inlined = _inlined(schema, models)
    assert isinstance(inlined, dict)
    return inlined


@lru_cache(maxsize=256)
def output_schema(tool: Tool) -> dict[str, Any] | None:
    """The JSON schema of what a tool answers in `structuredContent`; None of a tool that may answer with pictures.

    A refusal has structured content too, and clients on the TypeScript SDK 1.x check it against this schema. So at the
    root nothing is required and nothing is forbidden.
    """
    if tool.may_give_pictures:
        return None
    schema = _small(tool.output, "serialization")
    schema.pop("required", None)
    return schema


def _small(model: type[BaseModel], mode: Any) -> dict[str, Any]:
    schema = model.model_json_schema(mode=mode)
    small = _strip(schema, properties=False)
    assert isinstance(small, dict)
    small.pop("description", None)  # the class docstring; the tool has a description of its own
    return small


def _inlined(value: Any, models: Mapping[str, Any]) -> Any:
    """The schema with each reference replaced by what it refers to; models of arguments do not hold themselves."""
    if isinstance(value, list):
        return [_inlined(item, models) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(reference := value.get("$ref"), str):
        model = _inlined(models[reference.rpartition("/")[2]], models)
        return {key: item for key, item in model.items() if key != "description"}
    return {key: _inlined(item, models) for key, item in value.items() if key not in _LENGTHS}


def _strip(value: Any, *, properties: bool, optional: bool = False) -> Any:
    """Without the titles pydantic derives from names, without `| null` of optional arguments, and without boolean
    `additionalProperties`: of a free map its values are any (`{}`).

    `properties` says that the keys of `value` are names of the user's, not keywords of JSON Schema; `optional` that
    `value` belongs to such a name, which is left out rather than null. In a list, null is an item like others.
    """
    if isinstance(value, list):
        return [_strip(item, properties=False) for item in value]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {}
    for key, item in value.items():
        if not properties and key == "title":
            continue
        if not properties and key == "default" and (item is False or item in (None, "", [], {})):
            # What everybody expects of an argument that is left out.
            continue
        if not properties and key in ("minimum", "exclusiveMinimum") and item in (0, 1):
            # Nobody counts lower.
            continue
        if not properties and key == "additionalProperties" and isinstance(item, bool):
            if item:
                kept[key] = {}
            continue
        if not properties and key in ("default", "enum", "const", "required", "examples"):
            kept[key] = item
            continue
        kept[key] = _strip(
            item, properties=not properties and key in ("properties", "$defs"), optional=properties
        )
    options = kept.get("anyOf")
    if optional and isinstance(options, list):
        real = [option for option in options if option != {"type": "null"}]
        if len(real) == 1 and len(real) < len(options) and isinstance(real[0], dict):
            del kept["anyOf"]
            kept = {**real[0], **kept}
        elif real != options:
            kept["anyOf"] = real
    return kept

"""JSON schemas of the tools, as small as they can be without losing meaning: every client pays for each byte."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from tdmcp_embedded.tools.tool import Tool


@lru_cache(maxsize=256)
def input_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return _small(tool.arguments, "validation")


@lru_cache(maxsize=256)
def output_schema(tool: Tool) -> dict[str, Any]:
    """The JSON schema of what a tool answers in `structuredContent`."""
    return _small(tool.output, "serialization")


def _small(model: type[BaseModel], mode: Any) -> dict[str, Any]:
    schema = model.model_json_schema(mode=mode)
    small = _strip(schema, properties=False)
    assert isinstance(small, dict)
    small.pop("description", None)  # the class docstring; the tool has a description of its own
    return small


def _strip(value: Any, *, properties: bool) -> Any:
    """Without the titles pydantic derives from names, and without `| null` of optional arguments.

    `properties` says that the keys of `value` are names of the user's, not keywords of JSON Schema.
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
        if not properties and key in ("default", "enum", "const", "required", "examples"):
            kept[key] = item
            continue
        kept[key] = _strip(item, properties=not properties and key in ("properties", "$defs"))
    options = kept.get("anyOf")
    if not properties and isinstance(options, list):
        real = [option for option in options if option != {"type": "null"}]
        if len(real) == 1 and len(real) < len(options) and isinstance(real[0], dict):
            del kept["anyOf"]
            kept = {**real[0], **kept}
        elif real != options:
            kept["anyOf"] = real
    return kept

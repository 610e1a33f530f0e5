"""The whole shape of a tool's arguments, however short its travelling schema is: every name and type at every depth.

What clients are sent leaves out most of what is nested (every client pays for each byte, see `forms.py`); what they send
back is read with this. In the words of JSON Schema, as far as they are needed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Schema = Mapping[str, Any]

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@lru_cache(maxsize=256)
def shape(model: type[BaseModel]) -> Schema:
    """The shape of a model; those of the models inside are under `$defs`."""
    models: dict[str, Any] = {}
    _model(model, models)
    return {**models[model.__name__], "$defs": models}


def resolved(schema: Schema, root: Schema) -> Schema:
    """What a reference refers to."""
    reference = schema.get("$ref")
    return root["$defs"][reference] if isinstance(reference, str) else schema


def branches(schema: Schema, root: Schema) -> list[Schema]:
    """The alternatives of a union; of anything else that one."""
    schema = resolved(schema, root)
    options = schema.get("anyOf")
    return [each for option in options for each in branches(option, root)] if options else [schema]


def accepts(branch: Schema, kind: str) -> bool:
    """Whether a branch takes values of a JSON type."""
    if not branch:
        return True
    # An enumeration of words takes text.
    return bool(kind == branch.get("type", "string"))


def takes_text(schema: Schema, root: Schema, text: str) -> bool:
    """Whether this text is a value of the schema: any text, or a word of an enumeration."""
    return any(
        text in branch["enum"] if "enum" in branch else not branch or branch.get("type") == "string"
        for branch in branches(schema, root)
    )


def names_at(schema: Schema, path: list[str], root: Schema) -> list[str]:
    """Property names known at a location, for near matches."""
    options = branches(schema, root)
    if not path:
        return list(dict.fromkeys(name for branch in options for name in branch.get("properties", {})))
    for branch in options:
        inner = branch.get("items") if path[0].isdigit() else branch.get("properties", {}).get(path[0])
        if inner is None:
            inner = branch.get("additionalProperties")
        if inner is not None:
            names = names_at(inner, path[1:], root)
            if names:
                return names
    return []


def _model(model: type[BaseModel], models: dict[str, Any]) -> Schema:
    if model.__name__ not in models:
        properties: dict[str, Schema] = {}
        required = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
        # Before its fields: a network's operator holds others.
        models[model.__name__] = {"type": "object", "properties": properties, "required": required}
        for name, field in model.model_fields.items():
            properties[field.alias or name] = _type(field.annotation, models)
    return {"$ref": model.__name__}


def _type(given: Any, models: dict[str, Any]) -> Schema:
    origin, inside = get_origin(given), get_args(given)
    if origin is Annotated:
        return _type(inside[0], models)
    if origin in (Union, UnionType):
        return {"anyOf": [_type(each, models) for each in inside]}
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is list:
        return {"type": "array", "items": _type(inside[0], models)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(inside[1], models)}
    if isinstance(given, type) and issubclass(given, BaseModel):
        return _model(given, models)
    kind = _PLAIN.get(given)
    return {"type": kind} if kind is not None else {}

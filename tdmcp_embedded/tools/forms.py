"""Arguments that several editing tools take, each with a schema a client can afford.

The models check every detail; the schemas that travel in the list of tools say what an agent must know to write them,
and leave out what it would never guess wrong. Every client pays for each byte of them. Every array says what its items
are, and every free map what its values are: some clients refuse the whole list of tools otherwise.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

from tdmcp_embedded.tools.network_model import (
    Annotation,
    CustomPage,
    InputSource,
    NetworkOperator,
    ParameterValue,
    Point,
    Rgb,
)

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
#: Numbers, such as [x, y].
NUMBERS = {"type": "array", "items": {"type": "number"}}
_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": {}}
_OBJECTS = {"type": "array", "items": _OBJECT}
_PARAMS = {
    **_OBJECT,
    "description": "{name: constant | {expr} | {bind} | {reset: true} | {pulse: true}}",
}
#: Null, too, is an entry; Gemini takes no alternative without a type.
_WIRE = {"type": "object", "properties": {"from": _TEXT, "output": {"type": "integer"}}}
_SOURCES = {"type": "array", "items": {"anyOf": [_TEXT, _WIRE]}}
_INPUTS = {**_SOURCES, "description": "by index: null, sibling name, or {from: name, output: n}"}
_PAGES = {
    **_OBJECTS,
    "description": (
        "[{name, parameters: [{name, style, label, size, default, min, max, norm, menu, menu_labels, help, section, "
        "read_only}]}]"
    ),
}
#: Rows of cells.
TABLE = {"type": "array", "items": _TEXTS}
_OPERATOR: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": _TEXT,
        "type": _TEXT,
        "params": _PARAMS,
        "sequences": {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "description": "blocks",
        },
        "inputs": _INPUTS,
        "comp_inputs": _SOURCES,
        "position": NUMBERS,
        "size": NUMBERS,
        "flags": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "text": _TEXT,
        "table": TABLE,
        "comment": _TEXT,
        "color": NUMBERS,
        "tags": _TEXTS,
        "dock": {"type": "string", "description": "host"},
        "custom": {**_OBJECTS, "description": "[{name, parameters: [{name, style, default, min, max …}]}]"},
        "children": {**_OBJECTS, "description": "operators inside"},
        "annotations": _OBJECTS,
    },
}

#: Parameter values by parameter name.
Params = Annotated[dict[str, ParameterValue], WithJsonSchema(_PARAMS)]
#: Where each input comes from.
Inputs = Annotated[list[InputSource], WithJsonSchema(_INPUTS)]
#: A network's operators.
Operators = Annotated[list[NetworkOperator], WithJsonSchema({"type": "array", "items": _OPERATOR})]
#: A network's annotations.
Annotations = Annotated[
    list[Annotation],
    WithJsonSchema({**_OBJECTS, "description": "[{name, title, text, position, size, color}]"}),
]
#: Custom pages with their parameters.
Pages = Annotated[list[CustomPage], WithJsonSchema(_PAGES)]
#: [x, y] in the network editor.
Place = Annotated[Point, WithJsonSchema({**NUMBERS, "description": "[x, y]; default: a free place"})]
Color = Annotated[Rgb, WithJsonSchema({**NUMBERS, "description": "[r, g, b] from 0 to 1"})]

"""Arguments that several editing tools take, each with a schema a client can afford.

The models check every detail; the schemas that travel in the list of tools say what an agent must know to write them,
and leave out what it would never guess wrong. Every client pays for each byte of them.
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
_OBJECT = {"type": "object"}
_LIST = {"type": "array"}
_PARAMS = {
    "type": "object",
    "description": '{name: constant | {"expr"} | {"bind"} | {"reset": true} | {"pulse": true}}',
}
_INPUTS = {"type": "array", "description": 'by index: null, sibling name, or {"from": name, "output": n}'}
_PAGES = {
    "type": "array",
    "description": (
        "[{name, parameters: [{name, style, label, size, default, min, max, norm, menu, menu_labels, help, section, "
        "read_only}]}]"
    ),
}
_OPERATOR: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": _TEXT,
        "type": _TEXT,
        "params": _PARAMS,
        "sequences": {"type": "object", "description": "blocks by sequence"},
        "inputs": _INPUTS,
        "comp_inputs": _LIST,
        "position": _LIST,
        "size": _LIST,
        "flags": _OBJECT,
        "text": _TEXT,
        "table": _LIST,
        "comment": _TEXT,
        "color": _LIST,
        "tags": _LIST,
        "dock": {"type": "string", "description": "name of its host"},
        "custom": _PAGES,
        "children": {"type": "array", "description": "operators inside"},
        "annotations": _LIST,
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
    WithJsonSchema({"type": "array", "description": "[{name, title, text, position, size, color}]"}),
]
#: Custom pages with their parameters.
Pages = Annotated[list[CustomPage], WithJsonSchema(_PAGES)]
#: [x, y] in the network editor.
Place = Annotated[Point, WithJsonSchema({"type": "array", "description": "[x, y]; default: a free place"})]
Color = Annotated[Rgb, WithJsonSchema({"type": "array", "description": "[r, g, b] from 0 to 1"})]

"""What can be said against the definition of custom parameters before any is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import customs
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_routes import Access

#: The words after `append` in TD's Page class, with the number of values each makes (0: given by `size`).
STYLES: dict[str, int] = {
    "Float": 0, "Int": 0, "Str": 1, "Toggle": 1, "Momentary": 1, "Pulse": 1, "Menu": 1, "StrMenu": 1,
    "OP": 1, "COMP": 1, "TOP": 1, "CHOP": 1, "SOP": 1, "POP": 1, "DAT": 1, "MAT": 1, "Object": 1, "PanelCOMP": 1,
    "File": 1, "FileSave": 1, "Folder": 1, "Python": 1, "Header": 1, "Sequence": 1,
    "XY": 2, "UV": 2, "WH": 2, "XYZ": 3, "UVW": 3, "RGB": 3, "RGBA": 4, "XYZW": 4,
}  # fmt: skip
_NAME = re.compile(r"^[A-Z][a-z0-9]*$")
_NUMBERS = ("default", "min", "max")
_NUMERIC = frozenset({"Float", "Int", "XY", "UV", "WH", "XYZ", "UVW", "RGB", "RGBA", "XYZW"})


def check(operator: Any, pages: Sequence[Mapping[str, Any]], access: Access) -> None:
    """Refuse definitions TD would refuse, before anything is made.

    Raises:
        ToolFailure: `value_invalid` or `access_denied`.
    """
    if not pages:
        return
    access.target(operator)
    if not operator.isCOMP:
        raise _invalid(f"{operator.path} is a {op_type(operator)}: only COMPs have custom parameters.")
    seen: set[str] = set()
    for page in pages:
        if not str(page["name"]).strip():
            raise _invalid("A custom page needs a name.")
        for definition in page.get("parameters", ()):
            name, style = str(definition["name"]), str(definition["style"])
            check_name(name)
            if style not in STYLES:
                raise _invalid(
                    f"There is no parameter style {style!r}.",
                    f"Styles are {', '.join(STYLES)}.",
                    near(style, list(STYLES)) or list(STYLES),
                )
            if style == "Sequence" and not _present(operator, name):
                raise _invalid(
                    f"{name}: custom sequences are not made by this server.",
                    "A person adds one in TouchDesigner's Customize Component dialog; execute_python can, too.",
                )
            if name in seen:
                raise _invalid(f"The custom parameter {name} is defined twice.")
            seen.add(name)
            _check_definition(definition, name, style)
            if not access.code:
                access.custom(operator, definition, _present(operator, name))


def check_name(name: str) -> None:
    """Refuse a name that TD does not take for a custom parameter (fact 27).

    Raises:
        ToolFailure: `value_invalid`, with a name that would do.
    """
    if not _NAME.match(name):
        repaired = re.sub(r"[^A-Za-z0-9]", "", name).lower().lstrip("0123456789").capitalize()
        raise _invalid(
            f"{name!r} cannot name a custom parameter.",
            "One capital letter, then small letters and digits.",
            [repaired] if repaired else [],
        )


def _present(operator: Any, name: str) -> Mapping[str, Any]:
    """The custom parameter of this name as it is; empty if there is none."""
    for group in operator.customParGroups:
        if group.name == name:
            return customs.parameter(list(group))
    return {}


def _check_definition(definition: Mapping[str, Any], name: str, style: str) -> None:
    size = definition.get("size")
    if size is not None and STYLES[style] and size != STYLES[style]:
        raise _invalid(f"{name}: style {style} has {STYLES[style]} values, not {size}.")
    if size is not None and not 1 <= size <= 4:
        raise _invalid(f"{name}: a Float or Int has 1 to 4 values, not {size}.")
    menu, labels = definition.get("menu"), definition.get("menu_labels")
    if menu is not None and style not in ("Menu", "StrMenu"):
        raise _invalid(f"{name}: only styles Menu and StrMenu have a menu, not {style}.")
    if menu is not None and len(set(menu)) != len(menu):
        raise _invalid(f"{name}: a menu word stands twice.")
    if labels is not None and len(labels) != len(menu or ()):
        raise _invalid(f"{name}: {len(menu or ())} menu words, but {len(labels)} labels.")
    count = size or STYLES[style] or 1
    for key in _NUMBERS:
        value = definition.get(key)
        if isinstance(value, list) and len(value) != count:
            raise _invalid(f"{name}: {key} has {len(value)} values, the parameter {count}.")
    default = definition.get("default")
    each = default if isinstance(default, list) else [default]
    if style in _NUMERIC and any(isinstance(value, str) for value in each):
        raise _invalid(f"{name}: the default of a {style} is a number, not {default!r}.")
    if style == "Menu" and menu is not None and default is not None and default not in menu:
        raise ToolFailure(
            Code.MENU_VALUE_INVALID,
            f"{name}: the default {default!r} is not in its menu.",
            suggestions=near(str(default), menu) or list(menu)[:12],
        )


def _invalid(message: str, hint: str = "", suggestions: Sequence[str] = ()) -> ToolFailure:
    return ToolFailure(Code.VALUE_INVALID, message, hint=hint, suggestions=suggestions)

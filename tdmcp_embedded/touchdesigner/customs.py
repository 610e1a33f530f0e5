"""Custom pages and parameters of a COMP, in the form in which a network states them."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.touchdesigner.describe import is_menu, plain
from tdmcp_embedded.touchdesigner.values import Json, clean, exact

#: TD reports several styles under the name of the largest (fact 27); the members' last letters tell them apart.
_VECTOR_STYLES = {
    ("RGBA", "rgb"): "RGB",
    ("RGBA", "rgba"): "RGBA",
    ("UVW", "uv"): "UV",
    ("UVW", "uvw"): "UVW",
    ("XYZW", "xy"): "XY",
    ("XYZW", "xyz"): "XYZ",
    ("XYZW", "xyzw"): "XYZW",
    ("XYZ", "xy"): "XY",
    ("WH", "wh"): "WH",
}

_ZEROES: tuple[Json, ...] = (0, "", False)


def pages(comp: Any, sequences: bool = True) -> list[Json]:
    """Every custom page with its parameters, vectors as one; those that are sequences only if asked for."""
    return [
        {
            "name": clean(str(page.name)),
            "parameters": [
                parameter(group) for group in groups(page) if sequences or not group[0].isSequence
            ],
        }
        for page in comp.customPages
    ]


def groups(page: Any) -> list[list[Any]]:
    """The parameters of a page, members of one vector together; without those in blocks of a sequence."""
    found: dict[str, list[Any]] = {}
    for par in page.pars:
        if in_block(par):
            continue
        found.setdefault(str(par.parGroup.name), []).append(par)
    return list(found.values())


def in_block(par: Any) -> bool:
    """Whether a custom parameter is one of a sequence's blocks: those are neither stated nor defined."""
    return bool(par.isCustom) and not par.isSequence and par.sequence is not None


def style(members: list[Any]) -> str:
    """The word after `append` that makes this parameter."""
    reported = str(members[0].style)
    letters = "".join(str(par.name)[-1] for par in members)
    return _VECTOR_STYLES.get((reported, letters), reported)


def parameter(members: list[Any]) -> dict[str, Json]:
    """One custom parameter (a `CustomParameter` of the format); what needs no mention is left out."""
    first = members[0]
    word = style(members)
    row: dict[str, Json] = {"name": str(first.parGroup.name), "style": word}
    label = clean(str(first.label))
    if label and label != row["name"]:
        row["label"] = label
    if word in ("Float", "Int") and len(members) > 1:
        row["size"] = len(members)
    if not (first.isPulse or first.isMomentary or first.isSequence or word == "Header"):
        defaults = [plain(par, par.default) for par in members]
        # A StrMenu begins empty, not with its first word.
        first_word = is_menu(first) and bool(first.menuNames) and defaults[0] == first.menuNames[0]
        if any(value not in _ZEROES for value in defaults) and not first_word:
            row["default"] = defaults if len(members) > 1 else defaults[0]
    if first.isNumber and not first.isToggle and not first.isMenu:
        row |= _range(members)
    if first.isMenu:
        row |= _menu(first)
    if first.help:
        row["help"] = clean(str(first.help))
    if first.readOnly:
        row["read_only"] = True
    if first.startSection:
        row["section"] = True
    if first.enableExpr:
        row["enable_expr"] = clean(str(first.enableExpr))
    return row


def _range(members: list[Any]) -> dict[str, Json]:
    row: dict[str, Json] = {}
    first = members[0]
    for field, clamped, limit in (("min", "clampMin", "min"), ("max", "clampMax", "max")):
        if getattr(first, clamped):
            limits = [exact(getattr(par, limit)) for par in members]
            row[field] = limits[0] if len(set(limits)) == 1 else limits
    norm = [exact(first.normMin), exact(first.normMax)]
    if norm != ([0, 10] if first.style == "Int" else [0, 1]):
        row["norm"] = norm
    return row


def _menu(par: Any) -> dict[str, Json]:
    row: dict[str, Json] = {}
    names = [clean(str(name)) for name in par.menuNames]
    labels = [clean(str(label)) for label in par.menuLabels]
    if par.menuSource:
        # The words come from elsewhere and change with it.
        return {"menu_source": clean(str(par.menuSource))}
    if names:
        row["menu"] = names
        if labels and labels != names:
            row["menu_labels"] = labels
    return row

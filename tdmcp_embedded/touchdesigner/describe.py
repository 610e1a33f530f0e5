"""Parameters as an agent needs them: value, how it comes about, and what it may be."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from tdmcp_embedded.touchdesigner.builds import make_sequences
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import Json, clean, cut, exact, json_value, kind, number, rounded

#: Words of a menu that are listed; font menus have hundreds.
_MENU_SHOWN = 40
#: Operators that the value of a parameter lists; a pattern may name a whole network.
_OPERATORS_SHOWN = 40


def mode(par: Any) -> str:
    """constant, expression, export or bind."""
    word = par.mode
    return str(getattr(word, "name", word)).rsplit(".", 1)[-1].lower()


def is_menu(par: Any) -> bool:
    """Whether only the menu's own words are valid. `isMenu` is true for StrMenus too, which take any text (fact 23)."""
    return str(par.style) == "Menu"


def plain(par: Any, value: object) -> Json:
    """A value of this parameter as the plain JSON that writing it again takes."""
    if value is None:
        return ""
    if kind(value) == "OP":
        return json_value(value)
    if isinstance(value, bool):
        return value
    if par.isToggle:
        return bool(value)
    if isinstance(value, (int, float)):
        return exact(value)
    if isinstance(value, str):
        return clean(value)
    return json_value(value)


def constant(par: Any) -> Json:
    """The constant value, also while an expression or a bind is in force (fact 22)."""
    return plain(par, par.val)


def effective(par: Any) -> Json:
    """The value in force now; of one whose expression fails, what went wrong."""
    try:
        value = par.eval()
        if par.isOP and isinstance(value, (list, tuple)):
            # A parameter that takes several operators (fact 76). One of them reads as it is written.
            value = list(value[:_OPERATORS_SHOWN]) if len(value) > 1 else next(iter(value), None)
        if value is None and par.isOP and mode(par) == "constant":
            # A reference that leads nowhere: what is stored, which `eval` does not give.
            return constant(par)
        # What is computed anew each frame needs no more digits than anyone reads.
        if isinstance(value, float) and not par.isToggle and mode(par) != "constant":
            return rounded(value, 9)
        return plain(par, value)
    except Exception as error:  # noqa: BLE001 - a broken expression raises whatever the user's code raises (fact 34)
        return f"<error: {cut(clean(str(error)), 300)}>"


def stated(par: Any) -> Json:
    """The parameter as a network states it: a constant, {"expr": …} or {"bind": …}."""
    how = mode(par)
    if how == "expression":
        return {"expr": clean(par.expr)}
    if how == "bind":
        return {"bind": clean(par.bindExpr)}
    return constant(par)


def is_changed(par: Any) -> bool:
    """Whether a network must state this parameter: it is not as a new operator has it, and has a value at all."""
    # Nearly all are at their default: asked first, the rest is hardly ever asked.
    if par.isDefault or par.isPulse or par.isMomentary or par.isSequence:
        return False
    # pageindex is which page the user last looked at.
    return bool(par.name != "pageindex")


def selected(operator: Any, which: str) -> Iterator[Any]:
    """Parameters by "changed", "all", or a pattern on names (several divided by spaces; letter case ignored)."""
    make_sequences(operator)
    patterns = which.lower().split()
    for par in operator.pars():
        if which == "all" or (
            is_changed(par) if which == "changed" else any(fnmatchcase(par.name.lower(), p) for p in patterns)
        ):
            yield par


def parameter(par: Any, full: bool = True) -> dict[str, Json]:
    """One parameter: value in force, mode and its text, and (`full`) what it may be.

    What needs no mention is left out: mode constant, an enabled state, a range of 0 to 1.
    """
    how = mode(par)
    row: dict[str, Json] = {"value": effective(par)}
    if how != "constant":
        row["mode"] = how
    elif par.isOP and par.val:
        row |= _reference(par, row["value"])
    if how == "expression":
        row["expr"] = clean(par.expr)
    elif how == "bind":
        row["bind"] = clean(par.bindExpr)
    elif how == "export" and par.exportOP is not None:
        row["export"] = str(par.exportOP.path)
    if not full:
        return row
    row["style"] = str(par.style)
    row["label"] = clean(par.label)
    if not (par.isPulse or par.isMomentary or par.isSequence):
        default = told(lambda: plain(par, par.default))
        if default is not None:
            row["default"] = default
    if par.isNumber and not par.isToggle and not par.isMenu:
        row |= told(lambda: _range(par)) or {}
    if par.isMenu:
        words = [clean(str(word)) for word in par.menuNames]
        row["menu"] = words[:_MENU_SHOWN]
        if len(words) > _MENU_SHOWN:
            row["menu_left_out"] = len(words) - _MENU_SHOWN
    if par.readOnly:
        row["read_only"] = True
    if not par.enable:
        row["disabled"] = True
    return row


def _reference(par: Any, value: Json) -> dict[str, Json]:
    """Of a parameter that names operators: the text that is stored, all that it names, and whether it names nothing."""
    found = [str(each.path) for each in par.evalOPs()]
    row: dict[str, Json] = {}
    if constant(par) != value:
        row["text"] = constant(par)
    if not found:
        row["missing"] = True
    elif len(found) > 1 and not isinstance(value, list):
        row["operators"] = found[:_OPERATORS_SHOWN]
    if len(found) > _OPERATORS_SHOWN:
        row["operators_left_out"] = len(found) - _OPERATORS_SHOWN
    return row


def _range(par: Any) -> dict[str, Json]:
    row: dict[str, Json] = {}
    low, high = number(par.normMin), number(par.normMax)
    if (low, high) != (0, 1):
        row["range"] = [low, high]
    limits = [rounded(par.min) if par.clampMin else None, rounded(par.max) if par.clampMax else None]
    if limits != [None, None]:
        row["clamp"] = limits
    return row


def custom_pages(operator: Any) -> list[dict[str, Any]]:
    """Names of the custom pages and of the parameters on each."""
    return [
        {"name": clean(page.name), "parameters": [str(par.name) for par in page.pars]}
        for page in operator.customPages
    ]

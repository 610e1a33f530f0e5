"""Two parameters that share one row of the documentation: the catalogue has their names as the words of a menu.

189 parameters came so: `trailPOP.length` with the "menu" length | lengthunit. The last two entries of such a menu are the
parameter itself, by name and label, and the one next to it. What stands before them are the words of a real menu.
"""

from __future__ import annotations

from typing import Any

#: How the name of the second parameter of a row ends -> its style, where neither the listing nor another type tells.
_STYLES = (
    ("pulse", "Pulse"),
    ("unit", "Menu"),
    ("units", "Menu"),
    ("bypass", "Toggle"),
    ("swaporder", "Toggle"),
    ("rate", "Float"),
    ("size", "Float"),
    ("high", "Float"),
    ("extendright", "Menu"),
    ("numcomps", "Menu"),
)

#: Words of menus that one of several types with the same parameter has; the rows of the others hold names only.
_SAME_WORDS: dict[str, list[list[str]]] = {
    "lengthmismatchnotif": [["ignore", "Ignore"], ["warning", "Warning"], ["error", "Error"]],
    "attr0name": [
        ["custom", "Custom"],
        ["n", "N"],
        ["color", "Color"],
        ["tex", "Tex"],
        ["pointscale", "PointScale"],
        ["linewidth", "LineWidth"],
    ],
    "attr0type": [
        ["float", "float"],
        ["double", "double"],
        ["int", "int"],
        ["uint", "uint"],
        ["dir", "dir"],
        ["ddir", "dbl dir"],
    ],
    "attr0numcomps": [["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"]],
}


def split(pars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parameters of a type, each with its own menu or none, the second of a row right after the first."""
    by_name = {par["name"]: par for par in pars}
    made: dict[str, dict[str, Any]] = {}
    for par in pars:
        if par["name"] in made:
            continue
        neighbour = _neighbour(par)
        if neighbour is None:
            made[par["name"]] = par
            continue
        words = par["menu"][:-2]
        made[par["name"]] = _first(par, words)
        name, label = neighbour
        made[name] = _second(par, words, name, label, by_name.get(name, {}))
    return list(made.values())


def _neighbour(par: dict[str, Any]) -> tuple[str, str] | None:
    """Name and label of the other parameter of the row; None for a real menu, which may hold the parameter's name."""
    menu: list[list[str]] = par.get("menu") or []
    if len(menu) < 2 or menu[-2] != [par["name"], par.get("label")]:
        return None
    name, label = menu[-1]
    return name, label


def _first(par: dict[str, Any], words: list[list[str]]) -> dict[str, Any]:
    words = words or _SAME_WORDS.get(par["name"], [])
    own = {key: value for key, value in par.items() if key != "menu"}
    if own.get("default") == par["name"]:
        # By the rule a menu's default is its first word; that word was the name.
        own.pop("default")
        own.pop("defaultFrom", None)
    if own.get("defaultRaw") in [word for word, _ in words]:
        own["default"] = own.pop("defaultRaw")
    return {**own, "menu": words} if words else own


def _second(
    first: dict[str, Any], words: list[list[str]], name: str, label: str, known: dict[str, Any]
) -> dict[str, Any]:
    if known and known.get("only") != "listing":
        return known
    listed = {key: value for key, value in known.items() if key != "only"}
    made = {"name": name, "label": label, "page": first.get("page", ""), **listed}
    if not known:
        made["only"] = "row"
    menu = _SAME_WORDS.get(name) or (words if name == "extendright" else None)
    if menu:
        made["menu"] = menu
    if "default" not in made and "style" not in made:
        style = next((style for ending, style in _STYLES if name.endswith(ending)), None)
        if name.startswith(("max", "lsmax")):
            style = "Int"
        made["style"] = style or "Str"
    return made

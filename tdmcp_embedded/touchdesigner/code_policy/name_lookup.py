"""From names in parameters and code to operators, as seen from an operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tdmcp_embedded.touchdesigner.footprint import Name
from tdmcp_embedded.touchdesigner.telling import told


def told_quietly(read: Any) -> Any:
    """What TouchDesigner says, or None: a shortcut that does not exist raises AttributeError."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - no such shortcut
        return None


def looked_up(operator: Any, text: str) -> set[Name]:
    """The names that a parameter's words are looked for by: beside its operator, and inside of it."""
    home = operator.parent()
    places = [place for place in (operator, home) if place is not None and place.isCOMP]
    return {name for path in text.split() for place in places for name in walked(place, path)}


def walked(place: Any, path: str) -> Iterator[Name]:
    """The names on a path, each with the network it is looked for in."""
    while path.startswith("/") and place.parent() is not None:
        place = place.parent()
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if place is None or not place.isCOMP:
            return
        if part == "..":
            place = place.parent()
            continue
        yield (int(place.id), part)
        place = place.op(part)


def constant(par: Any) -> str:
    """What a parameter holds as a constant, as text."""
    held = told(lambda: par.val)
    return "" if held is None else str(getattr(held, "path", held))


def evaluated(par: Any) -> list[Any]:
    """The operators that a parameter names."""
    return list(told(par.evalOPs) or ())


def found_in(place: Any, path: str) -> list[Any]:
    """The operators that a path or a pattern names, seen from an operator."""
    return list(told(lambda: place.ops(path)) or ())


def meant_by(operator: Any, par: Any, text: str) -> list[Any]:
    """The operators that a parameter names; one that only holds their names as text is read from where it stands."""
    if par.isOP:
        return evaluated(par)
    if not text:
        return []
    place = operator.parent()
    return found_in(operator, text) + (found_in(place, text) if place is not None else [])


def places_of(operator: Any) -> Iterator[Any]:
    """Where names in an operator's code are looked for: the operator itself, and every COMP around it."""
    place = operator
    while place is not None:
        yield place
        place = place.parent()

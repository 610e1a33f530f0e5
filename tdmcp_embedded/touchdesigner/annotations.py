"""Annotations: comments and boxes drawn in a network, which TD keeps as annotateCOMPs hidden from ordinary lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import creating, describe, layout, parameters, undo
from tdmcp_embedded.touchdesigner.code_routes import Access

#: What an annotation's own fields are called as parameters of the annotateCOMP.
_FIELDS = {"title": "Titletext", "text": "Bodytext", "mode": "Mode"}
_COLOR = ("Backcolorr", "Backcolorg", "Backcolorb")


def of(td: ModuleType, network: Any) -> list[Any]:
    """The annotations of a network, by name. `children` hides them (fact 14)."""
    found = network.findChildren(type=td.annotateCOMP, depth=1, includeUtility=True)
    return sorted(found, key=lambda each: str(each.name))


def build(
    td: ModuleType,
    network: Any,
    described: Sequence[Mapping[str, Any]],
    access: Access,
    *,
    exact: bool = False,
) -> list[str]:
    """Make annotations, or bring those of the same name up to date.

    Returns:
        The paths of what was made or changed (or, with `exact`, deleted).

    Raises:
        ToolFailure: what is wrong with a parameter; `access_denied`.
    """
    access.target(network)
    there = {str(each.name): each for each in of(td, network)}
    touched: list[str] = []
    if described or (exact and there):
        _remember(td, network, described, exact)
    if exact:
        for name in there.keys() - {str(spec["name"]) for spec in described}:
            touched.append(str(there[name].path))
            undo.destroy(there[name])
    return touched + _make(td, network, described, access)


def pending(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], *, exact: bool = False
) -> list[str]:
    """The paths of what `build` would make, change or delete."""
    there = {str(each.name): read(each) for each in of(td, network)}
    named = {str(spec["name"]) for spec in described}
    gone = [name for name in there if exact and name not in named]
    other = [str(spec["name"]) for spec in described if _differs(there.get(str(spec["name"])), spec)]
    return [f"{network.path.rstrip('/')}/{name}" for name in [*gone, *other]]


def _differs(present: Mapping[str, Any] | None, spec: Mapping[str, Any]) -> bool:
    if present is None:
        return True
    return any(value != present.get(key) for key, value in spec.items() if key != "params") or any(
        value != present["params"].get(key) for key, value in (spec.get("params") or {}).items()
    )


def promise(td: ModuleType, network: Any, name: str) -> None:
    """Make undo take away, and redo bring back, an annotation about to be made by itself: TD records nothing of it."""
    path, kept = str(network.path), [{"name": name}]

    def change(undoing: bool) -> None:
        place = td.op(path)
        found = {str(each.name): each for each in of(td, place)} if place is not None else {}
        if undoing and name in found:
            kept[0] = read(found[name])
            undo.destroy(found[name])
        elif not undoing and place is not None and name not in found:
            _make(td, place, kept, Access())

    undo.journal().when_undone(change)


def _make(td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], access: Access) -> list[str]:
    there = {str(each.name): each for each in of(td, network)}
    touched: list[str] = []
    for spec in described:
        name = str(spec["name"])
        creating.check_name(name)
        annotation = there.get(name)
        fresh = annotation is None
        if annotation is None:
            annotation = creating.create(td, network, "annotateCOMP", name, access)
            # What the editor makes is a utility: hidden from children and from layouts.
            annotation.utility = True
        params = {_FIELDS[key]: spec[key] for key in _FIELDS if key in spec}
        if "color" in spec:
            params |= dict(zip(_COLOR, spec["color"], strict=True))
        params |= spec.get("params") or {}
        changed = parameters.apply(parameters.plan(annotation, params, access)).changed > 0
        for key, attributes in (("size", ("nodeWidth", "nodeHeight")), ("position", ("nodeX", "nodeY"))):
            for attribute, value in zip(attributes, spec.get(key) or (), strict=False):
                if getattr(annotation, attribute) != round(value):
                    undo.journal().attribute(annotation, attribute)
                    setattr(annotation, attribute, round(value))
                    changed = True
        if fresh or changed:
            touched.append(str(annotation.path))
    return touched


def _remember(td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], exact: bool) -> None:
    """Make undo take annotations along. Making one ends TD's undo block (fact 35), so that TD records none of it."""
    path = str(network.path)
    named = {str(spec["name"]) for spec in described}
    before = [read(each) for each in of(td, network) if exact or each.name in named]
    after = [dict(spec) for spec in described]

    def change(undoing: bool) -> None:
        place = td.op(path)
        if place is None:
            return
        wanted = before if undoing else after
        kept = {str(spec["name"]) for spec in wanted}
        for each in of(td, place):
            if each.name not in kept and (exact or each.name in named):
                undo.destroy(each)
        _make(td, place, wanted, Access())

    undo.journal().when_undone(change)


def read(annotation: Any) -> dict[str, Any]:
    """One annotation in the form that `build` takes."""
    fields = (*_FIELDS.values(), *_COLOR)
    return {
        "name": str(annotation.name),
        **{key: str(annotation.par[name].eval()) for key, name in _FIELDS.items()},
        "color": [float(annotation.par[name].eval()) for name in _COLOR],
        "position": [annotation.nodeX, annotation.nodeY],
        "size": [annotation.nodeWidth, annotation.nodeHeight],
        "params": {
            str(par.name): describe.stated(par)
            for par in annotation.pars()
            if describe.is_changed(par) and par.name not in fields and not par.readOnly
        },
    }


def members(annotation: Any) -> list[Any]:
    """The operators an annotation encloses now."""
    around = layout.box(annotation)
    return [each for each in annotation.enclosedOPs if layout.box(each).overlaps(around)]

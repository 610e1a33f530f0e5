"""Annotations: comments and boxes drawn in a network, which TD keeps as annotateCOMPs hidden from ordinary lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import creating, describe, layout, parameters, places, undo
from tdmcp_embedded.touchdesigner.code_routes import Access

#: What an annotation's own fields are called as parameters of the annotateCOMP.
_FIELDS = {"title": "Titletext", "text": "Bodytext", "mode": "Mode"}
_COLOR = ("Backcolorr", "Backcolorg", "Backcolorb")


def of(td: ModuleType, network: Any) -> list[Any]:
    """The annotations of a network, by name. `children` hides them (fact 14)."""
    found = network.findChildren(type=td.annotateCOMP, depth=1, includeUtility=True)
    return sorted(found, key=lambda each: str(each.name))


def delete_others(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], access: Access
) -> list[str]:
    """Delete the annotations that are not described.

    Before any is made, anywhere: that ends TD's undo block (fact 35), and TD would not record what goes afterwards.

    Returns:
        The paths of what was deleted.

    Raises:
        ToolFailure: `access_denied`.
    """
    access.target(network)
    named = {str(spec["name"]) for spec in described}
    going = [each for each in of(td, network) if str(each.name) not in named]
    paths = [str(each.path) for each in going]
    for each in going:
        undo.destroy(each)
    return paths


def making(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], access: Access, exact: bool = False
) -> Callable[[], list[str]]:
    """Prepare to make annotations, or to bring those of the same name up to date.

    Making the first one ends TD's undo block (fact 35), so whatever undo has to know of any network's is noted here.

    Args:
        exact: whether parameters that are not stated go to their default.

    Returns:
        What makes them, and gives the paths of what was made or changed; it may raise what is wrong with a parameter.

    Raises:
        ToolFailure: `access_denied`.
    """
    access.target(network)
    after = _remember(td, network, described)
    named = {str(spec["name"]) for spec in described}

    def make() -> list[str]:
        # A later call of a batch may have deleted the network itself.
        if not network.valid:
            return []
        touched = _make(td, network, described, access, exact)
        after.extend(read(each) for each in of(td, network) if str(each.name) in named)
        return touched

    return make


def pending(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], exact: bool = False
) -> list[str]:
    """The paths of what would be made or changed."""
    there = {str(each.name): read(each) for each in of(td, network)}
    changed = [str(spec["name"]) for spec in described if _differs(there.get(str(spec["name"])), spec, exact)]
    return [f"{network.path.rstrip('/')}/{name}" for name in changed]


def _differs(present: Mapping[str, Any] | None, spec: Mapping[str, Any], exact: bool) -> bool:
    if present is None or (exact and present["params"].keys() - (spec.get("params") or {}).keys()):
        return True
    return any(
        value != present.get(key) for key, value in spec.items() if key not in ("params", "left_out")
    ) or any(value != present["params"].get(key) for key, value in (spec.get("params") or {}).items())


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


def _unstated(annotation: Any, stated: Mapping[str, Any], colored: bool) -> dict[str, Any]:
    """The parameters to reset: those that are not at their default though nothing says so."""
    return {
        str(par.name): {"reset": True}
        for par in annotation.pars()
        if describe.is_changed(par)
        and not (par.readOnly or par.name in stated)
        and (colored or par.name not in _COLOR)
    }


def _make(
    td: ModuleType,
    network: Any,
    described: Sequence[Mapping[str, Any]],
    access: Access,
    exact: bool = False,
) -> list[str]:
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
        if exact and not spec.get("left_out"):
            params = _unstated(annotation, params, "color" in spec) | params
        changed = parameters.apply(parameters.plan(annotation, params, access)).changed > 0
        for key, attributes in (("size", ("nodeWidth", "nodeHeight")), ("position", ("nodeX", "nodeY"))):
            for attribute, value in zip(attributes, spec.get(key) or (), strict=False):
                if getattr(annotation, attribute) != round(value):
                    undo.journal().attribute(annotation, attribute)
                    setattr(annotation, attribute, round(value))
                    changed = True
        if fresh and "position" not in spec:
            # At 0, 0, where TD makes it, it would frame whatever stands there.
            places.place_free(td, network, [annotation])
        if fresh or changed:
            touched.append(str(annotation.path))
    return touched


def _remember(td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Make undo take annotations along. Making one ends TD's undo block (fact 35), so that TD records none of it.

    Returns:
        For the caller to fill once they are made: what redo brings back, places found for them included.
    """
    path = str(network.path)
    named = {str(spec["name"]) for spec in described}
    before = [read(each) for each in of(td, network) if each.name in named]
    after: list[dict[str, Any]] = []

    def change(undoing: bool) -> None:
        place = td.op(path)
        if place is None:
            return
        wanted = before if undoing else after
        kept = {str(spec["name"]) for spec in wanted}
        for each in of(td, place):
            if each.name not in kept and each.name in named:
                undo.destroy(each)
        _make(td, place, wanted, Access(), True)

    undo.journal().when_undone(change)
    return after


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

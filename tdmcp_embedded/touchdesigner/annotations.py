"""Annotations: comments and boxes drawn in a network, which TD keeps as annotateCOMPs hidden from ordinary lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import (
    creating,
    describe,
    layout,
    parameter_lists,
    parameters,
    places,
    undo,
)
from tdmcp_embedded.touchdesigner.builds import find, run_later
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

    Before any is made, anywhere: that ends TD's undo block (fact 56), and TD would not record what goes afterwards.

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


def reserve(network: Any, name: str) -> str:
    """The name for an annotation that is made in a frame to come: `name`, or with the next number that nobody has, nor
    any other that this edit is to make."""
    reserved = undo.journal().reserved
    path = str(network.path).rstrip("/")
    stem = name.rstrip("0123456789") or name
    while f"{path}/{name}" in reserved or creating.child(network, name) is not None:
        # Where many are made, each goes on from the one before.
        name = creating.free_name(network, reserved.get(f"{path}/{stem}*", name))
        reserved[f"{path}/{stem}*"] = name
    reserved[f"{path}/{name}"] = name
    return name


def making(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]], access: Access, exact: bool = False
) -> list[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """Bring the annotations that are there up to date, and prepare to make the others.

    Making one ends TD's undo block (fact 56), so whatever undo has to know of any network's is noted here. Several made
    in one frame have crashed TD (fact 68): whoever calls this makes one a frame, the first in the frame of the edit.

    Args:
        exact: whether parameters that are not stated go to their default.

    Returns:
        For each, what makes it and gives it (nothing once the step was undone); and what checks its description
        against one that was made, before any of the others is.

    Raises:
        ToolFailure: `access_denied`, or what is wrong with a parameter, as far as it can be told beforehand.
    """
    access.target(network)
    there = {str(each.name): each for each in of(td, network)}
    _check(there, described, access)
    after, undone = _remember(td, network, described)
    _make(td, network, [spec for spec in described if str(spec["name"]) in there], access, exact)
    after.extend(read(there[str(spec["name"])]) for spec in described if str(spec["name"]) in there)

    def maker(spec: Mapping[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], None]]:
        def make() -> Any:
            # A later call of a batch may have deleted the network itself; a person may have undone the step.
            if undone or not network.valid:
                return None
            _make(td, network, [spec], access, exact)
            made = next((each for each in of(td, network) if each.name == spec["name"]), None)
            if made is not None:
                after.append(read(made))
            return made

        def check(made: Any) -> None:
            if made is not None:
                _check({"": made}, [spec], access)

        return make, check

    return [maker(spec) for spec in described if str(spec["name"]) not in there]


def _check(there: Mapping[str, Any], described: Sequence[Mapping[str, Any]], access: Access) -> None:
    """Refuse what is wrong before any is made, as far as there is an annotation to hold it against."""
    for spec in described:
        creating.check_name(str(spec["name"]))
        if str(spec.get("mode")) == HIDDEN_MODE:
            raise hidden_mode(str(spec["name"]))
        probe = there.get(str(spec["name"])) or next(iter(there.values()), None)
        if probe is not None:
            parameters.plan(probe, _params(spec), access)


#: The mode of annotations that Python cannot find again (fact 55).
HIDDEN_MODE = "networkbox"


def hidden_mode(name: str) -> ToolFailure:
    """The refusal to make an annotation what nobody could change or delete by any tool again."""
    return ToolFailure(
        Code.VALUE_INVALID,
        f"{name}: an annotation of mode {HIDDEN_MODE} cannot be found by Python again.",
        hint='Use mode "annotate" (a box with a title) or "comment".',
        suggestions=["annotate", "comment"],
    )


@contextmanager
def unrecorded(td: ModuleType) -> Iterator[None]:
    """TD records nothing while inside: making an annotation would add a step of TD's own (fact 56)."""
    undo_list = td.ui.undo
    was = bool(undo_list.globalState)
    if was:
        undo_list.globalState = False
    try:
        yield
    finally:
        if was:
            undo_list.globalState = True


#: What is still to be made, one a frame.
_waiting: list[Callable[[], object]] = []
#: Where and when (seconds, monotonic) the last was made, in a frame that may not be over; None once a frame has passed.
_made_at: tuple[ModuleType, float] | None = None
#: Seconds after which such a frame is over in any case: opening a project ends the run that would say so.
_LONGEST_FRAME = 2.0


def waiting() -> bool:
    """Whether annotations that undo or redo brings back are still to be made in frames to come."""
    return bool(_waiting)


def spread(td: ModuleType, works: Sequence[Callable[[], object]]) -> None:
    """Do the first now, unless one was done in this frame, and one in each frame to come (fact 68); where TD cannot be
    asked for frames, all now."""
    _waiting.extend(works)
    if _made_at is None or _made_at[0] is not td or monotonic() - _made_at[1] > _LONGEST_FRAME:
        _one(td)


def _one(td: ModuleType) -> None:
    """Do one of what is waiting, and come again in the next frame."""
    global _made_at
    if not _waiting:
        _made_at = None
        return
    work, _made_at = _waiting.pop(0), (td, monotonic())
    try:
        work()
    finally:
        try:
            # The reference runs in a pause, too (fact 8).
            run_later(td, partial(_one, td), delayFrames=1, delayRef=td.op.TDResources)
        except Exception:  # noqa: BLE001 - what cannot wait is done now
            _made_at = None
            while _waiting:
                _waiting.pop(0)()


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
        place = find(td, path)
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


def create(td: ModuleType, network: Any, name: str, access: Access) -> Any:
    """Make one annotation, as the editor makes it: a utility operator, hidden from children and from layouts."""
    with unrecorded(td):
        annotation = creating.create(td, network, "annotateCOMP", name, access)
        annotation.utility = True
    return annotation


def _params(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that a description states, as parameters of the annotateCOMP."""
    params = {_FIELDS[key]: spec[key] for key in _FIELDS if key in spec}
    if "color" in spec:
        params |= dict(zip(_COLOR, spec["color"], strict=True))
    return params | (spec.get("params") or {})


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
            annotation = create(td, network, name, access)
        params, wrong = parameter_lists.spread(annotation, _params(spec))
        for failure in wrong.values():
            raise failure
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


def _remember(
    td: ModuleType, network: Any, described: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[bool]]:
    """Make undo take annotations along: TD records nothing of those that are made.

    Returns:
        A list for the caller to fill once they are made: what redo brings back, places found for them included. And
        one that is filled once the step was undone.
    """
    path = str(network.path)
    named = {str(spec["name"]) for spec in described}
    before = [read(each) for each in of(td, network) if each.name in named]
    after: list[dict[str, Any]] = []
    undone: list[bool] = []

    def change(undoing: bool) -> None:
        undone[:] = [True] if undoing else []
        place = find(td, path)
        if place is None:
            return
        wanted = before if undoing else after
        kept = {str(spec["name"]) for spec in wanted}
        there = set()
        for each in of(td, place):
            if each.name not in kept and each.name in named:
                undo.destroy(each)
            else:
                there.add(str(each.name))
        _make(td, place, [spec for spec in wanted if spec["name"] in there], Access(), True)
        spread(td, [partial(_again, td, path, spec) for spec in wanted if spec["name"] not in there])

    undo.journal().when_undone(change)
    return after, undone


def _again(td: ModuleType, path: str, spec: Mapping[str, Any]) -> None:
    place = find(td, path)
    if place is not None:
        _make(td, place, [spec], Access(), True)


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

"""Operators copied, moved to another network, or turned into another type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import (
    creating,
    layout,
    lookup,
    operators,
    places,
    undo,
    wiring,
)
from tdmcp_embedded.touchdesigner.builds import find, is_annotation, op_type
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.code_text import holds_code
from tdmcp_embedded.touchdesigner.values import clean, cut


def copy(td: ModuleType, sources: Sequence[Any], parent: Any, access: Access) -> dict[str, Any]:
    """Copy operators of one network, with what is docked to them and the wires among them.

    Returns:
        The copies by the path of what they were copied from.

    Raises:
        ToolFailure: `value_invalid`, `access_denied` or `td_error`.
    """
    access.target(parent)
    one_network(sources)
    if sum(is_annotation(source) for source in sources) > 1:
        raise ToolFailure(
            Code.VALUE_INVALID,
            "Several annotations are not made at once: that has crashed TouchDesigner.",
            hint="Move or copy them with paths, which makes one a frame.",
        )
    for source in sources:
        if parent.path == source.path or parent.path.startswith(source.path + "/"):
            raise ToolFailure(Code.VALUE_INVALID, f"{source.path} cannot be copied into itself.")
    whole = list({each.path: each for source in sources for each in layout.group(source)}.values())
    for each in whole:
        access.carries(each)
    undo.journal().writing()
    try:
        made = list(parent.copyOPs(whole))
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR, f"TouchDesigner refused the copy: {cut(clean(str(error)), 300)}"
        ) from None
    for each in made:
        undo.journal().created(each)
    copies = {str(source.path): each for source, each in zip(whole, made, strict=False)}
    places.place_free(td, parent, [copies[s.path] for s in sources if s.path in copies], keep_shape=True)
    return copies


def one_network(sources: Sequence[Any]) -> None:
    """Refuse operators of different networks, and the root.

    Raises:
        ToolFailure: `value_invalid`.
    """
    if len({source.parent().path for source in sources if source.parent() is not None}) != 1:
        raise ToolFailure(
            Code.VALUE_INVALID,
            "The operators to copy stand in different networks.",
            hint="Copy those of one network per call.",
        )


def one_by_one(sources: Sequence[Any]) -> list[Any]:
    """The annotations among operators to be copied that are to be made one a frame.

    A single one can be copied with the others, unless other calls of the same frame may make more.
    """
    notes = [each for each in sources if is_annotation(each)]
    return notes if len(notes) > 1 or undo.journal().shared else []


def shift(source: Any, copies: Mapping[str, Any]) -> tuple[int, int]:
    """How far copies stand from what they were copied from."""
    made = copies[str(source.path)]
    return made.nodeX - source.nodeX, made.nodeY - source.nodeY


def copy_annotations(
    td: ModuleType,
    sources: Sequence[Any],
    parent: Any,
    access: Access,
    shift: tuple[int, int] | None,
    failures: list[str],
) -> dict[str, str]:
    """Copy annotations, one a frame: made at once they have crashed TouchDesigner (fact 68).

    Args:
        shift: how far what they are copied with was moved; None: each goes to a free place.
        failures: for what goes wrong in a later frame.

    Returns:
        The paths of the copies by the path of what they were copied from.
    """
    described, copies = [], {}
    for source in sources:
        name = annotating.reserve(parent, str(source.name))
        spec = annotating.read(source) | {"name": name}
        x, y = spec.pop("position")
        if shift is not None:
            spec["position"] = [x + shift[0], y + shift[1]]
        described.append(spec)
        copies[str(source.path)] = f"{str(parent.path).rstrip('/')}/{name}"
    for make, check in annotating.making(td, parent, described, access):
        undo.journal().at_end(make, check, failures)
    return copies


def cut_wires(sources: Sequence[Any]) -> list[str]:
    """Wires that cross the edge of a group of operators and do not come along when it is copied (fact 18)."""
    inside = {source.path for source in sources}
    lost = []
    for source in sources:
        for index, wire in enumerate(operators.wires_in(source)):
            if wire is not None and wire[0].path not in inside:
                lost.append(f"{wire[0].path} → {source.path} input {index}")
    return lost


def move(td: ModuleType, operator: Any, parent: Any, access: Access) -> Any:
    """Take an operator to another network. TD has no such step: it is copied, and the original destroyed (fact 18).

    Returns:
        The operator in its new place.

    Raises:
        ToolFailure: `name_taken`, and what `copy` raises.
    """
    if operator.parent().path == parent.path:
        return operator
    if access.component and (access.component + "/").startswith(operator.path + "/"):
        raise ToolFailure(Code.PRECONDITION_FAILED, f"{operator.path} holds this server's own component.")
    if creating.child(parent, operator.name) is not None:
        raise creating.taken(parent, str(operator.name))
    for wire in wiring.losing(layout.group(operator)):
        target = find(td, wire.target)
        if target is not None:
            wiring.note(target)
    moved = copy(td, [operator], parent, access)[str(operator.path)]
    undo.destroy(operator)
    return moved


def change_type(td: ModuleType, operator: Any, type_name: str, access: Access) -> Any:
    """Turn an operator into another type; wires stay where the new type can hold them.

    Returns:
        The new operator: TD makes a new one in the old one's place (fact 18).

    Raises:
        ToolFailure: `operator_type_unknown`, `value_invalid`, `access_denied` or `td_error`.
    """
    if op_type(operator) == type_name:
        return operator
    access.type(type_name)
    kind = lookup.operator_type(td, type_name)
    if lookup.family_of(type_name) != operator.family:
        # What a COMP holds would be lost with it.
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{operator.path} is a {operator.family}: it cannot become a {type_name}, of another family.",
            hint="Make one with create_operator, and delete this one.",
        )
    undo.journal().irreversible()
    path, old = str(operator.path), op_type(operator)
    viewer = bool(operator.viewer)
    held = operator.isDAT and not access.code and holds_code(operator)
    for wire in wiring.losing([operator]):
        target = find(td, wire.target)
        if target is not None:
            wiring.note(target)
    wiring.note(operator)

    def put_back() -> None:
        found = find(td, path)
        if found is not None and op_type(found) != old:
            with suppress(Exception):
                found.changeType(getattr(td, old))

    undo.journal().replacing(operator)
    undo.journal().put_back_with(put_back)
    try:
        made = operator.changeType(kind)
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR,
            f"TouchDesigner cannot turn {path} ({old}) into a {type_name}: {cut(clean(str(error)), 300)}",
            hint="Types change within a family only.",
        ) from None
    made = made if made is not None else find(td, path)
    if made is None or op_type(made) != type_name:
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner left {path} a {old}.")
    creating.let_dock(made)
    for each in layout.group(made)[1:]:
        each.viewer = not each.isCOMP
    made.viewer = viewer
    access.retyped(made, held)
    return made

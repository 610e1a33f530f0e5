"""Building a network from its description: made or brought up to date, so that building it again changes nothing.

The description is the JSON form that reading gives (`tools/network_model.py`), already checked for shape. Everything is
made first, then checked as a whole, then written: parameters can only be checked on an operator that exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import (
    annotations as annotating,
)
from tdmcp_embedded.touchdesigner import (
    appearance,
    creating,
    custom,
    dats,
    deleting,
    describe,
    layout,
    network,
    network_check,
    parameters,
    undo,
    wiring,
)
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.flags import default_flags
from tdmcp_embedded.touchdesigner.operators import wires_in

Spec = Mapping[str, Any]


@dataclass
class Built:
    """What building did."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: int = 0
    written: list[parameters.Written] = field(default_factory=list)
    wires: list[wiring.Wire] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """What TD made along with it (docked DATs)."""


@dataclass
class _Part:
    """One described operator and the operator it became."""

    spec: Spec
    operator: Any
    new: bool
    changed: bool = False


def build(
    td: ModuleType,
    parent: Any,
    operators: Sequence[Spec],
    annotations: Sequence[Spec] | None,
    access: Access,
    *,
    exact: bool = False,
) -> Built:
    """Make `parent` hold what is described.

    Args:
        exact: take the description for a whole reading: what it does not state is put to its default, what it does
            not name is deleted. Otherwise both are left as they are.

    Raises:
        ToolFailure: whatever is wrong with the first part that is wrong; the caller's undo block puts all back.
    """
    return _Builder(td, access, exact).run(parent, operators, annotations)


class _Builder:
    def __init__(self, td: ModuleType, access: Access, exact: bool) -> None:
        self._td = td
        self._access = access
        self._exact = exact
        self._built = Built()
        self._parts: list[_Part] = []
        self._annotated: list[tuple[Any, Sequence[Spec] | None]] = []

    def run(self, parent: Any, operators: Sequence[Spec], annotations: Sequence[Spec] | None) -> Built:
        network_check.check(self._td, parent, operators, self._access)
        self._make_level(parent, operators, annotations)
        for part in self._parts:
            pages = part.spec.get("custom") or ()
            custom.check(part.operator, pages, self._access)
            if self._exact and part.operator.isCOMP and "left_out" not in part.spec:
                self._touch(part, custom.only(part.operator, pages))
            self._touch(part, bool(custom.define(part.operator, pages)))
        plans = [(part, self._plan(part)) for part in self._parts]
        for part, plan in plans:
            written = parameters.apply(plan)
            self._touch(part, written.changed > 0)
            if written.params or written.notes:
                self._built.written.append(written)
        for part in self._parts:
            self._content(part)
        for part in self._parts:
            self._wire(part)
        self._place()
        for part in self._parts:
            self._appearance(part)
        for place, described in self._annotated:
            if described is not None or self._exact:
                self._annotate(place, described or ())
        self._report()
        return self._built

    def _annotate(self, place: Any, described: Sequence[Spec]) -> None:
        """Last of all: making one ends TD's undo block (fact 35). In a batch, last of the whole batch."""
        if not undo.journal().shared:
            self._built.changed += annotating.build(
                self._td, place, described, self._access, exact=self._exact
            )
            return
        pending = annotating.pending(self._td, place, described, exact=self._exact)
        if pending:
            self._built.changed += pending
            undo.journal().at_end(
                lambda: annotating.build(self._td, place, described, self._access, exact=self._exact)
            )

    def _touch(self, part: _Part, changed: bool) -> None:
        part.changed = part.changed or changed

    def _report(self) -> None:
        for part in self._parts:
            path = str(part.operator.path)
            if part.new:
                self._built.created.append(path)
            elif part.changed:
                self._built.changed.append(path)
            else:
                self._built.unchanged += 1

    # Making

    def _make_level(self, parent: Any, operators: Sequence[Spec], annotations: Sequence[Spec] | None) -> None:
        self._annotated.append((parent, annotations))
        if self._exact:
            self._delete_others(parent, operators)
        # What is docked comes after its host, which may bring it along (fact 17).
        for spec in sorted(operators, key=lambda s: "dock" in s):
            if self._own(parent, spec):
                continue
            part = self._make(parent, spec)
            self._parts.append(part)
            if "children" in spec or "annotations" in spec:
                if not part.operator.isCOMP:
                    raise ToolFailure(
                        Code.VALUE_INVALID,
                        f"{part.operator.path} is a {part.operator.opType}: only COMPs have children.",
                    )
                if part.new and "children" in spec:
                    # A new geometryCOMP holds a torus that hides whether anything else draws (fact 17).
                    self._delete_others(part.operator, spec["children"])
                self._make_level(part.operator, spec.get("children") or (), spec.get("annotations"))

    def _own(self, parent: Any, spec: Spec) -> bool:
        """Whether a spec means this server's own component: a reading names it, but nothing may restart it."""
        there = creating.child(parent, str(spec["name"]))
        if there is None or not self._access.component or there.path != self._access.component:
            return False
        self._built.notes.append(f"{there.path}: left as it is, since it is this server's own component")
        return True

    def _make(self, parent: Any, spec: Spec) -> _Part:
        name, wanted = str(spec["name"]), spec.get("type")
        there = creating.child(parent, name)
        if there is not None and wanted is not None and there.opType != wanted:
            if not self._exact:
                raise ToolFailure(
                    Code.NAME_TAKEN,
                    f"{there.path} is a {there.opType}, not a {wanted}.",
                    hint="Delete it first, change its type with update_operator, or use another name.",
                    suggestions=[creating.free_name(parent, name)],
                )
            self._built.deleted += deleting.delete(self._td, deleting.consider([there], self._access))
            there = None
        if there is not None:
            self._access.target(there)
            return _Part(spec, there, str(there.path) in self._built.made)
        if wanted is None:
            raise ToolFailure(
                Code.VALUE_INVALID, f"{name} is not in {parent.path}, so its type must be given."
            )
        made = creating.create(self._td, parent, str(wanted), name, self._access)
        self._built.made += [str(each.path) for each in layout.group(made)[1:]]
        return _Part(spec, made, True)

    def _delete_others(self, parent: Any, operators: Sequence[Spec]) -> None:
        named = {str(spec["name"]) for spec in operators}
        own = self._access.component
        others = [
            child for child in network.members(parent)
            if child.name not in named
            and not (own and (child.path == own or own.startswith(child.path + "/")))
            and not (child.dock is not None and child.dock.name in named and not self._exact)
        ]  # fmt: skip
        if others:
            self._built.deleted += deleting.delete(self._td, deleting.consider(others, self._access))

    # Writing

    def _plan(self, part: _Part) -> parameters.Plan:
        params = dict(part.spec.get("params") or {})
        sequences = dict(part.spec.get("sequences") or {})
        if self._exact:
            for par in part.operator.pars():
                if par.isSequence and par.name not in sequences and par.name not in params:
                    if par.sequence is not None and int(par.sequence.numBlocks) > 1:
                        sequences[str(par.name)] = 1
                elif describe.is_changed(par) and par.name not in params and not par.readOnly:
                    params[str(par.name)] = {"reset": True}
        for name in list(params):
            par = part.operator.par[name] if name.isidentifier() else None
            if par is not None and par.readOnly and not par.isCustom:
                # A reading states it, but the operator makes it itself.
                del params[name]
        return parameters.plan(part.operator, params, self._access, sequences, locked=False)

    def _content(self, part: _Part) -> None:
        spec, operator = part.spec, part.operator
        if (
            self._exact
            and operator.isDAT
            and operator.isEditable
            and not spec.keys() & {"text", "table", "left_out"}
        ):
            spec = {**spec, "table": []} if operator.isTable else {**spec, "text": ""}
        if "text" in spec:
            self._touch(part, dats.set_text(operator, str(spec["text"]), self._access))
        if "table" in spec:
            self._touch(part, dats.set_table(operator, spec["table"], self._access))

    def _wire(self, part: _Part) -> None:
        for key, comp in (("inputs", False), ("comp_inputs", True)):
            if key not in part.spec and not (self._exact and (part.operator.isCOMP or not comp)):
                continue
            wanted = [self._source(part.operator, item) for item in part.spec.get(key) or ()]
            before = [w and (w[0].path, w[1]) for w in wires_in(part.operator, comp)]
            self._built.wires += wiring.set_inputs(part.operator, wanted, comp)
            self._touch(part, before != [w and (w[0].path, w[1]) for w in wires_in(part.operator, comp)])

    def _source(self, operator: Any, item: Any) -> tuple[Any, int] | None:
        if item is None:
            return None
        name, output = (item, 0) if isinstance(item, str) else (str(item["from"]), int(item.get("output", 0)))
        return source(operator, name), output

    def _place(self) -> None:
        waiting: dict[str, list[_Part]] = {}
        for part in self._parts:
            position = part.spec.get("position")
            if position is not None:
                operator = part.operator
                self._touch(
                    part, (operator.nodeX, operator.nodeY) != (round(position[0]), round(position[1]))
                )
                # A docked operator that is described goes where it is described, not along with its host.
                layout.set_place(operator, *position) if part.new is False else layout.move(
                    operator, *position
                )
            elif part.new and part.operator.dock is None and "dock" not in part.spec:
                waiting.setdefault(str(part.operator.parent().path), []).append(part)
        for path, parts in waiting.items():
            inside = {str(p.operator.path) for p in parts}
            sources = [
                wire[0] for p in parts for wire in wires_in(p.operator) if wire and wire[0].path not in inside
            ]  # fmt: skip
            layout.place_free(self._td.op(path), [p.operator for p in parts], sources)

    def _appearance(self, part: _Part) -> None:
        spec, operator = part.spec, part.operator
        if "dock" in spec:
            self._dock(part, str(spec["dock"]))
        elif self._exact and operator.dock is not None:
            self._set(part, "dock", None)
        position = spec.get("position")
        if position is not None:
            # Docking, and hosts that were moved, may have moved it.
            layout.set_place(operator, *position)
        size = spec.get("size", appearance.default_size(operator) if self._exact else None)
        if size is not None:
            self._set(part, "nodeWidth", round(size[0]))
            self._set(part, "nodeHeight", round(size[1]))
        comment = spec.get("comment", "" if self._exact else None)
        if comment is not None:
            self._set(part, "comment", comment)
        color = spec.get("color", network.DEFAULT_COLOR if self._exact else None)
        if color is not None:
            self._touch(part, appearance.set_color(operator, color))
        tags = spec.get("tags", [] if self._exact else None)
        if tags is not None:
            self._touch(part, appearance.set_tags(operator, tags))
        flags = dict(spec.get("flags") or {})
        if self._exact:
            flags = default_flags(operator.family, operator.isObject) | flags
        self._touch(part, appearance.set_flags(operator, flags))

    def _dock(self, part: _Part, name: str) -> None:
        host = source(part.operator, name)
        current = part.operator.dock
        if current is None or current.path != host.path:
            self._set(part, "dock", host)

    def _set(self, part: _Part, name: str, value: Any) -> None:
        self._touch(part, appearance.set_attribute(part.operator, name, value))


def source(operator: Any, name: str) -> Any:
    """The operator that `name` (a sibling's name, a relative or an absolute path) means beside `operator`.

    Raises:
        ToolFailure: `operator_not_found`, with siblings that resemble it.
    """
    parent = operator.parent()
    found = parent.op(name) if not set(name) & set("*?[]^ ") and name else None
    if found is None:
        raise ToolFailure(
            Code.OPERATOR_NOT_FOUND,
            f"{operator.path}: there is no operator {name!r} in {parent.path}.",
            suggestions=near(name, [str(child.name) for child in parent.children]),
        )
    return found

"""Building a network from its description: made or brought up to date, so that building it again changes nothing.

The description is the JSON form that reading gives (`tools/network_model.py`), already checked for shape. Everything is
made first, then checked as a whole, then written: parameters can only be checked on an operator that exists.

It is one step however long it takes: TD ends an undo block with the callback (fact 35), and a network half built is
what nobody must ever see. Whoever brings a large network back to what it was keeps the step short by naming only what
differs (`known`, `as_is` and `partial` below; see `tools/restoring.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import (
    annotations as annotating,
)
from tdmcp_embedded.touchdesigner import (
    creating,
    custom,
    custom_check,
    customs,
    deleting,
    describe,
    layout,
    network_check,
    parameter_lists,
    parameters,
    places,
    rows,
    undo,
    wiring,
)
from tdmcp_embedded.touchdesigner.builds import make_sequences, op_type
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.operators import wires_in
from tdmcp_embedded.touchdesigner.parts import Part, Spec, sibling


@dataclass
class Built:
    """What building did."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    asked: int = 0
    """How many deleted operators count when the user is to agree, those inside COMPs as well."""
    unchanged: int = 0
    written: list[parameters.Written] = field(default_factory=list)
    wires: list[wiring.Wire] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """What TD made along with it (docked DATs)."""
    late: list[str] = field(default_factory=list)
    """What could not be made in the frames after the edit, in sentences."""


def build(
    td: ModuleType,
    parent: Any,
    operators: Sequence[Spec],
    annotations: Sequence[Spec] | None,
    access: Access,
    *,
    exact: bool = False,
    partial: bool = False,
    own: Spec | None = None,
) -> Built:
    """Make `parent` hold what is described.

    Args:
        own: what `parent` itself is to hold, whole: params, sequences, custom. None leaves it as it is.
        partial: with `exact`, the operators named are not all that the network is to hold.
        exact: take the description for a whole reading: what it does not state is put to its default, what it does
            not name is deleted. Otherwise both are left as they are.

    Raises:
        ToolFailure: whatever is wrong with the first part that is wrong; the caller's undo block puts all back.
    """
    return _Builder(td, access, exact).run(parent, operators, annotations, partial, own)


class _Builder:
    def __init__(self, td: ModuleType, access: Access, exact: bool) -> None:
        self._td = td
        self._access = access
        self._exact = exact
        self._built = Built()
        self._parts: list[Part] = []
        self._annotated: list[tuple[Any, Sequence[Spec] | None]] = []

    def run(
        self,
        parent: Any,
        operators: Sequence[Spec],
        annotations: Sequence[Spec] | None,
        partial: bool,
        own: Spec | None = None,
    ) -> Built:
        network_check.check(self._td, parent, operators, self._access, bounded=not partial)
        self._make_level(parent, operators, annotations, partial)
        itself = []
        if own is not None:
            self._access.target(parent)
            itself = [Part(own, parent, new=False, exact=True)]
        for part in [*itself, *self._parts]:
            pages = part.spec.get("custom") or ()
            custom_check.check(part.operator, pages, self._access)
            if part.exact and part.operator.isCOMP and "custom" not in rows.unread(part.spec):
                part.touch(custom.only(part.operator, pages))
            part.touch(
                bool(
                    custom.define(
                        part.operator, pages, ranges=not (part.as_read or part.exact), notes=self._built.notes
                    )
                )
            )
        plans = [(part, self._plan(part)) for part in [*itself, *self._parts]]
        for part, plan in plans:
            written = parameters.apply(plan)
            part.touch(written.changed > 0)
            if written.params or written.notes:
                self._built.written.append(written)
        for part in self._parts:
            part.write_content(self._access)
        for part in self._parts:
            self._wire(part)
        self._place()
        for part in self._parts:
            part.dress(self._access)
        if self._exact:
            for place, described in self._annotated:
                self._built.changed += annotating.delete_others(
                    self._td, place, described or (), self._access
                )
        self._annotate([(place, described) for place, described in self._annotated if described])
        self._access.left(part.operator for part in self._parts if part.new or part.changed)
        self._access.left(part.operator for part in itself if part.changed)
        self._built.changed += [str(part.operator.path) for part in itself if part.changed]
        self._report()
        return self._built

    def _annotate(self, networks: Sequence[tuple[Any, Sequence[Spec]]]) -> None:
        """Last of all, in a batch of the whole batch: making one ends TD's undo block (fact 56); then one a frame."""
        for place, described in networks:
            pending = annotating.pending(self._td, place, described, self._exact)
            if not pending:
                continue
            self._built.changed += pending
            for make, check in annotating.making(self._td, place, described, self._access, self._exact):
                undo.journal().at_end(make, check, self._built.late)

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

    def _make_level(
        self,
        parent: Any,
        operators: Sequence[Spec],
        annotations: Sequence[Spec] | None,
        partial: bool = False,
        as_read: bool = False,
    ) -> None:
        if annotations is not None or not partial:
            self._annotated.append((parent, annotations))
        if partial:
            gone = [creating.child(parent, str(spec["name"])) for spec in operators if spec.get("gone")]
            self._delete([each for each in gone if each is not None])
        elif self._exact:
            self._delete_others(parent, operators, True)
        # What is docked comes after its host, which may bring it along (fact 17).
        for spec in sorted(operators, key=lambda s: "dock" in s):
            if spec.get("gone") or self._own(parent, spec):
                continue
            part = self._make(parent, spec)
            whole = as_read or bool(spec.get("as_read"))
            part.as_read = whole
            part.exact = self._exact or (part.new and whole)
            if part.new and part.exact:
                self._delete_companions(part, operators)
            if not spec.get("as_is"):
                self._parts.append(part)
            if "children" in spec or "annotations" in spec:
                if not part.operator.isCOMP:
                    raise ToolFailure(
                        Code.VALUE_INVALID,
                        f"{part.operator.path} is a {op_type(part.operator)}: only COMPs have children.",
                    )
                if part.new and "children" in spec:
                    # A new geometryCOMP holds a torus that hides whether anything else draws (fact 17).
                    self._delete_others(part.operator, spec["children"], part.exact)
                self._make_level(
                    part.operator,
                    spec.get("children") or (),
                    spec.get("annotations"),
                    bool(spec.get("partial")),
                    whole,
                )

    def _own(self, parent: Any, spec: Spec) -> bool:
        """Whether a spec means this server's own component: a reading names it, but nothing may restart it."""
        there = creating.child(parent, str(spec["name"]))
        if there is None or not self._access.component or there.path != self._access.component:
            return False
        self._built.notes.append(f"{there.path}: left as it is, since it is this server's own component")
        return True

    def _make(self, parent: Any, spec: Spec) -> Part:
        name, wanted = str(spec["name"]), spec.get("type")
        there = creating.child(parent, name)
        if spec.get("known") and (there is None or op_type(there) != wanted):
            raise ToolFailure(
                Code.PRECONDITION_FAILED,
                f"{parent.path}/{name} was deleted or replaced while this call was looking at the network.",
                hint="Nothing was changed; call again.",
                retryable=True,
            )
        if there is not None and wanted is not None and op_type(there) != wanted:
            if not self._exact:
                raise ToolFailure(
                    Code.NAME_TAKEN,
                    f"{there.path} is a {op_type(there)}, not a {wanted}.",
                    hint="Delete it first, change its type with update_operator, or use another name.",
                    suggestions=[creating.free_name(parent, name)],
                )
            self._delete([there])
            there = None
        if there is not None:
            self._access.target(there)
            return Part(spec, there, str(there.path) in self._built.made)
        if wanted is None:
            raise ToolFailure(
                Code.VALUE_INVALID, f"{name} is not in {parent.path}, so its type must be given."
            )
        made = creating.create(self._td, parent, str(wanted), name, self._access)
        self._built.made += [str(each.path) for each in layout.group(made)[1:]]
        return Part(spec, made, True)

    def _delete_others(self, parent: Any, operators: Sequence[Spec], exact: bool) -> None:
        named = {str(spec["name"]) for spec in operators}
        own = self._access.component
        others = [
            child for child in rows.members(parent)
            if child.name not in named
            and not (own and (child.path == own or own.startswith(child.path + "/")))
            and not (child.dock is not None and child.dock.name in named and not exact)
        ]  # fmt: skip
        self._delete(others)

    def _delete_companions(self, part: Part, operators: Sequence[Spec]) -> None:
        """Of what TD docked to a new operator (fact 17), that which is not described."""
        named = {str(spec["name"]) for spec in operators}
        # Of a single row that somebody took from a reading, what its parameters speak of stays: a shader needs its text.
        told_all = self._exact or any(spec.get("dock") == part.spec["name"] for spec in operators)
        meant = (
            set() if told_all else {v for v in (part.spec.get("params") or {}).values() if isinstance(v, str)}
        )
        for docked in layout.group(part.operator)[1:]:
            if docked.valid and docked.name not in named | meant:
                self._built.made = [path for path in self._built.made if path != docked.path]
                undo.destroy(docked)

    def _delete(self, operators: Sequence[Any]) -> None:
        if operators:
            going = deleting.consider(self._td, operators, self._access)
            self._built.asked += going.asked
            self._built.deleted += deleting.delete(self._td, going)

    # Writing

    def _plan(self, part: Part) -> parameters.Plan:
        make_sequences(part.operator)
        params, wrong = parameter_lists.spread(part.operator, part.spec.get("params") or {})
        for failure in wrong.values():
            raise failure
        sequences = dict(part.spec.get("sequences") or {})
        if part.exact and "params" not in rows.unread(part.spec):
            for par in part.operator.pars():
                if (
                    par.isSequence
                    and not par.isCustom
                    and par.name not in sequences
                    and par.name not in params
                ):
                    # Some begin with two blocks, some with none (fact 86); a reading leaves out those that have one.
                    if par.sequence is not None and int(par.sequence.numBlocks) != 1:
                        sequences[str(par.name)] = 1
                elif customs.in_block(par):
                    continue
                elif describe.is_changed(par) and par.name not in params and not par.readOnly:
                    params[str(par.name)] = {"reset": True}
        for name in list(params):
            par = part.operator.par[name] if name.isidentifier() else None
            if par is not None and par.readOnly and not par.isCustom:
                # A reading states it, but the operator makes it itself.
                del params[name]
        return parameters.plan(part.operator, params, self._access, sequences, locked=False)

    def _wire(self, part: Part) -> None:
        for key, comp in (("inputs", False), ("comp_inputs", True)):
            if key not in part.spec and (not part.exact or key in rows.unread(part.spec)):
                continue
            if comp and not part.operator.isCOMP and key not in part.spec:
                continue
            wanted = [self._source(part.operator, item) for item in part.spec.get(key) or ()]
            before = [w and (w[0].path, w[1]) for w in wires_in(part.operator, comp)]
            if before != [w and (w[0].path, w[1]) for w in wanted]:
                self._access.wire(part.operator)
            self._built.wires += wiring.set_inputs(part.operator, wanted, comp)
            if note := wiring.gap_note(part.operator, wanted, comp):
                self._built.notes.append(f"{part.operator.path} {note}")
            part.touch(before != [w and (w[0].path, w[1]) for w in wires_in(part.operator, comp)])

    def _source(self, operator: Any, item: Any) -> tuple[Any, int] | None:
        if item is None:
            return None
        name, output = (item, 0) if isinstance(item, str) else (str(item["from"]), int(item.get("output", 0)))
        return sibling(operator, name), output

    def _place(self) -> None:
        waiting: dict[str, list[Part]] = {}
        settled: dict[str, list[Any]] = {}
        for part in self._parts:
            position = part.spec.get("position")
            if position is not None:
                operator = part.operator
                part.touch((operator.nodeX, operator.nodeY) != (round(position[0]), round(position[1])))
                # A docked operator that is described goes where it is described, not along with its host.
                layout.set_place(operator, *position) if part.new is False else layout.move(
                    operator, *position
                )
                if part.new:
                    settled.setdefault(str(operator.parent().path), []).append(operator)
            elif part.new and part.operator.dock is None and "dock" not in part.spec:
                waiting.setdefault(str(part.operator.parent().path), []).append(part)
        for path, parts in waiting.items():
            places.settled(self._td.op(path), settled.get(path, ()))
            inside = {str(p.operator.path) for p in parts}
            sources = [
                wire[0] for p in parts for wire in wires_in(p.operator) if wire and wire[0].path not in inside
            ]  # fmt: skip
            places.place_free(self._td, self._td.op(path), [p.operator for p in parts], sources)
        given = {str(part.operator.path) for part in self._parts if part.spec.get("position") is not None}
        for operator in (each for found in settled.values() for each in found):
            docked = [each for each in layout.group(operator)[1:] if each.path not in given]
            places.place_docked(self._td, operator, docked)

"""One operator of a described network and what it became: its content, its looks, and what names mean beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import appearance, dats, layout, lookup
from tdmcp_embedded.touchdesigner.builds import find_in
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.flags import default_flags
from tdmcp_embedded.touchdesigner.rows import DEFAULT_COLOR, unread

#: An operator of the description. Four words are not of the format; they come from a comparison made just before:
#: `known` (it was there, of this type), `as_is` (and is as described, but for what is inside), `partial` (`children`
#: and `annotations` name only what differs; the others stay), `gone` (it is to be deleted).
Spec = Mapping[str, Any]


@dataclass
class Part:
    """One described operator and the operator it became."""

    spec: Spec
    operator: Any
    new: bool
    exact: bool = False
    """Whether what the description does not state is to be at its default, unless it was not read; otherwise that is
    left as it is."""
    as_read: bool = False
    """Whether the description comes from a reading, which leaves out what is usual."""
    changed: bool = False

    def touch(self, changed: bool) -> None:
        """Note whether something about it is not as it was."""
        self.changed = self.changed or changed

    def write_content(self, access: Access) -> None:
        """Its text or table."""
        spec, operator, exact = self.spec, self.operator, self.exact
        unstated = not (spec.keys() | unread(spec)) & {"text", "table"}
        # Of one that is wired it was not read: it comes with the wire.
        wired = operator.isDAT and (bool(operator.inputs) or any(spec.get("inputs") or ()))
        if exact and unstated and operator.isDAT and operator.isEditable and not wired:
            spec = {**spec, "table": []} if operator.isTable else {**spec, "text": ""}
        if "text" in spec:
            self.touch(dats.set_text(operator, str(spec["text"]), access))
        if "table" in spec:
            self.touch(dats.set_table(operator, spec["table"], access))

    def dress(self, access: Access) -> None:
        """Its dock, place, size, comment, colour, tags and flags."""
        spec, operator, exact = self.spec, self.operator, self.exact
        if "dock" in spec:
            host = sibling(operator, str(spec["dock"]))
            if operator.dock is None or operator.dock.path != host.path:
                self._set("dock", host)
        elif exact and operator.dock is not None:
            self._set("dock", None)
        position = spec.get("position")
        if position is not None:
            # Docking, and hosts that were moved, may have moved it.
            layout.set_place(operator, *position)
        size = spec.get("size", appearance.default_size(operator) if exact else None)
        if size is not None:
            self._set("nodeWidth", round(size[0]))
            self._set("nodeHeight", round(size[1]))
        comment = spec.get("comment", "" if exact and "comment" not in unread(spec) else None)
        if comment is not None:
            self._set("comment", comment)
        color = spec.get("color", DEFAULT_COLOR if exact else None)
        if color is not None:
            self.touch(appearance.set_color(operator, color))
        tags = spec.get("tags", [] if exact and "tags" not in unread(spec) else None)
        if tags is not None:
            self.touch(appearance.set_tags(operator, tags))
        flags = dict(spec.get("flags") or {})
        access.flags(operator, flags)
        if exact:
            flags = default_flags(operator.family, operator.isObject) | flags
        self.touch(appearance.set_flags(operator, flags))

    def _set(self, name: str, value: Any) -> None:
        self.touch(appearance.set_attribute(self.operator, name, value))


def sibling(operator: Any, name: str) -> Any:
    """The operator that `name` (a sibling's name, a relative or an absolute path) means beside `operator`.

    Raises:
        ToolFailure: `operator_not_found`, with siblings that resemble it; `value_invalid` when the name is empty.
    """
    lookup.refuse_empty(name)
    parent = operator.parent()
    found = find_in(parent, name) if not set(name) & set("*?[]^ ") else None
    if found is None:
        raise ToolFailure(
            Code.OPERATOR_NOT_FOUND,
            f"{operator.path}: there is no operator {name!r} in {parent.path}.",
            suggestions=lookup.resembling(parent, name),
        )
    return found

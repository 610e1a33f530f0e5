"""describe_type: what an operator type, a Python class or a module offers in this build."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, types
from tdmcp_embedded.touchdesigner.values import weight

#: Bytes of parameters or members in one answer; a pattern asks for the rest.
_ROOM = 9_000
_ROOM_ASKED = 150_000


class DescribeType(Arguments):
    """Of what, and which of its parameters or members."""

    type: str = Field(description="Operator type (noiseTOP), Python class (Par, COMP) or module (td, tdu).")
    parameters: str | None = Field(
        default=None,
        description='Pattern of parameter or member names such as "t? *res*"; "all" for every detail.',
    )


class TypeDescription(Output):
    """An operator type with its parameters, or a Python class or module with its members."""

    type: str
    kind: str
    """operator, class or module."""
    facts: dict[str, Any]
    parameters: dict[str, Any] | None = None
    """By name: style, label, default, range, clamp, menu, page; without a pattern, style and default only."""
    members: dict[str, Any] | None = None
    """By name: signature or "property", and the first words of its documentation."""
    left_out: int | None = None
    """Parameters or members that did not fit; a pattern asks for them."""

    def text(self) -> str:
        facts = "; ".join(
            f"{name} {_compact(value)}" for name, value in self.facts.items() if value not in ("", [], None)
        )
        lines = [f"{self.type} ({self.kind}): {facts}"]
        lines += [
            f"{name} {_compact(value)}" for name, value in (self.parameters or self.members or {}).items()
        ]
        if self.left_out:
            lines.append(f"{self.left_out} more; ask with a pattern in parameters")
        return "\n".join(lines)


def _compact(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_compact(item)}" for key, item in value.items())
    return (
        value
        if isinstance(value, str) and value
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )


def describe_type(call: Call, given: DescribeType) -> Steps[TypeDescription]:
    """Makes an operator of the type aside, looks at it, removes it: what this build says, not what a list says."""
    if not lookup.family_of(given.type) or given.type in lookup.ABSTRACT:
        return _python(call, given)
    component = str(call.instance.get("component", ""))
    shown: dict[str, Any] = {}
    room = _ROOM if given.parameters is None else _ROOM_ASKED
    hidden = 0
    with types.specimen(call.td, given.type, component) as op:
        facts = types.operator_facts(op)
        for count, par in enumerate(op.pars()):
            if not _wanted(str(par.name), given.parameters):
                continue
            row = types.parameter_line(par)
            if given.parameters is None:
                row = {key: row[key] for key in ("style", "default") if key in row}
            room -= weight(row) + len(par.name) + 6
            if room < 0:
                hidden += 1
                continue
            shown[str(par.name)] = row
            if count % 8 == 7:
                yield
                if not op.valid:
                    break
    return TypeDescription(
        type=given.type, kind="operator", facts=facts, parameters=shown, left_out=hidden or None
    )


def _wanted(name: str, which: str | None) -> bool:
    if which is None or which == "all":
        return True
    return any(fnmatchcase(name.lower(), pattern) for pattern in which.lower().split())


def _python(call: Call, given: DescribeType) -> TypeDescription:
    pattern = None if given.parameters in (None, "all") else given.parameters
    found = types.python_facts(call.td, given.type, pattern)
    everything = found.pop("members")
    members: dict[str, Any] = {}
    room = _ROOM if given.parameters is None else _ROOM_ASKED
    for name, line in everything.items():
        room -= weight(line) + len(name) + 6
        if room < 0:
            break
        members[name] = line
    kind = found.pop("kind")
    return TypeDescription(
        type=given.type,
        kind=kind,
        facts=found,
        members=members,
        left_out=len(everything) - len(members) or None,
    )


TOOLS = [
    Tool(
        name="describe_type",
        title="Describe a type",
        description=(
            "What this build offers: an operator type's inputs and parameters (style, default; with a pattern also label, "
            "range, menu words), or members of a Python class or module. Use it instead of guessing names."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=DescribeType,
        output=TypeDescription,
        run=describe_type,
    )
]

"""Parameter values written as lists: the members of a vector, or the operators of a parameter that takes several.

TD's Python has both (`parGroup.t = (0, 1, 0)`, `par.geometry = [a, b]`); networks state members and one text. A list is
put into that form before anything is checked, so that whoever reads it back sees the usual one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.touchdesigner import sequences
from tdmcp_embedded.touchdesigner.parameter_values import invalid
from tdmcp_embedded.touchdesigner.values import short_repr


def spread(operator: Any, params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, ToolFailure]]:
    """The same values without lists.

    Args:
        params: `{name: value}`, where a value may be a list. `{"reset": true}` of a vector resets each member.

    Returns:
        What to write, by the names of single parameters; and by name, what is wrong with a list.
    """
    found: dict[str, Any] = {}
    failures: dict[str, ToolFailure] = {}
    for name, value in params.items():
        try:
            single = _single(operator, name, value)
            for member in single:
                if member in found or (member != name and member in params):
                    raise invalid(operator, name, f"gives {member}, which is given by itself as well")
            found |= single
        except ToolFailure as failure:
            failures[name] = failure
    return found, failures


def members(operator: Any, name: str) -> list[str]:
    """Names of the members of a vector, also of one in a block of a sequence that is not there yet; else empty."""
    if not name.isidentifier() or operator.par[name] is not None:
        return []
    group = operator.parGroup[name]
    if group is not None:
        return [str(par.name) for par in group]
    return sequences.vector(operator, name)


def _single(operator: Any, name: str, value: Any) -> dict[str, Any]:
    if _is_reset(value) and (inside := members(operator, name)):
        return dict.fromkeys(inside, value)
    listed = _listed(operator, name, value)
    if listed is None:
        return {name: value}
    par = operator.par[name] if name.isidentifier() else None
    if par is not None:
        if not par.isOP:
            if len(listed) == 1 and not isinstance(listed[0], (list, type(None))):
                return {name: listed[0]}
            raise invalid(operator, name, f"takes one value, not the list {short_repr(listed, 60)}")
        return {name: _operators(operator, name, listed)}
    inside = members(operator, name)
    if not inside:
        # Nothing of that name: the refusal of an unknown parameter comes from whoever looks it up.
        return {name: value}
    if len(inside) != len(listed):
        raise invalid(
            operator, name, f"has {len(inside)} values ({', '.join(inside)}), not {len(listed)}",
            "Give one for each, null for one that stays.",
        )  # fmt: skip
    return {member: each for member, each in zip(inside, listed, strict=True) if each is not None}


def _listed(operator: Any, name: str, value: Any) -> list[Any] | None:
    if isinstance(value, (list, tuple)):
        return list(value)
    # Some clients send nested values as JSON text.
    if isinstance(value, str) and value.lstrip().startswith("[") and members(operator, name):
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            return None
        return read if isinstance(read, list) else None
    return None


def _is_reset(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("reset") is True


def _operators(operator: Any, name: str, listed: list[Any]) -> str:
    """Operators as one text. TD divides them by spaces, which no name holds."""
    for each in listed:
        if not isinstance(each, str) or not each.strip() or re.search(r"\s", each.strip()):
            raise invalid(operator, name, f"takes names or paths of operators, not {short_repr(each, 60)}")
    return " ".join(each.strip() for each in listed)

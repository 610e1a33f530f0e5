"""What can be said against a described network before anything is made: names, types, sizes, levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import creating, lookup
from tdmcp_embedded.touchdesigner.code_routes import Access

Spec = Mapping[str, Any]

#: Most operators one call may describe.
MOST_OPERATORS = 2000
_DEEPEST = 32


def check(
    td: ModuleType, parent: Any, operators: Sequence[Spec], access: Access, *, bounded: bool = True
) -> None:
    """Refuse what is wrong whatever the operators turn out to be: names, types, sizes, levels. Touches nothing.

    Args:
        bounded: whether the number of operators is limited; what once was there is brought back whatever its size.

    Raises:
        ToolFailure: `value_invalid`, `operator_type_unknown`, `name_taken`, `access_denied` or `too_large`.
    """
    access.target(parent)
    total = sum(1 for _ in _walk(operators))
    if bounded and total > MOST_OPERATORS:
        raise ToolFailure(
            Code.TOO_LARGE, f"{total} operators are too many for one call (at most {MOST_OPERATORS}).",
            hint="Build the network in parts.",
        )  # fmt: skip
    _check_level(td, parent, operators, access, 0, bounded)


def _check_level(
    td: ModuleType, parent: Any, operators: Sequence[Spec], access: Access, depth: int, bounded: bool
) -> None:
    if bounded and depth > _DEEPEST:
        raise ToolFailure(
            Code.TOO_LARGE, f"Networks nested deeper than {_DEEPEST} levels are not built.",
            hint="Build the inner networks with calls of their own, each with the path of its COMP.",
        )  # fmt: skip
    seen: dict[str, str] = {}
    for spec in operators:
        name = str(spec["name"])
        creating.check_name(name)
        if name in seen:
            raise ToolFailure(Code.NAME_TAKEN, f"Two operators of one network are called {name}.")
        seen[name] = name
        there = creating.child(parent, name) if parent is not None else None
        wanted = spec.get("type")
        if spec.get("gone"):
            continue
        if wanted is None and there is None and parent is not None and "dock" not in spec:
            raise ToolFailure(
                Code.VALUE_INVALID,
                f"{name} is not in {parent.path}, so its type must be given.",
                suggestions=lookup.resembling(parent, name),
            )
        if wanted is not None:
            lookup.operator_type(td, str(wanted))
            if there is None:
                access.type(str(wanted))
        if spec.get("children") and wanted is not None and not str(wanted).endswith("COMP"):
            raise ToolFailure(Code.VALUE_INVALID, f"{name} is a {wanted}: only COMPs have children.")
        _check_level(td, there, spec.get("children") or (), access, depth + 1, bounded)


def _walk(operators: Sequence[Spec]) -> Iterator[Spec]:
    for spec in operators:
        yield spec
        yield from _walk(spec.get("children") or ())

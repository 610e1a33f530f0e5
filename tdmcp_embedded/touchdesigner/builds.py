"""What differs between builds of TouchDesigner, settled in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def op_type(operator: Any) -> str:
    """The type of an operator, like `noiseTOP`. Main thread only.

    Every documented build has `OPType`; `opType` is only in the newest pages (fact 54).
    """
    found = getattr(operator, "OPType", None) or getattr(operator, "opType", None)
    return str(found or type(operator).__name__)


def run_later(td: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`td.run` of a function: `options` are those of `td.run`. Main thread only; gives the `Run`.

    As text, since builds of 2023 take nothing else, and from the root, since the operator whose script is running may be
    gone by then (fact 63).
    """
    return td.run("args[0](*args[1:])", function, *args, fromOP=td.root, **options)


def is_modified(td: Any) -> bool | None:
    """Whether the project has changes that are not saved; None where the build does not say (fact 62)."""
    value = getattr(td.project, "modified", None)
    return None if value is None else bool(value)

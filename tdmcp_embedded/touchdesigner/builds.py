"""What differs between builds of TouchDesigner, settled in one place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
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


def find(td: ModuleType, path: str) -> Any:
    """The operator at a path, annotations included, or None: `op` alone does not find utility operators (fact 55)."""
    return _found(td.op, path)


def find_in(network: Any, path: str) -> Any:
    """The operator at a path inside a network, annotations included, or None."""
    return _found(network.op, path)


def _found(finder: Any, path: str) -> Any:
    found = finder(path)
    if found is not None:
        return found
    try:
        return finder(path, includeUtility=True)
    except TypeError:
        # A build whose `op` has no such argument finds what there is.
        return None


def make_sequences(operator: Any) -> None:
    """Have the sequences of an operator exist: those of a POP that never cooked come only when somebody iterates them,
    and until then its parameters lack them (fact 65)."""
    if operator.family == "POP" and not operator.totalCooks:
        with suppress(Exception):
            list(operator.seq)


def is_annotation(operator: Any) -> bool:
    """Whether it is an annotation: one operator to whoever looks at a network, though TD makes it of others."""
    return type(operator).__name__ == "annotateCOMP"

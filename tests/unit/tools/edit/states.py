"""What a project is, asked of TouchDesigner's own Python and nothing of ours: for before-and-after comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench

_FLAGS = ("bypass", "lock", "display", "render", "viewer", "expose")


def state(bench: Bench, path: str = "/project1") -> dict[str, Any]:
    """Everything below a path, by operator path."""
    top = bench.op(path)
    return {op.path: one(op) for op in [top, *top.findChildren(includeUtility=True)]}


def one(op: Any) -> dict[str, Any]:
    """One operator: what a user could see of it."""
    facts = {
        "type": op.opType,
        "pars": {p.name: (p.mode.name, held(p.val), p.expr, p.bindExpr) for p in op.pars() if shown(p)},
        "inputs": [[(c.owner.path, c.index) for c in i.connections] for i in op.inputConnectors],
        "tile": (op.nodeX, op.nodeY, op.nodeWidth, op.nodeHeight),
        "color": tuple(round(c, 4) for c in op.color),
        "comment": op.comment,
        "tags": sorted(op.tags),
        "flags": {name: getattr(op, name) for name in _FLAGS},
        "dock": op.dock.path if op.dock is not None else None,
    }
    blocks = {par.name: par.sequence.numBlocks for par in op.pars() if par.isSequence}
    if blocks:
        facts["blocks"] = blocks
    if op.isDAT and op.isEditable:
        facts["text"] = op.text
    if op.isCOMP:
        facts["custom"] = [(page.name, [defined(par) for par in page.pars]) for page in op.customPages]
    return facts


def defined(par: Any) -> tuple[Any, ...]:
    """All that its author said of a custom parameter."""
    numbers = (par.min, par.max, par.clampMin, par.clampMax, par.normMin, par.normMax) if par.isNumber else ()
    words = (par.menuNames, par.menuLabels, par.menuSource) if par.isMenu else ()
    said = (par.label, par.help, par.readOnly, par.startSection, par.enableExpr)
    return (par.name, par.style, held(par.default), *said, *numbers, *words)


def held(value: Any) -> str:
    """A constant, numbers as far as a float32 goes: networks are written with that many digits."""
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def shown(par: Any) -> bool:
    return not (par.isPulse or par.isMomentary) and (not par.isDefault or par.mode.name != "CONSTANT")


@contextmanager
def refused(
    bench: Bench, code: Code, *, path: str = "/project1"
) -> Iterator[pytest.ExceptionInfo[ToolFailure]]:
    """The call inside is refused with this code, and the project is as it was before."""
    before = state(bench, path)
    with pytest.raises(ToolFailure) as caught:
        yield caught
    assert caught.value.code is code, caught.value.message
    assert state(bench, path) == before

"""Whether something changed since the last look: cheap summaries, equal as long as nothing did.

What counts is what is *stated*: an animated parameter does not change all the time because its value does.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import diagnostics, lookup
from tdmcp_embedded.touchdesigner.builds import is_modified, op_type
from tdmcp_embedded.touchdesigner.flags import read_flags
from tdmcp_embedded.touchdesigner.rows import boxes, members

Fingerprint = object


def text(td: ModuleType, path: str) -> Generator[None, None, Fingerprint]:
    """Of a DAT: its whole content."""
    dat = lookup.exact(td, path)
    if dat is None or not dat.isDAT:
        return None
    yield
    return hash(str(dat.text)) if dat.valid else None


def operator(td: ModuleType, path: str) -> Generator[None, None, Fingerprint]:
    """Of an operator: parameters, wires, flags, place, looks, errors."""
    found = lookup.exact(td, path)
    if found is None:
        return None
    yield
    return _operator(found) if found.valid else None


def network(td: ModuleType, path: str) -> Generator[None, None, Fingerprint]:
    """Of a COMP: the operators in it, each as `operator` sees it with the text of DATs, and the annotations."""
    comp = lookup.exact(td, path)
    if comp is None or not comp.isCOMP:
        return None
    parts: list[object] = []
    for child in members(comp):
        yield
        if child.valid:
            parts.append(_operator(child))
            if child.isDAT and child.isEditable:
                parts.append(hash(str(child.text)))
    for box in boxes(td, comp) if comp.valid else ():
        yield
        if box.valid:
            parts.append(_operator(box))
    return hash(tuple(parts))


def image(td: ModuleType, path: str) -> Generator[None, None, Fingerprint]:
    """Of a picture: how often the operator has cooked. A TOP is asked to cook, as an open viewer asks it."""
    found = lookup.exact(td, path)
    if found is None:
        return None
    if found.isTOP:
        # One that cannot cook shows what it showed before, and its errors say why.
        with suppress(Exception):
            found.cook()
    yield
    if not found.valid:
        return None
    size = (int(found.width), int(found.height)) if found.isTOP else ()
    return (int(found.id), int(found.totalCooks), size)


def project(td: ModuleType) -> Generator[None, None, Fingerprint]:
    """Of the project as a whole; not the frame it is at."""
    yield
    time, here = td.root.time, td.project
    return (
        str(here.name), str(here.folder), is_modified(td), float(here.cookRate), bool(here.realTime),
        bool(time.play), float(time.rate), float(time.rangeStart), float(time.rangeEnd),
        bool(td.ui.performMode), bool(td.app.power),
    )  # fmt: skip


def _operator(op: Any) -> int:
    parts: list[object] = [
        op.id, op.name, op_type(op), op.nodeX, op.nodeY, op.nodeWidth, op.nodeHeight, tuple(op.color), op.comment,
        tuple(sorted(op.tags)), tuple(read_flags(op).items()), *_problems(op),
    ]  # fmt: skip
    for par in op.pars():
        how = str(par.mode)
        stated = par.expr if how.endswith("EXPRESSION") else par.bindExpr if how.endswith("BIND") else par.val
        # A value may be an operator, which is not told apart by its hash but by its path.
        parts.append((how, stated if isinstance(stated, (str, int, float, bool)) else str(stated)))
    for comp in (False, True) if op.isCOMP else (False,):
        for connector in op.inputCOMPConnectors if comp else op.inputConnectors:
            parts.append(tuple((far.owner.id, far.index) for far in connector.connections))
    if op.isCOMP:
        parts.append(tuple(child.id for child in op.children))
    return hash(tuple(parts))


def _problems(op: Any) -> Generator[object, None, None]:
    """What is held against it; a callback that fails in every frame has failed once."""
    for problem in diagnostics.problems(op):
        yield problem.severity, diagnostics.shape(problem.message)

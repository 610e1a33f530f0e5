"""What overwrites an edit without a word: the master of a clone, a replicator, an external .tox."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut


def source(operator: Any, above: bool = True) -> str:
    """In words, what will overwrite an edit of this operator; "" if nothing does.

    Args:
        above: whether to ask the components around it as well.
    """
    immune = bool(operator.cloneImmune)
    current = operator
    while current is not None:
        said = _replicated(current)
        if not said and current.isCOMP:
            said = _of(current, inside=current is not operator, immune=immune)
        if said or not above:
            return said
        immune = immune or bool(current.cloneImmune)
        current = current.parent()
    return ""


def _of(comp: Any, inside: bool, immune: bool) -> str:
    where = str(comp.path)
    master = _clones(comp) if inside and not immune else ""
    if master:
        return f"{where} is a clone of {master}: TouchDesigner overwrites what is edited in it. Edit {master} instead."
    file = _external(comp)
    if file:
        return (
            f"{where} comes from {file}, an external .tox that is loaded with the project: "
            "save the component there (export_component), or the edit is lost."
        )
    return ""


def _replicated(operator: Any) -> str:
    """A replicator makes operators of any family, and makes them again when its table changes."""
    replicator = told(lambda: getattr(operator, "replicator", None))
    if replicator is None:
        return ""
    return (
        f"{operator.path} was made by {replicator.path}: TouchDesigner overwrites what is edited in it "
        "when that makes its operators again. Edit the replicator's master operator instead."
    )


def _clones(comp: Any) -> str:
    """The path of the component that this one is a clone of; "" if of none but itself."""
    par, enabled = comp.par["clone"], comp.par["enablecloning"]
    if par is None or (enabled is not None and not told(lambda: bool(enabled.eval()))):
        return ""
    master = told(par.eval)
    path = str(getattr(master, "path", "") or "")
    return path if path != comp.path else ""


def _external(comp: Any) -> str:
    par, enabled = comp.par["externaltox"], comp.par["enableexternaltox"]
    if par is None or enabled is None or not told(lambda: bool(enabled.eval())):
        return ""
    return cut(clean(str(told(par.eval) or "")), 300)

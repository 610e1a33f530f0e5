"""Errors and warnings: how they arise, when they show (a frame later, facts 11 and 33), and TouchDesigner's wording.

The wording was recorded by others from build 2025.33230: `errors()` writes `  Error: TEXT (/path)`, with `/path:` in
front when it recurses; `warnings()` writes `Warning: TEXT (/path)`, without the blanks. A failing expression takes
three lines, of which the last names the parameter.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path

from fakes.catalogue import OP_STYLES
from fakes.errors import tdError
from fakes.nodes import Mode, Node, ParState

_HERE = str(Path(__file__).parent)


class ParameterError(tdError):
    """An operator that was cooking could not evaluate a parameter it needs."""

    def __init__(self, state: ParState, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.node = state.node


def expression_text(state: ParState, error: BaseException) -> str:
    """What `errors()` says of a parameter whose expression failed."""
    info = state.info
    shown = info.label if info.label and not info.sequence else state.name
    return f"{type(error).__name__}: {error} \n, line 1, in <module>\nContext:(Parameter: {shown})"


def show(node: Node) -> None:
    """Publish the errors and warnings that `node` has now."""
    from fakes import evaluation
    from fakes.cook_rules import NEEDS, rule_for

    troubled = node.world.cooking.troubled
    rule = rule_for(node)
    needs = rule.needs if rule is not None else NEEDS.get(node.type, 0)
    if not (node.states or needs or node.errors or node.warnings or node in troubled):
        return
    errors: list[str] = []
    warnings: list[str] = []
    for state in list((node.states or {}).values()):
        if state.mode in (Mode.EXPRESSION, Mode.BIND):
            evaluation.look(state)
            if state.error:
                errors.append(state.error)
        elif state.mode == Mode.CONSTANT and state.info.style in OP_STYLES and state.value:
            warnings += [
                f'Invalid path for node "{path}" referenced by parameter "{state.info.label or state.name}"'
                for path in evaluation.dangling(state)
            ]
    if needs:
        inputs = node.inputs()
        if len(inputs) < needs or any(i is None for i in inputs[:needs]):
            errors.append("Not enough sources specified")
    errors += node.errors or ()
    warnings += node.warnings or ()
    node.shown_errors = tuple(errors)
    node.shown_warnings = tuple(warnings)
    if errors or warnings or node.script_errors:
        troubled.add(node)
    else:
        troubled.discard(node)


def script_error(node: Node, error: BaseException) -> None:
    """Record an exception that a script of `node` raised, with the script's own lines of the traceback."""
    report = traceback.TracebackException.from_exception(error)
    own = [f for f in report.stack if not f.filename.startswith(_HERE)]
    report.stack = traceback.StackSummary.from_list(own)
    text = "".join(report.format()).rstrip()
    if node.script_errors is None:
        node.script_errors = []
    node.script_errors.append(text)
    node.world.cooking.troubled.add(node)


def _troubled(node: Node, recurse: bool) -> list[Node]:
    if not recurse:
        return [node]
    found = [n for n in node.world.cooking.troubled if n.alive and (n is node or n.is_below(node))]
    return sorted(found, key=lambda n: n.path)


def errors_text(node: Node, recurse: bool) -> str:
    """`OP.errors()`: one string, empty if all is well."""
    return _join(
        f"{n.path}:  Error: {t} ({n.path})" if recurse else f"  Error: {t} ({n.path})"
        for n in _troubled(node, recurse)
        for t in n.shown_errors
    )


def warnings_text(node: Node, recurse: bool) -> str:
    """`OP.warnings()`."""
    return _join(
        f"{n.path}:Warning: {t} ({n.path})" if recurse else f"Warning: {t} ({n.path})"
        for n in _troubled(node, recurse)
        for t in n.shown_warnings
    )


def script_errors_text(node: Node, recurse: bool) -> str:
    """`OP.scriptErrors()`."""
    return _join(
        f"{n.path}:  Error: {t} ({n.path})" if recurse else f"  Error: {t} ({n.path})"
        for n in _troubled(node, recurse)
        for t in n.script_errors or ()
    )


def clear_script_errors(node: Node, recurse: bool) -> None:
    """`OP.clearScriptErrors()`."""
    for troubled in _troubled(node, recurse):
        troubled.script_errors = None
        node.world.cooking.check.add(troubled)


def _join(lines: Iterable[str]) -> str:
    return "\n".join(lines)

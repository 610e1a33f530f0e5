"""`COMP.findChildren` (fact 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fakes import paths
from fakes.nodes import FLAGS, Mode, Node

if TYPE_CHECKING:
    from fakes.operators import OP


def find_children(
    top: Node,
    *,
    type: Any = None,
    name: str | None = None,
    path: str | None = None,
    depth: int | None = None,
    maxDepth: int | None = None,
    text: str | None = None,
    comment: str | None = None,
    tags: Iterable[str] = (),
    allTags: bool = False,
    parValue: str | None = None,
    parExpr: str | None = None,
    parName: str | None = None,
    onlyNonDefaults: bool = False,
    includeUtility: bool = False,
    key: Callable[[OP], Any] | None = None,
) -> list[OP]:
    """Operators below `top` that pass every given test, nearer ones first within each network.

    `depth` is exact (1: children), `maxDepth` the deepest that counts. Utility operators are left out unless asked
    for, and nothing inside them is looked at either.
    """
    deepest = depth if depth is not None else maxDepth
    classes = _classes(type)
    wanted = {tags} if isinstance(tags, str) else set(tags)
    found: list[OP] = []
    work = [(c, 1) for c in reversed(top.children.values())]
    while work:
        node, level = work.pop()
        if hidden(node, includeUtility):
            continue
        if deepest is None or level < deepest:
            work += [(c, level + 1) for c in reversed(node.children.values())]
        if depth is not None and level != depth:
            continue
        if (
            (classes and not _is_a(node, classes))
            or (name is not None and not paths.match_any(name, node.name))
            or (path is not None and not paths.match_any(path, node.path))
            or (comment is not None and not paths.match_any(comment, node.comment))
            or (text is not None and not _text_matches(node, text))
            or (wanted and not _tags_match(node, wanted, allTags))
        ):
            continue
        if (parName or parValue or parExpr or onlyNonDefaults) and not _par_matches(
            node, parName or "*", parValue, parExpr, onlyNonDefaults
        ):
            continue
        face = top.world.face(node)
        if key is None or key(face):
            found.append(face)
    return found


def hidden(node: Node, include_utility: bool) -> bool:
    """Whether Python does not find an operator: utility operators unless asked for, and annotations that are network
    boxes never (fact 55). What is inside is found by its path all the same."""
    if node.flags & FLAGS["utility"] and not include_utility:
        return True
    return node.info.name == "annotateCOMP" and node.constant("Mode") == "networkbox"


def _classes(type: Any) -> set[str]:
    if type is None:
        return set()
    if isinstance(type, (list, tuple, set)):
        return {n for t in type for n in _classes(t)}
    return {type if isinstance(type, str) else type.__name__}


def _is_a(node: Node, classes: set[str]) -> bool:
    return node.info.name in classes or not classes.isdisjoint(node.info.bases)


def _text_matches(node: Node, pattern: str) -> bool:
    content = getattr(node.content, "text", None)
    return isinstance(content, str) and paths.match_any(pattern, content)


def _tags_match(node: Node, wanted: set[str], all_of_them: bool) -> bool:
    have = node.tags or set()
    hits = [any(paths.match(w, h) for h in have) for w in wanted]
    return all(hits) if all_of_them else any(hits)


def _par_matches(node: Node, names: str, value: str | None, expr: str | None, only_changed: bool) -> bool:
    for name in node.par_names():
        if not paths.match_any(names, name):
            continue
        state = node.state(name)
        if only_changed and (
            state is None or (state.mode == Mode.CONSTANT and state.value == state.info.default)
        ):
            continue
        if expr is not None and not (
            state is not None and state.mode == Mode.EXPRESSION and paths.match(expr, state.expr)
        ):
            continue
        if value is not None:
            info = node.par_info(name)
            held = state.value if state is not None else info.creation if info is not None else None
            if not paths.match(value, str(held)):
                continue
        return True
    return False

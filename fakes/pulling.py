"""Pulling: bringing an operator up to date by cooking, in order, exactly what needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.errors import NotFaked
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.cooking import CookEngine

_ENTER, _LEAVE = 0, 1


def bring_up_to_date(engine: CookEngine, node: Node, force: bool) -> None:
    """Cook `node` and whatever it reads, as far as anything changed; see `CookEngine.bring_up_to_date`.

    Goes up the wires without recursion: chains can be thousands of operators long.
    """
    from fakes.cooking import LOOP, rule_for

    work = [(node, _ENTER)]
    entered: set[Node] = set()
    looped: set[Node] = set()
    while work:
        here, phase = work.pop()
        forced = force and here is node
        if phase == _ENTER:
            if here.checked == engine.epoch and not forced:
                continue
            if here in entered or here.cooking:
                looped.add(here)
                continue
            entered.add(here)
            work.append((here, _LEAVE))
            rule = rule_for(here)
            if rule is None or not rule.own_inputs:
                work += [(s, _ENTER) for s in reversed(here.inputs()) if s is not None]
            work += [(s, _ENTER) for s in here.sources or () if s.alive]
            continue
        entered.discard(here)
        inputs = here.inputs()
        seen = tuple((s, s.version) if s is not None else None for s in inputs)
        if forced or (_needs_cook(here, seen) and _may_cook(here)):
            _refuse_unknown(here, inputs)
            engine.run(here, [s.cooked if s is not None else None for s in inputs])
            here.seen_inputs = tuple((s, s.version) if s is not None else None for s in inputs)
        if here in looped:
            here.warnings = [*(w for w in here.warnings or () if w != LOOP), LOOP]
            engine.check.add(here)
        here.checked = engine.epoch


def _refuse_unknown(node: Node, inputs: list[Node | None]) -> None:
    """Refuse to cook from data that nobody described: an empty input would pass for it."""
    from fakes.cooking import rule_for

    if rule_for(node) is None:
        return
    for source in inputs:
        if source is not None and rule_for(source) is None:
            raise NotFaked(f"what a {source.type} cooks to")


def _needs_cook(node: Node, inputs: tuple[Any, ...]) -> bool:
    from fakes.cooking import rule_for

    if node.dirty:
        return True
    if node.timed and node.cook_frame != node.world.frame_now:
        return True
    rule = rule_for(node)
    if (rule is None or not rule.own_inputs) and inputs != node.seen_inputs:
        return True
    return any(source.version != version for source, version in (node.sources or {}).items())


def _may_cook(node: Node) -> bool:
    if node.cooks and node.flag("lock"):
        return False
    parent = node.parent
    while parent is not None:
        if not parent.flag("allowCooking"):
            return False
        parent = parent.parent
    return True

"""The cook engine: exactly what changed cooks, and only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from fakes import cook_rules, wiring
from fakes.cooking import CookContext, CookRule, cooks
from fakes.errors import NotFaked
from fakes.nodes import Node
from fakes.world import World


@pytest.fixture
def sums() -> Iterator[None]:
    """Math, null and select CHOPs that cook to plain numbers, so that nothing here depends on real data."""
    kept = dict(cook_rules._rules)

    @cooks("mathCHOP")
    def add(node: Node, ctx: CookContext) -> float:
        return float(node.value("postoff")) + sum(i or 0 for i in ctx.inputs)

    @cooks("selectCHOP")
    def select(node: Node, ctx: CookContext) -> float:
        found = node.value("chop")
        return float(found.data()) if found is not None else 0.0

    @cooks("nullCHOP", needs=1)
    def same(node: Node, ctx: CookContext) -> float:
        return float(ctx.inputs[0] or 0) if ctx.inputs else 0.0

    @cooks("lfoCHOP", time_dependent=True)
    def now(node: Node, ctx: CookContext) -> float:
        return ctx.frame

    @cooks("switchCHOP", own_inputs=True)
    def switch(node: Node, ctx: CookContext) -> float:
        chosen = node.input(int(node.value("index")))
        return float(chosen.data()) if chosen is not None else 0.0

    yield
    cook_rules._rules.clear()
    cook_rules._rules.update(kept)


def make(world: World, *types: str) -> list[Node]:
    project = world.node("/project1")
    assert project is not None
    return [world.create(project, t) for t in types]


def chain(*nodes: Node) -> None:
    for source, target in pairwise(nodes):
        wiring.connect(source, 0, target, 0)


def test_nothing_cooks_until_somebody_asks_and_then_once(world: World, sums: None) -> None:
    a, b = make(world, "mathCHOP", "nullCHOP")
    chain(a, b)
    for _ in range(3):
        world.begin_frame()
    assert (a.cooks, b.cooks) == (0, 0)
    assert b.data() == 0
    assert b.data() == 0
    assert (a.cooks, b.cooks) == (1, 1)


def test_a_change_cooks_what_is_downstream_and_nothing_beside(world: World, sums: None) -> None:
    a, b, side = make(world, "mathCHOP", "nullCHOP", "mathCHOP")
    chain(a, b)
    b.data(), side.data()
    a.set("postoff", 4)
    assert (b.data(), side.data()) == (4, 0)
    assert (a.cooks, b.cooks, side.cooks) == (2, 2, 1)


def test_setting_the_same_value_again_cooks_nothing(world: World, sums: None) -> None:
    (a,) = make(world, "mathCHOP")
    a.set("postoff", 4)
    a.data()
    a.set("postoff", 4)
    a.data()
    assert a.cooks == 1


def test_a_diamond_cooks_each_operator_once(world: World, sums: None) -> None:
    top, left, right, bottom = make(world, "mathCHOP", "nullCHOP", "nullCHOP", "mathCHOP")
    chain(top, left)
    chain(top, right)
    wiring.connect(left, 0, bottom, 0)
    wiring.connect(right, 0, bottom, 1)
    top.set("postoff", 3)
    assert bottom.data() == 6
    assert [n.cooks for n in (top, left, right, bottom)] == [1, 1, 1, 1]


def test_references_and_expressions_depend_as_wires_do(world: World, sums: None) -> None:
    source, reader, follower = make(world, "mathCHOP", "selectCHOP", "mathCHOP")
    reader.set("chop", source.name)
    follower.set_expr("postoff", "op('math1').par.postoff * 10")
    assert (reader.data(), follower.data()) == (0, 0)
    source.set("postoff", 2)
    assert (reader.data(), follower.data()) == (2, 20)


def test_an_expression_that_found_nothing_looks_again_when_the_operator_comes(
    world: World, sums: None
) -> None:
    (follower,) = make(world, "nullCHOP")
    (sum_,) = make(world, "mathCHOP")
    sum_.set_expr("postoff", "1 if op('late') else 0")
    assert sum_.data() == 0
    assert follower.parent is not None
    late = world.create(follower.parent, "mathCHOP", "late")
    assert sum_.data() == 1
    world.destroy(late)
    assert sum_.data() == 0


def test_dependencies_reach_through_several_parameters(world: World, sums: None) -> None:
    a, b, c = make(world, "mathCHOP", "mathCHOP", "mathCHOP")
    b.set_expr("postoff", "op('math1').par.postoff + 1")
    c.set_expr("postoff", "op('math2').par.postoff + 1")
    assert c.data() == 2
    a.set("postoff", 5)
    assert c.data() == 7


def test_time_dependent_operators_cook_once_a_frame(world: World, sums: None) -> None:
    clock, null = make(world, "lfoCHOP", "nullCHOP")
    chain(clock, null)
    first = null.data()
    assert null.data() == first
    world.begin_frame()
    assert null.data() == first + 1
    assert (clock.cooks, null.cooks) == (2, 2)


def test_a_paused_timeline_lets_time_dependent_operators_rest(world: World, sums: None) -> None:
    (clock,) = make(world, "lfoCHOP")
    clock.data()
    world.time_runs = False
    world.begin_frame()
    clock.data()
    assert clock.cooks == 1


def test_an_operator_that_looks_at_its_inputs_itself_cooks_only_the_chosen_one(
    world: World, sums: None
) -> None:
    a, b, switch = make(world, "mathCHOP", "mathCHOP", "switchCHOP")
    wiring.connect(a, 0, switch, 0)
    wiring.connect(b, 0, switch, 1)
    b.set("postoff", 7)
    switch.data()
    assert (a.cooks, b.cooks) == (1, 0)
    switch.set("index", 1)
    assert switch.data() == 7


def test_a_bypassed_operator_passes_its_input_through(world: World, sums: None) -> None:
    a, b = make(world, "mathCHOP", "mathCHOP")
    chain(a, b)
    a.set("postoff", 1)
    b.set("postoff", 5)
    assert b.data() == 6
    b.set_flag("bypass", True)
    assert b.data() == 1


def test_a_locked_operator_keeps_its_data(world: World, sums: None) -> None:
    (a,) = make(world, "mathCHOP")
    a.set("postoff", 1)
    a.data()
    a.set_flag("lock", True)
    a.set("postoff", 2)
    assert a.data() == 1


def test_in_a_component_that_may_not_cook_nothing_cooks(world: World, sums: None) -> None:
    (base,) = make(world, "baseCOMP")
    inner = world.create(base, "mathCHOP")
    base.set_flag("allowCooking", False)
    inner.data()
    assert inner.cooks == 0


def test_data_goes_into_and_out_of_components(world: World, sums: None) -> None:
    source, base, after = make(world, "mathCHOP", "baseCOMP", "mathCHOP")
    cook_rules._rules["inCHOP"] = cook_rules._rules["outCHOP"] = cook_rules._rules["mathCHOP"].__class__(
        lambda node, ctx: ctx.inputs[0] if ctx.inputs else None
    )
    inside = world.create(base, "inCHOP")
    out = world.create(base, "outCHOP")
    wiring.connect(inside, 0, out, 0)
    wiring.connect(source, 0, base, 0)
    wiring.connect(base, 0, after, 0)
    source.set("postoff", 3)
    assert after.data() == 3
    source.set("postoff", 4)
    assert after.data() == 4


def test_a_loop_is_a_warning_one_frame_later_and_does_not_hang(world: World, sums: None) -> None:
    a, b = make(world, "mathCHOP", "mathCHOP")
    chain(a, b)
    chain(b, a)
    a.data()
    world.begin_frame()
    assert any("loop" in w for n in (a, b) for w in n.shown_warnings)


def test_long_chains_do_not_exhaust_the_stack(world: World, sums: None) -> None:
    nodes = make(world, *["mathCHOP"] * 3000)
    chain(*nodes)
    nodes[0].set("postoff", 1)
    assert nodes[-1].data() == 1


def test_a_missing_input_shows_one_frame_later(world: World, sums: None) -> None:
    (null,) = make(world, "nullCHOP")
    world.begin_frame()
    assert null.shown_errors == ()
    null.data()
    assert null.shown_errors == ()
    world.begin_frame()
    assert null.shown_errors == ("Not enough sources specified",)
    (source,) = make(world, "mathCHOP")
    chain(source, null)
    null.data()
    world.begin_frame()
    assert null.shown_errors == ()


def test_errors_of_a_cook_show_one_frame_later_and_go_with_the_next_good_cook(
    world: World, sums: None
) -> None:
    (node,) = make(world, "waveCHOP")
    fail = True

    def cook(node: Node, ctx: CookContext) -> None:
        if fail:
            ctx.error("no such file")

    cook_rules._rules["waveCHOP"] = CookRule(cook)
    node.data()
    assert node.shown_errors == ()
    world.begin_frame()
    assert node.shown_errors == ("no such file",)
    fail = False
    node.changed("file")
    node.data()
    world.begin_frame()
    assert node.shown_errors == ()


def test_a_cook_that_cannot_evaluate_a_parameter_keeps_the_last_data(world: World, sums: None) -> None:
    (a,) = make(world, "mathCHOP")
    a.set("postoff", 3)
    a.data()
    a.set_expr("postoff", "1 / 0")
    assert a.data() == 3
    world.begin_frame()
    assert len(a.shown_errors) == 1
    assert "ZeroDivisionError" in a.shown_errors[0]


def test_an_expression_that_needs_itself_is_an_error_not_a_hang(world: World, sums: None) -> None:
    (a,) = make(world, "mathCHOP")
    a.set_expr("postoff", "me.par.postoff + 1")
    a.data()
    world.begin_frame()
    assert "loop" in a.shown_errors[0]


def test_what_no_fact_establishes_is_not_cooked(world: World) -> None:
    cook_rules._rules.pop("abletonlinkCHOP", None)
    (node,) = make(world, "abletonlinkCHOP")
    cook_rules._family_rules.pop("CHOP", None)
    with pytest.raises(NotFaked, match="abletonlinkCHOP"):
        node.data()

"""wire_operators: wires by index, read back, nothing dropped in silence."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


@pytest.fixture
def tops(bench: Bench) -> dict[str, Any]:
    return {
        name: bench.make(kind, name)
        for name, kind in (
            ("a", "noiseTOP"),
            ("b", "rampTOP"),
            ("over", "overTOP"),
            ("comp", "compositeTOP"),
            ("blur", "blurTOP"),
        )
    }


def wire(bench: Bench, source: str, target: str, index: int = 0, **more: Any) -> dict[str, Any]:
    connect = [{"from": f"/project1/{source}", "to": f"/project1/{target}", "input": index} | more]
    return bench.json("wire_operators", connect=connect)


def inputs(op: Any) -> list[list[str]]:
    return [[far.owner.name for far in c.connections] for c in op.inputConnectors]


def test_a_wire_is_drawn_to_the_input_named(bench: Bench, tops: dict[str, Any]) -> None:
    answer = wire(bench, "a", "over", 1)
    assert inputs(tops["over"])[:2] == [[], ["a"]]
    # By index, gaps included: TD's own `inputs` leaves them out (fact 31).
    assert answer["operators"] == [{"path": "/project1/over", "inputs": [None, "/project1/a"]}]


def test_a_wire_that_takes_anothers_place_says_so(bench: Bench, tops: dict[str, Any]) -> None:
    wire(bench, "a", "blur")
    answer = wire(bench, "b", "blur")
    assert inputs(tops["blur"]) == [["b"]]
    assert "took the place of /project1/a" in answer["notes"][0]


def test_the_same_wire_again_changes_nothing(bench: Bench, tops: dict[str, Any]) -> None:
    wire(bench, "a", "blur")
    answer = wire(bench, "a", "blur")
    assert (answer["changed"], answer["undo"]) == (0, "")


def test_multi_input_operators_take_one_more(bench: Bench, tops: dict[str, Any]) -> None:
    wire(bench, "a", "comp", 0)
    answer = wire(bench, "b", "comp", 1)
    assert answer["operators"][0]["inputs"] == ["/project1/a", "/project1/b"]


def test_disconnecting_several_inputs_of_a_multi_input_operator_takes_the_right_ones(
    bench: Bench, tops: dict[str, Any]
) -> None:
    for index, name in enumerate(("a", "b", "blur")):
        wire(bench, name, "comp", index)
    # TD closes the gap behind each (fact 31): from first to last would hit the wrong one.
    off = [{"to": "/project1/comp", "input": 0}, {"to": "/project1/comp", "input": 1}]
    answer = bench.json("wire_operators", disconnect=off)
    assert [i for i in answer["operators"][0]["inputs"] if i] == ["/project1/blur"]


def test_an_operator_is_put_into_a_wire(bench: Bench, tops: dict[str, Any]) -> None:
    wire(bench, "a", "over", 1)
    bench.run("wire_operators", insert=[{"path": "/project1/blur", "to": "/project1/over", "input": 1}])
    assert inputs(tops["over"])[1] == ["blur"]
    assert inputs(tops["blur"]) == [["a"]]


def test_an_input_that_is_not_there_is_refused(bench: Bench, tops: dict[str, Any]) -> None:
    with refused(bench, Code.WIRING_INVALID) as caught:
        wire(bench, "a", "blur", 5)
    assert "no input 5" in caught.value.message
    with refused(bench, Code.WIRING_INVALID):
        wire(bench, "a", "b", 7)


def test_an_output_that_is_not_there_is_refused(bench: Bench, tops: dict[str, Any]) -> None:
    with refused(bench, Code.WIRING_INVALID):
        wire(bench, "a", "blur", output=3)


def test_an_operator_without_inputs_is_refused(bench: Bench, tops: dict[str, Any]) -> None:
    bench.make("circleSOP", "circle1")
    bench.make("moviefileinTOP", "movie1")
    with refused(bench, Code.WIRING_INVALID):
        wire(bench, "a", "movie1")


def test_another_family_is_refused_with_what_converts(bench: Bench, tops: dict[str, Any]) -> None:
    bench.make("nullCHOP", "null1")
    with refused(bench, Code.WIRING_INVALID) as caught:
        wire(bench, "a", "null1")
    assert "toptoCHOP" in caught.value.hint


def test_across_networks_is_refused(bench: Bench, tops: dict[str, Any]) -> None:
    # TD does nothing, without a word (fact 32).
    bench.make("baseCOMP", "base1")
    bench.make("nullTOP", "inner", parent="/project1/base1")
    with refused(bench, Code.WIRING_INVALID) as caught:
        wire(bench, "a", "base1/inner")
    assert "different networks" in caught.value.message


def test_a_fresh_comp_has_no_inputs_and_the_refusal_says_why(bench: Bench, tops: dict[str, Any]) -> None:
    bench.make("baseCOMP", "base1")
    with refused(bench, Code.WIRING_INVALID) as caught:
        wire(bench, "a", "base1")
    assert "In operator" in caught.value.hint


def test_an_operator_cannot_feed_itself(bench: Bench, tops: dict[str, Any]) -> None:
    with refused(bench, Code.WIRING_INVALID):
        wire(bench, "blur", "blur")


def test_taking_off_what_is_not_wired_is_refused(bench: Bench, tops: dict[str, Any]) -> None:
    with refused(bench, Code.WIRING_INVALID):
        bench.run("wire_operators", disconnect=[{"to": "/project1/blur"}])


def test_one_wrong_wire_refuses_them_all(bench: Bench, tops: dict[str, Any]) -> None:
    with refused(bench, Code.OPERATOR_NOT_FOUND):
        bench.run(
            "wire_operators",
            connect=[
                {"from": "/project1/a", "to": "/project1/blur"},
                {"from": "/project1/nosuch", "to": "/project1/over"},
            ],
        )
    wire(bench, "b", "over", 0)
    with refused(bench, Code.WIRING_INVALID):
        bench.run(
            "wire_operators",
            disconnect=[{"to": "/project1/over", "input": 0}],
            insert=[{"path": "/project1/blur", "to": "/project1/over", "input": 1}],
        )


def test_objects_are_parented_through_their_comp_connectors(bench: Bench) -> None:
    bench.make("nullCOMP", "null1")
    geo = bench.make("geometryCOMP", "geo1")
    answer = wire(bench, "null1", "geo1", comp=True)
    assert [far.owner.name for far in geo.inputCOMPConnectors[0].connections] == ["null1"]
    assert answer["operators"][0]["comp_inputs"] == ["/project1/null1"]


def test_undo_gives_back_the_wires(bench: Bench, tops: dict[str, Any]) -> None:
    wire(bench, "a", "blur")
    before = state(bench)
    wire(bench, "b", "blur")
    bench.run("undo")
    assert state(bench) == before


def test_nothing_to_do_is_refused(bench: Bench) -> None:
    with refused(bench, Code.VALUE_INVALID):
        bench.run("wire_operators")

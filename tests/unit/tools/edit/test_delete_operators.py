"""delete_operators: says what else is hurt, asks when it is much, and leaves nothing half gone."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def test_what_goes_and_who_loses_an_input(bench: Bench) -> None:
    a, b = bench.make("noiseTOP", "a"), bench.make("blurTOP", "b")
    bench.wire(a, b)
    answer = bench.json("delete_operators", paths=["/project1/a"])
    assert bench.op("/project1/a") is None
    assert answer["deleted"] == ["/project1/a"]
    assert answer["lost_inputs"] == ["/project1/b input 0 (from /project1/a)"]
    assert answer["problems"][0]["path"] == "/project1/b"


def test_more_than_a_few_need_a_word_from_the_user(bench: Bench) -> None:
    for i in range(4):
        bench.make("noiseTOP", f"n{i}")
    paths = [f"/project1/n{i}" for i in range(4)]
    with refused(bench, Code.CONFIRMATION_REQUIRED) as caught:
        bench.run("delete_operators", paths=paths)
    assert "4 operators" in caught.value.message
    assert bench.json("delete_operators", paths=paths, confirm=True)["count"] == 4


def test_what_is_inside_counts(bench: Bench) -> None:
    bench.make("baseCOMP", "base1")
    for i in range(3):
        bench.make("noiseTOP", f"n{i}", parent="/project1/base1")
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        bench.run("delete_operators", paths=["/project1/base1"])


@pytest.mark.parametrize("host", ["timerCHOP", "rampTOP", "glslTOP", "scriptDAT"])
def test_what_touchdesigner_has_docked_to_them_does_not_count(bench: Bench, host: str) -> None:
    for name in "abc":
        bench.make(host, name)
    answer = bench.json("delete_operators", paths=["/project1/a", "/project1/b", "/project1/c"])
    assert answer["count"] > 3 and [c.name for c in bench.op("/project1").children] == ["tdmcp"]


def test_inside_a_component_it_does_not_count_either(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    for name in "ab":
        bench.make("glslTOP", name, parent="/project1/box")
    assert bench.json("delete_operators", paths=["/project1/box"])["count"] == 9


def test_what_a_person_has_docked_counts(bench: Bench) -> None:
    host = bench.make("noiseTOP", "n")
    for name in "abc":
        bench.make("textDAT", name).dock = host
    with refused(bench, Code.CONFIRMATION_REQUIRED) as caught:
        bench.run("delete_operators", paths=["/project1/n"])
    assert caught.value.details["count"] == 4


def test_docked_operators_go_with_their_host(bench: Bench) -> None:
    # A host destroyed before them raises an error nobody can catch (fact 19).
    bench.make("glslTOP", "g")
    answer = bench.json("delete_operators", paths=["/project1/g"], confirm=True)
    assert answer["count"] == 4
    assert [c.name for c in bench.op("/project1").children] == ["tdmcp"]


def test_host_and_docked_named_together_go_once(bench: Bench) -> None:
    bench.make("glslTOP", "g")
    paths = ["/project1/g", "/project1/g_pixel", "/project1/g"]
    assert bench.json("delete_operators", paths=paths, confirm=True)["count"] == 4


def test_a_comp_and_what_is_in_it_named_together_go_once(bench: Bench) -> None:
    bench.make("baseCOMP", "base1")
    bench.make("noiseTOP", "n", parent="/project1/base1")
    answer = bench.json("delete_operators", paths=["/project1/base1/n", "/project1/base1"])
    assert (answer["count"], answer["deleted"]) == (2, ["/project1/base1"])


@pytest.mark.parametrize("path", ["/project1/tdmcp", "/project1", "/project1/tdmcp/inner", "/"])
def test_this_servers_own_component_stays(bench: Bench, path: str) -> None:
    bench.make("textDAT", "inner", parent="/project1/tdmcp")
    with refused(bench, Code.PRECONDITION_FAILED, path="/"):
        bench.run("delete_operators", paths=[path], confirm=True)


def test_a_path_to_nothing_refuses_the_whole(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    with refused(bench, Code.OPERATOR_NOT_FOUND) as caught:
        bench.run("delete_operators", paths=["/project1/noise1", "/project1/noise2"])
    assert caught.value.suggestions == ["/project1/noise1"]


def test_undo_brings_back_operators_wires_and_values(bench: Bench) -> None:
    a, b = bench.make("noiseTOP", "a", period=3), bench.make("blurTOP", "b")
    bench.wire(a, b)
    bench.make("glslTOP", "g")
    before = state(bench)
    bench.run("delete_operators", paths=["/project1/a", "/project1/g"], confirm=True)
    bench.run("undo")
    assert state(bench) == before


def test_an_in_operator_takes_a_wire_of_the_comp_around_it_along(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base1")
    bench.make("inTOP", "in1", parent="/project1/base1")
    bench.make("outTOP", "out1", parent="/project1/base1")
    bench.wire(bench.make("noiseTOP", "n"), base)
    answer = bench.json("delete_operators", paths=["/project1/base1/in1"])
    assert answer["lost_inputs"] == ["/project1/base1 input 0 (from /project1/n)"]

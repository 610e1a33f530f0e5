"""compare_network: what differs between a network now and another one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench


def compare(bench: Bench, path: str, before: Any, **asked: Any) -> dict[str, Any]:
    return bench.json("compare_network", path=path, **({"with": before} | asked))


@pytest.fixture
def two(bench: Bench) -> Bench:
    """/project1/a and its copy /project1/b."""
    comp = bench.make("baseCOMP", "a")
    noise = bench.make("noiseTOP", "n", parent="/project1/a", period=3)
    bench.wire(noise, bench.make("blurTOP", "blur", parent="/project1/a"))
    inner = bench.make("baseCOMP", "inner", parent="/project1/a")
    bench.make("textDAT", "t", parent=inner.path).text = "one"
    bench.op("/project1").copy(comp, name="b")
    return bench


def test_a_copy_is_equal(two: Bench) -> None:
    found = compare(two, "/project1/b", "/project1/a")
    assert found["equal"] is True and found["differences"] == []
    assert (
        two.run("compare_network", path="/project1/b", **{"with": "/project1/a"}).text() == "No difference."
    )


def test_each_kind_of_difference_is_named(two: Bench) -> None:
    two.op("/project1/b/n").par.period = 5
    two.op("/project1/b/blur").destroy()
    two.op("/project1/b/inner/t").text = "two"
    two.make("nullTOP", "new", parent="/project1/b")
    found = {row["path"]: row for row in compare(two, "/project1/b", "/project1/a")["differences"]}
    assert found["n"]["changes"] == {"params.period": [3, 5]}
    assert found["blur"]["kind"] == "removed" and found["new"]["kind"] == "added"
    assert found["inner/t"]["changes"] == {"text": ["one", "two"]}
    text = two.run("compare_network", path="/project1/b", **{"with": "/project1/a"}).text()
    assert "- blur blurTOP" in text and "params.period: 3 -> 5" in text


def test_a_wire_that_was_cut_is_a_difference(two: Bench) -> None:
    two.op("/project1/b/blur").inputConnectors[0].disconnect()
    [row] = compare(two, "/project1/b", "/project1/a")["differences"]
    assert row["changes"] == {"inputs": [["n"], None]}


def test_positions_may_be_passed_over(two: Bench) -> None:
    two.op("/project1/b/n").nodeX += 100
    assert compare(two, "/project1/b", "/project1/a")["total"] == 1
    assert compare(two, "/project1/b", "/project1/a", layout=False)["equal"] is True


def test_what_was_read_before_is_compared_with_what_is_there_now(two: Bench) -> None:
    before = two.json("read_network", path="/project1/a", depth=9)
    assert compare(two, "/project1/a", before)["equal"] is True
    two.op("/project1/a/n").par.period.expr = "absTime.seconds"
    [row] = compare(two, "/project1/a", before)["differences"]
    assert row["changes"] == {"params.period": [3, {"expr": "absTime.seconds"}]}


def test_a_checkpoint_is_compared_by_name(two: Bench) -> None:
    two.run("checkpoint", action="save", path="/project1/a", name="yesterday")
    assert compare(two, "/project1/a", "yesterday")["equal"] is True
    two.op("/project1/a/n").par.period = 4
    assert compare(two, "/project1/a", "yesterday")["total"] == 1
    with pytest.raises(ToolFailure) as refusal:
        compare(two, "/project1/a", "yesterdy")
    assert refusal.value.suggestions == ["yesterday"]


def test_depth_bounds_the_comparison(two: Bench) -> None:
    two.op("/project1/b/inner/t").text = "two"
    assert compare(two, "/project1/b", "/project1/a", depth=1)["equal"] is True


def test_many_differences_come_in_pages_of_small_answers(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.make("baseCOMP", name)
    for i in range(120):
        bench.make("nullTOP", f"an_operator_with_a_long_name_{i}", parent="/project1/b")
    answer = bench.run("compare_network", path="/project1/b", **{"with": "/project1/a"})
    first = answer.structured()
    assert first["total"] == 120 and first["returned"] == 50
    assert len(json.dumps(first)) + len(answer.text()) < 20_000
    assert compare(bench, "/project1/b", "/project1/a", cursor=first["next_cursor"])["returned"] == 50


def test_comparing_offers_the_frame_back(two: Bench) -> None:
    for i in range(100):
        two.make("nullTOP", f"n{i}", parent="/project1/b")
    assert len(two.steps("compare_network", path="/project1/b", **{"with": "/project1/a"})) >= 40


def test_a_network_that_is_none_is_refused(two: Bench) -> None:
    for wrong in ({"operators": [{"nam": "x"}]}, 5):
        with pytest.raises(ToolFailure) as refusal:
            compare(two, "/project1/a", wrong)
        assert refusal.value.code is Code.VALUE_INVALID


def test_what_this_server_writes_into_its_own_component_is_no_difference(bench: Bench) -> None:
    mine = bench.make("baseCOMP", "server")
    log = mine.create("tableDAT", "log")
    bench.instance["component"] = mine.path
    bench.run("checkpoint", action="save", path="/project1", name="now")
    log.appendRow(["an event"])
    assert bench.json("compare_network", path="/project1", **{"with": "now"})["equal"]
    mine.nodeX += 100
    [moved] = bench.json("compare_network", path="/project1", **{"with": "now"})["differences"]
    assert moved["path"] == "server" and set(moved["changes"]) == {"position"}
    bench.run("checkpoint", action="restore", path="/project1", name="now")
    assert log.numRows == 1, "its log is not put back either"

"""read_data: what operators hold, in numbers and text."""

from __future__ import annotations

import json
from typing import Any

import cv2
import numpy
import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.dats import content_hash
from tests.unit.tools.harness import Bench


def test_text_comes_in_pages_that_join_up_with_the_hash_of_the_whole(bench: Bench) -> None:
    dat = bench.make("textDAT", "t")
    dat.text = "\n".join(f"line {i}" for i in range(500))
    text, cursor = "", None
    for _ in range(10):
        page = bench.json("read_data", path="/project1/t", **({"cursor": cursor} if cursor else {}))
        assert page["kind"] == "text" and page["total"] == 500 and page["hash"] == content_hash(dat)
        text += page["text"]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert text == dat.text


def test_a_range_of_lines_is_given(bench: Bench) -> None:
    bench.make("textDAT", "t").text = "a\nb\nc\nd"
    assert bench.json("read_data", path="/project1/t", start=1, limit=2)["text"] == "b\nc\n"


def table(bench: Bench, rows: int) -> Any:
    dat = bench.make("tableDAT", "tab")
    dat.clear()
    dat.appendRow(["name", "value"])
    for i in range(rows):
        dat.appendRow([f"n{i}", i])
    return dat


def test_a_table_comes_by_rows_and_by_columns(bench: Bench) -> None:
    table(bench, 300)
    page = bench.json("read_data", path="/project1/tab", start=1, limit=2)
    assert page["table"] == [["n0", "0"], ["n1", "1"]] and page["total"] == 301
    assert bench.json("read_data", path="/project1/tab", limit=2, names=["value"])["table"] == [
        ["value"],
        ["0"],
    ]
    assert bench.json("read_data", path="/project1/tab", limit=2, names=["1"])["table"] == [["value"], ["0"]]
    assert bench.json("read_data", path="/project1/tab", limit=301)["returned"] == 301


def test_a_column_that_is_not_there_is_refused_with_the_right_one(bench: Bench) -> None:
    table(bench, 1)
    with pytest.raises(ToolFailure) as refusal:
        bench.run("read_data", path="/project1/tab", names=["valeu"])
    assert refusal.value.code is Code.VALUE_INVALID and refusal.value.suggestions == ["value"]


def test_channels_come_with_statistics_over_all_samples(bench: Bench) -> None:
    bench.make("patternCHOP", "p", length=100)
    page = bench.json("read_data", path="/project1/p", limit=5)
    [channel] = page["channels"]
    assert page["total"] == 100 and page["returned"] == 5 and len(channel["samples"]) == 5
    assert channel["min"] <= channel["mean"] <= channel["max"] and "last" in channel
    second = bench.json("read_data", path="/project1/p", limit=5, cursor=page["next_cursor"])
    assert second["start"] == 5


def test_a_channel_is_chosen_by_name(bench: Bench) -> None:
    chop = bench.make("constantCHOP", "c")
    chop.par.const0name, chop.par.const0value = "speed", 0.25
    [channel] = bench.json("read_data", path="/project1/c", names=["speed"])["channels"]
    assert channel["last"] == 0.25
    with pytest.raises(ToolFailure) as refusal:
        bench.run("read_data", path="/project1/c", names=["sped"])
    assert refusal.value.suggestions == ["speed"]


def test_points_of_a_sop_come_by_attribute(bench: Bench) -> None:
    box = bench.make("boxSOP", "b")
    page = bench.json("read_data", path="/project1/b", limit=3)
    assert page["kind"] == "points" and page["total"] == box.numPoints and page["returned"] == 3
    assert all(len(point) == 3 for point in page["points"]["P"]) and page["primitives"] == 6


def test_pixels_come_as_a_grid_from_the_top_with_statistics(bench: Bench) -> None:
    top = bench.make("rampTOP", "r", outputresolution="custom", resolutionw=64, resolutionh=32)
    page = bench.json("read_data", path="/project1/r", grid=4)
    assert page["size"] == [64, 32] and len(page["pixels"]) == 4 and len(page["pixels"][0]) == 4
    assert 0 <= page["statistics"]["r"]["min"] <= page["statistics"]["r"]["max"] <= 1
    assert top.width == 64


def test_the_first_grid_row_is_the_top_of_the_picture(bench: Bench) -> None:
    bench.make("rampTOP", "r", outputresolution="custom", resolutionw=16, resolutionh=16, type="vertical")
    grid = bench.json("read_data", path="/project1/r", grid=16)["pixels"]
    picture = bench.run("capture_image", path="/project1/r").pictures[0]
    image = cv2.imdecode(numpy.frombuffer(picture.data, numpy.uint8), cv2.IMREAD_UNCHANGED)
    assert grid[0][0][0] != grid[15][0][0]
    for y in (0, 15):
        assert grid[y][0][0] == pytest.approx(image[y, 0][2] / 255, abs=0.01)


def test_a_component_holds_no_data(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as refusal:
        bench.run("read_data", path="/project1")
    assert refusal.value.code is Code.VALUE_INVALID


def test_an_operator_that_cannot_cook_is_told_as_touchdesigners_error(bench: Bench) -> None:
    for name, path in (("audiodeviceoutCHOP", "/project1/a"), ("artnetDAT", "/project1/b")):
        bench.make(name, path[-1])
        with pytest.raises(ToolFailure) as refusal:
            bench.run("read_data", path=path)
        assert refusal.value.code is Code.TD_ERROR and path in refusal.value.message


def test_default_answers_stay_small_whatever_is_held(bench: Bench) -> None:
    bench.make("textDAT", "t").text = "x" * 100_000 + "\n" + "y" * 100_000
    wide = bench.make("tableDAT", "tab")
    wide.clear()
    for _ in range(50):
        wide.appendRow(["some cell content"] * 60)
    for path in ("/project1/t", "/project1/tab"):
        answer = bench.run("read_data", path=path)
        assert len(json.dumps(answer.structured())) + len(answer.text()) < 20_000, path


def test_the_text_says_what_the_structure_says(bench: Bench) -> None:
    table(bench, 2)
    shown = bench.run("read_data", path="/project1/tab").text()
    assert '["n1","1"]' in shown and "hash: " in shown


def test_a_channel_or_column_named_twice_comes_once(bench: Bench) -> None:
    bench.make("constantCHOP", "c", const0name="a")
    found = bench.json("read_data", path="/project1/c", names=["a"] * 600)
    assert [channel["name"] for channel in found["channels"]] == ["a"]
    table = bench.make("tableDAT", "t")
    table.appendRow(["x", "y"])
    found = bench.json("read_data", path="/project1/t", names=["y", "x", "y"])
    assert found["table"] == [["y", "x"]]

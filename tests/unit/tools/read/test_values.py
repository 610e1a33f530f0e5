"""Any value comes out as strict, bounded JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from tdmcp_embedded.touchdesigner.values import Bounds, json_value, number, rounded, short_repr


def test_numbers_json_cannot_hold_become_words() -> None:
    assert json_value([math.nan, math.inf, -math.inf, 2**60]) == ["NaN", "Infinity", "-Infinity", str(2**60)]


def test_a_float32_reads_as_a_person_would_write_it() -> None:
    assert rounded(0.10000000149011612) == 0.1
    assert rounded(3.0) == 3 and isinstance(rounded(3.0), int)
    assert rounded(math.nan) == "NaN"


def test_a_cycle_is_named_and_a_value_used_twice_is_not() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert json_value(ring) == [1, "<cycle>"]
    shared = [1]
    assert json_value([shared, shared]) == [[1], [1]]


def test_long_containers_and_texts_say_how_much_is_missing() -> None:
    assert json_value(list(range(5)), Bounds(items=2)) == [0, 1, "… 3 more"]
    assert json_value({str(i): i for i in range(4)}, Bounds(items=1)) == {"0": 0, "…": "3 more"}
    assert json_value("x" * 9, Bounds(chars=3)) == "xxx… (9 characters)"


def test_deep_values_end_at_the_depth() -> None:
    assert json_value([[[1]]], Bounds(depth=2)) == [["<list, deeper than 2 levels>"]]


def test_bytes_arrays_sets_enums_and_dataclasses_are_readable() -> None:
    class Mode(Enum):
        CONSTANT = 1

    @dataclass
    class Pair:
        a: int
        b: str

    assert json_value(b"abc") == {"bytes": 3, "base64_begin": "YWJj"}
    assert json_value(numpy.array([[1.5, numpy.nan]])) == [[1.5, "NaN"]]
    assert json_value(numpy.float32(2)) == 2.0
    assert json_value({3, 1}) == [1, 3]
    assert json_value(Mode.CONSTANT) == "CONSTANT"
    assert json_value(Pair(1, "x")) == {"a": 1, "b": "x"}


def test_a_huge_array_costs_only_what_is_shown() -> None:
    shown = json_value(numpy.zeros((100_000, 4), numpy.float32), Bounds(items=3))
    assert len(shown) == 4 and shown[3].startswith("… 99997 more (shape [100000, 4])")


def test_an_object_that_misbehaves_is_named_instead_of_breaking_the_answer() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    class Trap(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("no")

    assert json_value(Rude()) == "<Rude whose repr raises RuntimeError>"
    assert json_value(Trap(a=1)) == "{'a': 1}"


def test_lone_surrogates_never_reach_the_wire() -> None:
    json.dumps(json_value({"\ud800": "\udfff"}), ensure_ascii=False).encode("utf-8")
    short_repr("\ud800").encode("utf-8")


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=30,
))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_whatever_the_value_the_json_is_strict(value: object) -> None:
    json.dumps(json_value(value), allow_nan=False, ensure_ascii=False).encode("utf-8")


def test_booleans_are_not_numbers() -> None:
    assert json_value(True) is True
    assert number(7) == 7


def test_td_objects_come_out_as_what_they_stand_for(bench: Any) -> None:
    noise = bench.make("noiseTOP", "n1", period=3)
    assert json_value({"op": noise, "par": noise.par.period}) == {"op": "/project1/n1", "par": 3}
    table = bench.make("tableDAT", "t1")
    table.appendRow(["a", "b"])
    assert json_value(table[0, 1]) == "b"
    noise.destroy()
    assert json_value(noise) == "<operator that no longer exists>"

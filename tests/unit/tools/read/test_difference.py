"""Two networks compared, without TouchDesigner."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tdmcp_embedded.tools.difference import Described, Difference, differences, same


def compared(before: dict[str, Any], after: dict[str, Any], **more: Any) -> list[Difference]:
    return [d for d in differences(Described(before), Described(after), **more) if d is not None]


def found(
    before: list[dict[str, Any]], after: list[dict[str, Any]], **more: Any
) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (d.path, d.kind, d.changes) for d in compared({"operators": before}, {"operators": after}, **more)
    ]


def test_added_removed_and_changed_operators_are_named() -> None:
    before = [
        {"name": "a", "type": "noiseTOP", "params": {"period": 1, "amp": 2}},
        {"name": "gone", "type": "nullTOP"},
    ]
    after = [
        {"name": "a", "type": "noiseTOP", "params": {"period": 3, "amp": 2}},
        {"name": "new", "type": "nullTOP"},
    ]
    assert found(before, after) == [
        ("gone", "removed", {}),
        ("a", "changed", {"params.period": [1, 3]}),
        ("new", "added", {}),
    ]


def test_what_is_inside_a_comp_has_a_path_through_it() -> None:
    before = [{"name": "c", "children": [{"name": "x", "text": "1"}]}]
    after = [{"name": "c", "children": [{"name": "x", "text": "2"}]}]
    assert found(before, after) == [("c/x", "changed", {"text": ["1", "2"]})]


def test_the_two_spellings_of_a_wire_are_the_same_wire() -> None:
    assert (
        found([{"name": "a", "inputs": ["b"]}], [{"name": "a", "inputs": [{"from": "b", "output": 0}, None]}])
        == []
    )
    assert (
        found([{"name": "a", "inputs": ["b"]}], [{"name": "a", "inputs": [{"from": "b", "output": 1}]}]) != []
    )


def test_what_is_left_out_is_the_default() -> None:
    assert found([{"name": "a", "params": {}}], [{"name": "a"}]) == []
    assert found([{"name": "a"}], [{"name": "a", "flags": {"bypass": True}}]) == [
        ("a", "changed", {"flags.bypass": [None, True]})
    ]


def test_numbers_are_compared_as_float32_and_booleans_are_no_numbers() -> None:
    assert same(0.1, 0.10000000149011612) and same([1, 2.0], [1.0, 2])
    assert not same(0.1, 0.2) and not same("1", 1)


def test_layout_can_be_passed_over() -> None:
    before, after = [{"name": "a", "position": [0, 0]}], [{"name": "a", "position": [9, 0]}]
    assert found(before, after, layout=False) == []
    assert found(before, after) == [("a", "changed", {"position": [[0, 0], [9, 0]]})]


def test_of_what_was_not_read_nothing_is_claimed() -> None:
    cut = [{"name": "t", "left_out": ["text of 9000 characters; read_data /t reads it"]}]
    assert found(cut, [{"name": "t", "text": "long"}]) == []
    closed = [{"name": "c", "left_out": ["3 operators inside; read_network /c reads them"]}]
    assert found(closed, [{"name": "c", "children": [{"name": "x"}]}]) == []


def test_annotations_count_too() -> None:
    changes = compared(
        {"annotations": [{"name": "n", "text": "a"}]}, {"annotations": [{"name": "n", "text": "b"}]}
    )
    assert [(d.path, d.type, d.changes) for d in changes] == [("n", "annotation", {"text": ["a", "b"]})]


_operators = st.recursive(
    st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from("abcd"), "type": st.just("nullTOP")},
            optional={
                "params": st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3)),
                "text": st.text(max_size=3),
            },
        ),
        max_size=4,
        unique_by=lambda row: row["name"],
    ),
    lambda inner: st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from("efg"), "type": st.just("baseCOMP"), "children": inner}
        ),
        max_size=3,
        unique_by=lambda row: row["name"],
    ),
    max_leaves=6,
)


@given(_operators, _operators)
@settings(max_examples=60, deadline=None)
def test_a_network_equals_itself_and_both_directions_find_as_much(left: Any, right: Any) -> None:
    assert found(left, left) == []
    assert len(found(left, right)) == len(found(right, left))

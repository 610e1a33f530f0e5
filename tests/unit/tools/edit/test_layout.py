"""What a tidied network looks like, and where new operators go: the cases that an artist would notice."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.touchdesigner import layout
from tests.unit.tools.harness import Bench

P = "/project1"


def box(bench: Bench, name: str) -> layout.Box:
    return layout.box(bench.op(f"{P}/{name}"))


def framed(bench: Bench, name: str, *place: int) -> Any:
    """An annotation at x, y with a width and a height."""
    made = bench.op(P).create("annotateCOMP", name)
    made.utility = True
    made.nodeX, made.nodeY, made.nodeWidth, made.nodeHeight = place
    return made


def put(bench: Bench, kind: str, name: str, x: int, y: int) -> Any:
    made = bench.make(kind, name)
    made.nodeX, made.nodeY = x, y
    return made


def test_tidying_a_loop_or_a_chain_seen_first_from_its_end_does_not_wander(bench: Bench) -> None:
    # TD lists operators as they were made: here the last of the chain first.
    out, level, noise = (
        bench.make(k, n) for k, n in (("nullTOP", "out"), ("levelTOP", "l"), ("noiseTOP", "n"))
    )
    bench.wire(noise, level, out)
    first, second = bench.make("levelTOP", "x"), bench.make("blurTOP", "y")
    bench.wire(first, second, first)
    bench.run("arrange_network", path=P)
    places = {op.name: (op.nodeX, op.nodeY) for op in bench.op(P).children}
    assert bench.json("arrange_network", path=P)["moved"] == 0
    assert {op.name: (op.nodeX, op.nodeY) for op in bench.op(P).children} == places


def test_each_chain_has_its_own_rows_and_what_was_above_stays_above(bench: Bench) -> None:
    low = [put(bench, k, n, 0, -500) for k, n in (("noiseTOP", "low"), ("nullTOP", "low_out"))]
    high = [put(bench, k, n, 50, 300) for k, n in (("noiseTOP", "high"), ("nullTOP", "high_out"))]
    bench.wire(*low)
    bench.wire(*high)
    for index in range(12):
        put(bench, "constantCHOP", f"k{index}", index, 900)
    bench.run("arrange_network", path=P)
    assert box(bench, "high").y == box(bench, "high_out").y > box(bench, "low").y == box(bench, "low_out").y
    # What is not wired stands in rows below, not in one endless column.
    rest = {box(bench, f"k{index}").y for index in range(12)}
    assert max(rest) < box(bench, "low").y and 1 < len(rest) < 6


def test_comps_of_a_hierarchy_stand_below_each_other(bench: Bench) -> None:
    for name in ("arm", "hand", "body"):
        put(bench, "geometryCOMP", name, 0, 0)
    for parent, child in (("body", "arm"), ("arm", "hand")):
        bench.op(f"{P}/{child}").inputCOMPConnectors[0].connect(bench.op(f"{P}/{parent}"))
    bench.run("arrange_network", path=P)
    body, arm, hand = (box(bench, name) for name in ("body", "arm", "hand"))
    assert body.x == arm.x == hand.x and body.y > arm.y > hand.y


def test_annotations_stay_in_each_other(bench: Bench) -> None:
    bench.op(f"{P}/tdmcp").nodeY = -2000
    for index, name in enumerate(("a", "b", "c", "d")):
        put(bench, "noiseTOP", name, index * 200, 0)
    inner = framed(bench, "inner", -20, -20, 380, 160)
    outer = framed(bench, "outer", -60, -60, 640, 300)
    bench.run("arrange_network", path=P)
    assert {op.name for op in inner.enclosedOPs} == {"a", "b"}
    assert {op.name for op in outer.enclosedOPs} == {"a", "b", "c", "inner"}


def test_framed_parts_of_a_chain_go_from_left_to_right_too(bench: Bench) -> None:
    sound = [
        put(bench, k, n, 900, 900 + i) for i, (k, n) in enumerate((("noiseTOP", "s1"), ("nullTOP", "s2")))
    ]
    look = [put(bench, k, n, -900, i) for i, (k, n) in enumerate((("levelTOP", "l1"), ("nullTOP", "l2")))]
    bench.wire(*sound, *look)
    first, second = framed(bench, "sound", 850, 850, 300, 300), framed(bench, "look", -950, -50, 300, 300)
    bench.run("arrange_network", path=P)
    assert first.nodeX + first.nodeWidth < second.nodeX
    assert box(bench, "s1").x < box(bench, "s2").x < box(bench, "l1").x < box(bench, "l2").x


def test_a_note_goes_with_the_operator_it_touches_and_others_stand_above(bench: Bench) -> None:
    bench.wire(put(bench, "noiseTOP", "n", 0, 0), put(bench, "nullTOP", "o", 20, 10))
    put(bench, "noiseTOP", "far", 5000, -900)
    touching, title = framed(bench, "here", 5000, -780, 130, 60), framed(bench, "title", -900, -900, 300, 80)
    bench.run("arrange_network", path=P)
    far = box(bench, "far")
    assert (touching.nodeX - far.x, touching.nodeY - far.y) == (0, 120)
    assert title.nodeY >= box(bench, "n").y + 90


def test_an_annotation_alone_that_changed_can_be_taken_back(bench: Bench) -> None:
    put(bench, "noiseTOP", "n", 0, 0)
    note = framed(bench, "note", -500, -500, 900, 900)
    bench.op(f"{P}/tdmcp").destroy()
    bench.instance["component"] = ""
    answer = bench.json("arrange_network", path=P)
    assert (note.nodeWidth, note.nodeHeight) == (210, 210) and answer["undo"]
    bench.run("undo")
    assert (note.nodeX, note.nodeY, note.nodeWidth, note.nodeHeight) == (-500, -500, 900, 900)


def test_new_operators_keep_clear_of_annotations_unless_what_feeds_them_stands_in_one(bench: Bench) -> None:
    bench.op(f"{P}/tdmcp").destroy()
    bench.instance["component"] = ""
    put(bench, "noiseTOP", "inside", 0, 0)
    note = framed(bench, "note", -200, -400, 900, 700)
    bench.run("create_operator", parent=P, type="noiseTOP", name="stranger")
    bench.run("create_operator", parent=P, type="levelTOP", name="next", inputs=["inside"])
    bench.run("create_operator", parent=P, type="levelTOP", name="beside", inputs=["stranger"])
    assert {op.name for op in note.enclosedOPs} == {"inside", "next"}
    assert not layout.box(note).overlaps(box(bench, "stranger"))
    assert not layout.box(note).overlaps(box(bench, "beside"))


def test_a_new_operator_keeps_clear_of_a_tile_of_any_width(bench: Bench) -> None:
    put(bench, "noiseTOP", "n", 2500, 0)
    wide = put(bench, "nullTOP", "wide", 0, -300)
    wide.nodeWidth, wide.nodeHeight = 5000, 350
    bench.run("create_operator", parent=P, type="levelTOP", name="l", inputs=["n"])
    assert not box(bench, "l").overlaps(layout.box(wide))


def test_an_annotation_without_a_place_frames_nobody_by_accident(bench: Bench) -> None:
    bench.run(
        "build_network",
        path=P,
        operators=[{"name": "n", "type": "noiseTOP", "position": [20, 20]}],
        annotations=[{"name": "one", "size": [900, 900]}, {"name": "two", "title": "Two"}],
    )
    one, two = bench.op(P).findChildren(type=bench.td.annotateCOMP, includeUtility=True)
    assert one.enclosedOPs == two.enclosedOPs == []
    assert not layout.box(one).overlaps(layout.box(two))


def test_docked_operators_do_not_cover_what_stands_below_the_place_asked_for(bench: Bench) -> None:
    put(bench, "nullTOP", "below", 0, -110)
    bench.run("create_operator", parent=P, type="glslTOP", name="g", position=[0, 0])
    bench.run(
        "build_network",
        path=P,
        operators=[
            {"name": "h", "type": "glslTOP", "position": [1000, 0]},
            {"name": "under", "type": "nullTOP", "position": [1000, -100]},
        ],
    )
    for host, other in (("g", "below"), ("h", "under")):
        for name in ("pixel", "compute", "info"):
            assert not box(bench, f"{host}_{name}").overlaps(box(bench, other))
        assert bench.op(f"{P}/{host}_pixel").nodeX == bench.op(f"{P}/{host}").nodeX


def test_a_type_change_names_and_places_what_comes_docked_with_it(bench: Bench) -> None:
    put(bench, "nullTOP", "n", 0, 0)
    put(bench, "nullTOP", "below", 0, -110)
    answer = bench.json("update_operator", path=f"{P}/n", type="glslTOP")
    assert f"{P}/n_pixel" in answer["notes"][0]
    tiles = [box(bench, name) for name in ("n", "below", "n_pixel", "n_compute", "n_info")]
    assert not layout.crowded(tiles)


def test_copies_of_operators_that_lie_on_each_other_do_not(bench: Bench) -> None:
    for name in ("a", "b", "c"):
        put(bench, "noiseTOP", name, 0, 0)
    copies = bench.json("copy_operators", paths=[f"{P}/{name}" for name in "abc"])["copies"]
    assert not layout.crowded([layout.box(bench.op(path)) for path in copies.values()])


def test_in_a_large_network_what_the_same_call_moves_is_not_covered(bench: Bench) -> None:
    for index in range(210):
        put(bench, "nullTOP", f"null{index}", index * 200, 0)
    lowest = -90 - layout.GAP_Y
    bench.run(
        "build_network",
        path=P,
        operators=[{"name": "null200", "position": [0, lowest]}, {"name": "new", "type": "noiseTOP"}],
    )
    assert not box(bench, "new").overlaps(box(bench, "null200"))

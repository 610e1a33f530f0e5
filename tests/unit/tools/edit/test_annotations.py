"""An annotation is one operator: made one a frame, found by its path, undone with its call, never entered or counted."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench, tool

P = "/project1"
BOX = f"{P}/box"


def notes(count: int) -> list[dict[str, Any]]:
    return [{"name": f"note{i}", "title": f"T{i}", "position": [300 * i, 500]} for i in range(count)]


def there(bench: Bench, path: str = P) -> list[Any]:
    found = bench.op(path).findChildren(type=bench.td.annotateCOMP, depth=1, includeUtility=True)
    return sorted(found, key=lambda each: each.name)


def made_in_each_frame(bench: Bench, seen: list[int]) -> None:
    """Note, after each frame, how many annotations came to be in it."""
    total = [len(there(bench))]

    def count() -> None:
        now = len(there(bench))
        seen.append(now - total[0])
        total[0] = now

    bench.world.on_frame_end.append(count)


@pytest.fixture
def note(bench: Bench) -> str:
    bench.run(
        "build_network",
        path=P,
        operators=[],
        annotations=[{"name": "note", "title": "Here", "position": [0, 600]}],
    )
    return f"{P}/note"


#: A call about an annotation, and what of it there is to see in the answer.
CALLS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "inspected": ("inspect_operator", {"paths": [f"{P}/note"]}, ("annotateCOMP", "Titletext")),
    "set": ("set_parameters", {"changes": [{"path": f"{P}/note", "params": {"Bodytext": "B"}}]}, ("'Bodytext': 'B'",)),
    "renamed": ("update_operator", {"path": f"{P}/note", "name": "other"}, (f"{P}/other",)),
    "placed": ("update_operator", {"path": f"{P}/note", "position": [7, 8]}, ("[7, 8]",)),
    "deleted": ("delete_operators", {"paths": [f"{P}/note"]}, ("'count': 1",)),
    "moved": ("update_operator", {"path": f"{P}/note", "parent": BOX}, (f"{BOX}/note",)),
    "copied": ("copy_operators", {"paths": [f"{P}/note"], "parent": BOX}, (f"{BOX}/note",)),
    "copied beside itself": ("copy_operators", {"paths": [f"{P}/note"]}, (f"{P}/note1",)),
    "checked": ("check_errors", {"path": f"{P}/note"}, ("'checked': 1",)),
    "in a batch": (
        "batch",
        {"calls": [{"tool": "set_parameters", "arguments": {"changes": [{"path": f"{P}/note", "params": {"Titletext": "N"}}]}}]},
        ("'Titletext': 'N'",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CALLS)
def test_the_path_of_an_annotation_is_taken_and_the_call_is_one_undo_step(
    bench: Bench, note: str, what: str
) -> None:
    bench.make("baseCOMP", "box")
    before, depth = state(bench), len(bench.td.ui.undo.undoStack)
    name, arguments, words = CALLS[what]
    answer = bench.json(name, **arguments)
    assert all(word in str(answer) for word in words), answer
    if answer.get("undo"):
        assert len(bench.td.ui.undo.undoStack) == depth + 1
        after = state(bench)
        assert bench.json("undo")["undone"] == [answer["undo"]]
        assert state(bench) == before
        bench.run("undo", redo=True)
        assert state(bench) == after


def test_an_annotation_has_no_network_to_work_in(bench: Bench, note: str) -> None:
    inside = {"create_operator": {"parent": note, "type": "nullTOP"}, "read_network": {"path": note},
              "build_network": {"path": note, "operators": []}, "find_operators": {"path": note}}  # fmt: skip
    for name, arguments in inside.items():
        with refused(bench, Code.VALUE_INVALID) as caught:
            bench.run(name, **arguments)
        assert "is an annotation" in caught.value.message and caught.value.suggestions == [P]


@pytest.mark.parametrize("utility", [True, False])
def test_what_an_annotation_is_made_of_is_neither_listed_nor_counted(
    bench: Bench, note: str, utility: bool
) -> None:
    bench.make("baseCOMP", "box")
    bench.run("build_network", path=BOX, operators=[{"name": "a", "type": "nullTOP"}], annotations=notes(2))
    for each in [*there(bench), *there(bench, BOX)]:
        each.utility = utility
        assert each.numChildren > 0, "the stand-in puts something inside"
    listed = [row["path"] for row in bench.json("find_operators", path=P, limit=1000)["operators"]]
    assert not [path for path in listed if path.startswith((f"{note}/", f"{BOX}/note0/"))]
    assert bench.json("check_errors", path=note)["checked"] == 1
    network = bench.json("read_network", path=P, depth=9, view="full")
    assert "inside" not in {row["name"] for row in network["operators"]}
    facts = bench.json("inspect_operator", paths=[BOX])["operators"][0]
    assert "'children': 1" in str(facts)
    # The box, an operator and two annotations are four: more than go without a word. Less one, they go.
    with pytest.raises(ToolFailure) as caught:
        bench.run("delete_operators", paths=[BOX])
    assert caught.value.details["count"] == 4
    bench.run("delete_operators", paths=[f"{BOX}/note0"])
    assert bench.json("delete_operators", paths=[BOX])["count"] == 3


def test_several_annotations_are_made_one_a_frame_and_are_one_step(bench: Bench) -> None:
    depth, seen = len(bench.td.ui.undo.undoStack), []  # type: int, list[int]
    before = state(bench)
    made_in_each_frame(bench, seen)
    operators = [{"name": "n", "type": "noiseTOP"}]
    answer = bench.json("build_network", path=P, operators=operators, annotations=notes(9))
    assert len(there(bench)) == 9 and max(seen) == 1 and bench.life.risks == []
    assert [each.par.Titletext.eval() for each in there(bench)] == [f"T{i}" for i in range(9)]
    assert set(answer["changed"]) == {f"{P}/note{i}" for i in range(9)} and not answer.get("notes")
    assert len(bench.td.ui.undo.undoStack) == depth + 1
    after = state(bench)
    bench.run("undo")
    assert state(bench) == before
    seen.clear()
    bench.run("undo", redo=True)
    assert state(bench) == after and max(seen) == 1


def test_the_annotations_of_all_calls_of_a_batch_are_made_one_a_frame(bench: Bench) -> None:
    seen: list[int] = []
    made_in_each_frame(bench, seen)
    calls = [
        {"tool": "build_network", "arguments": {"path": P, "operators": [], "annotations": [each]}}
        for each in notes(3)
    ]
    before = state(bench)
    bench.run("batch", calls=calls)
    assert len(there(bench)) == 3 and max(seen) == 1
    bench.run("undo")
    assert state(bench) == before


@pytest.mark.parametrize("count", [1, 3])
def test_a_wrong_annotation_leaves_none(bench: Bench, count: int) -> None:
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run(
            "build_network",
            path=P,
            operators=[],
            annotations=[*notes(count), {"name": "x", "params": {"Nope": 1}}],
        )


def test_what_cannot_be_made_in_a_later_frame_is_told(bench: Bench) -> None:
    row = tool("build_network")
    from tdmcp_embedded.frame_queue import NEXT_FRAME
    from tdmcp_embedded.protocol import arguments
    from tdmcp_embedded.protocol.runner import run_steps

    parsed = arguments.parse(row, {"path": P, "operators": [], "annotations": notes(2)})
    steps = run_steps(bench.call(row), row, parsed)
    for signal in steps:
        if signal is NEXT_FRAME and bench.op(f"{P}/note0") is not None:
            break
    # Somebody takes the name meanwhile.
    bench.make("nullTOP", "note1")
    try:
        while True:
            if next(steps) is NEXT_FRAME:
                bench.frame()
    except StopIteration as end:
        answer = end.value.output().structured()
    assert any("note1" in each for each in answer["notes"])
    assert [each.name for each in there(bench)] == ["note0"]


def test_a_call_that_is_cancelled_leaves_no_annotation_out(bench: Bench) -> None:
    from tdmcp_embedded.protocol import arguments
    from tdmcp_embedded.protocol.runner import run_steps

    row = tool("build_network")
    steps = run_steps(
        bench.call(row), row, arguments.parse(row, {"path": P, "operators": [], "annotations": notes(4)})
    )
    for _ in steps:
        if bench.op(f"{P}/note0") is not None:
            break
    steps.close()
    bench.frame(6)
    assert len(there(bench)) == 4


#: Ways to make a box that Python could never find again.
BOXES: dict[str, tuple[str, dict[str, Any]]] = {
    "built": ("build_network", {"path": P, "operators": [], "annotations": [{"name": "b", "mode": "networkbox"}]}),
    "built by its parameter": ("build_network", {"path": P, "operators": [], "annotations": [{"name": "b", "params": {"Mode": "networkbox"}}]}),
    "created": ("create_operator", {"parent": P, "type": "annotateCOMP", "params": {"Mode": "networkbox"}}),
    "set": ("set_parameters", {"changes": [{"path": f"{P}/note", "params": {"Mode": "networkbox"}}]}),
    "set by its label": ("set_parameters", {"changes": [{"path": f"{P}/note", "params": {"Mode": "Network Box"}}]}),
    "set by its number": ("set_parameters", {"changes": [{"path": f"{P}/note", "params": {"Mode": 1}}]}),
    "set by an expression": ("set_parameters", {"changes": [{"path": f"{P}/note", "params": {"Mode": {"expr": "'networkbox'"}}}]}),
}  # fmt: skip


@pytest.mark.parametrize("how", BOXES)
def test_a_network_box_is_refused(bench: Bench, note: str, how: str) -> None:
    name, arguments = BOXES[how]
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run(name, **arguments)
    assert "found by Python again" in caught.value.message


def test_several_annotations_are_copied_one_a_frame_and_are_one_step(bench: Bench) -> None:
    bench.run("build_network", path=P, operators=[{"name": "a", "type": "nullTOP"}], annotations=notes(3))
    before, seen = state(bench), []  # type: Any, list[int]
    made_in_each_frame(bench, seen)
    paths = [f"{P}/note0", f"{P}/a", f"{P}/note1", f"{P}/note2"]
    answer = bench.json("copy_operators", paths=paths)
    assert set(answer["copies"]) == set(paths) and answer["notes"] == []
    assert max(seen) == 1 and sum(seen) == 3
    op = bench.op
    for old, new in answer["copies"].items():
        assert op(new).nodeX - op(old).nodeX == op(f"{P}/a1").nodeX - op(f"{P}/a").nodeX
        assert old.endswith("/a") or op(new).par.Titletext == op(old).par.Titletext
    bench.run("undo")
    assert state(bench) == before and op(f"{P}/a1") is None


def test_annotations_alone_are_copied_to_another_network_and_to_free_places(bench: Bench) -> None:
    bench.run("build_network", path=P, operators=[{"name": "box", "type": "baseCOMP"}], annotations=notes(2))
    paths = [f"{P}/note0", f"{P}/note1"]
    for parent in (f"{P}/box", P):
        copies = bench.json("copy_operators", paths=paths, parent=parent)["copies"]
        assert list(copies) == paths and all(new.startswith(parent) for new in copies.values())
        assert (
            len({(bench.op(path).nodeX, bench.op(path).nodeY) for path in [*copies.values(), *copies]}) >= 2
        )
        assert all(bench.op(new) is not None for new in copies.values())


# -- in a batch, and moved or collapsed with others


def calls(*rows: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"tool": tool, "arguments": arguments} for tool, arguments in rows]


def test_annotations_are_created_in_a_batch_one_a_frame_and_are_one_step(bench: Bench) -> None:
    seen: list[int] = []
    made_in_each_frame(bench, seen)
    before, depth = state(bench), len(bench.td.ui.undo.undoStack)
    make = {"parent": P, "type": "annotateCOMP"}
    answer = bench.json(
        "batch",
        calls=calls(
            ("create_operator", {**make, "params": {"Titletext": "first"}, "position": [500, 300]}),
            ("create_operator", make),
            ("create_operator", {"parent": P, "type": "noiseTOP", "name": "n"}),
            (
                "build_network",
                {"path": P, "operators": [], "annotations": [{"name": "built", "title": "third"}]},
            ),
            ("create_operator", {**make, "name": "named"}),
            ("create_operator", {"parent": P, "type": "levelTOP", "name": "l", "inputs": ["n"]}),
        ),
    )
    assert answer["problems"] == [] and len(bench.td.ui.undo.undoStack) == depth + 1
    results = [each["result"] for each in answer["results"]]
    paths = [results[index]["path"] for index in (0, 1, 4)]
    assert paths == [f"{P}/annotate1", f"{P}/annotate2", f"{P}/named"]
    assert len(there(bench)) == 4 and max(seen) == 1 and bench.life.risks == []
    assert (results[0]["position"], results[0]["params"]) == ([500, 300], {"Titletext": "first"})
    assert bench.op(paths[0]).par.Titletext == "first" and bench.op(paths[0]).utility
    after = state(bench)
    bench.run("undo")
    assert state(bench) == before
    bench.run("undo", redo=True)
    bench.frame(6)
    assert state(bench) == after and bench.life.risks == []


#: A batch that is refused for its annotation: (the arguments of create_operator, the code).
_WRONG = {
    "parameter": ({"params": {"Nope": 1}}, Code.PARAMETER_NOT_FOUND),
    "name": ({"name": "a b"}, Code.VALUE_INVALID),
    "a name that is taken": ({"name": "n"}, Code.NAME_TAKEN),
    "a name that an earlier call takes": ({"name": "early"}, Code.NAME_TAKEN),
    "inputs": ({"inputs": ["n"]}, Code.VALUE_INVALID),
    "a network box": ({"params": {"Mode": "networkbox"}}, Code.VALUE_INVALID),
}


@pytest.mark.parametrize("case", _WRONG)
def test_a_wrong_annotation_in_a_batch_is_refused_with_all_of_it(bench: Bench, case: str) -> None:
    given, code = _WRONG[case]
    bench.make("noiseTOP", "n")
    with refused(bench, code):
        bench.run(
            "batch",
            calls=calls(
                ("create_operator", {"parent": P, "type": "annotateCOMP", "name": "early"}),
                ("create_operator", {"parent": P, "type": "annotateCOMP", **given}),
            ),
        )
    bench.frame(4)
    assert there(bench) == []


@pytest.mark.parametrize("how", ["parent", "collapse"])
def test_several_operators_with_annotations_among_them_move_one_a_frame(bench: Bench, how: str) -> None:
    bench.make("baseCOMP", "box")
    bench.run(
        "build_network",
        path=P,
        operators=[{"name": "a", "type": "noiseTOP"}, {"name": "b", "type": "nullTOP", "inputs": ["a"]}],
        annotations=notes(3),
    )
    bench.op(f"{P}/note1").par.Titletext = "kept"
    places = {each.name: (each.nodeX, each.nodeY) for each in there(bench)}
    apart = bench.op(f"{P}/note1").nodeX - bench.op(f"{P}/a").nodeX
    before, seen, depth = state(bench), [], len(bench.td.ui.undo.undoStack)  # type: Any, list[int], int
    made_in_each_frame(bench, seen)
    names = ("a", "note0", "b", "note1", "note2")
    into = {"parent": f"{P}/box"} if how == "parent" else {"collapse": "crate"}
    answer = bench.json("update_operator", paths=[f"{P}/{name}" for name in names], **into)
    home = f"{P}/{'box' if how == 'parent' else 'crate'}"
    assert answer["moved"] == {f"{P}/{name}": f"{home}/{name}" for name in names}
    assert there(bench) == [] and [each.name for each in there(bench, home)] == sorted(places)
    assert bench.life.risks == [] and len(bench.td.ui.undo.undoStack) == depth + 1
    assert [each.name for each in bench.op(f"{home}/b").inputs] == ["a"]
    assert bench.op(f"{home}/note1").par.Titletext == "kept"
    assert bench.op(f"{home}/note1").nodeX - bench.op(f"{home}/a").nodeX == apart
    after = state(bench)
    bench.run("undo")
    bench.frame(6)
    assert state(bench) == before
    bench.run("undo", redo=True)
    bench.frame(6)
    assert state(bench) == after


def test_annotations_alone_move_and_keep_their_places(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.run("build_network", path=P, operators=[], annotations=notes(2))
    places = [(each.nodeX, each.nodeY) for each in there(bench)]
    bench.run("update_operator", paths=[f"{P}/note0", f"{P}/note1"], parent=BOX, color=[1, 0, 0])
    assert [(each.nodeX, each.nodeY) for each in there(bench, BOX)] == places and there(bench) == []


def test_what_is_not_done_to_moved_annotations_is_told(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.run("build_network", path=P, operators=[], annotations=notes(2))
    answer = bench.json("update_operator", paths=[f"{P}/note0", f"{P}/note1"], parent=BOX, comment="x")
    assert answer["notes"] == [f"comment not set on {BOX}/note0, {BOX}/note1: set it in another call"]


def test_single_annotations_are_moved_and_copied_by_the_calls_of_a_batch_one_a_frame(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.run("build_network", path=P, operators=[], annotations=notes(4))
    before, seen = state(bench), []  # type: Any, list[int]
    made_in_each_frame(bench, seen)
    bench.run(
        "batch",
        calls=calls(
            ("update_operator", {"paths": [f"{P}/note0"], "parent": BOX}),
            ("update_operator", {"paths": [f"{P}/note1"], "parent": BOX}),
            ("copy_operators", {"paths": [f"{P}/note2"]}),
            ("copy_operators", {"paths": [f"{P}/note3"], "parent": BOX}),
        ),
    )
    assert [each.name for each in there(bench, BOX)] == ["note0", "note1", "note3"]
    assert [each.name for each in there(bench)] == ["note2", "note3", "note4"]
    assert bench.life.risks == []
    bench.run("undo")
    bench.frame(6)
    assert state(bench) == before


def test_an_annotation_moved_by_path_in_a_batch_is_told_how(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.run("build_network", path=P, operators=[], annotations=notes(1))
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run("batch", calls=calls(("update_operator", {"path": f"{P}/note0", "parent": BOX})))
    assert f'paths: ["{P}/note0"]' in caught.value.hint

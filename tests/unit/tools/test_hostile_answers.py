"""Projects in which something is far larger than anyone thought, and in no plain ASCII: default answers stay small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.harness import Bench

P = "/project1"
#: Three or four bytes a character.
WORDS = "音響🎛️ö"
LONG = WORDS * 60


@pytest.fixture(scope="module")
def hostile() -> Iterator[Bench]:
    bench = Bench()
    try:
        flat = bench.world.node(bench.make("baseCOMP", "flat").path)
        assert flat is not None
        for index in range(300):
            made = bench.world.create(flat, "nullTOP", f"operator_{index}", quiet=True)
            made.comment = LONG
        broken = bench.make("baseCOMP", "broken")
        for index in range(300):
            made = bench.make("nullTOP", f"bad{index}", parent=broken.path)
            made.par.resolutionw.expr = f"undefined_{index}_{'x' * 400}"
        controls = bench.make("baseCOMP", "controls")
        page = controls.appendCustomPage(f"Seite {WORDS}")
        for index in range(200):
            [par] = page.appendStr(f"P{'abcdefghij'[index % 10]}{index}", label=LONG)
            par.val = LONG * 4
        [menu] = page.appendMenu("Zmenu")
        menu.menuNames = [f"word_{index}_{'z' * 90}" for index in range(2000)]
        deep = bench.op(P)
        for _ in range(60):
            deep = bench.make("baseCOMP", f"deep_{'n' * 30}", parent=deep.path)
            deep.comment = LONG
        composite = bench.make("compositeTOP", "composite")
        for index in range(200):
            source = bench.make("constantTOP", f"in_{'w' * 60}_{index}")
            composite.inputConnectors[min(index, len(composite.inputConnectors) - 1)].connect(source)
        notes = bench.make("baseCOMP", "notes")
        for index in range(300):
            note = notes.create("annotateCOMP", f"note{index}")
            note.utility = True
            note.par.Titletext, note.par.Bodytext = LONG, f"{LONG}\n" * 20
        for name, text in (
            ("table", "\n".join("\t".join([LONG] * 40) for _ in range(200))),
            ("wide", "\n".join("\t".join(f"cell{column}" for column in range(4000)) for _ in range(3))),
            ("cell", "c" * 300_000),
        ):
            bench.make("tableDAT", name).text = text
        for name, text in (
            ("text", f"{LONG}\n" * 300),
            ("line", WORDS * 40_000),
            ("control", "\x01\t" * 9000),
        ):
            bench.make("textDAT", name).text = text
        bench.make("nullTOP", "tagged").tags = [f"{WORDS}{index}{'t' * 100}" for index in range(1000)]
        bench.frame(2)
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


def total(bench: Bench, name: str, given: dict[str, Any]) -> int:
    """Bytes of structured content and text together; of a refusal its text."""
    try:
        answer = bench.run(name, **given)
    except ToolFailure as refusal:
        return len(refusal.text().encode()) + len(json.dumps(refusal.structured()).encode())
    structured = json.dumps(answer.structured(), ensure_ascii=False)
    return len(structured.encode()) + len(answer.text().encode())


DEEP = f"{P}/deep_{'n' * 30}"
PLACES = [
    "/",
    P,
    DEEP,
    *(f"{P}/{name}" for name in ("flat", "broken", "controls", "notes", "composite", "tagged")),
]
DATS = [f"{P}/{name}" for name in ("table", "wide", "cell", "text", "line", "control")]
LOOKS: list[tuple[str, dict[str, Any]]] = [
    *[("inspect_operator", {"paths": [path]}) for path in PLACES + DATS],
    *[("read_network", {"path": path, "view": view}) for path in PLACES[:7] for view in ("full", "outline", "mermaid")],
    *[("read_network", {"path": DEEP, "depth": 100, "view": view}) for view in ("full", "outline", "mermaid")],
    *[("read_network", {"path": P, "depth": 100})],
    *[("read_data", {"path": path}) for path in DATS],
    *[("check_errors", {"path": path}) for path in PLACES],
    *[("compare_network", {"path": path, "with": f"{P}/flat"}) for path in PLACES[2:7]],
    ("find_operators", {"fields": ["type", "comment", "tags", "inputs", "outputs", "problems"]}),
    ("find_operators", {"param": "P*", "value": WORDS}),
    ("find_operators", {"name": "composite", "fields": ["inputs"]}),
    ("watch_values", {"watch": [{"path": f"{P}/controls", "param": f"P{'abcdefghij'[i % 10]}{i}"} for i in range(30)], "frames": 2}),
    ("inspect_operator", {"paths": [f"{P}/broken/bad{index}" for index in range(20)]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), LOOKS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(LOOKS)])
def test_a_default_look_at_anything_is_below_20_kb(hostile: Bench, name: str, given: dict[str, Any]) -> None:
    assert total(hostile, name, given) < 20_000


MANY = [f"{P}/flat/operator_{index}" for index in range(200)]
EDITS: list[tuple[str, dict[str, Any]]] = [
    ("set_parameters", {"changes": [{"path": f"{P}/controls", "params": {f"P{'abcdefghij'[i % 10]}{i}": LONG * 9 for i in range(200)}}]}),
    ("set_parameters", {"changes": [{"path": path, "params": {LONG * 9: 1}} for path in MANY]}),
    ("set_parameters", {"changes": [{"path": path, "params": {"outputresolution": LONG * 9}} for path in MANY]}),
    ("build_network", {"path": f"{P}/notes", "operators": [{"name": f"b{i}", "type": "textDAT", "text": LONG, "comment": LONG} for i in range(100)]}),
    ("update_operator", {"path": f"{P}/composite", "comment": LONG * 9, "tags": [f"{LONG}{i}" for i in range(500)]}),
    ("create_operator", {"parent": P, "type": "textDAT", "params": {"file": LONG * 9}}),
    ("import_component", {"parent": P, "file": LONG * 99}),
    ("execute_python", {"code": f"import sys\nprint({WORDS!r} * 9999)\nprint({WORDS!r} * 9999, file=sys.stderr)\n[{WORDS!r} * 9999] * 9"}),
    ("execute_python", {"code": "print('x' * 9999)\n[op('/project1').create('nullTOP', 'n' * 100 + str(i)) for i in range(300)]"}),
    ("execute_python", {"code": "print('x' * 9999)\n{i: 'y' * 2000 for i in range(9)}"}),
    ("batch", {"calls": [{"tool": "set_parameters", "arguments": {"changes": [{"path": f"{P}/controls", "params": {f"P{'abcdefghij'[i % 10]}{i}": f"{LONG}{k}" for i in range(99)}}]}} for k in range(20)]}),
    ("batch", {"calls": [{"tool": "create_operator", "arguments": {"parent": f"{P}/flat", "type": "nullTOP", "params": {"resolutionw": {"expr": f"none_{k}_{'q' * 300}"}}}} for k in range(50)]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), EDITS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(EDITS)])
def test_an_edit_and_a_refusal_of_one_answer_in_few_words(
    hostile: Bench, name: str, given: dict[str, Any]
) -> None:
    assert total(hostile, name, given) < 20_000


def test_what_is_too_long_for_a_table_is_named_and_can_be_had(hostile: Bench) -> None:
    wide = hostile.run("read_data", path=f"{P}/wide")
    columns = len((wide.structured()["table"])[0])
    assert wide.structured()["columns_left_out"] == 4000 - columns
    assert f"columns_left_out: {4000 - columns}" in wide.text()
    [row] = hostile.json("read_data", path=f"{P}/cell")["table"]
    assert row[0].endswith("(300000 characters)")


def test_an_annotation_that_was_cut_is_built_again_as_it_is(hostile: Bench) -> None:
    read = hostile.json("read_network", path=f"{P}/notes")
    note = read["annotations"][0]
    assert "text" not in note and note["left_out"][0].startswith("text of ")
    assert note["left_out"][0] in hostile.run("read_network", path=f"{P}/notes").text()
    answer = hostile.json("build_network", path=f"{P}/notes", operators=[], annotations=read["annotations"])
    assert (answer["changed"], answer["undo"]) == ([], "")
    assert hostile.json("compare_network", path=f"{P}/notes", **{"with": read})["total"] >= 0
    compared = hostile.json("compare_network", path=f"{P}/notes", **{"with": read}, limit=1000)
    assert {row["kind"] for row in compared["differences"]} <= {"added"}

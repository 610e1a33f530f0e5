"""Whatever the project, a default answer is small; and an edit that is done never fails for the length of its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.tools.harness import Bench

P = "/project1"
MANY = f"{P}/many"
LONG = "n" * 180


@pytest.fixture(scope="module")
def vast(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Everything that is large: a network of 2000 operators, a table, a text, a nest, names, tags, expressions, pages."""
    bench = Bench()
    try:
        many = bench.world.node(bench.make("baseCOMP", "many").path)
        assert many is not None
        for index in range(2000):
            made = bench.world.create(
                many, "nullTOP", f"an_operator_with_quite_a_long_name_{index}", quiet=True
            )
            made.comment = "c" * 300
        table = bench.make("tableDAT", "table")
        table.text = "\n".join(f"{index}\tcell cell cell\tö" for index in range(20_000))
        bench.make("textDAT", "text").text = "y" * 500_000
        deep = bench.op(P)
        for _ in range(40):
            deep = bench.make("baseCOMP", "level", parent=deep.path)
        named = bench.make("baseCOMP", LONG)
        named.comment = "c" * 50_000
        named.tags = [f"tag{index}" for index in range(2000)]
        for index in range(20):
            made = bench.make("nullTOP", f"{LONG}{index}", parent=named.path)
            made.par.resolutionw.expr = "+".join(["absTime.frame"] * 400)
        pages = bench.make("baseCOMP", "pages")
        for number in range(10):
            page = pages.appendCustomPage(f"Page{number}")
            for index in range(30):
                page.appendStr(f"P{chr(97 + number)}x{index}")
        for par in pages.customPars:
            par.val = "v" * 500
        broken = bench.make("baseCOMP", "broken")
        for index in range(60):
            made = bench.make("nullTOP", f"e{index}", parent=broken.path)
            made.par.resolutionw.expr = f"missing_{index}_{'z' * 100}"
        bench.frame(2)
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


READS: list[tuple[str, dict[str, Any]]] = [
    ("find_operators", {}),
    ("find_operators", {"path": MANY, "fields": ["name", "type", "tags", "flags", "comment", "inputs", "size", "cook"]}),
    ("find_operators", {"name": LONG, "fields": ["tags", "comment"]}),
    ("find_operators", {"param": "resolutionw", "value": "absTime"}),
    ("find_operators", {"path": f"{P}/broken", "fields": ["problems"]}),
    *[
        ("read_network", {"path": path, "view": view, "depth": depth})
        for path, depth in ((MANY, 1), (P, 1), (P, 50), (f"{P}/{LONG}", 1), (f"{P}/pages", 1))
        for view in ("full", "outline", "mermaid")
    ],
    ("read_data", {"path": f"{P}/table"}),
    ("read_data", {"path": f"{P}/text"}),
    ("inspect_operator", {"paths": [f"{P}/pages", f"{P}/{LONG}", MANY, P, f"{P}/table"]}),
    ("inspect_operator", {"paths": [f"{P}/{LONG}/{LONG}{index}" for index in range(20)]}),
    ("check_errors", {}),
    ("compare_network", {"path": MANY, "with": f"{P}/pages"}),
    ("compare_network", {"path": P, "with": "/local"}),
    ("execute_python", {"code": "print('x' * 100_000)\nlist(range(100_000))"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), READS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(READS)])
def test_a_default_answer_about_anything_is_below_20_kb(
    vast: Bench, name: str, given: dict[str, Any]
) -> None:
    assert total(vast, name, given) < 20_000


def total(bench: Bench, name: str, given: dict[str, Any]) -> int:
    """Bytes of structured content and text together."""
    answer = bench.run(name, **given)
    structured = json.dumps(answer.structured(), ensure_ascii=False)
    return len(structured.encode()) + len(answer.text().encode())


@pytest.mark.parametrize("path", [MANY, P, f"{P}/{LONG}"])
@pytest.mark.parametrize("name", ["find_operators", "read_network"])
def test_pages_of_anything_add_up_to_the_whole(vast: Bench, name: str, path: str) -> None:
    given: dict[str, Any] = {"path": path, "limit": 700}
    seen: list[str] = []
    while True:
        page = vast.json(name, **given)
        rows = [row.get("path") or row["name"] for row in page["operators"]]
        assert page["returned"] == len(rows) > 0
        seen += rows
        if "next_cursor" not in page:
            break
        given["cursor"] = page["next_cursor"]
    assert len(seen) == len(set(seen)) == page["total"]


def siblings(bench: Bench, count: int) -> list[str]:
    return [str(op.path) for op in bench.op(MANY).children[:count]]


def test_edits_of_hundreds_answer_briefly_and_say_what_they_do_not_show(vast: Bench) -> None:
    paths = siblings(vast, 300)
    vast.make("baseCOMP", "goal")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("set_parameters", {"changes": [{"path": path, "params": {"resolutionw": 64}} for path in paths]}),
        (
            "set_parameters",
            {"changes": [{"path": f"{P}/pages", "params": {f"Pax{i}": "w" * 50_000 for i in range(30)}}]},
        ),
        ("wire_operators", {"connect": [{"from": paths[0], "to": path} for path in paths[1:]]}),
        ("copy_operators", {"paths": paths, "parent": f"{P}/goal"}),
        ("delete_operators", {"paths": paths, "confirm": True}),
    ]
    for name, given in calls:
        answer = vast.run(name, **given)
        structured = answer.structured()
        size = len(json.dumps(structured, ensure_ascii=False)) + len(answer.text())
        assert size < 20_000, (name, size)
        assert structured["undo"], name
        if name != "delete_operators":
            assert structured["left_out"], name
            assert structured["left_out"][0] in answer.text()


def test_what_differs_from_what_was_asked_is_shown_before_what_does_not(vast: Bench) -> None:
    changes = [{"path": path, "params": {"resolutonw": 3}} for path in siblings(vast, 200)]
    changes.append({"path": f"{P}/{LONG}/{LONG}0", "params": {"resolutionh": 5}})
    answer = vast.json("set_parameters", changes=changes, partial=True)
    assert [row["path"] for row in answer["operators"]] == [f"{P}/{LONG}/{LONG}0"]
    assert answer["refused"][0]["suggestions"] and any("refused" in each for each in answer["left_out"])


def test_a_bounded_reading_built_exactly_keeps_what_it_did_not_carry(vast: Bench) -> None:
    read = vast.json("read_network", path=P)
    row = next(row for row in read["operators"] if row["name"] == LONG)
    assert "comment" not in row and "tags" not in row
    vast.run("build_network", path=P, operators=read["operators"], exact=True, confirm=True)
    assert len(vast.op(f"{P}/{LONG}").comment) == 50_000 and len(vast.op(f"{P}/{LONG}").tags) == 2000
    assert vast.op(f"{P}/pages").par.Pax29.val == "w" * 50_000
    assert vast.json("compare_network", path=P, depth=1, **{"with": read})["equal"]

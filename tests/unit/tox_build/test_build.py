"""A build gives the same bytes every time, replaces the former one, and carries the sources unchanged."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pytest

from td_component import model
from td_component.description import TDMCP
from tox_build import bootstrap, docs
from tox_build.build import build
from tox_build.expanded import write_expanded

ROOT = Path(__file__).parents[3]


def test_two_builds_in_different_places_are_the_same(tmp_path):
    one, two = build(tmp_path / "one"), build(tmp_path / "another place")
    assert one.sha256 == two.sha256
    assert one.toc.read_bytes() == two.toc.read_bytes()


def test_nothing_of_a_former_build_stays(tmp_path):
    toc = write_expanded(tmp_path)
    stale = toc.with_suffix(".dir") / "tdmcp" / "old.n"
    stale.write_bytes(b"DAT:text\nend\n")
    packed = tmp_path / "tdmcp.tox"
    packed.write_bytes(b"made of the former one")
    build(tmp_path)
    assert not stale.exists() and not packed.exists()


def test_the_table_of_contents_lists_every_file_and_no_other(tmp_path):
    toc = write_expanded(tmp_path)
    head, *listed, last = toc.read_text(encoding="utf-8").split("\n")
    folder = toc.with_suffix(".dir")
    assert (head, last) == ("# 4 0 0 0 1", "")
    assert set(listed) == {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert listed[:4] == [".build", "tdmcp.n", "tdmcp.cparm", "tdmcp.parm"]


def test_a_description_that_cannot_load_writes_nothing(tmp_path):
    shadowing = model.Component(
        "tdmcp", "", (0, 0, 0), "", TDMCP.pages, (model.Dat("json", "textDAT", 0, 0, script="bootstrap.py"),)
    )
    with pytest.raises(ValueError, match="shadow"):
        write_expanded(tmp_path, shadowing)
    assert list(tmp_path.iterdir()) == []


def test_the_report_says_what_was_made_and_where(tmp_path):
    report = build(tmp_path)
    assert report.toc.is_file() and report.bootstrap.is_file()
    assert report.files == 2 + sum(p.is_file() for p in report.folder.rglob("*"))
    assert str(report.toc) in report.text() and str(report.bootstrap) in report.text()


def test_the_bootstrap_script_is_python_and_carries_the_whole_description():
    text = bootstrap.script()
    ast.parse(text)
    carried = json.loads(re.search(r"json\.loads\(r'''(.*?)'''\)", text, re.DOTALL)[1])
    assert [dat["text"] for dat in carried["dats"]] == [dat.text() for dat in TDMCP.dats]
    assert [p["name"] for page in carried["pages"] for p in page["parameters"]] == [
        p.name for p in TDMCP.custom()
    ]


def test_the_parameter_page_of_the_docs_is_the_one_the_description_gives():
    made = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    assert made == docs.reference(), "run: python -m tox_build --reference docs/parameters.md"


class WindowsPath(PureWindowsPath):
    """A path of Windows, on any system."""

    def resolve(self):
        return self


def test_the_line_to_paste_has_forward_slashes_on_windows_too(tmp_path):
    report = replace(build(tmp_path), bootstrap=WindowsPath(r"C:\Users\new\tdmcp\bootstrap.py"))
    line = report.text().splitlines()[-1].strip()
    # A backslash would have to be written twice: `\n` of `C:\new` is a line break.
    assert line == "exec(open('C:/Users/new/tdmcp/bootstrap.py', encoding='utf-8').read())"


def test_the_line_to_paste_is_python_that_opens_the_script(tmp_path):
    report = build(tmp_path / "a folder with it's own name")
    line = ast.parse(report.text().splitlines()[-1].strip(), mode="eval")
    (opened,) = [
        node.args[0]
        for node in ast.walk(line)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"
    ]
    assert Path(ast.literal_eval(opened)).samefile(report.bootstrap)

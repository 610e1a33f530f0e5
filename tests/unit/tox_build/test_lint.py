"""The lint finds what would not load, or not everywhere, before anything is written."""

import pytest

from tox_build import contents, lint
from tox_build.expanded import files


def broken(**changes):
    made = files()
    for path, data in changes.items():
        made[path] = data
    return made


def test_the_component_itself_is_clean():
    assert lint.findings(files()) == []


@pytest.mark.parametrize(
    ("path", "data", "sentence"),
    [
        ("tdmcp/tdmcp.n", contents.node("textDAT", (0, 0, 1, 1)), "letter case"),
        ("tdmcp/json.n", contents.node("textDAT", (0, 0, 1, 1)), "shadow"),
        ("tdmcp/a.text", contents.text("x"), "out of order"),
        ("other/a.n", contents.node("textDAT", (0, 0, 1, 1)), "before its parent"),
        ("tdmcp/a.png", b"", "no part of an operator"),
        ("tdmcp/bootstrap.text", contents.text("def f(:\n"), "line 1"),
        ("tdmcp.n", b"COMP:base\r\nend\r\n", "line feed"),
        ("tdmcp.n", b"COMP:base\n", "must end with 'end'"),
        ("tdmcp.parm", b"ext0name 0 Tdmcp\n", "between two"),
        ("tdmcp.parm", b'?\next0name 0 "Tdmcp\n?\n', "quotes"),
        ("tdmcp.cparm", b"?\npages 1 A\n1 lower x\n?\n", "no custom name"),
        ("tdmcp.cparm", b"?\npages 1 A\n1 Twice x\n1 Twice x\n?\n", "twice"),
    ],
)
def test_a_fault_is_found_and_named(path, data, sentence):
    found = lint.findings(broken(**{path: data}))
    assert any(sentence in finding for finding in found), found
    with pytest.raises(lint.LintError):
        lint.check(broken(**{path: data}))


def test_a_missing_build_stamp_is_found():
    made = files()
    del made[".build"]
    assert "toecollapse" in lint.findings(made)[0]


def test_a_path_of_the_building_machine_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    made = broken(**{"tdmcp/bootstrap.text": contents.text(f"HERE = {str(tmp_path / 'x')!r}")})
    assert any("machine" in finding for finding in lint.findings(made))

"""New operators look as those that a person makes in the editor, and flags that exclude each other are kept in step."""

from __future__ import annotations

from typing import Any

import pytest

from fakes.op_looks import Placed
from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.harness import Bench


def test_a_new_operator_shows_its_viewer_and_a_component_does_not(bench: Bench) -> None:
    bench.run("create_operator", parent="/project1", type="glslTOP", name="g")
    bench.run("create_operator", parent="/project1", type="baseCOMP", name="b")
    bench.run(
        "build_network",
        path="/project1/b",
        operators=[
            {"name": "c", "type": "constantCHOP"},
            {"name": "quiet", "type": "nullCHOP", "flags": {"viewer": False}},
            {"name": "inner", "type": "containerCOMP"},
        ],
    )
    found = {o.name: o.viewer for p in ("/project1", "/project1/b") for o in bench.op(p).children}
    assert found == {
        "tdmcp": False, "g": True, "g_pixel": True, "g_compute": True, "g_info": True, "b": False,
        "c": True, "quiet": False, "inner": False,
    }  # fmt: skip


def test_a_copy_and_a_retyped_operator_keep_their_viewer(bench: Bench) -> None:
    bench.make("noiseTOP", "off")
    bench.run("create_operator", parent="/project1", type="noiseTOP", name="on")
    bench.run("copy_operators", paths=["/project1/off", "/project1/on"])
    assert (bench.op("/project1/off1").viewer, bench.op("/project1/on1").viewer) == (False, True)
    for name, viewer in (("off", False), ("on", True)):
        bench.run("update_operator", path=f"/project1/{name}", type="rampTOP")
        assert bench.op(f"/project1/{name}").viewer is viewer


def test_displaying_a_sop_takes_the_flag_off_the_other_and_undo_gives_it_back(bench: Bench) -> None:
    box, grid = bench.make("boxSOP", "box"), bench.make("gridSOP", "grid")
    box.display = True
    bench.run("update_operator", path="/project1/grid", flags={"display": True})
    assert (box.display, grid.display) == (False, True)
    bench.run("undo")
    assert (bench.op("/project1/box").display, bench.op("/project1/grid").display) == (True, False)


def test_a_failed_edit_gives_the_display_flag_back(bench: Bench) -> None:
    box, grid = bench.make("boxSOP", "box"), bench.make("gridSOP", "grid")
    box.display = True
    with pytest.raises(ToolFailure):
        bench.run(
            "build_network",
            path="/project1",
            operators=[
                {"name": "grid", "flags": {"display": True}},
                {"name": "box", "flags": {"nosuch": True}},
            ],
        )
    assert (box.display, grid.display) == (True, False)


def test_wires_to_a_component_find_the_connectors_of_what_was_just_made_in_it(bench: Bench) -> None:
    box = {
        "name": "box",
        "type": "baseCOMP",
        "inputs": ["noise"],
        "children": [
            {"name": "in1", "type": "inTOP"},
            {"name": "out1", "type": "outTOP", "inputs": ["in1"]},
        ],
    }
    last = {"name": "last", "type": "nullTOP", "inputs": [{"from": "box", "output": 0}]}
    bench.run("build_network", path="/project1", operators=[{"name": "noise", "type": "noiseTOP"}, box, last])
    assert [o.name for o in bench.op("/project1/box").inputs] == ["noise"]
    assert [o.name for o in bench.op("/project1/last").inputs] == ["box"]


def overwriting(answer: dict[str, Any]) -> list[str]:
    return [
        p["message"] for p in answer["problems"] if "overwrites" in p["message"] or "external" in p["message"]
    ]


@pytest.mark.parametrize(
    ("clone", "enabled", "immune", "said"),
    [("/project1/master", True, False, 1), ("/project1/copy", True, False, 0), ("", True, False, 0),
     ("/project1/master", False, False, 0), ("/project1/master", True, True, 0)],
)  # fmt: skip
def test_an_edit_in_a_clone_says_that_it_will_be_overwritten(
    bench: Bench, clone: str, enabled: bool, immune: bool, said: int
) -> None:
    bench.make("baseCOMP", "master")
    copy = bench.make("baseCOMP", "copy")
    for name in ("a", "b"):
        bench.make("noiseTOP", name, parent=copy.path).cloneImmune = immune
    # What a clone does is not faked; that one is a clone is said by its parameters.
    copy._node.par("clone").value = clone
    copy.par.enablecloning = enabled
    changes = [{"path": f"/project1/copy/{name}", "params": {"period": 2}} for name in ("a", "b")]
    assert len(overwriting(bench.json("set_parameters", changes=changes))) == said
    assert len(overwriting(bench.json("update_operator", path="/project1/copy/a", comment="x"))) == said
    assert len(overwriting(bench.json("delete_operators", paths=["/project1/copy/b"]))) == said
    # Its own parameters stay.
    own = bench.json(
        "set_parameters", changes=[{"path": "/project1/copy", "params": {"parentshortcut": "C"}}]
    )
    assert overwriting(own) == []


@pytest.mark.parametrize("enabled", [True, False])
def test_an_edit_in_what_an_external_tox_brings_says_so(bench: Bench, enabled: bool) -> None:
    comp = bench.make("baseCOMP", "loaded")
    comp.par.externaltox, comp.par.enableexternaltox = "parts/loaded.tox", enabled
    made = bench.json("create_operator", parent="/project1/loaded", type="noiseTOP")
    assert [("parts/loaded.tox" in line) for line in overwriting(made)] == [True] * enabled


@pytest.mark.parametrize("edited", ["made", "made/inner", "made_top"])
def test_an_edit_in_what_a_replicator_made_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    replicator = bench.make("replicatorCOMP", "replicator")
    bench.make("baseCOMP", "made")
    bench.make("noiseTOP", "inner", parent="/project1/made")
    bench.make("noiseTOP", "made_top")
    bench.make("noiseTOP", "own")

    # What a replicator does is not faked; that it made an operator is said by the operator.
    def made_by(operator: Any) -> Any:
        return replicator if operator.name in ("made", "made_top") else None

    monkeypatch.setattr(Placed, "replicator", property(made_by))
    # The one beside it, which nothing overwrites, hides nothing.
    paths = ["/project1/own", f"/project1/{edited}"]
    for path, said in zip(paths, (0, 1), strict=True):
        assert len(overwriting(bench.json("update_operator", path=path, comment="x"))) == said
    assert len(overwriting(bench.json("update_operator", paths=paths, comment="y"))) == 1


def test_what_overwrites_the_second_of_a_call_is_said_too(bench: Bench) -> None:
    bench.make("baseCOMP", "own")
    loaded = bench.make("baseCOMP", "loaded")
    loaded.par.externaltox, loaded.par.enableexternaltox = "parts/loaded.tox", True
    answer = bench.json("update_operator", paths=["/project1/own", "/project1/loaded"], comment="x")
    assert len(overwriting(answer)) == 1

"""What names an operator that is deleted, renamed or moved is named in the answer: parameters, expressions, scripts."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.touchdesigner import census
from tests.unit.tools.harness import Bench

#: (where, text, what the answer says of it), in a network that has `n` and a box with `inner` in it.
_PARAMETERS = [
    ("selectTOP", "top", "n"),
    ("selectTOP", "top", "/project1/n"),
    ("renderTOP", "geometry", "geo1 n"),
]
_EXPRESSIONS = [
    "op('n').par.period",
    'op("/project1/n").par.period',
    "op('../n').par.period",
    "parent().op('n').par.period",
    "me.parent().op('/project1/n').width",
    "op('missing') or op('n').width",
]
_OTHERS = ["op('m').par.period", "op('*')", "len('n')", "op('nn')", "'n'", "parent().par.n"]
_SCRIPTS = {
    "x = op('n').width": "x = op('n').width",
    "def f():\n    return opex('/project1/n')": "return opex('/project1/n')",
    "import n": "import n",
    "from n import thing": "from n import thing",
    "mod.n.run()": "mod.n.run()",
}


def lost(answer: dict[str, Any]) -> list[str]:
    return answer.get("broken_references") or []


@pytest.mark.parametrize(("kind", "parameter", "text"), _PARAMETERS)
def test_parameters_that_name_it(bench: Bench, kind: str, parameter: str, text: str) -> None:
    bench.make("noiseTOP", "n")
    bench.make(kind, "speaker", **{parameter: text})
    assert lost(bench.json("delete_operators", paths=["/project1/n"])) == [
        f"/project1/speaker {parameter}: {text}"
    ]


def test_a_custom_parameter_whose_default_names_it(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    par = bench.make("baseCOMP", "speaker").appendCustomPage("Own").appendOP("Target")[0]
    par.default = par.val = "n"
    assert lost(bench.json("delete_operators", paths=["/project1/n"])) == ["/project1/speaker Target: n"]


@pytest.mark.parametrize("code", _EXPRESSIONS)
def test_expressions_that_name_it(bench: Bench, code: str) -> None:
    bench.make("noiseTOP", "n")
    bench.make("constantCHOP", "speaker").par.const0value.expr = code
    answer = bench.json("update_operator", path="/project1/n", name="other")
    assert lost(answer) == [f"/project1/speaker const0value: {code}"]


@pytest.mark.parametrize("code", _OTHERS)
def test_expressions_that_name_something_else(bench: Bench, code: str) -> None:
    bench.make("noiseTOP", "n")
    bench.make("noiseTOP", "m")
    bench.make("constantCHOP", "speaker").par.const0value.expr = code
    assert lost(bench.json("delete_operators", paths=["/project1/n"])) == []


@pytest.mark.parametrize("text", _SCRIPTS)
def test_lines_of_scripts_that_name_it(bench: Bench, text: str) -> None:
    bench.make("textDAT", "n")
    bench.make("textDAT", "script").text = f"# first\n{text}\n"
    said = _SCRIPTS[text]
    number = 2 + text.splitlines().index(next(line for line in text.splitlines() if said in line))
    assert lost(bench.json("update_operator", path="/project1/n", name="m")) == [
        f"/project1/script line {number}: {said}"
    ]


def test_what_names_something_inside_it_is_named_too(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.make("noiseTOP", "inner", parent="/project1/box")
    bench.make("selectTOP", "speaker", top="box/inner")
    assert lost(bench.json("update_operator", path="/project1/box", name="crate")) == [
        "/project1/speaker top: box/inner"
    ]


def test_a_moved_component_that_names_what_it_never_held_breaks_nothing(bench: Bench) -> None:
    bench.make("baseCOMP", "home")
    bench.make("containerCOMP", "box")
    answer = bench.json("update_operator", path="/project1/box", parent="/project1/home")
    assert lost(answer) == []


def test_a_moved_operator_loses_its_own_relative_references(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("baseCOMP", "box")
    bench.make("selectTOP", "s", top="n").par.resolutionw.expr = "op('n').par.period"
    bench.make("selectTOP", "speaker", top="s")
    answer = bench.json("update_operator", path="/project1/s", parent="/project1/box")
    assert sorted(lost(answer)) == [
        "/project1/box/s resolutionw: op('n').par.period",
        "/project1/box/s top: n",
        "/project1/speaker top: s",
    ]


def test_a_name_that_is_taken_again_breaks_nothing(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("selectTOP", "speaker", top="n")
    code = "op('/project1/n').destroy()\nop('/project1').create(noiseTOP, 'n')"
    assert lost(bench.json("execute_python", code=code)) == []
    assert lost(bench.json("execute_python", code="op('/project1/n').name = 'm'")) == [
        "/project1/speaker top: n"
    ]


def test_what_an_exact_build_deletes_is_named(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.make("noiseTOP", "n", parent="/project1/box")
    bench.make("selectTOP", "speaker", top="box/n")
    answer = bench.json(
        "build_network",
        path="/project1/box",
        operators=[{"name": "m", "type": "noiseTOP"}],
        exact=True,
        confirm=True,
    )
    assert lost(answer) == ["/project1/speaker top: box/n"]


def test_the_look_goes_in_steps_and_the_answer_stays_small(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    for i in range(100):
        bench.make("selectTOP", f"s{i}", top="n")
    signals = bench.steps("delete_operators", paths=["/project1/n"])
    assert signals.count(None) >= 5
    bench.make("noiseTOP", "n")
    answer = bench.json("delete_operators", paths=["/project1/n"])
    assert len(lost(answer)) == 41
    assert lost(answer)[-1] == "60 more"


def test_a_stored_reference_that_leads_nowhere_is_shown(bench: Bench) -> None:
    bench.make("selectTOP", "s", top="nowhere/at/all")
    bench.make("renderTOP", "r", geometry="a b")
    bench.make("geometryCOMP", "a")
    rows = bench.json("inspect_operator", paths=["/project1/s", "/project1/r"])["operators"]
    top, geometry = rows[0]["parameters"]["top"], rows[1]["parameters"]["geometry"]
    assert (top["value"], top["missing"]) == ("nowhere/at/all", True)
    assert geometry["text"] == "a b"
    network = bench.json("read_network", path="/project1")
    found = {row["name"]: row.get("params") for row in network["operators"]}
    assert found["s"] == {"top": "nowhere/at/all"}
    assert found["r"]["geometry"] == "a b"


def test_an_expression_on_what_the_same_call_makes_is_not_said_to_fail(bench: Bench) -> None:
    answer = bench.json(
        "build_network",
        path="/project1",
        operators=[
            {
                "name": "level",
                "type": "levelTOP",
                "inputs": ["noise"],
                "params": {"opacity": {"expr": "op('null')['amount']"}},
            },
            {"name": "noise", "type": "noiseTOP"},
            {"name": "null", "type": "nullCHOP", "inputs": ["source"]},
            {
                "name": "source",
                "type": "constantCHOP",
                "params": {"const0name": "amount", "const0value": 0.25},
            },
            {"name": "select", "type": "selectTOP", "params": {"top": "level"}},
        ],
    )
    assert answer["problems"] == []
    assert answer.get("notes", []) == []
    assert answer["values"]["/project1/level:opacity"] == 0.25


def test_an_expression_that_fails_is_said_once_all_is_there(bench: Bench) -> None:
    operators = [{"name": "l", "type": "levelTOP", "params": {"opacity": {"expr": "op('no')['x']"}}}]
    answer = bench.json("build_network", path="/project1", operators=operators)
    # Among the problems, which the notes do not repeat.
    assert answer.get("notes", []) == []
    assert any("/project1/l opacity: op('no')['x']" in each["message"] for each in answer["problems"])


def test_a_restored_checkpoint_names_what_it_breaks(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.make("noiseTOP", "kept", parent="/project1/box")
    bench.json("checkpoint", action="save", path="/project1/box", name="before")
    bench.make("noiseTOP", "later", parent="/project1/box")
    bench.make("selectTOP", "speaker", top="box/later")
    bench.make("selectTOP", "other", top="box/kept")
    answer = bench.json("checkpoint", action="restore", path="/project1/box", name="before")
    assert answer["deleted"] == ["/project1/box/later"]
    assert lost(answer) == ["/project1/speaker top: box/later"]


def test_several_operators_renamed_or_moved_name_what_they_break(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.make("noiseTOP", name)
        bench.make("selectTOP", f"of_{name}", top=name)
    bench.make("baseCOMP", "box")
    renamed = bench.json("update_operator", path="/project1", names={"a": "c"})
    assert lost(renamed) == ["/project1/of_a top: a"]
    moved = bench.json("update_operator", paths=["/project1/b", "/project1/c"], parent="/project1/box")
    assert lost(moved) == ["/project1/of_b top: b"]


# -- custom parameters


def rig(bench: Bench) -> Any:
    """A box with custom parameters, an operator beside and one inside it."""
    box = bench.make("baseCOMP", "box")
    page = box.appendCustomPage("Own")
    page.appendFloat("Speed")
    page.appendFloat("Keep")
    page.appendRGB("Tint")
    box.par.opshortcut, box.par.parentshortcut = "Rig", "Rack"
    bench.make("constantCHOP", "inner", parent="/project1/box")
    bench.make("constantCHOP", "speaker")
    other = bench.make("baseCOMP", "other")
    other.appendCustomPage("Own").appendFloat("Speed")
    bench.make("constantCHOP", "inner", parent="/project1/other")
    return box


#: (the operator that says it, the expression, the parameter of the box it names)
_OF_PARAMETERS = [
    ("speaker", "op('box').par.Speed", "Speed"),
    ("speaker", "op('box').par['Speed'].eval() * 2", "Speed"),
    ("speaker", "op('/project1/box').parGroup.Tint[0]", "Tint"),
    ("speaker", "op('box').par.Tintg", "Tint"),
    ("speaker", "op.Rig.par.Speed", "Speed"),
    ("speaker", "parent().op('box').par.Speed", "Speed"),
    ("box/inner", "parent().par.Speed", "Speed"),
    ("box/inner", "me.parent().par.Speed", "Speed"),
    ("box/inner", "parent(1).par.Speed", "Speed"),
    ("box/inner", "parent.Rack.par.Speed", "Speed"),
    ("box/inner", "ipar.Any.Speed", "Speed"),
    ("box/inner", "me.parent().pars('Speed')[0]", "Speed"),
]

#: The same of code that names something else.
_OF_OTHERS = [
    ("speaker", "op('box').par.Keep"),
    ("speaker", "op('other').par.Speed"),
    ("speaker", "parent().op('other').par.Speed"),
    ("speaker", "op.Another.par.Speed"),
    ("other/inner", "parent().par.Speed"),
    ("other/inner", "parent.Rack.par.Speed"),
    ("other/inner", "ipar.Any.Speed"),
    ("box/inner", "parent(2).par.Speed"),
    ("box/inner", "me.par.Speed"),
    ("box/inner", "len('Speed')"),
]


@pytest.mark.parametrize("how", ["remove", "rename"])
@pytest.mark.parametrize(("who", "code", "name"), _OF_PARAMETERS)
def test_what_names_a_custom_parameter_that_is_gone(
    bench: Bench, how: str, who: str, code: str, name: str
) -> None:
    rig(bench)
    bench.op(f"/project1/{who}").par.const0value.expr = code
    given: dict[str, Any] = {"remove": [name]} if how == "remove" else {"rename": {name: "Fresh"}}
    said = [f"/project1/{who} const0value: {code}"]
    assert lost(bench.json("define_parameters", path="/project1/box", **given)) == said


@pytest.mark.parametrize(("who", "code"), _OF_OTHERS)
def test_what_names_another_parameter(bench: Bench, who: str, code: str) -> None:
    rig(bench)
    bench.op(f"/project1/{who}").par.const0value.expr = code
    assert lost(bench.json("define_parameters", path="/project1/box", remove=["Speed"])) == []


def test_scripts_binds_and_lists_that_name_a_custom_parameter(bench: Bench) -> None:
    rig(bench)
    text = "class Rig:\n    def go(self):\n        self.ownerComp.par.Speed = 2\n        self.ownerComp.par.Keep = 2\n"
    bench.make("textDAT", "rig_ext", parent="/project1/box").text = text
    bench.make("textDAT", "theirs", parent="/project1/other").text = text
    bench.make(
        "textDAT", "callbacks"
    ).text = "def onValueChange(par, prev):\n    return par.name == 'Speed'\n"
    bench.op("/project1/speaker").par.const0value.bindExpr = "op('box').par.Speed"
    bench.make("parameterexecuteDAT", "watch", op="box", pars="Keep Speed")
    bench.make("parameterexecuteDAT", "watch_other", op="other", pars="Speed")
    answer = bench.json("define_parameters", path="/project1/box", remove=["Speed"])
    assert sorted(lost(answer)) == [
        "/project1/box/rig_ext line 3: self.ownerComp.par.Speed = 2",
        "/project1/callbacks line 2: return par.name == 'Speed'",
        "/project1/speaker const0value: op('box').par.Speed",
        "/project1/watch pars: Keep Speed",
    ]


_CODE = "op('box').par.Speed"


def test_other_ways_to_lose_a_custom_parameter(bench: Bench) -> None:
    rig(bench)
    bench.op("/project1/speaker").par.const0value.expr = _CODE
    bench.run("checkpoint", action="save", path="/project1/box", name="c")
    said = [f"/project1/speaker const0value: {_CODE}"]
    code = "op('/project1/box').par.Speed.destroy()"
    assert lost(bench.json("execute_python", code=code)) == said
    assert lost(bench.json("undo")) == []
    own = {"pages": [{"name": "Own", "parameters": [{"name": "Keep", "style": "Float"}]}]}
    network = {"path": "/project1", "operators": [{"name": "box", "custom": own["pages"]}]}
    assert lost(bench.json("build_network", **network)) == []
    bench.run("define_parameters", path="/project1/box", rename={"Keep": "Speedy"})
    bench.op("/project1/speaker").par.const0value.expr = "op('box').par.Speedy"
    restored = bench.json("checkpoint", action="restore", path="/project1/box", name="c")
    assert lost(restored) == ["/project1/speaker const0value: op('box').par.Speedy"]


def test_a_parameter_that_is_there_again_breaks_nothing(bench: Bench) -> None:
    rig(bench)
    bench.op("/project1/speaker").par.const0value.expr = _CODE
    pages = [{"name": "Own", "parameters": [{"name": "Speed", "style": "Int"}]}]
    answer = bench.json("define_parameters", path="/project1/box", pages=pages)
    assert answer["changed"] == ["Speed"] and lost(answer) == []


def test_calls_of_a_batch_name_each_its_own(bench: Bench) -> None:
    rig(bench)
    bench.op("/project1/speaker").par.const0value.expr = _CODE
    calls = [
        {"tool": "define_parameters", "arguments": {"path": "/project1/box", "remove": [name]}}
        for name in ("Keep", "Speed")
    ]
    results = bench.json("batch", calls=calls)["results"]
    assert [lost(each["result"]) for each in results] == [[], [f"/project1/speaker const0value: {_CODE}"]]


# -- undo and redo


@pytest.fixture(params=[800, 0], ids=["small project", "large project"])
def project(bench: Bench, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(census, "MOST_AT_ONCE", request.param)
    return bench


def test_undo_and_redo_name_what_they_break(project: Bench) -> None:
    bench = project
    rig(bench)
    bench.make("selectTOP", "s", top="made")
    bench.run("create_operator", parent="/project1", type="noiseTOP", name="made")
    assert lost(bench.json("undo")) == ["/project1/s top: made"]
    assert lost(bench.json("undo", redo=True)) == []
    bench.run("delete_operators", paths=["/project1/made"])
    assert lost(bench.json("undo")) == []
    assert lost(bench.json("undo", redo=True)) == ["/project1/s top: made"]


def test_undo_and_redo_of_a_rename_name_what_they_break(project: Bench) -> None:
    bench = project
    bench.make("noiseTOP", "n")
    bench.make("selectTOP", "s", top="n")
    bench.make("selectTOP", "t", top="m")
    bench.run("update_operator", path="/project1/n", name="m")
    assert lost(bench.json("undo")) == ["/project1/t top: m"]
    assert lost(bench.json("undo", redo=True)) == ["/project1/s top: n"]


def test_undo_and_redo_of_custom_parameters_name_what_they_break(project: Bench) -> None:
    bench = project
    rig(bench)
    bench.op("/project1/speaker").par.const0value.expr = _CODE
    bench.make("constantCHOP", "second").par.const0value.expr = "op('box').par.Tempo"
    bench.run("define_parameters", path="/project1/box", rename={"Speed": "Tempo"})
    assert lost(bench.json("undo")) == ["/project1/second const0value: op('box').par.Tempo"]
    assert lost(bench.json("undo", redo=True)) == [f"/project1/speaker const0value: {_CODE}"]


@pytest.mark.parametrize("code", ["op('box').par.Speed.destroy()", "op('/project1/box').destroyCustomPars()"])
def test_code_that_takes_a_custom_parameter_away_names_what_it_breaks(project: Bench, code: str) -> None:
    bench = project
    rig(bench)
    bench.op("/project1/speaker").par.const0value.expr = _CODE
    answer = bench.json("execute_python", code=code)
    assert lost(answer) == [f"/project1/speaker const0value: {_CODE}"]


# -- global shortcuts

_SHORTCUT = "op.Rig.numChildren"
_WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "deleted": ("delete_operators", {"paths": ["/project1/home"]}),
    "deleted from inside": ("delete_operators", {"paths": ["/project1/home/rig"]}),
    "built exactly": ("build_network", {"path": "/project1/home", "operators": [], "exact": True}),
    "by code": ("execute_python", {"code": "op('/project1/home/rig').destroy()"}),
}


def shortcut(bench: Bench) -> list[str]:
    bench.make("baseCOMP", "home")
    bench.make("baseCOMP", "rig", parent="/project1/home", opshortcut="Rig")
    bench.make("constantCHOP", "speaker").par.const0value.expr = _SHORTCUT
    bench.make("textDAT", "script").text = "op.Rig.go()\nme.op.Rigged\nop.Rigged"
    return ["/project1/script line 1: op.Rig.go()", f"/project1/speaker const0value: {_SHORTCUT}"]


@pytest.mark.parametrize("way", _WAYS)
def test_a_shortcut_that_leads_nowhere_any_more(project: Bench, way: str) -> None:
    said = shortcut(project)
    tool, arguments = _WAYS[way]
    assert sorted(lost(project.json(tool, **arguments))) == said
    assert lost(project.json("undo")) == []
    if tool != "execute_python":
        # What a step of code does is not known in a large project.
        assert sorted(lost(project.json("undo", redo=True))) == said


def test_a_shortcut_goes_along_with_a_component_that_moves_or_is_renamed(bench: Bench) -> None:
    shortcut(bench)
    assert lost(bench.json("update_operator", path="/project1/home/rig", name="other")) == []
    assert lost(bench.json("update_operator", path="/project1/home/other", parent="/project1")) == []

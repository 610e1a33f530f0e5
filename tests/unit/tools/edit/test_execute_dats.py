"""DATs of the execute family are active when TouchDesigner makes them (fact 71): nothing runs that nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.tools.harness import Bench

P = "/project1"
KINDS = (
    "executeDAT", "chopexecuteDAT", "datexecuteDAT", "opexecuteDAT", "panelexecuteDAT", "parameterexecuteDAT",
    "pargroupexecuteDAT",
)  # fmt: skip
#: Callbacks that leave a mark wherever they are called.
TEXT = "\n".join(
    f"def {name}(*what):\n    me.parent().store('heard', {name!r})\n"
    for name in ("onStart", "onCreate", "onFrameStart", "onValueChange", "onValuesChanged", "onOffToOn", "onTableChange",
                 "onFlagChange", "onPreCook", "onPulse")
)  # fmt: skip


def furnish(bench: Bench) -> None:
    bench.make("constantCHOP", "c")
    bench.make("tableDAT", "t")
    bench.make("buttonCOMP", "button")
    bench.make("baseCOMP", "knobs").appendCustomPage("Own").appendFloat("Speed")


def spec(kind: str, name: str = "d") -> dict[str, Any]:
    """An Execute DAT that would hear what `stir` does."""
    params: dict[str, Any] = {
        "executeDAT": {"framestart": True, "create": True},
        "chopexecuteDAT": {"chop": "c"},
        "datexecuteDAT": {"dat": "t", "tablechange": True},
        "opexecuteDAT": {"op": "c", "flagchange": True, "precook": True},
        "panelexecuteDAT": {"panels": "button", "panelvalue": "*"},
        "parameterexecuteDAT": {"op": "knobs", "pars": "*"},
        "pargroupexecuteDAT": {"op": "knobs", "pars": "*"},
    }[kind]
    return {"name": name, "type": kind, "params": params}


def stir(bench: Bench) -> None:
    bench.frame(2)
    bench.op(f"{P}/c").par.const0value = 5
    bench.op(f"{P}/c").bypass = not bench.op(f"{P}/c").bypass
    bench.op(f"{P}/c").cook(force=True)
    bench.op(f"{P}/t").appendRow(["x"])
    bench.op(f"{P}/knobs").par.Speed = bench.op(f"{P}/knobs").par.Speed.eval() + 1
    bench.op(f"{P}/button").click()
    bench.frame(4)


def heard(bench: Bench) -> Any:
    return bench.op(P).fetch("heard", None)


#: The stand-in calls nothing of this one.
SPEAKING = [kind for kind in KINDS if kind != "pargroupexecuteDAT"]


@pytest.mark.parametrize("kind", SPEAKING)
def test_one_with_code_speaks_without_being_switched_on(bench: Bench, kind: str) -> None:
    furnish(bench)
    answer = bench.json("build_network", path=P, operators=[{**spec(kind), "text": TEXT}])
    assert answer["problems"] == [] and answer.get("notes", []) == []
    stir(bench)
    assert heard(bench)


@pytest.mark.parametrize("kind", KINDS)
def test_one_made_off_never_speaks(bench: Bench, kind: str) -> None:
    furnish(bench)
    row = spec(kind)
    row["params"]["active"] = False
    bench.run("build_network", path=P, operators=[{**row, "text": TEXT}])
    stir(bench)
    assert heard(bench) is None


@pytest.mark.parametrize("kind", KINDS)
def test_one_made_off_in_a_batch_does_not_speak_before_or_after_it_has_its_code(
    bench: Bench, kind: str
) -> None:
    furnish(bench)
    row = spec(kind)
    params = row.pop("params") | {"active": False}
    calls = [
        {"tool": "create_operator", "arguments": {"parent": P, **row, "params": params}},
        {"tool": "write_data", "arguments": {"path": f"{P}/d", "text": TEXT}},
    ]
    bench.run("batch", calls=calls)
    stir(bench)
    assert heard(bench) is None


@pytest.mark.parametrize("kind", KINDS)
def test_one_with_nothing_asked_does_nothing(bench: Bench, kind: str) -> None:
    furnish(bench)
    made = bench.json("create_operator", parent=P, **spec(kind))
    assert made["problems"] == []
    stir(bench)
    assert bench.json("check_errors", path=P)["problems"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_is_off_stays_off_in_copies_readings_and_checkpoints(bench: Bench, kind: str) -> None:
    furnish(bench)
    box = bench.make("baseCOMP", "box")
    bench.make(kind, "d", parent=f"{P}/box").par.active = False
    bench.run("checkpoint", action="save", path=f"{P}/box", name="off")
    rows = bench.json("read_network", path=f"{P}/box")["operators"]
    copied = bench.json("copy_operators", paths=[f"{P}/box"])["copies"][f"{P}/box"]
    bench.make("baseCOMP", "built")
    bench.run("build_network", path=f"{P}/built", operators=rows)
    box.op("d").destroy()
    bench.run("checkpoint", action="restore", path=f"{P}/box", name="off")
    for home in (f"{P}/box", copied, f"{P}/built"):
        assert not bench.op(f"{home}/d").par.active.eval(), home


@pytest.mark.parametrize("kind", KINDS)
def test_describing_the_type_says_what_is_on_in_a_new_one_and_runs_nothing(bench: Bench, kind: str) -> None:
    row = bench.json("describe_type", type=kind, parameters="active")["parameters"]["active"]
    assert (row["default"], row["new"]) == (False, True)
    bench.frame(3)
    assert bench.json("check_errors", path="/")["problems"] == []

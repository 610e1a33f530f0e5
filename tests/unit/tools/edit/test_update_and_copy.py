"""update_operator and copy_operators: names, types, places, flags; copies with the wires among them."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def test_name_place_looks_and_flags(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    answer = bench.json(
        "update_operator",
        path="/project1/n",
        name="fog",
        position=[300, 40],
        color=[1, 0.5, 0],
        comment="drifts",
        tags=["sky", "slow"],
        flags={"viewer": True, "bypass": True},
    )
    assert answer["path"] == "/project1/fog"
    assert answer["changed"] == ["name", "position", "color", "comment", "tags", "flags"]
    assert (noise.name, noise.nodeX, noise.nodeY, noise.comment) == ("fog", 300, 40, "drifts")
    assert (noise.viewer, noise.bypass, set(noise.tags)) == (True, True, {"sky", "slow"})
    assert tuple(noise.color) == pytest.approx((1, 0.5, 0))


def test_the_same_again_changes_nothing(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    arguments = {
        "path": "/project1/n",
        "comment": "x",
        "tags": ["a"],
        "color": [0.1, 0.2, 0.3],
        "flags": {"viewer": True},
    }
    bench.run("update_operator", **arguments)
    answer = bench.json("update_operator", **arguments)
    assert (answer["changed"], answer["undo"]) == ([], "")


def test_docked_operators_come_along(bench: Bench) -> None:
    # TD leaves them where they are (fact 20).
    bench.run("create_operator", parent="/project1", type="glslTOP", name="g", position=[0, 0])
    pixel = bench.op("/project1/g_pixel")
    x, y = pixel.nodeX, pixel.nodeY
    bench.run("update_operator", path="/project1/g", position=[1000, 500])
    assert (pixel.nodeX, pixel.nodeY) == (x + 1000, y + 500)


def test_a_type_change_keeps_the_wires(bench: Bench) -> None:
    noise, blur, out = bench.make("noiseTOP", "n"), bench.make("blurTOP", "b"), bench.make("nullTOP", "o")
    bench.wire(noise, blur, out)
    answer = bench.json("update_operator", path="/project1/b", type="levelTOP")
    assert (answer["type"], answer["path"], answer["inputs"]) == ("levelTOP", "/project1/b", ["/project1/n"])
    assert [f.owner.opType for f in out.inputConnectors[0].connections] == ["levelTOP"]
    assert answer.get("lost_wires", []) == []


def test_wires_the_new_type_cannot_hold_are_told(bench: Bench) -> None:
    noise, blur = bench.make("noiseTOP", "n"), bench.make("blurTOP", "b")
    bench.wire(noise, blur)
    answer = bench.json("update_operator", path="/project1/b", type="rectangleTOP")
    wired = any(c.connections for c in bench.op("/project1/b").inputConnectors)
    assert wired or answer["lost_wires"] == ["/project1/n → input 0"]


def test_undoing_a_type_change_gives_the_old_one_back(bench: Bench) -> None:
    bench.wire(bench.make("noiseTOP", "n"), bench.make("blurTOP", "b", size=7))
    before = state(bench)
    bench.run("update_operator", path="/project1/b", type="levelTOP")
    bench.run("undo")
    assert state(bench) == before


def test_moving_to_another_network_says_what_was_lost(bench: Bench) -> None:
    noise, blur = bench.make("noiseTOP", "n"), bench.make("blurTOP", "b", size=7)
    bench.wire(noise, blur)
    bench.make("baseCOMP", "base")
    answer = bench.json("update_operator", path="/project1/b", parent="/project1/base")
    assert answer["path"] == "/project1/base/b"
    assert bench.op("/project1/b") is None
    assert bench.op("/project1/base/b").par.size.eval() == 7
    assert answer["lost_wires"] == ["/project1/n → input 0"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "other"}, Code.NAME_TAKEN),
        ({"name": "a b"}, Code.VALUE_INVALID),
        ({"type": "noiseTop"}, Code.OPERATOR_TYPE_UNKNOWN),
        ({"flags": {"bypas": True}}, Code.VALUE_INVALID),
        ({"parent": "/project1/other"}, Code.VALUE_INVALID),
        ({"comment": "x", "name": "other"}, Code.NAME_TAKEN),
    ],
)
def test_what_is_wrong_changes_nothing(bench: Bench, arguments: dict[str, object], code: Code) -> None:
    bench.make("noiseTOP", "n")
    bench.make("noiseTOP", "other")
    with refused(bench, code):
        bench.run("update_operator", path="/project1/n", **({"position": [77, 77]} | arguments))


def test_this_servers_own_component_is_not_moved_or_renamed(bench: Bench) -> None:
    bench.make("baseCOMP", "base")
    for arguments in ({"name": "x"}, {"parent": "/project1/base"}):
        with refused(bench, Code.PRECONDITION_FAILED):
            bench.run("update_operator", path="/project1/tdmcp", **arguments)


def test_copies_keep_the_wires_among_them_and_name_those_lost(bench: Bench) -> None:
    a, b, c = bench.make("noiseTOP", "a", period=3), bench.make("blurTOP", "b"), bench.make("nullTOP", "c")
    bench.wire(a, b, c)
    answer = bench.json("copy_operators", paths=["/project1/b", "/project1/c"])
    copies = answer["copies"]
    new_c = bench.op(copies["/project1/c"])
    assert [f.owner.path for f in new_c.inputConnectors[0].connections] == [copies["/project1/b"]]
    assert answer["lost_wires"] == ["/project1/a → /project1/b input 0"]


def test_copies_across_networks_keep_values_and_names(bench: Bench) -> None:
    bench.make("noiseTOP", "a", period=3)
    bench.make("baseCOMP", "base")
    answer = bench.json("copy_operators", paths=["/project1/a"], parent="/project1/base")
    assert answer["copies"] == {"/project1/a": "/project1/base/a"}
    assert bench.op("/project1/base/a").par.period.eval() == 3


def test_copies_do_not_stand_on_anything(bench: Bench) -> None:
    bench.make("noiseTOP", "a")
    new = bench.op(bench.json("copy_operators", paths=["/project1/a"])["copies"]["/project1/a"])
    old = bench.op("/project1/a")
    assert abs(new.nodeX - old.nodeX) >= old.nodeWidth or abs(new.nodeY - old.nodeY) >= old.nodeHeight


def test_docked_operators_are_copied_with_their_host(bench: Bench) -> None:
    bench.make("glslTOP", "g")
    answer = bench.json("copy_operators", paths=["/project1/g"])
    copy = bench.op(answer["copies"]["/project1/g"])
    assert len(copy.docked) == 3


def test_a_comp_is_not_copied_into_itself(bench: Bench) -> None:
    bench.make("baseCOMP", "base")
    with refused(bench, Code.VALUE_INVALID):
        bench.run("copy_operators", paths=["/project1/base"], parent="/project1/base")


def test_one_undo_takes_copies_away(bench: Bench) -> None:
    bench.wire(bench.make("noiseTOP", "a"), bench.make("blurTOP", "b"))
    before = state(bench)
    bench.run("copy_operators", paths=["/project1/a", "/project1/b"])
    bench.run("undo")
    assert state(bench) == before


def test_a_component_does_not_become_a_picture_and_lose_what_it_holds(bench: Bench) -> None:
    bench.make("noiseTOP", "inner", parent=bench.make("baseCOMP", "base").path)
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run("update_operator", path="/project1/base", type="levelTOP")
    assert "family" in caught.value.message


def test_what_touchdesigner_cannot_do_without_is_neither_renamed_nor_moved_nor_retyped(bench: Bench) -> None:
    for path, change in (
        ("/local", {"name": "other"}),
        ("/local/time", {"name": "clock"}),
        ("/local", {"parent": "/project1"}),
        ("/local", {"type": "containerCOMP"}),
        ("/project1", {"type": "baseCOMP"}),
    ):
        with refused(bench, Code.PRECONDITION_FAILED, path="/"):
            bench.run("update_operator", path=path, **change)

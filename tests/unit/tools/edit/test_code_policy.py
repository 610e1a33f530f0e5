"""What a text names when it runs other code, which types reach outside the project, and an index that others outdate."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import catalogue
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.touchdesigner.code_policy import invariant, reach
from tdmcp_embedded.touchdesigner.code_policy.references import References, references
from tdmcp_embedded.touchdesigner.code_text import is_code, runnable, runs_nothing
from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit.code_scenes import P
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench


def named(paths: str = "", modules: str = "", shortcuts: str = "", computed: str = "") -> References:
    return References(
        frozenset(paths.split()), frozenset(modules.split()), frozenset(shortcuts.split()),
        frozenset({computed} - {""}),
    )  # fmt: skip


RUNNING: list[tuple[str, References]] = [
    ("op('lib').module.go()", named("lib")),
    ("mod.lib.f(1)", named(modules="lib")),
    ("me.mod('X').X(me)", named("X", "X")),
    ("mod('../a').f()", named("../a")),
    ("import lib, math\nlib.x()", named(modules="lib math")),
    ("from tools.deep import f", named(modules="tools")),
    ("__import__('lib').f()", named(modules="lib")),
    ("run(op('job').text)", named("job")),
    ("run('op(\"x\").module.f()')", named("x")),
    ("exec(op('a/b').text)", named("a/b")),
    ("op('tool').Reset()", named("tool")),
    ("op.Tool.Reset()", named(shortcuts="Tool")),
    ("iop.Lib.module.f()", named(shortcuts="Lib")),
    ("ext.Foo.bar()", named(shortcuts="Foo")),
    ("parent.Tool.op('x').module.f()", named("x", shortcuts="Tool")),
    ("getattr(op('x'), 'module').f()", named("x")),
    ("op('x').mod.y.f()", named("x", "y")),
    ("x = op('a')\nx.module.f()", named("a")),
    ("for o in ops('s*'):\n    o.run()", named("s*")),
    ("n = 'cb'\nop(n).module.f()", named("cb")),
    ("op(parent().par.Lib).module.E(me)", named(computed="parent().par.Lib")),
    ("\"\"\"" + "x" * 9000 + "\"\"\"\nimport lib\nop('job').run()", named("job", "lib")),
    ("this is not Python: op('lib').module", named("lib")),
]  # fmt: skip

READING = [
    "op('noise1').par.period = 3",
    "op('table1')[0, 0]",
    "op('null1')['chan1'] * 2 + me.digits",
    "parent().par.Speed",
    "absTime.seconds",
    "op('text1').text",
    "parent().Reset()",
    "self.Foo()\nop('table1').par.x",
    "op('lib') is None",
    "hello there",
]


@pytest.mark.parametrize(("text", "found"), RUNNING)
def test_a_text_that_runs_other_code_says_which(text: str, found: References) -> None:
    assert references(text) == found


@pytest.mark.parametrize("text", READING)
def test_a_text_that_reads_data_names_no_code(text: str) -> None:
    assert references(text) == References()


def test_every_type_of_the_catalogue_is_classified_once_and_with_a_reason() -> None:
    for name in catalogue.types():
        assert not reach.is_unknown(name), f"{name}: put it into reach.py"
        assert (name in reach.INSIDE) != (name in reach.OUTSIDE or reach.is_executor(name)), name
    assert all(why and why[0].islower() for why in reach.OUTSIDE.values())


@pytest.mark.parametrize("word", ["out", "in"])
def test_types_of_devices_and_networks_are_not_overlooked(word: str) -> None:
    """Types are named after what they do: what ends so and is inside is known to stay there."""
    inside = {name for name in reach.INSIDE if name.rstrip("ACDHMOPST").endswith(word)}
    assert inside <= {
        "inTOP", "inCHOP", "inSOP", "inPOP", "inDAT", "inMAT", "outTOP", "outCHOP", "outSOP", "outPOP", "outDAT",
        "outMAT", "fileinCHOP", "fileinSOP", "fileinPOP", "fileinDAT", "moviefileinTOP", "audiofileinCHOP",
        "pointfileinTOP", "pointfileinPOP", "alembicinPOP", "joinCHOP", "joinSOP", "skinSOP", "skinPOP", "ltcinCHOP",
        "ltcoutCHOP", "layoutTOP", "cornerpinTOP", "inversekinCHOP",
    }  # fmt: skip


def test_a_type_that_nobody_knows_is_refused() -> None:
    assert reach.is_unknown("brandnewTOP") and not reach.is_unknown("noiseTOP")


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("", True), ("# me - this DAT\n", True), ("def onStart():\n\treturn\n", True), ("\ufeff", True), ("\0rest", True),
        ("hello there", False), ("import os", False), ("\ufeffimport os", False), ("x = 1", False),
        ("def f(a=g()):\n\tpass", False), ("# coding: utf-7\n", False),
    ],
)  # fmt: skip
def test_a_text_that_does_nothing_is_told_from_one_that_might(text: str, nothing: bool) -> None:
    assert runs_nothing(text) is nothing


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffimport os",
        "import os\0)",
        "words\0\nimport os",
        "  __import__('os')",
        "\t__import__('os')",
        "\ufeff  f()",
    ],
)
def test_a_text_counts_as_code_however_it_is_read(text: str) -> None:
    assert is_code(text)


def test_a_text_is_run_as_touchdesigner_reads_it() -> None:
    assert runnable("\ufeffa = 1\0b") == "a = 1"


# An index that others outdate


def index(bench: Bench) -> Any:
    return invariant.index_of(bench.queue)


def test_what_a_person_changed_meanwhile_is_not_laid_to_an_edit(bench: Bench) -> None:
    scenes.far_text(bench)
    bench.level = Level.EDIT
    bench.run("create_operator", parent=P, type="nullTOP")
    bench.op(f"{P}/lib/run").text = "def go():\n    return me.name\n"
    bench.op(f"{P}/far/timer").par.length.expr = "op('/').name"
    bench.run("set_parameters", changes=[{"path": f"{P}/far/timer", "params": {"cycle": True}}])
    bench.run("update_operator", path=f"{P}/lib/run", comment="mine")
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("update_operator", path=f"{P}/lib/run", name="gone")


def test_what_a_call_of_level_full_changed_is_known_to_the_next_edit(bench: Bench) -> None:
    scenes.far_text(bench)
    bench.level = Level.EDIT
    bench.run("create_operator", parent=P, type="nullTOP")
    bench.level = Level.FULL
    bench.run(
        "set_parameters", changes=[{"path": f"{P}/far/timer", "params": {"callbacks": f"{P}/lib/late"}}]
    )
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run("update_operator", path=f"{P}/lib/job", name="late")
    assert caught.value.details["slot"] == {"path": f"{P}/far/timer", "parameter": "callbacks"}


def test_what_a_person_changed_is_known_once_the_project_was_read_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes.far_text(bench)
    bench.level = Level.EDIT
    bench.run("create_operator", parent=P, type="nullTOP")
    bench.op(f"{P}/far/timer").par.callbacks = f"{P}/lib/late"
    monkeypatch.setattr(invariant, "FRESH", -1.0)
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("update_operator", path=f"{P}/lib/job", name="late")


def test_code_that_ran_at_level_full_makes_the_next_edit_read_the_project_again(bench: Bench) -> None:
    scenes.far_text(bench)
    bench.level = Level.EDIT
    bench.run("create_operator", parent=P, type="nullTOP")
    bench.level = Level.FULL
    bench.run("execute_python", code=f"op('{P}/far/timer').par.callbacks = '{P}/lib/late'")
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("update_operator", path=f"{P}/lib/job", name="late")


def test_the_first_edit_waits_for_the_index_with_progress_and_later_ones_do_not(bench: Bench) -> None:
    for number in range(300):
        bench.make("noiseTOP", f"n{number}")
    bench.level = Level.EDIT
    first = len(bench.steps("set_parameters", changes=[{"path": f"{P}/n1", "params": {"harmon": 3}}]))
    later = len(bench.steps("set_parameters", changes=[{"path": f"{P}/n1", "params": {"harmon": 2}}]))
    assert first > later + 20 and index(bench).operators > 300


def test_an_edit_looks_at_what_it_reaches_however_large_the_project_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        bench.make("noiseTOP", f"n{number}").par.period.expr = "absTime.seconds"
    scenes.far_text(bench)
    bench.level = Level.EDIT
    bench.run("create_operator", parent=P, type="nullTOP")
    read: list[str] = []
    real = invariant.SlotReader.read

    def counted(self: invariant.SlotReader, operator: Any) -> Any:
        read.append(str(operator.path))
        return real(self, operator)

    monkeypatch.setattr(invariant.SlotReader, "read", counted)
    bench.run("set_parameters", changes=[{"path": f"{P}/n1", "params": {"harmon": 3}}])
    assert read == [f"{P}/n1"]


def test_undoing_a_persons_step_needs_level_full_where_it_cannot_be_seen_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = bench.make("noiseTOP", "noise")
    undo = bench.td.ui.undo
    undo.startBlock("Parameter change")
    noise.par.harmon = 5
    undo.endBlock()
    bench.level = Level.EDIT
    monkeypatch.setattr(invariant, "MOST_AT_ONCE", 1)
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run("undo", others=True)
    assert "Parameter change" in caught.value.message and noise.par.harmon == 5
    monkeypatch.setattr(invariant, "MOST_AT_ONCE", 1000)
    bench.run("undo", others=True)
    assert noise.par.harmon != 5


def test_a_refusal_leaves_nothing_behind_for_redo_to_bring(bench: Bench) -> None:
    scenes.far_callbacks(bench)
    bench.level = Level.EDIT
    for _ in range(3):
        with pytest.raises(ToolFailure):
            bench.run("update_operator", path=f"{P}/lib/job", name="run")
    for step in ("undo", "redo"):
        while True:
            try:
                bench.run("undo", redo=step == "redo")
            except ToolFailure as failure:
                assert failure.code in (Code.PRECONDITION_FAILED, Code.ACCESS_DENIED)
                break
    assert bench.op(f"{P}/lib/run") is None and bench.op(f"{P}/lib/job") is not None

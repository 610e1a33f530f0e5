"""execute_python inside TouchDesigner: what it made, what it left, and how it is broken off."""

from __future__ import annotations

import threading
from unittest.mock import patch

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.protocol import arguments
from tdmcp_embedded.protocol.runner import run_steps
from tdmcp_embedded.touchdesigner import census
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench, tool


def test_output_value_and_what_was_made_come_back(bench: Bench) -> None:
    bench.make("noiseTOP", "old")
    answer = bench.json(
        "execute_python",
        code="print('hello')\nn = op('/project1').create(nullTOP, 'made')\nop('/project1/old').destroy()\n[n, n.par.outputresolution]",
    )
    assert answer["stdout"] == "hello\n"
    assert answer["value"][0] == "/project1/made"
    assert answer["created"] == ["/project1/made"]
    assert answer["deleted"] == ["/project1/old"]
    assert answer["undo"] == bench.td.ui.undo.undoStack[0]


def test_relative_paths_start_where_the_component_stands(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    assert bench.json("execute_python", code="(me.path, op('n').path, parent().path)")["value"] == [
        "/project1",
        "/project1/n",
        "/",
    ]


def test_a_rename_is_told_as_one(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    answer = bench.json("execute_python", code="op('/project1/n').name = 'm'")
    assert answer["renamed"] == ["/project1/n → /project1/m"]
    assert "created" not in answer or answer["created"] == []


def test_a_failure_undoes_everything_and_shows_the_line(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    code = "op('/project1').create(nullTOP, 'made')\ndef f(x):\n    op('/project1/n').par.period = 9\n    return x / 0\nprint('so far')\nf(1)"
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code=code)
    details = caught.value.details
    assert 'File "<agent>", line 4, in f' in details["traceback"]
    assert details["stdout"] == "so far\n"
    assert details["line"] == 6
    assert bench.td.ui.undo.undoStack == []


def test_keep_leaves_what_was_done_before_the_failure(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as caught:
        bench.run("execute_python", code="op('/project1').create(nullTOP, 'made')\n1/0", keep=True)
    assert caught.value.details["created"] == ["/project1/made"]
    assert bench.op("/project1/made") is not None
    bench.run("undo")
    assert bench.op("/project1/made") is None


def test_what_undo_cannot_take_back_is_taken_away(bench: Bench) -> None:
    code = "op('/project1').create(annotateCOMP, 'note')\nop('/project1').create(nullTOP, 'after')\n1/0"
    with refused(bench, Code.PYTHON_ERROR):
        bench.run("execute_python", code=code)


def test_reading_makes_no_undo_step(bench: Bench) -> None:
    assert bench.json("execute_python", code="op('/project1').name")["undo"] == ""
    assert bench.td.ui.undo.undoStack == []


def test_a_call_is_one_undo_step(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    before = state(bench)
    bench.run(
        "execute_python",
        code="for i in range(3): op('/project1').create(nullTOP)\nop('/project1/n').par.period = 8",
    )
    assert len(bench.td.ui.undo.undoStack) == 1
    bench.run("undo")
    assert state(bench) == before


def test_an_endless_loop_ends_at_its_limit_and_the_queue_goes_on(bench: Bench) -> None:
    bench.queue.close("another one is used")
    bench.queue = FrameQueue()
    code = "op('/project1').create(nullTOP, 'made')\nwhile True:\n    pass"
    with refused(bench, Code.TIME_LIMIT) as caught:
        bench.run("execute_python", code=code, time_limit=0.2)
    assert caught.value.details["line"] in (2, 3)
    assert bench.json("execute_python", code="1 + 1")["value"] == 2


def test_the_interpreter_cannot_be_ended(bench: Bench) -> None:
    for code in ("raise SystemExit(1)", "exit(2)", "raise KeyboardInterrupt"):
        with refused(bench, Code.PYTHON_ERROR):
            bench.run("execute_python", code=code)
    assert bench.json("execute_python", code="print(1)\nquit()")["stdout"] == "1\n"


def test_an_error_in_touchdesigners_words(bench: Bench) -> None:
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code="opex('/nosuch')")
    assert "tdError" in caught.value.message


def test_code_runs_on_the_main_thread(bench: Bench) -> None:
    answer = bench.json("execute_python", code="import threading\nthreading.get_ident()")
    assert answer["value"] == threading.get_ident()


def test_ids_and_operators_in_the_value_are_plain_json(bench: Bench) -> None:
    answer = bench.json("execute_python", code="{'op': me, 'all': me.children, 1: float('inf')}")
    assert answer["value"] == {"op": "/project1", "all": ["/project1/tdmcp"], "1": "Infinity"}


def test_new_problems_of_what_was_made_are_told(bench: Bench) -> None:
    answer = bench.json("execute_python", code="op('/project1').create(blurTOP, 'b')")
    assert answer["problems"][0]["path"] == "/project1/b"


def large(bench: Bench) -> None:
    """More operators than are listed in one step."""
    for i in range(20):
        base = bench.make("baseCOMP", f"base{i}")
        for j in range(50):
            base.create("nullTOP", f"n{j}")


def test_in_a_large_project_listing_takes_turns_with_frames(bench: Bench) -> None:
    large(bench)
    code = "for i in range(2):\n    op(f'/project1/base{i}').create(nullTOP, 'made')\nop('/project1/base4').name = 'other'"
    assert len(bench.steps("execute_python", code=code)) > 20
    answer = bench.json(
        "execute_python", code=code.replace("made", "again").replace("4').name = '", "5').name = 'an")
    )
    assert answer["created"] == ["/project1/base0/again", "/project1/base1/again"]
    answer = bench.json(
        "execute_python", code="op('/project1/base3').create(nullTOP, 'second')\nop('base9').destroy()"
    )
    assert answer["created"] == ["/project1/base3/second"]
    assert "/project1/base9" in answer["deleted"]


@pytest.mark.parametrize(
    "code",
    [
        "1+1",
        "op('/project1').name",
        "[o.path for o in me.children]",
        "op('/project1/base1').par.w = 3",
        "print(me)\n1/0",
        # What its text does not show: whether anything came or went is counted.
        "import os\nos.getcwd()",
        "exec('x = 1')",
        "import os\nop('/project1/base1').par.w = len(os.sep)",
    ],
)
def test_code_that_makes_nothing_looks_through_no_project(bench: Bench, code: str) -> None:
    large(bench)
    try:
        assert len(bench.steps("execute_python", code=code)) < 6
    except ToolFailure as failure:
        assert failure.code is Code.PYTHON_ERROR


#: Code in a large project, and what the answer names, without a look through the project.
NAMED: list[tuple[str, str, list[str]]] = [
    ("op('/project1/base3').create(nullTOP, 'made')", "created", ["/project1/base3/made"]),
    ("op('base3').create(baseCOMP, 'made').create(nullTOP, 'in')", "created", ["/project1/base3/made", "/project1/base3/made/in"]),
    ("me.create(nullTOP, 'made')", "created", ["/project1/made"]),
    ("op('base3').op('n7').destroy()", "deleted", ["/project1/base3/n7"]),
    ("op('base3/n7').name = 'other'", "renamed", ["/project1/base3/n7 → /project1/base3/other"]),
    ("op('base3').name = 'other'", "renamed", ["/project1/base3 → /project1/other"]),
    ("[o.destroy() for o in op('base3').children if o.name == 'n7']", "deleted", ["/project1/base3/n7"]),
    ("import os\nop('base3').create(nullTOP, 'made')", "created", ["/project1/base3/made"]),
    ("exec(\"op('base3').create('nullTOP', 'made')\")\nop('base3')", "created", ["/project1/base3/made"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "word", "paths"), NAMED, ids=[code for code, _, _ in NAMED])
def test_what_code_makes_where_its_text_says_is_named_without_a_look_through_the_project(
    bench: Bench, code: str, word: str, paths: list[str]
) -> None:
    large(bench)
    with patch.object(census, "over_frames", side_effect=AssertionError("it looks through the project")):
        answer = bench.json("execute_python", code=code)
    assert answer[word] == paths
    assert not answer.get("stderr")


#: Code that goes to places its text does not spell out: it is listed beforehand.
ELSEWHERE: list[tuple[str, str, list[str]]] = [
    ("op('base' + '3').name = 'other'", "renamed", ["/project1/base3 → /project1/other"]),
    ("me.op('base3').parent().op('base4').parent().create(nullTOP, 'm')", "created", ["/project1/m"]),
    ("[o.destroy() for o in root.findChildren(name='n7') if o.parent().name == 'base3']", "deleted", ["/project1/base3/n7"]),
    ("me.children[0].create(nullTOP, 'm')", "created", ["/project1/tdmcp/m"]),
    ("import os\nop(os.sep.join(['', 'project1', 'base3'])).name = 'other'", "renamed", ["/project1/base3 → /project1/other"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "word", "paths"), ELSEWHERE, ids=[code for code, _, _ in ELSEWHERE])
def test_what_code_makes_elsewhere_is_named_as_well(
    bench: Bench, code: str, word: str, paths: list[str]
) -> None:
    large(bench)
    assert bench.json("execute_python", code=code)[word] == paths


def test_what_came_where_the_text_does_not_look_is_counted(bench: Bench) -> None:
    large(bench)
    code = "exec(\"for i in range(3): op('base' + str(i)).create('nullTOP', 'made')\")"
    assert "[3 more operators were made in networks" in bench.json("execute_python", code=code)["stderr"]


#: What the person does while a call works, and the code that then fails.
MEANWHILE = [
    "op('/project1').create(nullTOP, 'made')\n1/0",
    "op('/project1').create(annotateCOMP, 'note')\nop('/project1').create(nullTOP, 'after')\n1/0",
    "ui.undo.globalState = False\nop('/project1').create(nullTOP, 'made')\n1/0",
    "op('/project1').store('x', 2)\n1/0",
    'exec(\'op("/project1").create(nullTOP, "made")\')\n1/0',
    "ui.undo.endBlock()\nop('/project1').create(nullTOP, 'made')\n1/0",
]


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("code", MEANWHILE)
def test_failing_code_leaves_alone_what_a_person_did_meanwhile(bench: Bench, code: str, size: str) -> None:
    if size == "large":
        large(bench)
    home, old = bench.op("/project1"), bench.make("noiseTOP", "old")
    home.store("x", 0)
    mine: list[object] = []

    def work() -> None:
        if not mine:
            mine.append(home.create("circleTOP", "mine"))
            old.name, old.par.period = "renamed", 7
            home.store("x", 1)
            home.store("fresh", mine)

    # The person is quick: before the code's own step, in a frame in which the call looks through the project.
    row = tool("execute_python")
    generator = run_steps(bench.call(row), row, arguments.parse(row, {"code": code}))
    if size == "small":
        work()
    with pytest.raises(ToolFailure):
        for _ in generator:
            work()
            bench.frame()
    work()
    assert bench.op("/project1/mine") is not None and old.valid
    assert (old.name, old.par.period.eval()) == ("renamed", 7)
    assert home.storage["x"] == 1 or (size == "large" and "store" in code and home.storage["x"] == 1)
    assert home.storage["fresh"] is mine
    if size == "small":
        assert sorted(c.name for c in home.children if c.name != "tdmcp") == ["mine", "renamed"]


def test_what_is_left_over_in_a_large_project_is_said(bench: Bench) -> None:
    large(bench)
    with pytest.raises(ToolFailure) as caught:
        bench.run("execute_python", code="exec('ui.undo.endBlock()\\nme.create(nullTOP, \"made\")\\n1/0')")
    assert "may be left over" in caught.value.hint


def test_what_undo_cannot_bring_back_is_said(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    with pytest.raises(ToolFailure) as caught:
        bench.run("execute_python", code="ui.undo.globalState = False\nop('/project1/n').destroy()\n1/0")
    assert caught.value.details["not_restored"] == ["/project1/n"]
    assert "not restored" in caught.value.message
    assert bench.td.ui.undo.globalState is True


def test_storage_is_put_back_when_code_fails_and_kept_when_it_is_to_be(bench: Bench) -> None:
    home = bench.op("/project1")
    home.store("speed", 1)
    home.store("cue", [3])
    failing = "p = op('/project1')\np.store('speed', 2)\np.unstore('cue')\np.store('*', 0)\np.op('n').store('x', 1)\n1/0"
    bench.make("nullTOP", "n")
    with pytest.raises(ToolFailure):
        bench.run("execute_python", code=failing)
    assert dict(home.storage) == {"speed": 1, "cue": [3]} and not bench.op("/project1/n").storage
    with pytest.raises(ToolFailure):
        bench.run("execute_python", code=failing, keep=True)
    assert home.storage["speed"] == 2 and bench.op("/project1/n").storage == {"x": 1}


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("op('n').par.period.mode is ParMode.CONSTANT", True),
        ("PaneType.NETWORKEDITOR.name", "NETWORKEDITOR"),
        ("isinstance(op('n').par.period, Par)", True),
        ("[c.__name__ for c in (Page, Connector, ParGroup, Channel, Cell)]", ["Page", "Connector", "ParGroup", "Channel", "Cell"]),
        ("def f():\n    return ParMode.BIND.name\nf()", "BIND"),
        ("iop.Main.name", "n"),
        ("ext.Tool.word", "made"),
    ],
)  # fmt: skip
def test_every_name_that_a_script_has_is_there(bench: Bench, code: str, value: object) -> None:
    bench.make("noiseTOP", "n")
    home = bench.op("/project1")
    home.par.iop0shortcut, home.par.iop0op = "Main", "/project1/n"
    bench.make(
        "textDAT", "Tool"
    ).text = "class Tool:\n    def __init__(self, owner):\n        self.word = 'made'\n"
    home.par.ext0object = "op('./Tool').module.Tool(me)"
    home.initializeExtensions()
    assert bench.json("execute_python", code=code)["value"] == value


@pytest.mark.parametrize("code", ["uninstall", "Bench", "pytest", "main()", "ParMod"])
def test_what_no_script_has_is_a_name_error(bench: Bench, code: str) -> None:
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code=code)
    assert "NameError" in caught.value.message


def test_destroying_what_others_are_docked_to_is_an_error_like_any_other(bench: Bench) -> None:
    bench.world.docked_hosts_are_refused = True
    bench.make("glslTOP", "g")
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code="op('/project1/g').destroy()")
    assert "docked" in caught.value.message

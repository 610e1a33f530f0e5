"""How an agent's code runs, without any TouchDesigner: output, value, traceback, and what cannot get out."""

from __future__ import annotations

import builtins
import json
import sys
import threading
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

from tdmcp_embedded.touchdesigner import python
from tdmcp_embedded.touchdesigner.python import Outcome


class Late(BaseException):
    pass


def run(code: str) -> Outcome:
    td = ModuleType("td")
    td.root = SimpleNamespace(name="the root")  # type: ignore[attr-defined]  # a made-up module
    return python.execute(td, code, None, nullcontext(), Late)


def test_the_last_expression_is_the_value_and_runs_once() -> None:
    outcome = run("calls = []\ndef f():\n    calls.append(1)\n    return len(calls)\nf()")
    assert (outcome.value, outcome.repr, outcome.error) == (1, "1", "")


def test_a_statement_at_the_end_gives_no_value() -> None:
    assert (run("x = 5").value, run("x = 5").repr) == (None, "")


def test_functions_see_each_other_and_later_names() -> None:
    code = "def a():\n    return b() + N\ndef b():\n    return 40\nN = 2\na()"
    assert run(code).value == 42


def test_prints_come_back_on_their_stream() -> None:
    outcome = run("import sys\nprint('one')\nprint('two', file=sys.stderr)\ndebug('three')")
    assert (outcome.stdout, outcome.stderr) == ("one\n", "two\nthree\n")


def test_streams_are_put_back_whatever_happens() -> None:
    before: Any = sys.stdout, sys.stderr, sys.stdin
    run("import sys\nsys.stdout = None\n1/0")
    assert (sys.stdout, sys.stderr, sys.stdin) == before


def test_what_other_threads_print_meanwhile_is_not_captured(capsys: Any) -> None:
    ready, done = threading.Event(), threading.Event()

    def other() -> None:
        ready.wait(5)
        print("from elsewhere")
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    td = ModuleType("td")
    td.ready, td.done = ready, done  # type: ignore[attr-defined]  # a made-up module
    outcome = python.execute(td, "ready.set(); done.wait(5); print('mine')", None, nullcontext(), Late)
    thread.join()
    assert outcome.stdout == "mine\n"
    assert "from elsewhere" in capsys.readouterr().out


def test_a_traceback_has_the_agents_lines_and_none_of_ours() -> None:
    outcome = run("def inner(x):\n    y = x\n\n    return y / 0\n\ninner(3)")
    assert outcome.error == "ZeroDivisionError: division by zero"
    assert outcome.line == 6
    assert 'File "<agent>", line 4, in inner' in outcome.traceback
    assert "return y / 0" in outcome.traceback
    assert "python.py" not in outcome.traceback


def test_a_syntax_error_names_its_line() -> None:
    outcome = run("x = 1\nif x\n    pass")
    assert outcome.line == 2
    assert outcome.error.startswith("SyntaxError")
    assert "if x" in outcome.traceback


def test_chained_errors_are_all_there() -> None:
    outcome = run("try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('bad') from e")
    assert "KeyError: 'a'" in outcome.traceback
    assert "ValueError: bad" in outcome.traceback


def test_ending_oneself_is_contained() -> None:
    assert run("print('a')\nimport sys\nsys.exit()").error == ""
    assert run("import sys\nsys.exit('no')").error == "SystemExit: no"
    assert run("exit(3)").error == "SystemExit: 3"
    assert run("raise KeyboardInterrupt").error == "KeyboardInterrupt"
    assert run("raise GeneratorExit").error == "GeneratorExit"


def test_asking_for_input_does_not_wait() -> None:
    assert run("input('name?')").error.startswith("EOFError")
    assert run("import sys\nsys.stdin.read()").value == ""


def test_a_debugger_does_not_wait() -> None:
    assert "BdbQuit" in run("import pdb\npdb.Pdb().set_trace()\nx = 1").error


def test_the_time_limit_inside_the_code_is_told_apart() -> None:
    td = ModuleType("td")
    td.Late = Late  # type: ignore[attr-defined]  # a made-up module
    outcome = python.execute(
        td, "try:\n    raise Late\nexcept Exception:\n    pass", None, nullcontext(), Late
    )
    assert (outcome.timed_out, outcome.line) == (True, 2)


def test_names_of_td_are_in_scope_without_an_import() -> None:
    assert run("def f():\n    return root.name\nf()").value == "the root"
    assert run("td.root.name").value == "the root"
    assert run("nosuchthing").error == "NameError: name 'nosuchthing' is not defined"


def test_our_own_compiler_flags_do_not_reach_the_agent() -> None:
    assert run("def f(x: int): pass\nf.__annotations__['x'] is int").value is True


def test_any_value_becomes_strict_json() -> None:
    outcome = run("a = [float('nan'), b'xy', {1: {2}}]\na.append(a)\na")
    assert outcome.value[0] == "NaN"
    assert outcome.value[3] == "<cycle>"


def test_a_value_that_cannot_be_shown_is_still_an_answer() -> None:
    outcome = run("class A:\n    def __repr__(self): raise ValueError('no')\nA()")
    assert outcome.error == ""
    assert "A" in outcome.repr


def test_endless_printing_is_cut() -> None:
    outcome = run("for i in range(100000): print('x' * 100)")
    assert len(outcome.stdout) < python.MOST_OUTPUT + 100
    assert "characters)" in outcome.stdout


def test_main_guards_run() -> None:
    assert run("if __name__ == '__main__':\n    r = 7\nr").value == 7


def test_lone_surrogates_do_not_break_the_answer() -> None:
    outcome = run("print('\\ud800')\n'\\ud800'")
    outcome.stdout.encode()
    str(outcome.value).encode()


def test_bytes_are_no_text_to_print() -> None:
    outcome = run("import sys\nsys.stdout.write(b'x')")
    assert outcome.error.startswith("TypeError") and outcome.line == 2


def test_an_answer_stays_small_however_large_the_value() -> None:
    for code in ("{'k' * 300 + str(i): 'x' * 1000 for i in range(1000)}", "[['x' * 1900] * 200] * 3"):
        outcome = run(code)
        assert outcome.error == "" and len(json.dumps(outcome.value)) < 12_000


def test_built_ins_that_code_replaced_or_deleted_are_back_and_added_ones_stay() -> None:
    before = (len, sorted, sys.getrecursionlimit(), sys.gettrace(), sys.getprofile())
    run(
        "import builtins, sys\nbuiltins.len = None\ndel builtins.sorted\nbuiltins.helper_of_mine = 7\n"
        "sys.setrecursionlimit(150)\nsys.setprofile(lambda *a: 1 / 0)"
    )
    try:
        assert (len, sorted, sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()) == before
        assert run("helper_of_mine").value == 7
    finally:
        vars(builtins).pop("helper_of_mine", None)


def test_a_value_that_lies_about_itself_does_not_make_the_code_a_failure() -> None:
    for code in (
        "10 ** 5000",
        "class S(str):\n    def __len__(self): return 0\n    def encode(self, *a): raise ValueError\nS('x' * 9000)",
        "class I(int):\n    def __le__(self, o): raise ValueError\n    __ge__ = __le__\nI(4)",
        "class F(float):\n    def __float__(self): raise ValueError\nF(4)",
        "class A:\n    @property\n    def __class__(self): raise ValueError\nA()",
        "class E(Exception):\n    def __str__(self): raise ValueError\nE()",
    ):
        outcome = run(code)
        assert outcome.error == "", code
        json.dumps(outcome.value, allow_nan=False)
    assert run("-10 ** 5000").value.startswith("about -2**")

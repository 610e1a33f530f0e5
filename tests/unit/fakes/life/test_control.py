"""Control lines: each gets its own answer, in JSON, whatever it was."""

import json
import os
import subprocess
import sys
import threading

from fakes.control import Control, Later, Lines


def converse(lines, handle):
    """What a control thread answers to `lines`."""
    source, asking = os.pipe()
    reader, writer = os.pipe()
    os.write(asking, b"".join(lines))
    os.close(asking)
    control = Control(source, Lines(writer), handle)
    control.start()
    control.join(5)
    os.close(source)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        return [json.loads(line) for line in answers]


def command(**values):
    return json.dumps(values).encode() + b"\n"


def test_a_command_gets_its_result_under_its_own_id():
    answers = converse([command(id=7, do="add", a=2, b=3)], lambda c: c["a"] + c["b"])
    assert answers == [{"id": 7, "ok": True, "result": 5}]


def test_a_failing_command_gets_type_and_message():
    def fail(command):
        raise LookupError("no such thing")

    assert converse([command(id="x", do="it")], fail) == [
        {"id": "x", "ok": False, "error": "LookupError: no such thing"}
    ]


def test_a_line_that_is_no_json_is_answered_and_the_next_one_still_works():
    answers = converse([b"{oops\n", command(id=1, do="it")], lambda c: "fine")
    assert [a["ok"] for a in answers] == [False, True]
    assert answers[1]["result"] == "fine"


def test_a_line_that_is_no_object_is_refused():
    (answer,) = converse([b"[1, 2]\n"], lambda c: "never")
    assert not answer["ok"] and "JSON object" in answer["error"]


def test_an_answer_that_takes_longer_does_not_hold_up_the_others():
    later = Later()
    told = threading.Event()

    def handle(command):
        if command["do"] == "slow":
            return later
        later.resolve("slow is done") if command["do"] == "finish" else None
        told.set()
        return "quick"

    answers = converse(
        [command(id=1, do="slow"), command(id=2, do="quick"), command(id=3, do="finish")], handle
    )
    assert [a["id"] for a in answers] == [2, 1, 3]


def test_only_the_first_outcome_of_a_later_counts():
    later, outcomes = Later(), []
    later.tell(outcomes.append)
    later.fail(ValueError("first"))
    later.resolve("second")
    assert outcomes == [{"ok": False, "error": "ValueError: first"}]


def test_whatever_prints_standard_output_holds_only_json_lines():
    code = (
        "import os, sys, subprocess\n"
        "from fakes.control import Lines, take_standard_output\n"
        "lines = Lines(take_standard_output())\n"
        "print('a script prints')\n"
        "os.write(1, b'a native library prints\\n')\n"
        "subprocess.run([sys.executable, '-c', 'print(1)'])\n"
        "lines.write({'event': 'ready'})\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == '{"event":"ready"}\n'
    assert "a native library prints" in ran.stderr

"""The host keeps its standard output, its logging and its event loops, however odd they are."""

from __future__ import annotations

import pytest

from fakes.driver import StandIn
from tests.integration.stress.life import restart
from tests.integration.stress.wire import SERVER, call, post, until


@pytest.mark.parametrize("made", ["OnlyWrite()", "None", "Broken()"])
def test_a_standard_output_without_the_usual_methods_is_left_alone(td: StandIn, made: str) -> None:
    td.exec(
        "import sys\n"
        "class OnlyWrite:\n"
        "    text = ''\n"
        "    def write(self, text):\n"
        "        self.text += text\n"
        "class Broken:\n"
        "    def __getattr__(self, name):\n"
        "        raise RuntimeError('nobody may ask the Textport from here')\n"
        "kept = sys.stdout, sys.stderr, sys.stdin\n"
        f"odd = sys.stdout = sys.stderr = sys.stdin = {made}"
    )
    try:
        restart(td)
        assert not call(td, "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "odd"})[
            "is_error"
        ]
        assert call(td, "execute_python", {"code": "print('hello')"})["stdout"] == "hello\n"
        assert post(td, b"rubbish").status == 400
        assert td.exec("getattr(odd, 'text', '') if type(odd).__name__ == 'OnlyWrite' else ''") == "''"
        assert td.exec("sys.stdout is odd") == "True", "code of a client has its own output for its time only"
    finally:
        td.exec("sys.stdout, sys.stderr, sys.stdin = kept\nop('/project1/odd').destroy()")


def test_an_event_loop_that_the_host_turns_every_frame_goes_on_turning(td: StandIn) -> None:
    """As TDAsyncIO does: a loop on the main thread, driven from onFrameStart, under a policy of its own."""
    td.exec(
        "import asyncio\n"
        "class Policy(asyncio.DefaultEventLoopPolicy):\n"
        "    asked = 0\n"
        "    def new_event_loop(self):\n"
        "        Policy.asked += 1\n"
        "        return super().new_event_loop()\n"
        "before = asyncio.get_event_loop_policy()\n"
        "asyncio.set_event_loop_policy(Policy())\n"
        "theirs = asyncio.new_event_loop()\n"
        "asyncio.set_event_loop(theirs)\n"
        "turns = []\n"
        "def turn():\n"
        "    theirs.call_soon(theirs.stop)\n"
        "    theirs.run_forever()\n"
        "    turns.append(1)\n"
        "    if theirs is asyncio.get_event_loop_policy().get_event_loop():\n"
        "        run(turn, delayFrames=1, delayRef=op.TDResources, group='theirs')\n"
        "turn()"
    )
    try:
        restart(td)
        assert not call(td, "get_status", {})["is_error"]
        assert not call(td, "execute_python", {"code": "1"})["is_error"]
        count = int(td.exec("len(turns)"))
        until(td, lambda: int(td.exec("len(turns)")), lambda now: now > count + 3)
        assert td.exec("type(asyncio.get_event_loop_policy()).__name__") == "'Policy'"
        assert td.exec("Policy.asked") == "1", "only the host itself has asked its policy for a loop"
    finally:
        td.exec(
            "[r.kill() for r in runs if r.group == 'theirs']\nasyncio.set_event_loop_policy(before)\ntheirs.close()"
        )


def test_the_hosts_logging_hears_nothing_and_keeps_its_handlers(td: StandIn) -> None:
    td.exec(
        "import logging\n"
        "heard = []\n"
        "class Ear(logging.Handler):\n"
        "    def emit(self, record):\n"
        "        heard.append((record.name, record.getMessage()))\n"
        "root = logging.getLogger()\n"
        "ear = Ear()\n"
        "root.addHandler(ear)\n"
        "was = list(root.handlers), root.level, logging.getLogger('asyncio').level, logging.root.manager.disable"
    )
    try:
        restart(td)
        call(td, "find_operators", {"path": "/nowhere"})
        assert post(td, b"rubbish").status == 400
        post(td, b"{}", Authorization="Bearer wrong")
        td.exec(f"{SERVER}._serving._loop.call_soon_threadsafe(lambda: 1 / 0)")
        call(td, "get_status", {})
        assert td.exec("heard") == "[]"
        now = "list(root.handlers), root.level, logging.getLogger('asyncio').level, logging.root.manager.disable"
        assert td.exec(f"({now}) == was") == "True"
        td.exec("logging.getLogger('of.the.host').warning('mine')")
        assert td.exec("heard") == "[('of.the.host', 'mine')]"
    finally:
        td.exec("root.removeHandler(ear)")


def test_signals_and_the_interpreters_switches_stay_as_they_were(td: StandIn) -> None:
    look = (
        "import builtins, gc, signal, sys, threading\n"
        "[signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.getswitchinterval(), gc.isenabled(), "
        "gc.get_threshold(), builtins.__import__.__module__, builtins.print is sys.modules['builtins'].print, "
        "sys.excepthook, threading.excepthook, sys.getrecursionlimit(), sys.path[:]]"
    )
    before = td.exec(look)
    restart(td)
    assert td.exec(look) == before

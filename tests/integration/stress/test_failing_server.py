"""The server's own faults: shown in Status, tried again with growing pauses, and not for ever."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.stress.life import is_marked, mark, restart, serving_again, status_of
from tests.integration.stress.wire import COMPONENT, SERVER, call, until


@pytest.fixture
def failing(td: StandIn) -> Iterator[StandIn]:
    """A server that cannot be built, and is tried again twice, after one second and after two."""
    td.exec(
        "from tdmcp_embedded import embed\n"
        "from tdmcp_embedded.protocol import server as protocol\n"
        "pauses, real = embed.RETRY_PAUSES, protocol.McpServer.__init__\n"
        "embed.RETRY_PAUSES = (1.0, 2.0)\n"
        "built = []\n"
        "def fail(*args, **options):\n"
        "    built.append(1)\n"
        "    raise ValueError('a fault of the server')\n"
        "protocol.McpServer.__init__ = fail"
    )
    yield td
    td.exec("embed.RETRY_PAUSES, protocol.McpServer.__init__ = pauses, real")
    restart(td)


def events(td: StandIn) -> list[str]:
    """What the component's log says."""
    return list(ast.literal_eval(td.exec(f"[row[1].val for row in {COMPONENT}.op('log').rows()]")))


def test_a_server_that_cannot_start_is_tried_again_with_growing_pauses_and_then_left(
    failing: StandIn,
) -> None:
    td = failing
    td.exec(f"{COMPONENT}.par.Restart.pulse()")
    until(td, lambda: status_of(td), lambda said: "Gave up" in said)
    assert "a fault of the server" in status_of(td) and "pulse Restart" in status_of(td)
    told = [event for event in events(td) if "a fault of the server" in event]
    assert (
        "Trying again in 1 s." in told[-3]
        and "Trying again in 2 s." in told[-2]
        and "after 2 new tries" in told[-1]
    )
    assert td.exec("len(built)") == "3"
    for _ in range(30):
        td.exec("1")
    assert td.exec("len(built)") == "3", "it is left alone then"
    assert "tdmcp-http" not in td.exec("[t.name for t in __import__('threading').enumerate()]")


def test_after_it_gave_up_a_pulse_starts_it_again(failing: StandIn) -> None:
    td = failing
    td.exec("embed.RETRY_PAUSES = ()")
    td.exec(f"{COMPONENT}.par.Restart.pulse()")
    until(td, lambda: status_of(td), lambda said: "Gave up" in said)
    td.exec("protocol.McpServer.__init__ = real")
    restart(td)
    assert not call(td, "get_status", {})["is_error"]


def test_a_thread_that_dies_while_serving_is_shown_and_replaced(td: StandIn) -> None:
    td.exec("from tdmcp_embedded import embed\npauses = embed.RETRY_PAUSES\nembed.RETRY_PAUSES = (0.5,)")
    try:
        mark(td)
        td.exec(
            "def die():\n"
            "    raise SystemExit('out of the blue')\n"
            f"{SERVER}._serving._loop.call_soon_threadsafe(die)"
        )
        serving_again(td)
        told = " ".join(events(td)[-6:])
        assert "The server ended unexpectedly" in told and "Trying again" in told
        assert not call(td, "get_status", {})["is_error"]
    finally:
        td.exec("embed.RETRY_PAUSES = pauses")


def test_a_fault_in_the_loop_is_logged_and_the_server_goes_on(td: StandIn) -> None:
    mark(td)
    td.exec(f"{SERVER}._serving._loop.call_soon_threadsafe(lambda: 1 / 0)")
    until(td, lambda: events(td)[-5:], lambda told: any("ZeroDivisionError" in event for event in told))
    assert is_marked(td), "the same run goes on"
    assert not call(td, "get_status", {})["is_error"]


def test_a_tool_that_fails_inside_is_answered_without_a_traceback(td: StandIn) -> None:
    td.exec(
        "from tdmcp_embedded.tools import finding\n"
        "from tdmcp_embedded.tools.table import TABLE\n"
        "row = TABLE['find_operators']\n"
        "def broken(call, arguments):\n"
        "    raise KeyError('a fault of the tool')\n"
        "object.__setattr__(row, 'run', broken) if hasattr(row, '__dataclass_fields__') else setattr(row, 'run', broken)\n"
    )
    try:
        failure = call(td, "find_operators", {"path": "/project1"})
        assert failure["is_error"] and failure["code"] == "internal_error"
        assert "Traceback" not in str(failure) and ".py" not in str(failure)
    finally:
        td.exec("object.__setattr__(row, 'run', finding.find_operators)")
    assert not call(td, "find_operators", {"path": "/project1"})["is_error"]

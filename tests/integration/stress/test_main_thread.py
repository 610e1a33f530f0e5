"""TouchDesigner hangs, stops, saves or dies: clients get a true answer, and nothing happens behind anyone's back."""

from __future__ import annotations

import concurrent.futures
import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE
from tests.integration.stress.wire import (
    COMPONENT,
    META,
    MODERN,
    SERVER,
    call,
    call_body,
    connect,
    head,
    health,
    message,
    payload,
    post,
    until,
)

Later = Callable[..., "concurrent.futures.Future[Any]"]


@pytest.fixture
def aside() -> Iterator[Later]:
    """Calls that are made on a thread of their own while the test goes on."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield pool.submit


def create(td: StandIn, name: str) -> dict[str, Any]:
    return call(td, "create_operator", {"parent": "/project1", "type": "nullTOP", "name": name})


def exists(td: StandIn, name: str) -> bool:
    return td.exec(f"op('/project1/{name}')") != "None"


def lists_tools(td: StandIn) -> bool:
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
    return len(payload(post(td, message("tools/list", {"_meta": META}), **headers))["result"]["tools"]) > 10


def refused_while_stalled(td: StandIn, name: str) -> None:
    """The main thread does not come by: a call is refused in words, and all that needs no main thread works."""
    until_stalled(td)
    refusal = create(td, name)
    assert refused(refusal), refusal
    assert "will not run later" in refusal["message"]
    assert lists_tools(td)
    assert call(td, "get_status", {})["main_thread"]["state"] == "stalled"


def refused(refusal: dict[str, Any]) -> bool:
    return (
        bool(refusal["is_error"]) and refusal["code"] == "main_thread_stalled" and bool(refusal["retryable"])
    )


def until_stalled(td: StandIn) -> None:
    for _ in range(10_000):
        if health(td)["status"] == "stalled":
            return
    raise AssertionError("it never stalled")


def running(td: StandIn) -> None:
    """Wait until the main thread has begun a call."""
    for _ in range(10_000):
        if health(td)["queue"]["running"]:
            return
    raise AssertionError("it never began")


def works_again(td: StandIn, ghost: str) -> None:
    """Once frames come again: nothing that was refused has happened, and the next call does."""
    until(td, lambda: health(td)["status"], lambda status: status == "ok")
    assert not exists(td, ghost)
    made = create(td, "afterwards")
    assert not made["is_error"], made
    td.exec("op('/project1/afterwards').destroy()")


def test_a_native_dialog_is_named_as_a_likely_reason(td: StandIn) -> None:
    td.do("modal", open=True)
    refused_while_stalled(td, "behind_dialog")
    assert "dialog" in create(td, "behind_dialog")["hint"]
    td.do("modal", open=False)
    works_again(td, "behind_dialog")


def test_power_off_is_named_as_a_likely_reason(td: StandIn) -> None:
    td.do("power", on=False)
    refused_while_stalled(td, "without_power")
    assert "power" in create(td, "without_power")["hint"]
    td.do("power", on=True)
    works_again(td, "without_power")


def test_a_long_save_refuses_calls_and_then_everything_goes_on(td: StandIn, aside: Later) -> None:
    saving = aside(td.do, "save", PATIENCE, seconds=5)
    refused_while_stalled(td, "during_save")
    assert "saved" in create(td, "during_save")["hint"]
    assert saving.result(PATIENCE)["path"]
    works_again(td, "during_save")


def test_a_save_that_a_client_asks_for_is_answered_in_the_end(td: StandIn) -> None:
    result = call(td, "save_project", {})
    if result["is_error"]:
        assert result["code"] == "still_running", result
        job = result["job"]
        result = until(
            td,
            lambda: call(td, "get_job", {"job": job}),
            lambda found: found["state"] not in ("queued", "running"),
        )
        assert result["state"] == "done", result
    works_again(td, "never_made")


def test_a_call_that_holds_the_main_thread_is_named_to_those_behind_it(
    td: StandIn, aside: Later, tmp_path: Path
) -> None:
    free = tmp_path / "free"
    code = f"import os, time\nwhile not os.path.exists({str(free)!r}): time.sleep(0.01)\n'slept'"
    slow = aside(call, td, "execute_python", {"code": code, "time_limit": PATIENCE})
    try:
        until_stalled(td)
        behind = create(td, "behind_sleep")
        assert refused(behind) and behind["running_job"]
    finally:
        free.touch()
    done = slow.result(PATIENCE)
    assert not done["is_error"] and done["value"] == "slept"
    works_again(td, "behind_sleep")


def test_work_that_was_begun_before_a_hang_goes_on_as_a_job(td: StandIn, aside: Later) -> None:
    watching = aside(call, td, "measure_performance", {"frames": 150})
    running(td)
    td.do("block_main", seconds=3.5)
    answer = watching.result(PATIENCE)
    assert (
        answer["is_error"] and answer["code"] == "still_running" and "do not repeat it" in answer["message"]
    )
    look: Callable[[], dict[str, Any]] = lambda: call(td, "get_job", {"job": answer["job"]})
    assert until(td, look, lambda found: found.get("state") == "done")["result"]["frames"] == 150


def test_a_script_that_cancels_every_run_does_not_stop_calls(td: StandIn) -> None:
    for number in range(5):
        td.do("kill_runs")
        assert not create(td, f"killed{number}")["is_error"]
        td.exec(f"op('/project1/killed{number}').destroy()")


def test_an_extension_that_is_built_anew_in_the_middle_of_calls_loses_none(td: StandIn, aside: Later) -> None:
    watching = [aside(call, td, "measure_performance", {"frames": 30}) for _ in range(4)]
    for _ in range(20):
        td.do("reinit_component")
        td.exec(f"{COMPONENT}.State()")
    for answer in watching:
        assert not answer.result(PATIENCE)["is_error"], answer.result()


def test_a_client_that_goes_away_takes_its_queued_call_with_it(td: StandIn) -> None:
    # A hang of more than a second refuses what is queued anyway; this one must not count as one.
    td.exec(f"{SERVER}.queue.stall_after = 120")
    try:
        before = health(td)["queue"]["cancelled"]
        with td.blocked():
            body, headers = call_body(
                "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "deserted"}
            )
            line = connect(td)
            line.sendall(head(td, Content_Length=str(len(body)), **headers) + body)
            for _ in range(10_000):
                if health(td)["queue"]["waiting"] == 1:
                    break
            line.close()
            for _ in range(10_000):
                queue = health(td)["queue"]
                if queue["cancelled"] == before + 1:
                    break
            assert queue["cancelled"] == before + 1 and queue["depth"] == 0, (
                "dropped while the main thread still hung"
            )
        assert td.exec("op('/project1/deserted')", timeout=PATIENCE) == "None"
    finally:
        td.exec(f"{SERVER}.queue.stall_after = 1.0")


def test_a_crash_in_the_middle_of_a_call_ends_it_and_the_next_start_cleans_up(
    tmp_path_factory: pytest.TempPathFactory, aside: Later
) -> None:
    home = tmp_path_factory.mktemp("home")
    with StandIn("--scene", "empty", home=home) as td:
        asking = aside(call, td, "execute_python", {"code": "import time\ntime.sleep(60)", "time_limit": 100})
        running(td)
        td.do("crash")
        assert td.process.wait(PATIENCE) == 70
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            asking.result(PATIENCE)
        with pytest.raises(ConnectionRefusedError):
            connect(td)
        left = list((home / ".tdmcp" / "instances").glob("*.json"))
        assert len(left) == 1, "a crash cleans nothing up"
    with StandIn("--scene", "empty", home=home) as again:
        assert again.token == td.token, "clients need not be set up again"
        entries = list((home / ".tdmcp" / "instances").glob("*.json"))
        assert len(entries) == 1 and entries != left

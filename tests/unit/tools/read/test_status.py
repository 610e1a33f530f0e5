"""get_status and get_job: answers from the server thread, whatever the main thread does."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue, Job
from tdmcp_embedded.protocol import arguments
from tdmcp_embedded.protocol.runner import run_steps
from tests.unit.tools.harness import Bench, tool


def stalled(bench: Bench, seconds: float) -> None:
    """Make the queue believe that nobody has pumped it for so long."""
    now = [1000.0]
    bench.queue = FrameQueue(watch=False, clock=lambda: now[0])
    now[0] += seconds


def no_frames() -> bool:
    return False


def test_the_status_names_project_time_application_and_level(bench: Bench) -> None:
    facts = bench.json("get_status")
    assert facts["as_of"] == "now" and facts["main_thread"] == {"state": "ok", "stalled_for": 0.0}
    assert facts["project"]["name"] == bench.td.project.name and facts["project"]["saved"] is False
    assert facts["timeline"]["rate"] == 60 and facts["timeline"]["playing"] is True
    assert (
        facts["application"]["build"] == bench.td.app.build and facts["application"]["perform_mode"] is False
    )
    assert facts["server"]["access_level"] == "full" and facts["server"]["name"] == "bench"
    assert facts["queue"]["frames"] >= 1


def test_a_stuck_main_thread_is_told_with_what_may_be_the_reason(bench: Bench) -> None:
    bench.instance |= {"project": "show.7.toe", "build": "2025.33070", "playing": True}
    stalled(bench, 12.5)
    facts = bench.answer(tool("get_status"), {}, no_frames).structured()
    assert facts["main_thread"]["state"] == "stalled" and facts["main_thread"]["stalled_for"] == 12.5
    assert "dialog" in facts["main_thread"]["likely"]
    assert facts["as_of"] == "last_sample" and facts["project"] == {"name": "show.7.toe"}


def test_a_power_switch_that_is_known_to_be_off_is_the_likely_reason(bench: Bench) -> None:
    bench.instance["power"] = False
    stalled(bench, 5)
    facts = bench.answer(tool("get_status"), {}, no_frames).structured()
    assert facts["main_thread"]["likely"] == "the power button is off"


def test_what_the_main_thread_last_said_is_repeated_while_it_is_stuck(bench: Bench) -> None:
    now = [0.0]
    bench.queue = FrameQueue(watch=False, clock=lambda: now[0])
    assert bench.json("get_status")["as_of"] == "now"
    now[0] += 60
    facts = bench.answer(tool("get_status"), {}, no_frames).structured()
    assert facts["as_of"] == "last_answer" and facts["timeline"]["rate"] == 60
    assert "last known" in bench.answer(tool("get_status"), {}, no_frames).text()


def start(bench: Bench, name: str, **given: Any) -> Job:
    row = tool(name)
    call, parsed = bench.call(row), arguments.parse(row, given)
    return bench.queue.submit(lambda: run_steps(call, row, parsed), session="bench", label=name, deadline=30)


def test_a_job_is_followed_from_queue_to_outcome(bench: Bench) -> None:
    bench.make("nullTOP", "n")
    job = start(bench, "find_operators", path="/project1")
    assert bench.answer(tool("get_job"), {"job": job.id}, no_frames).structured()["state"] == "queued"
    bench.frame(2)
    facts = bench.json("get_job", job=job.id)
    assert facts["state"] in ("done",) and facts["tool"] == "find_operators"


def late(bench: Bench, steps: Any) -> Job:
    """A job whose caller has gone away with still_running before it ends."""
    now = [0.0]
    bench.queue = FrameQueue(watch=False, clock=lambda: now[0])
    job = bench.queue.submit(steps, session="bench", label="slow_tool", deadline=1.0)
    bench.frame()
    now[0] += 0.9
    bench.frame()
    now[0] += 0.9
    bench.frame()
    bench.queue.check()
    with pytest.raises(ToolFailure) as told:
        job.future.result(timeout=0)
    assert told.value.code is Code.STILL_RUNNING
    return job


def test_the_outcome_of_a_call_that_took_too_long_is_kept(bench: Bench) -> None:
    row = tool("find_operators")
    call, parsed = bench.call(row), arguments.parse(row, {"path": "/project1"})

    def slowly() -> Any:
        for _ in range(4):
            yield NEXT_FRAME
        return (yield from run_steps(call, row, parsed))

    job = late(bench, slowly)
    assert bench.json("get_job", job=job.id)["state"] in ("running", "done")
    bench.frame(10)
    answer = bench.run("get_job", job=job.id)
    assert answer.structured()["state"] == "done"
    assert answer.structured()["result"]["total"] == 0 and "0 of 0 operators" in answer.text()


def test_a_job_that_failed_says_why(bench: Bench) -> None:
    def fails() -> Any:
        for _ in range(4):
            yield NEXT_FRAME
        raise ToolFailure(Code.TD_ERROR, "It broke.")

    job = late(bench, fails)
    bench.frame(10)
    answer = bench.run("get_job", job=job.id)
    assert answer.structured()["state"] == "failed" and answer.structured()["error"]["code"] == "td_error"
    assert "td_error: It broke." in answer.text()


def test_a_running_job_is_cancelled_at_its_next_step(bench: Bench) -> None:
    closed = threading.Event()

    def endless() -> Any:
        try:
            while True:
                yield NEXT_FRAME
        finally:
            closed.set()

    job = bench.queue.submit(endless, session="bench", label="endless", deadline=1e6)
    bench.frame(2)
    assert bench.json("get_job", job=job.id, cancel=True)["cancelled"] is True
    bench.frame(2)
    assert closed.is_set() and bench.json("get_job", job=job.id)["state"] == "cancelled"


def begun(bench: Bench, name: str, passed: int, /, **given: Any) -> Job:
    job = start(bench, name, **given)
    bench.frame(passed)
    return job


NOISE = [{"path": "/project1/n", "params": {"period": 3}}]

#: A job, the frames it has had, and what a cancel says and leaves.
CANCELLED: list[tuple[str, dict[str, Any], int, str, float]] = [
    ("set_parameters", {"changes": NOISE}, 0, "was not started and will not run later", 1),
    ("set_parameters", {"changes": NOISE}, 1, "Its edit is done and stays (undo step 'MCP Set parameters", 3),
    ("measure_performance", {"frames": 900}, 2, "It only looks: nothing was changed.", 1),
]


@pytest.mark.parametrize(("name", "given", "frames", "said", "period"), CANCELLED)
def test_a_cancel_says_what_became_of_the_project(
    bench: Bench, name: str, given: dict[str, Any], frames: int, said: str, period: float
) -> None:
    noise = bench.make("noiseTOP", "n")
    job = begun(bench, name, frames, **given)
    # Asked between two frames: within one, the job may be done before it is asked for.
    answer = bench.answer(tool("get_job"), {"job": job.id, "cancel": True}, no_frames)
    assert answer.structured()["cancelled"] is True
    if frames:
        bench.frame()
        answer = bench.run("get_job", job=job.id)
    facts = answer.structured()
    assert facts["state"] == "cancelled"
    assert said in answer.text() and said in facts["error"]["message"]
    assert noise.par.period.eval() == period


def test_a_cancel_that_comes_too_late_says_so(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    job = begun(bench, "set_parameters", 9, changes=NOISE)
    facts = bench.json("get_job", job=job.id, cancel=True)
    assert facts["cancelled"] is False and facts["note"] == "It had ended before it could be cancelled: done."


def test_a_cancel_of_what_does_not_come_to_its_next_step_says_that_it_will(bench: Bench) -> None:
    job = begun(bench, "measure_performance", 2, frames=900)
    facts = bench.answer(tool("get_job"), {"job": job.id, "cancel": True}, no_frames).structured()
    assert (facts["state"], facts["cancelled"]) == ("running", True)
    assert facts["note"] == "It ends at its next step. It only looks: nothing was changed."


def test_a_job_nobody_knows_is_refused(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as refusal:
        bench.run("get_job", job="job99-xyz")
    assert refusal.value.code is Code.VALUE_INVALID and "job99-xyz" in refusal.value.message

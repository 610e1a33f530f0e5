"""Signs of life of long work: for the client that asked, and for whoever asks get_job."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue
from tdmcp_embedded.protocol import runner
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool


class Said(Output):
    words: str = "done"


def work(call: Call, given: Arguments) -> Steps[Said]:
    for _ in range(3):
        yield NEXT_FRAME
    return Said()


def tool(effect: Effect = Effect.READ, run: Any = work, own_progress: bool = False) -> Tool:
    return Tool(
        name="sample", title="Sample", description="", level=Level.OBSERVE, effect=effect, arguments=Arguments,
        output=Said, run=run, own_progress=own_progress,
    )  # fmt: skip


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float | None, str]]:
    monkeypatch.setattr(runner, "_SIGN_OF_LIFE", 0.0)
    return []


def drive(row: Tool, told: list[Any]) -> dict[str, Any]:
    """Run a tool frame by frame; what get_job would say of it at the end."""
    queue = FrameQueue(watch=False)

    def report(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))

    call = Call(td=None, settings=Settings(), queue=queue, progress=report)  # type: ignore[arg-type]  # reads only
    job = queue.submit(lambda: runner.run_steps(call, row, Arguments()), deadline=1e6)
    facts: dict[str, Any] = {}
    for _ in range(20):
        queue.pump()
        if job.future.done():
            break
        facts = queue.describe(job)
    assert job.future.result().output().words == "done"
    return facts


def test_sliced_work_gives_signs_of_life_that_grow(told: list[tuple[float, float | None, str]]) -> None:
    facts = drive(tool(), told)
    steps = [done for done, _, _ in told]
    assert len(steps) >= 3 and steps == sorted(set(steps))
    assert "Sample" in told[0][2]
    assert facts["progress"]["done"] >= 1


def test_a_tool_that_reports_itself_is_not_talked_over(told: list[tuple[float, float | None, str]]) -> None:
    def counting(call: Call, given: Arguments) -> Steps[Said]:
        yield NEXT_FRAME
        call.progress(1, 2, "half")
        yield NEXT_FRAME
        return Said()

    facts = drive(tool(run=counting, own_progress=True), told)
    assert told == [(1, 2, "half")]
    assert facts["progress"] == {"done": 1, "total": 2, "message": "half"}


def test_work_that_is_closed_half_way_can_clean_up() -> None:
    ended: list[str] = []

    def careful(call: Call, given: Arguments) -> Steps[Said]:
        try:
            yield NEXT_FRAME
        finally:
            ended.append("clean")
        return Said()

    queue = FrameQueue(watch=False)
    call = Call(td=None, settings=Settings(), queue=queue)  # type: ignore[arg-type]  # reads only
    job = queue.submit(lambda: runner.run_steps(call, tool(run=careful), Arguments()), deadline=1e6)
    queue.pump()
    assert queue.cancel(job.id)
    queue.pump()
    assert ended == ["clean"]

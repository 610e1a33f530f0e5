"""get_job: a job belongs to the key that made it; to any other key it is as if it were not there."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.jobs import GetJob, get_job
from tdmcp_embedded.tools.tool import Call

#: The key and level that ask for a job of the key "a", and whether they find it.
CALLERS = [
    ("a", Level.OBSERVE, True),
    ("a", Level.EDIT, True),
    ("a", Level.FULL, True),
    ("b", Level.OBSERVE, False),
    ("b", Level.EDIT, False),
    ("b", Level.FULL, True),
    ("", Level.EDIT, False),
    ("", Level.FULL, True),
    ("A", Level.EDIT, False),
]


def forever() -> Any:
    while True:
        yield NEXT_FRAME


def ask(queue: FrameQueue, job: str, owner: str, level: Level, cancel: bool = False) -> Any:
    call = Call(SimpleNamespace(), Settings(), queue, level=level, owner=owner)  # type: ignore[arg-type]  # no td
    return asyncio.run(get_job(call, GetJob(job=job, cancel=cancel)))


@pytest.mark.parametrize(("owner", "level", "finds"), CALLERS)
@pytest.mark.parametrize("state", ["queued", "running", "done"])
@pytest.mark.parametrize("cancel", [False, True])
def test_a_job_is_seen_collected_and_cancelled_by_its_own_key(
    owner: str, level: Level, finds: bool, state: str, cancel: bool
) -> None:
    queue = FrameQueue(watch=False)
    work = (lambda: None) if state == "done" else forever
    job = queue.submit(work, owner="a", label="read_network", keep=True)
    if state != "queued":
        queue.pump()
    assert job.state == state
    if finds:
        assert ask(queue, job.id, owner, level, cancel).tool == "read_network"
        assert bool(job.cancel_reason or job.state == "cancelled") is (cancel and state != "done")
        return
    with pytest.raises(ToolFailure) as refused:
        ask(queue, job.id, owner, level, cancel)
    with pytest.raises(ToolFailure) as unknown:
        ask(queue, "job0-000000", owner, level, cancel)
    assert refused.value.code is Code.VALUE_INVALID
    assert refused.value.text().replace(job.id, "job0-000000") == unknown.value.text()
    assert job.state == state and job.cancel_reason is None

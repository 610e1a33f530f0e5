"""What raises on a thread of ours is logged, and the thread goes on with what comes next."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import tdmcp_embedded
from tdmcp_embedded import threads
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.frame_queue.watchdog import Watchdog
from tdmcp_embedded.http.thread import Phase, ServerThread
from tdmcp_embedded.logs.files import RotatingFile, Writer
from tdmcp_embedded.logs.ring import Ring

PATIENCE = 30.0

#: What may be raised at us, by whoever is called.
RAISED = [ValueError("no"), KeyError("x"), SystemExit(3), asyncio.CancelledError(), GeneratorExit()]


def raising(error: BaseException) -> Callable[..., object]:
    def call(*_: object) -> object:
        raise error

    return call


@pytest.fixture(autouse=True)
def nothing_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own answer to an exception on a thread is to print it, which in TouchDesigner is the Textport."""

    def hook(args: threading.ExceptHookArgs) -> None:
        pytest.fail(f"{args.exc_type.__name__} has ended a thread")

    monkeypatch.setattr(threading, "excepthook", hook)


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_an_answer_that_raises_does_not_keep_the_next_from_being_given(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    queue, given = FrameQueue(), threading.Event()
    queue.at_frame_end(raising(error))
    queue.at_frame_end(given.set)
    job = queue.submit(lambda: 42)
    job.future.add_done_callback(raising(ValueError("a caller's own callback")))
    queue.pump()
    assert given.wait(PATIENCE)
    assert job.future.result(timeout=PATIENCE) == 42
    again = queue.submit(lambda: 43)
    queue.pump()
    assert again.future.result(timeout=PATIENCE) == 43
    assert "Giving an answer failed" in caplog.text
    queue.close("the test is over")


def test_a_host_that_cannot_tell_of_the_end_of_a_frame_keeps_nobody_waiting() -> None:
    queue = FrameQueue(watch=False, frame_end=raising(RuntimeError("run() is gone")))
    job = queue.submit(lambda: 42)
    queue.pump()
    assert job.future.result(timeout=0) == 42


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_deadlines_are_kept_after_a_look_that_raised(error: BaseException) -> None:
    looks: list[int] = []
    kept = threading.Event()

    def look() -> float | None:
        looks.append(1)
        if len(looks) < 3:
            raise error
        kept.set()
        return None

    watchdog = Watchdog(look)
    watchdog.look_by(0.0)
    assert kept.wait(PATIENCE)
    watchdog.end()


def test_a_job_that_fails_unforeseen_is_in_the_log_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    queue = FrameQueue(watch=False)
    job = queue.submit(raising(ZeroDivisionError("of ours")), label="find_operators")
    queue.pump()
    with pytest.raises(ToolFailure) as failure:
        job.future.result(timeout=0)
    assert failure.value.code is Code.INTERNAL_ERROR
    [record] = caplog.records
    assert "find_operators" in record.getMessage() and "Traceback" in record.getMessage()


def test_the_log_is_written_on_after_a_line_that_could_not_be(tmp_path: Path) -> None:
    class Broken(RotatingFile):
        def append(self, lines: list[str]) -> None:
            raise RuntimeError("not a fault of the disk")

    told: list[str] = []

    def trouble(sentence: str) -> None:
        told.append(sentence)
        raise ValueError("whoever is told raises too")

    writer, whole = Writer(trouble), RotatingFile(tmp_path / "whole.log")
    writer.write(Broken(tmp_path / "broken.log"), "lost")
    assert writer.flush(PATIENCE)
    writer.write(whole, "kept")
    assert writer.flush(PATIENCE)
    writer.close()
    writer.join(PATIENCE)
    assert (tmp_path / "whole.log").read_text() == "kept\n"
    assert "broken.log cannot be written" in told[0]


def test_whoever_logs_does_not_suffer_from_whoever_listens() -> None:
    ring, heard = Ring(), []
    ring.listen(raising(RuntimeError("gone")))
    ring.listen(lambda record: heard.append(record.event))
    for n in range(5):
        ring.add("info", f"event {n}")
    assert heard == [f"event {n}" for n in range(5)]
    assert [r.event for r in ring.since(0) if r.level == "error"] == [
        "A listener of the log failed: RuntimeError: gone"
    ]


def test_a_server_that_fails_at_its_start_says_so_whoever_is_told() -> None:
    seen: list[Phase] = []

    def on_state(state: object) -> None:
        raise ValueError("whoever is told raises")

    server = ServerThread(raising(ValueError("no app")), address="127.0.0.1", port=0, on_state=on_state)  # type: ignore[arg-type]
    server.start()
    assert server.stop(PATIENCE)
    seen.append(server.state.phase)
    assert seen == [Phase.FAILED]


def test_a_thread_that_fails_is_logged_by_name(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        threads.start(raising(ValueError("no")), "sample").join(PATIENCE)
    assert "The thread tdmcp-sample failed" in caplog.text and "ValueError: no" in caplog.text


def test_every_thread_is_started_where_exceptions_are_logged() -> None:
    folder = Path(tdmcp_embedded.__file__).parent
    bare = [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*.py"))
        for found in re.finditer(r"\bThread\((.{0,80})", path.read_text("utf-8"), re.DOTALL)
        if "guarded" not in found[1]
    ]
    assert bare == [], "use tdmcp_embedded.threads.start"

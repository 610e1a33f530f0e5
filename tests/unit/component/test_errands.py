"""Buttons that take their time do it a little each frame, say how it goes, and need no server."""

import threading

import pytest

from tdmcp_embedded import errands
from tests.unit.component.host import Host, Owner


@pytest.fixture
def host(monkeypatch):
    host = Host()
    monkeypatch.setattr(errands, "_clock", host.clock)
    monkeypatch.setattr(errands, "_under_way", {})
    return host


@pytest.fixture
def owner():
    return Owner(names=("Report",))


def three_frames():
    for number in range(3):
        yield f"step {number}"
    return "all done"


def test_it_goes_on_a_step_a_frame_and_says_so(host, owner):
    errand = errands.start(owner, host, "Report", three_frames())
    said = [owner.shown("Report")]
    for _ in range(3):
        host.frame()
        said.append(owner.shown("Report"))
    assert said == ["step 0", "step 1", "step 2", "all done"]
    assert errand.done and host.pending == []


def test_a_second_press_while_it_runs_starts_nothing(host, owner):
    first = errands.start(owner, host, "Report", three_frames())
    assert errands.start(owner, host, "Report", three_frames()) is first
    host.frame(3)
    assert errands.start(owner, host, "Report", three_frames()) is not first


def test_one_that_a_script_cancelled_can_be_started_again(host, owner):
    first = errands.start(owner, host, "Report", three_frames())
    host.pending.clear()
    host.now += 10
    second = errands.start(owner, host, "Report", three_frames())
    host.frame(3)
    assert second is not first and second.done and owner.shown("Report") == "all done"


def test_what_goes_wrong_is_shown_where_the_person_looks(host, owner):
    def broken():
        yield "begun"
        raise OSError("no room")

    errands.start(owner, host, "Report", broken())
    host.frame()
    assert owner.shown("Report") == "It failed: OSError: no room"
    assert host.pending == []


def test_a_deleted_component_ends_it_and_it_clears_up(host, owner):
    cleared = []

    def tidy():
        try:
            while True:
                yield ""
        finally:
            cleared.append(True)

    errands.start(owner, host, "Report", tidy())
    owner.valid = False
    host.frame()
    assert cleared == [True] and host.pending == []


def test_files_are_written_on_another_thread_and_frames_go_on(host, owner):
    free, where = threading.Event(), []

    def work():
        free.wait(30)
        where.append(threading.current_thread())
        return "written"

    def steps():
        return (yield from errands.apart(work))

    errand = errands.start(owner, host, "Report", steps())
    host.frame(5)
    assert not errand.done
    free.set()
    for thread in threading.enumerate():
        if thread.name == "tdmcp-errand":
            thread.join(30)
    host.frame()
    assert owner.shown("Report") == "written" and where != [threading.main_thread()]

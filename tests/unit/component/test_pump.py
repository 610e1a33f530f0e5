"""What brings the server its frames, and what brings it back after a script has cut it."""

import pytest

from tdmcp_embedded import embed
from tdmcp_embedded.pump import HEARTBEAT
from tdmcp_embedded.serving import Phase
from tests.unit.component.host import Log, Owner, Server


def test_an_error_in_a_frame_does_not_break_the_chain(td, boot, monkeypatch):
    server = boot()
    monkeypatch.setattr(server.queue, "pump", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        td.frame()
    monkeypatch.undo()
    job = server.queue.submit(lambda: "done")
    td.frame()
    assert job.future.result(30) == "done"


def test_a_killed_chain_is_started_anew_from_frame_start(td, boot):
    log = Log()
    server = boot(log=log)
    td.frame()
    td.pending.clear()
    job = server.queue.submit(lambda: "done")
    for _ in range(40):
        server.frames.frame_started(0)
        td.frame()
    assert len(td.pending) == 1
    assert job.future.result(30) == "done"
    assert any("runs again" in row[1] for row in log.rows)


def test_a_killed_chain_is_started_anew_by_whoever_touches_the_component(td, boot):
    owner, log = Owner(), Log()
    server = boot(owner, log=log)
    td.frame()
    td.pending.clear()
    job = server.queue.submit(lambda: "done")
    td.now += 0.5
    embed.find(owner)
    assert td.pending == [], "half a second may just be a long frame"
    td.now += 1
    embed.find(owner)
    td.frame()
    assert job.future.result(30) == "done"
    assert any("runs again" in row[1] for row in log.rows)


def test_after_a_long_frame_there_is_still_one_chain(td, boot):
    owner = Owner()
    server = boot(owner)
    td.frame()
    td.now += 30
    embed.find(owner)
    td.frame(5)
    assert server.stats()["frames"] == 6
    assert len(td.pending) == 1


def test_in_a_pause_the_thread_manager_is_asked_for_frames_until_the_timeline_plays(td, boot):
    server = boot()
    td.pause(True)
    embed.play_changed()
    (task,) = td.tasks
    td.pending.clear()
    td.now += 2
    task.RefreshHook()
    job = server.queue.submit(lambda: "done")
    td.frame()
    assert job.future.result(30) == "done"
    td.pause(False)
    embed.play_changed()
    assert task.args[0].is_set()


def test_the_task_of_a_pause_ends_with_the_last_server(td, boot):
    one, other = boot(Owner(1)), boot(Owner(2))
    td.pause(True)
    embed.play_changed()
    (task,) = td.tasks
    one.stop()
    assert not task.args[0].is_set()
    other.stop()
    assert task.args[0].is_set()


def test_a_build_without_a_thread_manager_is_served_in_a_pause_as_well(td, boot):
    del td.op.TDResources.ThreadManager
    server = boot()
    td.pause(True)
    embed.play_changed()
    job = server.queue.submit(lambda: "done")
    td.frame()
    assert job.future.result(30) == "done"


def test_frame_start_beside_a_running_chain_pumps_once_a_frame(td, boot):
    server = boot()
    for _ in range(10):
        server.frames.frame_started(0)
        td.frame()
    assert server.stats()["frames"] == 10
    assert len(td.pending) == 1


def test_frames_that_are_told_of_leave_the_chain_asleep_and_it_wakes_when_they_stop(td, boot):
    server = boot()
    for _ in range(25):
        server.frames.frame_started(0)
        td.frame()
    assert td.pending[0][0] > 1, "it looks again in some frames, not in the next"
    td.frame(2 * HEARTBEAT)
    before = server.stats()["frames"]
    td.frame(5)
    assert server.stats()["frames"] == before + 5


def test_each_frame_is_told_to_the_server_while_it_is_on_and_to_nobody_while_it_is_off(td, boot):
    owner, told = Owner(), []
    server = boot(owner)
    Server.made[-1].answer(9988)
    assert embed.lead_frames(owner, told.append)
    server.apply({"Active": False})
    td.frame(30)
    server.apply({"Active": True})
    td.frame(2)
    server.stop()
    assert [one is None for one in told[-3:]] == [True, False, True]
    assert not embed.lead_frames(owner, told.append)


def test_a_callback_whose_text_is_gone_does_not_keep_the_server_from_sleeping(td, boot):
    owner = Owner()
    server = boot(owner)
    Server.made[-1].answer(9988)
    embed.lead_frames(owner, lambda told: 1 / 0)
    server.apply({"Active": False})
    td.frame(30)
    assert not server.frames.awake and td.pending == []


def test_a_pause_wakes_the_chain_at_once(td, boot):
    server = boot()
    for _ in range(30):
        server.frames.frame_started(0)
        td.frame()
    td.pause(True)
    embed.play_changed()
    td.frame(5)
    assert server.stats()["frames"] == 35


def test_changed_settings_are_taken_in_the_next_frame_though_the_server_is_looked_at_seldom(
    td, boot, monkeypatch
):
    server = boot()
    td.frame()
    Server.made[0].phase = Phase.SERVING
    monkeypatch.setattr(embed, "EVERY_FRAMES", 1000)
    server.apply({"Budgetms": 2.0})
    td.frame()
    assert [values["Budgetms"] for values in Server.made[0].applied] == [2.0]


def test_a_server_that_ends_leaves_no_run_behind(td, boot):
    server = boot()
    for _ in range(5):
        server.frames.frame_started(0)
        td.frame()
    server.stop()
    assert td.pending == []

"""The boot function: one server per component, pumped once a frame, ended with its component."""

import pytest

from tdmcp_embedded import embed, loading
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.serving import Outcome
from tests.unit.component.host import Log, Owner, Server


def serve(td, port=9988):
    Server.made[-1].answer(port)
    td.frame()


def test_starting_returns_at_once_and_says_so(td, boot):
    owner = Owner()
    boot(owner)
    assert Server.made[0].started
    assert owner.shown("Status") == "Starting."
    assert owner.shown("Url") == ""


def test_the_component_shows_where_the_server_answers(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    assert owner.shown("Status") == "Serving at http://127.0.0.1:9988/mcp."
    assert owner.shown("Url") == "http://127.0.0.1:9988/mcp"
    assert owner.shown("Version")
    assert server.status.as_dict()["port"] == 9988


def test_an_owner_without_read_outs_is_served_as_well(td, boot):
    server = boot(Owner(names=()))
    serve(td)
    assert server.status.state == "serving"


def test_booting_twice_makes_one_server(td, boot):
    owner = Owner()
    assert boot(owner) is boot(owner)
    assert len(Server.made) == 1
    assert embed.find(owner) is boot(owner)


def test_two_components_have_two_servers(td, boot):
    assert boot(Owner(1)) is not boot(Owner(2))
    assert len(Server.made) == 2


def test_a_call_is_worked_off_in_the_next_frame(td, boot):
    server = boot()
    job = server.queue.submit(lambda: "done")
    td.frame()
    assert job.future.result(30) == "done"


def test_what_is_missing_is_said_and_looked_for_again_on_restart(td, boot, monkeypatch):
    owner = Owner()
    monkeypatch.setattr(loading, "NEEDED", ("tdmcp_embedded.not_there",))
    missing = loading.Loading()
    monkeypatch.setattr(embed, "_loading", missing)
    server = boot(owner)
    missing._thread.join(10)
    td.frame()
    assert "No module named 'tdmcp_embedded.not_there'" in owner.shown("Status")
    assert Server.made == []
    monkeypatch.setattr(loading, "NEEDED", ("tdmcp_embedded.serving",))
    server.restart()
    td.frame()
    assert Server.made[0].started


def test_deleting_the_component_ends_its_server_and_the_chain(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    job = server.queue.submit(lambda: pytest.fail("ran after its component was gone"))
    owner.valid = False
    td.frame(2)
    assert Server.made[0].ended
    assert embed.find(owner) is None
    assert td.pending == []
    with pytest.raises(ToolFailure):
        job.future.result(30)


def test_deletion_is_noticed_by_the_extension_even_when_the_chain_was_killed(td, boot):
    owner = Owner()
    boot(owner)
    td.pending.clear()
    owner.valid = False
    embed.released(td)
    td.frame(3)
    assert Server.made[0].ended and td.pending == []


def test_building_the_extension_anew_leaves_the_server_alone(td, boot):
    owner = Owner()
    boot(owner)
    serve(td)
    embed.released(td)
    td.frame(5)
    assert not Server.made[0].ended
    assert len(Server.made) == 1


def test_a_job_that_deletes_its_own_component_is_closed_afterwards(td, boot):
    owner = Owner()
    server = boot(owner)
    closed = []

    def work():
        owner.valid = False
        server.stop()
        try:
            yield
        finally:
            closed.append(True)

    server.queue.submit(work)
    td.frame(3)
    assert closed == [True]
    assert td.pending == []


def test_a_component_that_is_switched_off_does_not_start(td, boot):
    owner = Owner()
    boot(owner, {"Active": False})
    td.frame(3)
    assert Server.made == []
    assert owner.shown("Status") == "Off."


def test_switching_off_ends_the_server_and_on_starts_it_again(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    server.apply({"Active": False})
    td.frame()
    assert Server.made[0].ended
    assert owner.shown("Status") == "Off." and owner.shown("Url") == ""
    server.apply({"Active": True})
    td.frame()
    serve(td)
    assert len(Server.made) == 2
    assert owner.shown("Url") == "http://127.0.0.1:9988/mcp"


def test_a_live_change_reaches_the_server_without_a_restart(td, boot):
    server = boot()
    serve(td)
    server.apply({"Budgetms": 2.0})
    server.apply({"Burst": 8})
    td.frame()
    assert Server.made[0].applied == [{"Budgetms": 2.0, "Burst": 8}]
    assert not Server.made[0].ended


def test_a_change_that_cannot_be_live_restarts_with_the_new_value(td, boot):
    server = boot(values={"Port": 9988})
    serve(td)
    Server.made[0].outcome = Outcome(restart=True)
    server.apply({"Port": 9000})
    td.frame()
    assert Server.made[0].ended
    assert Server.made[1].values["Port"] == 9000


def test_a_value_that_cannot_be_used_is_named_while_the_server_goes_on(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    Server.made[0].outcome = Outcome(problem="Port 70000 is above 65535.")
    server.apply({"Port": 70000})
    td.frame()
    assert owner.shown("Status") == "Serving at http://127.0.0.1:9988/mcp. Port 70000 is above 65535."


def test_a_parameter_that_cannot_be_evaluated_is_named_and_keeps_its_old_value(td, boot):
    owner = Owner()
    server = boot(owner, {"Port": 9988})
    serve(td)
    server.apply({"Port": ValueError("NameError: name 'x' is not defined")})
    td.frame()
    assert "Port cannot be evaluated: NameError" in owner.shown("Status")
    assert Server.made[-1].applied[-1]["Port"] == 9988


def test_a_change_during_the_start_waits_until_the_server_answers(td, boot):
    server = boot()
    server.apply({"Budgetms": 2.0})
    td.frame(3)
    assert Server.made[0].applied == []
    serve(td)
    assert Server.made[0].applied == [{"Budgetms": 2.0}]


def test_an_unexpected_failure_is_retried_with_growing_pauses_and_then_final(td, boot):
    owner = Owner()
    boot(owner)
    waited = []
    for _ in embed.RETRY_PAUSES:
        count = len(Server.made)
        Server.made[-1].fail("The server fell over.")
        td.frame()
        assert "Trying again in" in owner.shown("Status")
        since = td.now
        while len(Server.made) == count:
            td.now += 0.5
            td.frame()
            assert td.now - since < 60
        waited.append(td.now - since)
    assert waited == sorted(waited) and waited[-1] > waited[0]
    Server.made[-1].fail("The server fell over.")
    count = len(Server.made)
    for _ in range(100):
        td.now += 10
        td.frame()
    assert len(Server.made) == count
    assert "Gave up" in owner.shown("Status")


def test_a_failure_with_a_known_remedy_is_final_until_something_changes(td, boot):
    owner = Owner()
    server = boot(owner)
    Server.made[0].fail("Port 9988 is taken; choose another.", final=True)
    for _ in range(20):
        td.now += 10
        td.frame()
    assert len(Server.made) == 1
    assert owner.shown("Status") == "Port 9988 is taken; choose another."
    server.apply({"Port": 9000})
    td.frame()
    assert len(Server.made) == 2


def test_the_same_value_again_is_no_remedy(td, boot):
    server = boot(values={"Port": 9988})
    Server.made[0].fail("Port 9988 is taken; choose another.", final=True)
    td.frame()
    server.apply({"Port": 9988})
    td.frame(3)
    assert len(Server.made) == 1


def test_a_restart_is_shown_at_once(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    server.restart()
    assert owner.shown("Status") == "Restarting." and owner.shown("Url") == ""


def test_restart_starts_again_after_giving_up(td, boot):
    server = boot()
    Server.made[0].fail("No.", final=True)
    td.frame()
    server.restart()
    td.frame()
    assert len(Server.made) == 2 and Server.made[1].started


def test_a_new_server_waits_for_the_old_one_to_leave_its_port(td, boot):
    server = boot()
    serve(td)
    old = Server.made[0]
    server.restart()
    old.alive = True
    td.frame(5)
    assert len(Server.made) == 1
    old.alive = False
    td.frame()
    assert len(Server.made) == 2


def test_a_component_deleted_in_the_same_frame_gives_its_port_to_the_next(td, boot):
    old = Owner(1)
    boot(old)
    serve(td)
    old.valid = False
    boot(Owner(2))
    assert Server.made[0].ended


def test_a_server_that_does_not_end_is_not_waited_for_for_ever(td, boot):
    server = boot()
    serve(td)
    server.restart()
    Server.made[0].alive = True
    td.frame()
    td.now += embed.ENDING_PATIENCE + 1
    td.frame()
    assert len(Server.made) == 2


def test_facts_are_plain_values_and_follow_the_project(td, boot):
    server = boot(values={"Instancename": "stage left"})
    assert server.facts["project"] == "show.7.toe"
    assert server.facts["component"] == "/project1/tdmcp"
    assert server.facts["name"] == "stage left"
    assert all(isinstance(v, str | int | float | bool) for v in server.facts.values())
    td.ui.performMode = True
    td.frame(40)
    assert server.facts["perform_mode"] is True
    assert Server.made[0].fact_changes


def test_facts_that_cannot_be_read_are_logged_and_the_pump_goes_on(td, boot):
    log = Log()
    server = boot(log=log)
    del td.project.name
    td.frame(40)
    job = server.queue.submit(lambda: "done")
    td.frame()
    assert job.future.result(30) == "done"
    told = [row[1] for row in log.rows if "does not tell the fact project (" in row[1]]
    assert len(told) == 1, "said once, not at every sample"
    assert server.facts["build"] == "2025.32460", "the others are not lost for it"


def test_the_log_keeps_its_head_and_stays_short(td, boot):
    log = Log()
    server = boot(log=log)
    for i in range(300):
        server.apply({"Port": ValueError(str(i))})
        td.frame()
        Server.made[-1].answer()
        td.frame()
    assert log.rows[0] == ["time", "event"]
    assert len(log.rows) <= 201


def test_every_call_that_waits_is_answered_when_the_server_stops(td, boot):
    server = boot()
    job = server.queue.submit(lambda: None)
    server.stop()
    with pytest.raises(ToolFailure) as refusal:
        job.future.result(30)
    assert "stopped" in refusal.value.message
    server.stop()


def test_the_person_decides_about_the_agent_that_is_shown_and_about_no_other(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    server.decide(approve=True)
    assert Server.made[0].decided == [], "nobody waits"
    Server.made[0].asked = ("first", "ABCD-EFGH: Agent asks.")
    td.frame()
    assert owner.shown("Consent") == "ABCD-EFGH: Agent asks."
    # Another one has come to the front, but is not shown yet: the pulse means the one that is.
    Server.made[0].asked = ("second", "JKLM-NPQR: Other asks.")
    server.decide(approve=True)
    assert Server.made[0].decided == [("first", True)]
    Server.made[0].asked = ("", "")
    td.frame()
    assert owner.shown("Consent") == ""


def test_what_happens_is_in_the_log_of_the_component_and_in_files(td, boot, home):
    log = Log()
    server = boot(log=log)
    serve(td)
    td.frame()
    assert "Serving at http://127.0.0.1:9988/mcp." in [row[1] for row in log.rows]
    assert server.log.flush()
    assert "Serving at" in (home / "logs" / "server.log").read_text()
    server.stop()
    server.log.join(30)
    assert server.log._writer._thread is not None and not server.log._writer._thread.is_alive()


def test_an_operator_of_another_project_with_the_same_id_gets_a_server_of_its_own(td, boot):
    # After File > Open (fact 59): ids repeat, and the pending runs are gone.
    old, new = Owner(7), Owner(7)
    former = boot(old)
    serve(td)
    old.valid = False
    td.pending.clear()
    assert embed.find(new) is None
    assert Server.made[0].ended
    assert boot(new) is not former and Server.made[1].started


def test_an_operator_that_refuses_to_say_whether_it_is_valid_is_gone(td, boot):
    class Gone(Owner):
        refusing = False

        @property
        def valid(self):
            if self.refusing:
                raise RuntimeError("Invalid OP object")
            return True

        @valid.setter
        def valid(self, value):
            pass

    owner = Gone()
    boot(owner)
    serve(td)
    owner.refusing = True
    td.frame(4)
    assert Server.made[0].ended and embed._servers == {}


def test_a_run_that_is_over_and_raises_when_killed_does_not_stop_the_end(td, boot):
    server = boot()
    serve(td)

    class Over:
        def kill(self):
            raise RuntimeError("Invalid run object")

    server._pump._next = Over()
    server.stop()
    assert Server.made[0].ended and embed.find(Owner()) is None


@pytest.mark.parametrize("part", ["_pump.end", "queue.close", "_display.show"])
def test_a_part_of_the_end_that_fails_leaves_none_of_the_others_out(td, boot, monkeypatch, part):
    server = boot()
    serve(td)
    serving, log = Server.made[0], server.log

    def failing(*args):
        raise RuntimeError("no")

    holder, name = part.split(".")
    monkeypatch.setattr(getattr(server, holder), name, failing)
    server.stop()
    assert serving.ended and embed._servers == {}
    assert any(
        "A part of the end failed: RuntimeError: no" in record.event for record in log.ring.since(0, "info")
    )
    log.join(30)


def test_switched_off_nothing_of_ours_runs_until_it_is_switched_on(td, boot):
    owner = Owner()
    server = boot(owner)
    serve(td)
    server.apply({"Active": False})
    td.frame(30)
    assert td.pending == [] and not server.frames.awake and not server.frames.ended
    server.apply({"Active": True})
    td.frame(2)
    assert len(Server.made) == 2 and server.frames.awake


def test_switched_off_in_a_pause_the_thread_manager_is_left_alone_as_well(td, boot):
    server = boot()
    serve(td)
    td.pause(True)
    embed.play_changed()
    assert len(td.tasks) == 1
    server.apply({"Active": False})
    td.frame(30)
    assert td.tasks[0].args[0].is_set(), "the task was let go"
    embed.play_changed()
    td.frame(3)
    assert len(td.tasks) == 1 and td.pending == []

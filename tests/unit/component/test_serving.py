"""What the server's thread makes of the values, and how it explains its failures."""

import sys
from types import SimpleNamespace

import pytest

from tdmcp_embedded import checking
from tdmcp_embedded.checking import CannotServe
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.listening import CannotListen
from tdmcp_embedded.http.oauth.consents import PATIENCE_S, Consents
from tdmcp_embedded.http.thread import Phase as ThreadPhase
from tdmcp_embedded.http.thread import State
from tdmcp_embedded.serving import Phase, Serving
from tdmcp_embedded.settings import Level


@pytest.fixture
def run():
    """A run that serves, without its thread."""
    queue = FrameQueue(watch=False)
    run = Serving(sys, queue, {"perform_mode": False}, {})
    run.settings = checking.validated({})
    run.url, run.key = "http://127.0.0.1:9988/mcp", "secret"
    return run


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"Budgetms": 500.0}, "Budgetms cannot be 500.0: it takes 100 or less."),
        ({"Toolset": "some"}, "Toolset cannot be 'some': it takes all or core."),
        ({"Accesslevel": "god"}, "Accesslevel cannot be 'god'"),
        ({"Address": "0.0.0.0", "Requirekey": False}, "switch Require Key on"),
        (
            {"Publicaddress": "https://a.example", "Requirekey": False},
            "switch Require Key on, or empty Publicaddress",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_named(values, words):
    with pytest.raises(CannotServe, match=words.replace(".", r"\.")):
        checking.validated(values)


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", ""])
def test_this_machine_may_be_served_without_a_key(address):
    assert not checking.validated({"Address": address, "Requirekey": False}).require_key


def test_pulses_and_read_outs_are_no_settings():
    assert checking.validated({"Status": "Serving", "Restart": 1}) == checking.validated({})


def test_a_live_change_is_in_force_at_once(run):
    outcome = run.apply({"Budgetms": 2.0, "Queuesize": 8, "Accesslevel": "observe"})
    assert (outcome.restart, outcome.problem) == (False, "")
    assert run.settings.access_level is Level.OBSERVE
    assert (run._queue.budget_ms, run._queue.capacity) == (2.0, 8)


@pytest.mark.parametrize(
    "values",
    [{"Port": 9000}, {"Address": "::1"}, {"Portscan": 3}, {"Tlscertificate": "a.pem"}, {"Tlskey": "a.key"}],
)
def test_what_the_port_is_bound_with_needs_a_restart(run, values):
    assert run.apply(values).restart


def test_require_key_cannot_be_switched_off_while_there_is_a_public_address(run):
    assert not run.apply({"Publicaddress": "https://a.example"}).problem
    outcome = run.apply({"Publicaddress": "https://a.example", "Requirekey": False})
    assert "switch Require Key on" in outcome.problem and run.settings.require_key


def test_a_bad_change_leaves_the_former_settings_in_force(run):
    former = run.settings
    outcome = run.apply({"Budgetms": -1.0})
    assert "Budgetms" in outcome.problem and not outcome.restart
    assert run.settings is former


@pytest.mark.parametrize(
    ("error", "words", "final"),
    [
        (CannotListen("Port 9988 is taken."), "Port 9988 is taken.", True),
        (ModuleNotFoundError("No module named 'mcp'", name="mcp"), "package 'mcp' is missing", True),
        (CannotServe("Budgetms cannot be 500."), "Budgetms cannot be 500.", True),
        (RuntimeError("boom"), "The server failed: RuntimeError: boom", False),
        (SystemExit(3), "could not start", False),
    ],
)
def test_a_failure_is_explained_and_tried_again_only_where_that_may_help(run, error, words, final):
    from tdmcp_embedded.http.thread import _sentence

    sentence = str(error) if isinstance(error, CannotListen) else _sentence(error)
    run._on_state(State(ThreadPhase.FAILED, 9988, sentence, error))
    assert run.phase is Phase.FAILED and run.final is final
    assert words in run.sentence


@pytest.mark.parametrize("values", [{"Port": 70000}, {"Port": -1}, {"Port": "x"}, {"Portscan": 1000}])
def test_a_port_that_is_none_fails_before_anything_is_bound(values):
    run = Serving(sys, FrameQueue(watch=False), {}, values)
    run.start()
    assert run.phase is Phase.FAILED and run.final and not run.alive
    assert next(iter(values)) in run.sentence
    run.end()
    assert run.join(0)


def test_tls_files_that_do_not_work_are_named_before_the_server_tries(tmp_path):
    with pytest.raises(CannotServe, match="TLS files cannot be used"):
        checking.check_tls(str(tmp_path / "none.pem"), "")
    with pytest.raises(CannotServe, match="without Tlscertificate"):
        checking.check_tls("", "key.pem")


def test_the_client_configuration_carries_the_key_only_where_one_is_needed(run):
    assert "Bearer secret" in run.client_config()
    run.settings = checking.validated({"Requirekey": False})
    assert "secret" not in run.client_config() and run.url in run.client_config()


def test_with_a_public_address_clients_are_told_that_and_never_the_owners_key(run):
    run.settings = checking.validated({"Publicaddress": "https://td.example/"})
    assert run.shown_url == "https://td.example/mcp"
    told = run.client_config()
    assert '"https://td.example/mcp"' in told and "secret" not in told and "tdmcp key add" in told
    run.settings = checking.validated({"Publicaddress": "https://td.example", "Oauth": True})
    assert '"https://td.example/mcp"' in run.client_config() and "Authorization" not in run.client_config()


def test_a_server_of_this_machine_only_is_not_announced_and_says_so(run):
    run.settings = checking.validated({"Announce": True})
    assert run._announcer() is None
    assert "Announce has no effect while Address is 127.0.0.1" in run.warning


def test_announcing_uses_the_address_that_others_reach(run, monkeypatch):
    said = []
    monkeypatch.setattr("tdmcp_embedded.discovery.Announcer", lambda url, facts, warn: said.append(url))
    run._announcer()
    run.settings, run.port = checking.validated({"Announce": True, "Address": "192.168.1.20"}), 9988
    run._announcer()
    assert said == ["http://192.168.1.20:9988/mcp"]


@pytest.mark.parametrize(
    ("values", "remote_keys", "words", "silent"),
    [
        ({}, False, (), ("Warning", "No key")),
        ({"Address": "0.0.0.0"}, True, ("plain HTTP leaves this machine",), ("No key",)),
        ({"Address": "10.0.0.5", "Tlscertificate": "c.pem"}, True, (), ("Warning", "No key")),
        ({"Address": "0.0.0.0"}, False, ("Warning", "tdmcp key add NAME --anywhere"), ()),
        ({"Publicaddress": "https://a.example"}, False, ("--level edit --anywhere",), ("Warning",)),
        ({"Publicaddress": "https://a.example"}, True, (), ("Warning", "No key")),
        ({"Publicaddress": "https://a.example", "Oauth": True}, False, (), ("Warning", "No key")),
        ({"Publicaddress": "http://a.example"}, True, ("Public Address is plain HTTP",), ("No key",)),
        ({"Publicaddress": "http://127.0.0.1:1"}, True, (), ("Warning", "No key")),
    ],
)
def test_a_server_that_others_can_reach_says_what_that_means(values, remote_keys, words, silent):
    said = checking.exposure(checking.validated(values), remote_keys)
    assert all(word in said for word in words)
    assert not any(word in said for word in silent)


def test_oauth_on_the_network_needs_https():
    with pytest.raises(CannotServe, match="needs HTTPS"):
        checking.validated({"Address": "0.0.0.0", "Oauth": True})
    assert checking.validated({"Address": "0.0.0.0", "Oauth": True, "Tlscertificate": "c.pem"}).oauth
    assert checking.validated({"Oauth": True}).oauth


def test_several_warnings_stand_side_by_side_until_each_is_over(run):
    run.warn("log", "The log cannot be written.")
    run.warn("exposure", "Plain HTTP.")
    seen = run.version
    run.warn("exposure", "Plain HTTP.")
    assert run.version == seen and run.warning == "The log cannot be written. Plain HTTP."
    run.warn("log", "")
    assert run.warning == "Plain HTTP."


def test_a_touchdesigner_run_as_administrator_is_told_in_status(run, monkeypatch):
    run._look_at_rights()
    assert run.warning == ""
    monkeypatch.setattr("tdmcp_embedded.processes.elevated", lambda: True)
    run._look_at_rights()
    assert run.warning.startswith("TouchDesigner runs as administrator")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], ""),
        (
            ["Agent"],
            "Agent waits for your approval: compare the code, then pulse Approve or Deny (page Security).",
        ),
        (["Agent", "Other"], "Agent and 1 more wait for your approval"),
    ],
)
def test_status_says_while_remote_agents_wait_for_approval_and_stops_when_they_expire(run, names, words):
    now, later = [0.0], []
    run._loop = SimpleNamespace(call_later=lambda pause, work: later.append((pause, work)))
    consents = Consents(run._look_at_consents, clock=lambda: now[0])
    run._agents = SimpleNamespace(consents=consents)
    for name in names:
        run._expiry = None
        consents.ask(name, name, "agent.example", Level.EDIT, None)
    assert run.warning.startswith(words) and bool(run.asked[0]) is bool(names)
    if names:
        # Nobody asks again: neither the browser nor anybody else.
        now[0], (pause, look) = later[-1][0], later[-1]
        assert pause >= PATIENCE_S
        look()
    assert run.warning == "" and run.asked == ("", "")


def test_a_home_outside_of_the_profile_is_warned_of_in_status(run, monkeypatch):
    from tdmcp_embedded import file_modes

    monkeypatch.setenv("TDMCP_HOME", "D:/shows")
    monkeypatch.setattr(file_modes.outside_profile, "__kwdefaults__", {"system": "win32"})
    run._look_at_rights()
    assert "The access keys in D:/shows are outside of your user profile" in run.warning

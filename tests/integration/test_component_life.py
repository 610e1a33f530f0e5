"""The component's life in a running TouchDesigner: exactly one server per component, and none left behind."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, http_client, request, text

COMPONENT = "op('/project1/tdmcp')"


def until(question, wanted, tries=1500):
    """Ask until the answer is the wanted one. Bounded by tries; each goes through the stand-in's next frame."""
    got = None
    for _ in range(tries):
        got = question()
        if wanted(got) if callable(wanted) else got == wanted:
            return got
    raise AssertionError(f"still {got!r}")


def par(td, name, component=COMPONENT):
    """What a custom parameter of the component shows."""
    return td.exec(f"{component}.par.{name}.eval()")[1:-1]


def serving(td, component=COMPONENT):
    """Wait until the component serves; the address it shows."""
    until(lambda: par(td, "Status", component), lambda said: said.startswith("Serving at "))
    return par(td, "Url", component)


def on_its_own_port(td):
    """Give the component the port it has as a fixed one, and wait until it serves there."""
    td.exec(f"{COMPONENT}.par.Port = {td.ready['port']}")
    starts = f"len([r for r in {COMPONENT}.op('log').rows() if 'Serving at' in r[1].val])"
    until(lambda: td.exec(starts), "2")


def answers(url):
    """Whether somebody listens behind an address."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def gone(td, url):
    """Wait until nobody listens there any more."""
    until(lambda: td.exec("1") and answers(url), False)


def entries(td):
    """The registry of running servers, as clients read it."""
    return [json.loads(path.read_text("utf-8")) for path in (td.home / ".tdmcp" / "instances").glob("*.json")]


def initialize(td, url=None, token=None):
    """The status of a legacy handshake with the access key."""
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {token or td.token}"}
    return request(url or td.url, "POST", INITIALIZE, headers).status


@pytest.fixture(autouse=True)
def no_conflict(request):
    used = [request.getfixturevalue(name) for name in ("td", "own_td") if name in request.fixturenames]
    yield
    for stand_in in used:
        if stand_in.process.poll() is None:
            assert stand_in.stats()["thread_conflicts"] == 0
            assert stand_in.strays == []


# What a user sees


def test_the_component_shows_where_it_serves_and_the_registry_agrees(td):
    assert par(td, "Status") == f"Serving at {td.url}."
    assert par(td, "Url") == td.url
    (entry,) = entries(td)
    assert entry["url"] == td.url and entry["token"] == td.token
    assert entry["component"] == "/project1/tdmcp" and entry["pid"] == td.ready["pid"]


def test_read_outs_are_read_only_and_no_parameter_holds_the_key(td):
    assert (
        td.exec(f"[{COMPONENT}.par[n].readOnly for n in ('Status', 'Url', 'Version')]")
        == "[True, True, True]"
    )
    assert td.token not in td.exec(f"[p.eval() for p in {COMPONENT}.customPars]")


def test_the_log_inside_tells_what_happened(td):
    assert "Serving at" in td.exec(f"[r[1].val for r in {COMPONENT}.op('log').rows()]")


def test_the_extension_answers_scripts_of_the_project(td):
    assert td.exec(f"{COMPONENT}.State()['state']") == "'serving'"
    assert int(td.exec(f"{COMPONENT}.PumpStats()['frames']")) > 0


def test_no_script_of_the_component_has_failed(td):
    assert td.exec(f"{COMPONENT}.scriptErrors(recurse=True)") == "''"
    assert td.exec(f"{COMPONENT}.errors(recurse=True)") == "''"


def test_nothing_in_storage_and_the_project_can_be_saved(td):
    assert td.exec(f"[dict(o.storage) for o in [{COMPONENT}, *{COMPONENT}.children]]").count("{}") == 6
    td.do("save", seconds=0.1)
    assert serving(td) == td.url
    assert initialize(td) == 200


# Extension, pump, timeline


@pytest.mark.anyio
async def test_building_the_extension_anew_a_hundred_times_leaves_one_server_and_its_clients_alone(td):
    async with http_client(td) as client:
        await client.list_tools()
        before = td.stats()
        for _ in range(100):
            td.do("reinit_component")
            td.exec(f"{COMPONENT}.State()")
        assert not (await client.call_tool("find_operators", {"path": "/project1"})).is_error
        after = td.stats()
    assert answers(td.url) and len(entries(td)) == 1
    assert (
        after["threads"] <= before["threads"] + 1
    )  # the watchdog of the frame queue comes with the first call
    assert after["open_sockets"] <= before["open_sockets"] + 1
    assert int(td.exec("len(runs)")) == 1


def test_a_killed_pump_comes_back(td):
    td.do("kill_runs")
    assert initialize(td) == 200
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)


def test_a_paused_timeline_does_not_stop_the_pump(td):
    td.do("timeline", play=False)
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)
    td.do("timeline", play=True)


# Parameters


def test_switching_off_frees_the_port_and_on_takes_it_again(own_td):
    url = own_td.url
    on_its_own_port(own_td)
    own_td.exec(f"{COMPONENT}.par.Active = False")
    until(lambda: par(own_td, "Status"), "Off.")
    gone(own_td, url)
    assert entries(own_td) == []
    own_td.exec(f"{COMPONENT}.par.Active = True")
    assert serving(own_td) == url


def test_a_new_port_takes_effect(own_td):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own_td.exec(f"{COMPONENT}.par.Port = {port}")
    until(lambda: par(own_td, "Url"), f"http://127.0.0.1:{port}/mcp")
    assert answers(f"http://127.0.0.1:{port}/mcp")
    gone(own_td, own_td.url)


def test_a_port_that_others_hold_is_named_once_and_another_one_helps(own_td):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        own_td.exec(f"{COMPONENT}.par.Portscan = 0\n{COMPONENT}.par.Port = {port}")
        status = until(lambda: par(own_td, "Status"), lambda said: "taken" in said)
        assert str(port) in status and par(own_td, "Url") == ""
        assert entries(own_td) == []
    own_td.exec(f"{COMPONENT}.par.Port = 0")
    assert answers(serving(own_td))


def test_an_address_of_another_machine_is_refused_in_words_until_it_is_put_right(own_td):
    own_td.exec(f"{COMPONENT}.par.Address = '203.0.113.7'")
    until(lambda: par(own_td, "Status"), lambda said: "no address 203.0.113.7" in said)
    own_td.exec(f"{COMPONENT}.par.Address = '127.0.0.1'")
    assert answers(serving(own_td))


def test_other_machines_are_let_in_only_with_a_key(own_td):
    own_td.exec(f"{COMPONENT}.par.Requirekey = False\n{COMPONENT}.par.Address = '0.0.0.0'")
    until(lambda: par(own_td, "Status"), lambda said: "switch Require Key on" in said)
    assert answers(own_td.url)


def test_a_value_that_cannot_be_used_is_named_while_the_former_stays_in_force(td):
    td.exec(f"{COMPONENT}.par.Budgetms = 500")
    status = until(lambda: par(td, "Status"), lambda said: "Budgetms cannot be 500" in said)
    assert status.startswith(f"Serving at {td.url}.")
    assert td.stats()["pump"]["budget_ms"] == 4.0
    td.exec(f"{COMPONENT}.par.Budgetms = 4")
    until(lambda: par(td, "Status"), f"Serving at {td.url}.")


def test_a_broken_expression_is_named_and_the_server_goes_on(td):
    td.exec(f"{COMPONENT}.par.Budgetms.expr = 'nonsense('")
    td.exec(f"{COMPONENT}.Changed({COMPONENT}.par.Budgetms)")
    until(lambda: par(td, "Status"), lambda said: "Budgetms cannot be evaluated" in said)
    td.exec(f"{COMPONENT}.par.Budgetms = 4")
    until(lambda: par(td, "Status"), f"Serving at {td.url}.")


def test_the_budget_changes_while_serving(td):
    td.exec(f"{COMPONENT}.par.Budgetms = 2.5")
    until(lambda: td.stats()["pump"]["budget_ms"], 2.5)
    assert answers(td.url)


@pytest.mark.anyio
async def test_access_level_toolset_and_perform_level_change_what_clients_see(td):
    async def sees():
        async with http_client(td) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    everything = await sees()
    for change, hidden in (
        ("par.Accesslevel = 'observe'", "create_operator"),
        ("par.Accesslevel = 'edit'", "execute_python"),
        ("par.Performlevel = 'observe'\nui.performMode = True", "create_operator"),
    ):
        td.exec(f"{COMPONENT}.{change}")
        frames = td.stats()["pump"]["frames"]
        until(lambda: td.stats()["pump"]["frames"], lambda now, then=frames: now > then + 40)
        assert hidden in everything and hidden not in await sees(), change
        td.exec(
            f"ui.performMode = False\n{COMPONENT}.par.Accesslevel = {COMPONENT}.par.Performlevel = 'full'"
        )
    td.exec(f"{COMPONENT}.par.Toolset = 'core'")
    td.exec("1")
    td.exec("1")
    assert await sees() < everything
    td.exec(f"{COMPONENT}.par.Toolset = 'all'")


def test_require_key_and_largest_request_are_in_force_at_once(td):
    assert request(td.url, "POST", INITIALIZE, JSON_HEADERS).status == 401
    td.exec(f"{COMPONENT}.par.Requirekey = False\n{COMPONENT}.par.Maxbodymb = 0.1")
    until(lambda: td.exec("1") and request(td.url, "POST", INITIALIZE, JSON_HEADERS).status, 200)
    assert request(td.url, "POST", b" " * 200_000, JSON_HEADERS).status == 413
    td.exec(f"{COMPONENT}.par.Requirekey = True\n{COMPONENT}.par.Maxbodymb = 8")
    until(lambda: td.exec("1") and request(td.url, "POST", INITIALIZE, JSON_HEADERS).status, 401)


def test_a_renamed_component_goes_on_serving_under_its_new_path(td):
    td.exec(f"{COMPONENT}.name = 'renamed'")
    until(lambda: td.exec("1") and entries(td)[0]["component"], "/project1/renamed")
    assert answers(td.url)
    td.exec("op('/project1/renamed').name = 'tdmcp'")
    until(lambda: td.exec("1") and entries(td)[0]["component"], "/project1/tdmcp")


def test_the_instance_name_reaches_the_registry(td):
    td.exec(f"{COMPONENT}.par.Instancename = 'stage left'")
    until(lambda: td.exec("1") and entries(td)[0]["name"], "stage left")
    td.exec(f"{COMPONENT}.par.Instancename = ''")


def test_a_new_token_replaces_the_old_one_at_once(own_td):
    own_td.exec(f"{COMPONENT}.par.Newtoken.pulse()")
    until(lambda: own_td.exec("1") and entries(own_td)[0]["token"], lambda token: token != own_td.token)
    assert initialize(own_td) == 401
    assert initialize(own_td, token=entries(own_td)[0]["token"]) == 200


def test_the_clipboard_gets_a_client_configuration_that_works(td):
    td.exec(f"{COMPONENT}.par.Copyconfig.pulse()")
    td.exec("1")
    config = until(lambda: td.exec("ui.clipboard"), lambda said: "mcpServers" in said)
    server = json.loads(eval(config))["mcpServers"]["touchdesigner"]
    status = request(server["url"], "POST", INITIALIZE, {**JSON_HEADERS, **server["headers"]}).status
    assert status == 200


# Coming and going


def test_a_hundred_deletions_and_drops_leave_nothing_behind(own_td):
    def cycle():
        url = serving(own_td)
        own_td.do("delete_component")
        gone(own_td, url)
        own_td.do("drop_component")

    for _ in range(3):
        cycle()
    serving(own_td)
    before = own_td.stats()
    for _ in range(97):
        cycle()
    assert answers(serving(own_td))
    after = own_td.stats()
    assert len(entries(own_td)) == 1
    assert after["threads"] <= before["threads"] + 1
    assert after["open_sockets"] <= before["open_sockets"]
    assert after["operators"] == before["operators"]


def test_a_component_that_is_dropped_again_at_once_has_the_same_port(own_td):
    on_its_own_port(own_td)
    own_td.exec(f"copy = op('/project1').copy({COMPONENT}, name='next')\n{COMPONENT}.destroy()")
    assert serving(own_td, "op('/project1/next')") == own_td.url
    assert len(entries(own_td)) == 1


def test_a_copy_is_a_second_server_on_its_own_port(own_td):
    on_its_own_port(own_td)
    own_td.exec(f"op('/project1').copy({COMPONENT}, name='second')")
    # At first the copy shows what was copied with it.
    second = until(
        lambda: par(own_td, "Url", "op('/project1/second')"), lambda url: url not in ("", own_td.url)
    )
    assert answers(second) and answers(own_td.url)
    until(
        lambda: own_td.exec("1") and sorted(entry["component"] for entry in entries(own_td)),
        ["/project1/second", "/project1/tdmcp"],
    )
    own_td.exec("op('/project1/second').destroy()")
    gone(own_td, second)
    assert [entry["component"] for entry in entries(own_td)] == ["/project1/tdmcp"]
    assert answers(own_td.url)


@pytest.mark.anyio
async def test_a_client_that_deletes_the_component_is_answered_and_ends_the_server(own_td):
    async with http_client(own_td) as client:
        code = f"{COMPONENT}.destroy()"
        with contextlib.suppress(MCPError, httpx2.HTTPError):  # the answer may lose the race with the end
            result = await client.call_tool("execute_python", {"code": code})
            assert not result.is_error or "stopped" in text(result)
    assert own_td.exec(COMPONENT) == "None"
    gone(own_td, own_td.url)
    assert entries(own_td) == [] and int(own_td.exec("len(runs)")) == 0


def test_undoing_the_creation_of_a_component_ends_its_server(own_td):
    own_td.exec(
        f"ui.undo.startBlock('paste')\nop('/project1').copy({COMPONENT}, name='second')\nui.undo.endBlock()"
    )
    second = until(
        lambda: par(own_td, "Url", "op('/project1/second')"), lambda url: url not in ("", own_td.url)
    )
    own_td.exec("ui.undo.undo()")
    assert own_td.exec("op('/project1/second')") == "None"
    gone(own_td, second)
    assert len(entries(own_td)) == 1


def test_two_touchdesigners_of_one_home_have_two_servers_and_a_crashed_one_is_cleaned_up(tmp_path):
    with StandIn("--scene", "empty", home=tmp_path) as one:
        with StandIn("--scene", "empty", home=tmp_path) as two:
            assert one.url != two.url and one.token == two.token
            assert {entry["pid"] for entry in entries(one)} == {one.ready["pid"], two.ready["pid"]}
            two.do("crash")
            two.process.wait(30)
        with StandIn("--scene", "empty", home=tmp_path) as three:
            assert {entry["pid"] for entry in entries(one)} == {one.ready["pid"], three.ready["pid"]}


@pytest.mark.parametrize("end", ["quit", "terminate"])
def test_nothing_is_left_when_touchdesigner_ends(end):
    with StandIn("--scene", "empty") as td:
        if end == "quit":
            td.do("quit")
        else:
            td.process.terminate()
        assert td.process.wait(30) == 0
        assert entries(td) == []
        assert not answers(td.url)
        assert "Traceback" not in td.stderr()


# Without the component


def test_the_documented_call_starts_a_server_for_any_component(tmp_path):
    with StandIn("--bare", "--scene", "empty", home=tmp_path) as td:
        td.exec(
            "import td\nfrom tdmcp_embedded import embed\n"
            "server = embed.start(op('/project1'), td, {'Port': 0})"
        )
        until(lambda: td.exec("server.status.state"), "'serving'")
        url = td.exec("server.status.url")[1:-1]
        assert answers(url)
        assert initialize(td, url, entries(td)[0]["token"]) == 200
        td.exec("server.stop()")
        gone(td, url)


def test_starting_imports_nothing_heavy_on_the_main_thread():
    code = (
        "import sys; from tdmcp_embedded import embed; "
        "print([m for m in ('mcp', 'pydantic', 'uvicorn', 'starlette', 'asyncio') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "[]"

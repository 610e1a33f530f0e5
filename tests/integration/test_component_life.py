"""The component's life in a running TouchDesigner: exactly one server per component, and none left behind."""

from __future__ import annotations

import ast
import contextlib
import json
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, http_client, request, text
from tests.integration.component import (
    COMPONENT,
    answers,
    entries,
    gone,
    initialize,
    on_a_fixed_port,
    par,
    serving,
    until,
)


@pytest.fixture(scope="module")
def td():
    """One for all tests, each of which leaves the component serving at the address it had."""
    with on_a_fixed_port() as stand_in:
        yield stand_in


@pytest.fixture(autouse=True)
def as_it_was(request):
    yield
    if "td" in request.fixturenames:
        stand_in = request.getfixturevalue("td")
        assert serving(stand_in) == stand_in.url
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


def test_every_thread_of_the_server_carries_its_name(td):
    # Metrics are rendered by the event loop's executor, which makes its threads as it needs them.
    assert httpx2.get(td.url.replace("/mcp", "/metrics"), headers=td.headers).status_code == 200
    names = ast.literal_eval(td.exec("[t.name for t in __import__('threading').enumerate()]"))
    ours = [name for name in names if not name.startswith(("MainThread", "stand-in "))]
    assert "tdmcp-worker_0" in ours
    assert [name for name in ours if not name.startswith("tdmcp-")] == []


def test_the_extension_answers_scripts_of_the_project(td):
    assert td.exec(f"{COMPONENT}.State()['state']") == "'serving'"
    assert int(td.exec(f"{COMPONENT}.PumpStats()['frames']")) > 0


def test_no_script_of_the_component_has_failed(td):
    assert td.exec(f"{COMPONENT}.scriptErrors(recurse=True)") == "''"
    assert td.exec(f"{COMPONENT}.errors(recurse=True)") == "''"


def test_nothing_in_storage_and_the_project_can_be_saved(td):
    assert td.exec(f"[dict(o.storage) for o in [{COMPONENT}, *{COMPONENT}.children]]").count("{}") == 7
    td.do("save", seconds=0.1)
    assert serving(td) == td.url
    assert initialize(td) == 200


# Extension, pump, timeline


def test_a_killed_pump_comes_back(td):
    td.do("kill_runs")
    assert initialize(td) == 200
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)


def lifeline(td, there):
    """Wait until the Thread Manager has, or no longer has, the task that asks for frames in a pause."""
    threads = "[thread.name for thread in __import__('threading').enumerate()]"
    until(lambda: "TDTask" in td.exec(threads), there)


def test_a_pump_that_is_killed_in_a_pause_comes_back_by_itself(td):
    td.do("timeline", play=False)
    lifeline(td, True)
    td.do("kill_runs")
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)
    td.do("timeline", play=True)
    lifeline(td, False)


def test_without_the_thread_manager_touching_the_component_brings_it_back(td):
    td.do("timeline", play=False)
    lifeline(td, True)
    # Whether TouchDesigner calls RefreshHooks in a pause is not established: here it does not.
    td.exec("from tdmcp_embedded import lifeline\nlifeline.drop()\nfor r in runs:\n    r.kill()")
    until(lambda: request(td.url.replace("/mcp", "/health")).json["status"], "stalled")
    lifeline(td, False)
    frames = td.stats()["pump"]["frames"]
    td.exec(f"{COMPONENT}.par.Burst = 5")
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)
    td.exec(f"{COMPONENT}.par.Burst = 4")
    td.do("timeline", play=True)


def test_a_paused_timeline_does_not_stop_the_pump(td):
    td.do("timeline", play=False)
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)
    td.do("timeline", play=True)


def test_a_slow_timeline_leaves_the_server_all_frames(td):
    td.exec("root.time.rate = 10")
    before = td.stats()
    until(lambda: td.stats()["frames"], lambda now: now > before["frames"] + 60)
    after = td.stats()
    td.exec("root.time.rate = 60")
    passed = after["frames"] - before["frames"]
    assert after["pump"]["frames"] - before["pump"]["frames"] >= passed - 2


# Parameters


def some_frames(td):
    # Not by the statistics, which ask the component.
    now = float(td.exec("absTime.frame"))
    until(lambda: float(td.exec("absTime.frame")), lambda frame: frame > now + 20)


def test_switched_off_nothing_of_ours_is_called_in_a_frame_but_the_callback_itself(td):
    td.exec(f"{COMPONENT}.par.Active = False")
    until(lambda: par(td, "Status"), "Off.")
    # The first frame after a start looks for the pump once, and some frames later the link to a file is cleared again.
    for _ in range(2):
        some_frames(td)
    td.exec(
        "import builtins, sys\nbuiltins.counted = []\n"
        "def count(frame, event, arg, counted=builtins.counted):\n"
        "    if event == 'call': counted.append((frame.f_code.co_filename, frame.f_code.co_name))\n"
        "sys.setprofile(count)"
    )
    some_frames(td)
    td.exec("import sys\nsys.setprofile(None)")
    called = ast.literal_eval(td.exec("sorted(set(__import__('builtins').counted))"))
    td.exec("del __import__('builtins').counted")
    ours = [name for file, name in called if "tdmcp" in Path(file).as_posix().split("/fakes/")[0]]
    assert ours == ["onFrameStart"], called
    assert td.exec("op('/project1/tdmcp/lifecycle').module._frame_started") == "None", "one comparison"
    td.exec(f"{COMPONENT}.par.Active = True")
    assert serving(td) == td.url


def test_switching_off_frees_the_port_and_on_takes_it_again(td):
    td.exec(f"{COMPONENT}.par.Active = False")
    until(lambda: par(td, "Status"), "Off.")
    gone(td, td.url)
    assert entries(td) == []
    td.exec(f"{COMPONENT}.par.Active = True")
    assert serving(td) == td.url


def move_back(td):
    """To the port it had at first."""
    td.exec(f"{COMPONENT}.par.Port = {td.ready['port']}")
    until(lambda: par(td, "Url"), td.url)


def test_a_new_port_takes_effect(td):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    td.exec(f"{COMPONENT}.par.Port = {port}")
    until(lambda: par(td, "Url"), f"http://127.0.0.1:{port}/mcp")
    assert answers(f"http://127.0.0.1:{port}/mcp")
    gone(td, td.url)
    move_back(td)


def test_a_port_that_others_hold_is_named_once_and_another_one_helps(td):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        td.exec(f"{COMPONENT}.par.Portscan = 0\n{COMPONENT}.par.Port = {port}")
        status = until(lambda: par(td, "Status"), lambda said: "taken" in said)
        assert str(port) in status and par(td, "Url") == ""
        assert entries(td) == []
    td.exec(f"{COMPONENT}.par.Port = 0")
    assert answers(serving(td))
    td.exec(f"{COMPONENT}.par.Portscan = 10")
    move_back(td)


def test_an_address_of_another_machine_is_refused_in_words_until_it_is_put_right(td):
    td.exec(f"{COMPONENT}.par.Address = '203.0.113.7'")
    until(lambda: par(td, "Status"), lambda said: "no address 203.0.113.7" in said)
    td.exec(f"{COMPONENT}.par.Address = '127.0.0.1'")
    assert answers(serving(td))


def test_other_machines_are_let_in_only_with_a_key(td):
    td.exec(f"{COMPONENT}.par.Requirekey = False\n{COMPONENT}.par.Address = '0.0.0.0'")
    until(lambda: par(td, "Status"), lambda said: "switch Require Key on" in said)
    assert answers(td.url)
    td.exec(f"{COMPONENT}.par.Requirekey = True\n{COMPONENT}.par.Address = '127.0.0.1'")
    until(lambda: par(td, "Status"), f"Serving at {td.url}.")


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


def test_saving_the_project_under_another_name_reaches_the_registry_and_nothing_stops(td, tmp_path):
    former = td.exec("(project.folder, project.name)")
    td.exec(f"project.save({str(tmp_path / 'evening show.toe')!r})")
    # TouchDesigner may show the name of the next version (fact 36).
    until(lambda: td.exec("1") and entries(td)[0]["project"], lambda name: name.startswith("evening show."))
    assert entries(td)[0]["project_folder"] == str(tmp_path) and answers(td.url)
    td.exec("project.save({!r} + '/' + {!r})".format(*eval(former)))
    until(lambda: td.exec("1") and entries(td)[0]["project"].startswith("evening show."), False)


def test_the_instance_name_reaches_the_registry(td):
    td.exec(f"{COMPONENT}.par.Instancename = 'stage left'")
    until(lambda: td.exec("1") and entries(td)[0]["name"], "stage left")
    td.exec(f"{COMPONENT}.par.Instancename = ''")


def test_a_new_token_replaces_the_old_one_at_once(td):
    td.exec(f"{COMPONENT}.par.Newtoken.pulse()")
    until(lambda: td.exec("1") and entries(td)[0]["token"], lambda token: token != td.token)
    assert initialize(td) == 401
    td.ready["token"] = entries(td)[0]["token"]
    assert initialize(td) == 200


def test_the_clipboard_gets_a_client_configuration_that_works(td):
    td.exec(f"{COMPONENT}.par.Copyconfig.pulse()")
    td.exec("1")
    config = until(lambda: td.exec("ui.clipboard"), lambda said: "mcpServers" in said)
    server = json.loads(eval(config))["mcpServers"]["touchdesigner"]
    status = request(server["url"], "POST", INITIALIZE, {**JSON_HEADERS, **server["headers"]}).status
    assert status == 200


# Coming and going


def test_a_component_that_is_dropped_again_at_once_has_the_same_port(td):
    td.exec(f"copy = op('/project1').copy({COMPONENT}, name='next')\n{COMPONENT}.destroy()")
    # At first the copy shows what was copied with it.
    until(lambda: td.exec("1") and [entry["component"] for entry in entries(td)], ["/project1/next"])
    assert serving(td, "op('/project1/next')") == td.url
    td.exec("op('/project1/next').name = 'tdmcp'")


def test_a_copy_is_a_second_server_on_its_own_port(td):
    td.exec(f"op('/project1').copy({COMPONENT}, name='second')")
    # At first the copy shows what was copied with it.
    second = until(lambda: par(td, "Url", "op('/project1/second')"), lambda url: url not in ("", td.url))
    assert answers(second) and answers(td.url)
    until(
        lambda: td.exec("1") and sorted(entry["component"] for entry in entries(td)),
        ["/project1/second", "/project1/tdmcp"],
    )
    td.exec("op('/project1/second').destroy()")
    gone(td, second)
    assert [entry["component"] for entry in entries(td)] == ["/project1/tdmcp"]
    assert answers(td.url)


@pytest.mark.anyio
async def test_a_client_that_deletes_the_component_is_answered_and_ends_the_server(td):
    async with http_client(td) as client:
        code = f"{COMPONENT}.destroy()"
        with contextlib.suppress(MCPError, httpx2.HTTPError):  # the answer may lose the race with the end
            result = await client.call_tool("execute_python", {"code": code})
            assert not result.is_error or "stopped" in text(result)
    assert td.exec(COMPONENT) == "None"
    gone(td, td.url)
    assert entries(td) == [] and int(td.exec("len(runs)")) == 0
    td.do("drop_component")


def test_undoing_the_creation_of_a_component_ends_its_server(td):
    td.exec(
        f"ui.undo.startBlock('paste')\nop('/project1').copy({COMPONENT}, name='second')\nui.undo.endBlock()"
    )
    second = until(lambda: par(td, "Url", "op('/project1/second')"), lambda url: url not in ("", td.url))
    td.exec("ui.undo.undo()")
    assert td.exec("op('/project1/second')") == "None"
    gone(td, second)
    assert len(entries(td)) == 1


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

"""Custom parameters changed while the server runs, seen from outside; the others are in `test_component_life.py`."""

from __future__ import annotations

import json
import ssl
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from td_component.description import TDMCP
from tests.integration import certificates
from tests.integration.clients import INITIALIZE, JSON_HEADERS, http_client, request, structured
from tests.integration.test_component_life import COMPONENT, answers, entries, par, serving, until

HERE = Path(__file__).parent
#: Where a change of each is seen from outside, apart from this file: the settings of others are tested with theirs.
ELSEWHERE = (
    "test_component_life.py",
    "test_security.py",
    "test_dashboard.py",
    "test_oauth.py",
    "test_lan.py",
)


def change(td, **values):
    """Set custom parameters, and let the frame pass in which that is noticed."""
    td.exec("\n".join(f"{COMPONENT}.par.{name} = {value!r}" for name, value in values.items()))
    frames = td.stats()["frames"]
    until(lambda: td.stats()["frames"], lambda now: now > frames + 4)


def test_a_shorter_queue_is_in_force_at_once(td):
    change(td, Queuesize=7)
    until(lambda: td.stats()["pump"]["capacity"], 7)
    change(td, Queuesize=256)
    until(lambda: td.stats()["pump"]["capacity"], 256)


@pytest.mark.anyio
async def test_the_python_limit_ends_code_that_never_does(td):
    change(td, Pythonlimit=0.5)
    async with http_client(td) as client:
        result = await client.call_tool("execute_python", {"code": "while True: pass"})
    change(td, Pythonlimit=10)
    assert result.is_error and structured(result)["code"] == "time_limit"


@pytest.mark.anyio
async def test_the_call_deadline_answers_in_any_case(td):
    change(td, Calldeadline=0.3)
    async with http_client(td) as client:
        await client.list_tools()
        td.do("block_main", seconds=3)
        result = await client.call_tool("find_operators", {"path": "/"})
    change(td, Calldeadline=30)
    assert result.is_error and structured(result)["code"] == "not_started"


@pytest.mark.anyio
async def test_paths_outside_the_project_are_refused_until_they_are_allowed(td, tmp_path):
    td.exec("op('/project1').create('baseCOMP', 'box')")
    arguments = {"path": "/project1/box", "file": str(tmp_path / "taken out.tox")}
    async with http_client(td) as client:
        refused = await client.call_tool("export_component", arguments)
        assert refused.is_error and not Path(arguments["file"]).exists()
        change(td, Pathsoutside=True)
        result = await client.call_tool("export_component", arguments)
    change(td, Pathsoutside=False)
    assert not result.is_error and Path(arguments["file"]).is_file()


def test_a_flood_above_the_rate_is_sent_away(td):
    change(td, Requestspersecond=1.0, Burst=1)

    def ask(_):
        headers = {**JSON_HEADERS, "Authorization": f"Bearer {td.token}"}
        return request(td.url, "POST", INITIALIZE, headers).status

    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(ask, range(16)))
    change(td, Requestspersecond=120.0, Burst=4)
    assert 429 in statuses and 200 in statuses
    until(lambda: td.exec("1") and ask(0), 200)


def test_certificate_and_key_make_it_https(own_td, tmp_path):
    certificate, key = certificates.make(tmp_path)
    change(own_td, Tlscertificate=certificate, Tlskey=key)
    url = until(lambda: par(own_td, "Url"), lambda url: url.startswith("https://"))
    context = ssl.create_default_context(cafile=certificate)
    until(lambda: entries(own_td)[0]["url"], url)
    with urllib.request.urlopen(url.removesuffix("mcp") + "health", context=context) as answer:
        assert answer.status == 200
    change(own_td, Tlscertificate=str(tmp_path / "missing.pem"))
    until(lambda: par(own_td, "Status"), lambda said: "TLS files cannot be used" in said)
    change(own_td, Tlscertificate="", Tlskey="")
    assert serving(own_td).startswith("http://")


def test_the_access_key_comes_to_the_clipboard(td):
    td.exec(f"{COMPONENT}.par.Copykey.pulse()")
    until(lambda: td.exec("ui.clipboard")[1:-1], td.token)


def test_restart_serves_again_and_also_after_the_pump_was_killed_in_a_pause(own_td):
    own_td.do("timeline", play=False)
    own_td.do("kill_runs")
    own_td.exec(f"{COMPONENT}.par.Restart.pulse()")
    starts = f"len([r for r in {COMPONENT}.op('log').rows() if 'Serving at' in r[1].val])"
    until(lambda: own_td.exec(starts), "2")
    assert answers(serving(own_td))


def test_install_client_enters_this_server_and_remove_client_takes_it_out(own_td):
    change(own_td, Client="cursor")
    own_td.exec(f"{COMPONENT}.par.Installclient.pulse()")
    file = own_td.home / ".cursor" / "mcp.json"
    said = until(lambda: par(own_td, "Clientresult"), lambda said: said != "")
    assert file.is_file(), said
    (entry,) = json.loads(file.read_text("utf-8"))["mcpServers"].values()
    assert any(Path(word).exists() for word in entry["args"]) and own_td.token not in file.read_text("utf-8")
    own_td.exec(f"{COMPONENT}.par.Removeclient.pulse()")
    until(lambda: par(own_td, "Clientresult"), lambda now: now != said)
    assert not file.exists() or "mcpServers" not in json.loads(file.read_text("utf-8") or "{}")


def test_a_catalogue_dump_names_its_file(own_td):
    # A dump of all types takes minutes; that the button starts one and that it ends with the component is enough here.
    own_td.exec(f"{COMPONENT}.par.Dumpcatalogue.pulse()")
    until(lambda: par(own_td, "Report"), lambda said: said.startswith("Catalogue: "))
    own_td.do("delete_component")
    until(lambda: own_td.exec("[o.name for o in op('/project1').children if 'scratch' in o.name]"), "[]")


def test_every_parameter_has_a_test_that_changes_it():
    texts = "".join((HERE / name).read_text("utf-8") for name in ELSEWHERE if (HERE / name).is_file())
    texts += Path(__file__).read_text("utf-8")
    untested = [
        p.name
        for p in TDMCP.custom()
        if not p.read_only and f"par.{p.name}" not in texts and f"{p.name}=" not in texts
    ]
    # Tested with what they belong to: portscan with the listener, the last ones in the full build or by hand.
    assert set(untested) <= {"Selftest", "Announce", "Opendashboard", "Approve", "Deny", "Forgetagents"} | {
        p.name for p in TDMCP.custom() if p.name.startswith("Oauth")
    }

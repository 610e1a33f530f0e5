"""Custom parameters changed while the server runs, seen from outside; the others are in `test_component_life.py`."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import shlex
import ssl
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from td_component.description import TDMCP
from tests.integration import certificates
from tests.integration.clients import INITIALIZE, JSON_HEADERS, http_client, request, structured
from tests.integration.component import (
    COMPONENT,
    answers,
    entries,
    on_a_fixed_port,
    par,
    quick,
    serving,
    until,
)

HERE = Path(__file__).parent
#: Where a change of each is seen from outside, apart from this file: the settings of others are tested with theirs.
ELSEWHERE = ("test_component_life.py", "test_security_oauth.py", "test_payload.py")

#: A browser that writes down what it is to show.
BROWSER = """
import sys
with open(sys.argv[1], "a", encoding="utf-8") as shown:
    shown.write(sys.argv[2] + "\\n")
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """The file with the addresses that the browser of this machine was to show."""
    return tmp_path_factory.mktemp("browser") / "shown.txt"


@pytest.fixture(scope="module")
def td(browser):
    """One for all tests, each of which leaves the component serving at the address it had."""
    program = browser.with_name("browser.py")
    program.write_text(BROWSER, "utf-8")
    command = shlex.join([sys.executable, str(program), str(browser), "%s"])
    with on_a_fixed_port(environment={"BROWSER": command}) as stand_in:
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0
        assert stand_in.strays == []


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
        with td.blocked():
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


def test_certificate_and_key_make_it_https(td, tmp_path):
    certificate, key = certificates.make(tmp_path)
    change(td, Tlscertificate=certificate, Tlskey=key)
    url = until(lambda: par(td, "Url"), lambda url: url.startswith("https://"))
    context = ssl.create_default_context(cafile=certificate)
    entry = until(lambda: entries(td)[0], lambda entry: entry["network_url"] == url)
    assert entry["url"].startswith("http://127.0.0.1:"), "for this machine's own clients"
    with urllib.request.urlopen(entry["url"].removesuffix("mcp") + "health") as answer:
        assert answer.status == 200
    assert f"for this machine at {entry['url']}" in par(td, "Status")
    with urllib.request.urlopen(url.removesuffix("mcp") + "health", context=context) as answer:
        assert answer.status == 200
    change(td, Tlscertificate=str(tmp_path / "missing.pem"))
    until(lambda: par(td, "Status"), lambda said: "TLS files cannot be used" in said)
    change(td, Tlscertificate="", Tlskey="")
    assert serving(td) == td.url


def test_the_access_key_comes_to_the_clipboard(td):
    td.exec(f"{COMPONENT}.par.Copykey.pulse()")
    until(lambda: td.exec("ui.clipboard")[1:-1], td.token)


def starts(td):
    """How often the component has begun to serve."""
    return int(td.exec(f"len([r for r in {COMPONENT}.op('log').rows() if 'Serving at' in r[1].val])"))


def test_restart_serves_again_also_after_the_pump_was_killed_in_a_pause(td):
    before = starts(td)
    td.do("timeline", play=False)
    td.exec("from tdmcp_embedded import lifeline\nlifeline.drop()\nfor r in runs:\n    r.kill()")
    td.exec(f"{COMPONENT}.par.Restart.pulse()")
    until(lambda: starts(td), before + 1)
    td.do("timeline", play=True)
    assert answers(serving(td))


def test_open_dashboard_gives_the_browser_a_code_that_fetches_the_key_once(td, browser):
    td.exec(f"{COMPONENT}.par.Opendashboard.pulse()")
    shown = until(
        lambda: td.exec("1") and browser.is_file() and browser.read_text("utf-8"), lambda text: text
    )
    address, _, code = shown.strip().partition("#code=")
    assert address == td.url.removesuffix("mcp") and str(td.token) not in shown

    def fetch(given):
        body = json.dumps({"code": given}).encode()
        return request(f"{address}api/browser", "POST", body, {"Content-Type": "application/json"})

    assert fetch("wrong").status == 403
    first, second = fetch(code), fetch(code)
    assert first.status == 200 and json.loads(first.body) == {"token": td.token}
    assert second.status == 403 and "Open Dashboard again" in second.body.decode()


def test_remote_agents_find_the_way_in_while_oauth_is_on(td):
    def found():
        with contextlib.suppress(OSError):  # between two servers
            return request(td.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")).status

    def challenge():
        return request(td.url, "POST", INITIALIZE, JSON_HEADERS).headers["www-authenticate"]

    assert found() == 404 and "resource_metadata" not in challenge()
    change(td, Oauth=True)
    until(lambda: td.exec("1") and found(), 200)
    assert "resource_metadata" in challenge()
    change(td, Oauth=False)
    until(lambda: td.exec("1") and found(), 404)
    serving(td)


def test_announce_says_what_it_lacks(td):
    # What is announced, once others can reach it, is for tests/unit/discovery: nothing here leaves this machine.
    change(td, Announce=True)
    until(lambda: par(td, "Status"), lambda said: "Announce has no effect while Address is 127.0.0.1" in said)
    change(td, Announce=False)
    until(lambda: par(td, "Status"), f"Serving at {td.url}.")


def test_install_client_enters_this_server_and_remove_client_takes_it_out(td):
    change(td, Client="cursor")
    td.exec(f"{COMPONENT}.par.Installclient.pulse()")
    file = td.home / ".cursor" / "mcp.json"
    said = until(lambda: par(td, "Clientresult"), lambda said: said != "")
    assert file.is_file(), said
    (entry,) = json.loads(file.read_text("utf-8"))["mcpServers"].values()
    assert any(Path(word).exists() for word in entry["args"]) and td.token not in file.read_text("utf-8")
    td.exec(f"{COMPONENT}.par.Removeclient.pulse()")
    until(lambda: par(td, "Clientresult"), lambda now: now != said)
    assert not file.exists() or "mcpServers" not in json.loads(file.read_text("utf-8") or "{}")


def test_a_catalogue_dump_writes_every_type_down_names_its_file_and_clears_up(td):
    with quick(td):
        td.exec(f"{COMPONENT}.par.Dumpcatalogue.pulse()")
        said = until(lambda: par(td, "Report"), lambda said: "The file:" in said)
    count, path = re.fullmatch(r"Catalogue: (\d+) types. The file: (.*)", said).groups()
    catalogue = json.loads(gzip.decompress(Path(path).read_bytes()))
    assert int(count) == len(catalogue) > 550
    assert [p["name"] for p in catalogue["constantTOP"]["pars"] if p["name"] == "colorr"] == ["colorr"]
    assert Path(path).parent == td.home / ".tdmcp" / "reports"
    assert td.exec("[o.name for o in op('/project1').children if 'scratch' in o.name]") == "[]"
    assert answers(td.url)


def test_every_parameter_has_a_test_that_changes_it():
    texts = "".join((HERE / name).read_text("utf-8") for name in (*ELSEWHERE, Path(__file__).name))
    # `Selftestall` runs what Self Test runs with a switch of its runner, which tests/unit/contract/test_questions.py tries.
    untested = [
        p.name
        for p in TDMCP.custom()
        if not p.read_only
        and p.name != "Selftestall"
        and not re.search(rf"par\.{p.name}\b|\b{p.name}=|[\"']{p.name}[\"']", texts)
    ]
    assert untested == []

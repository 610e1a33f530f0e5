"""Keys, levels, the audit log and what watches over them, seen from outside a running stand-in."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, PATIENCE, http_client, request, structured

pytestmark = pytest.mark.anyio


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for something that takes a moment; bounded."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(what)


def tdmcp(td: StandIn, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, as the person at this stand-in's machine would use it."""
    return subprocess.run(
        [sys.executable, "-m", "tdmcp_embedded.cli", *arguments],
        env={**os.environ, "HOME": str(td.home), "TDMCP_HOME": str(td.home / ".tdmcp")},
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
    )


def make_key(td: StandIn, name: str, *options: str) -> str:
    made = tdmcp(td, "key", "add", name, *options)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def bearer(token: str) -> dict[str, str]:
    return {**JSON_HEADERS, "Authorization": f"Bearer {token}"}


def status(td: StandIn, token: str) -> int:
    return request(td.url, "POST", INITIALIZE, bearer(token)).status


def logs(td: StandIn, name: str) -> list[dict[str, Any]]:
    path = td.home / ".tdmcp" / "logs" / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def component(td: StandIn) -> str:
    return f"op({td.ready['component']!r})"


@pytest.fixture
def levels(td: StandIn) -> Iterator[None]:
    yield
    td.do("perform", on=False)
    td.exec(f"setattr({component(td)}.par, 'Performlevel', 'full')")


class TestKeys:
    def test_a_key_made_on_the_command_line_opens_a_running_server_and_is_shown_only_once(
        self, td: StandIn
    ) -> None:
        token = make_key(td, "helper", "--level", "observe", "--expires", "7d")
        assert status(td, token) == 200, "it works at once"
        listed = tdmcp(td, "key", "list")
        assert "helper" in listed.stdout and "observe" in listed.stdout and "expires 20" in listed.stdout
        assert token not in listed.stdout + listed.stderr

    def test_a_revoked_key_is_dead(self, td: StandIn) -> None:
        token = make_key(td, "passing")
        assert status(td, token) == 200
        assert tdmcp(td, "key", "revoke", "passing").returncode == 0
        assert status(td, token) == 401, "it is dead at once"

    async def test_a_job_of_one_key_is_no_business_of_another(self, td: StandIn) -> None:
        mine = make_key(td, "worker", "--level", "observe")
        other = make_key(td, "neighbour", "--level", "edit")
        async with (
            http_client(as_key(td, mine)) as worker,
            http_client(as_key(td, other)) as neighbour,
            http_client(td) as owner,
            anyio.create_task_group() as group,
        ):
            group.start_soon(_until_cancelled, worker)
            job = await _running(owner)
            unseen = structured(await neighbour.call_tool("get_status", {}))["queue"]
            assert not unseen["running"]
            for arguments in ({"job": job}, {"job": job, "cancel": True}):
                refused = structured(await neighbour.call_tool("get_job", arguments))
                assert refused["code"] == "value_invalid"
            assert structured(await worker.call_tool("get_job", {"job": job}))["state"] == "running"
            ended = structured(await owner.call_tool("get_job", {"job": job, "cancel": True}))
            assert ended["cancelled"], "the full level may"

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("add", "owner"), "already"),
            (("add", "x", "--expires", "soon"), "30m, 12h"),
            (("renew", "nobody"), "no key 'nobody'"),
            (("revoke", "nobody"), "no key 'nobody'"),
        ],
    )
    def test_what_cannot_be_is_said(self, td: StandIn, arguments: tuple[str, ...], words: str) -> None:
        answer = tdmcp(td, "key", *arguments)
        assert answer.returncode != 0 and words in answer.stderr and "Traceback" not in answer.stderr

    def test_renewing_closes_the_open_streams_of_the_old_token_and_no_others(self, td: StandIn) -> None:
        streams = {}
        for name in ("first", "second"):
            token = make_key(td, name)
            until(lambda token=token: status(td, token) == 200, "the server did not take the key over")
            streams[name] = Stream(td, token)
        renewed = tdmcp(td, "key", "renew", "first").stdout.strip()
        assert streams["first"].ended.wait(PATIENCE), "the stream of the old token is still open"
        assert status(td, streams["first"].token) == 401
        assert status(td, renewed) == 200
        assert not streams["second"].ended.is_set()
        streams["second"].close()

    def test_the_pulse_on_the_component_kills_the_old_token_at_once(self, own_td: StandIn) -> None:
        td = own_td
        assert td.token
        stream = Stream(td, td.token)
        td.exec(f"{component(td)}.par.Newtoken.pulse()")
        assert stream.ended.wait(PATIENCE)
        assert status(td, td.token) == 401
        td.do("stats")
        entry = json.loads(next((td.home / ".tdmcp" / "instances").glob("*.json")).read_text())
        assert entry["token"] != td.token and status(td, entry["token"]) == 200


class Stream:
    """A client that has opened a session and listens to its event stream."""

    def __init__(self, td: StandIn, token: str) -> None:
        self.token = token
        opened = request(td.url, "POST", INITIALIZE, bearer(token))
        assert opened.status == 200, opened
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-11-25"}
        initialized = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
        assert request(td.url, "POST", initialized, {**bearer(token), **session}).status == 202
        parts = urlsplit(td.url)
        self._line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE * 2)
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {token}", **session}
        self._line.request("GET", parts.path, headers=headers)
        self._answer = self._line.getresponse()
        assert self._answer.status == 200
        self.ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while self._answer.read1(4096):
                pass
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass
        self.ended.set()

    def close(self) -> None:
        if self._line.sock is not None:
            self._line.sock.close()


class TestLevels:
    @pytest.mark.parametrize(
        ("level", "allowed", "refused"),
        [
            ("observe", "get_status", "create_operator"),
            ("edit", "create_operator", "execute_python"),
        ],
    )
    async def test_a_key_sees_and_may_use_what_its_level_allows(
        self, td: StandIn, level: str, allowed: str, refused: str
    ) -> None:
        token = make_key(td, f"level-{level}", "--level", level)
        await anyio.to_thread.run_sync(lambda: until(lambda: status(td, token) == 200, "not taken over"))
        async with http_client(as_key(td, token)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert allowed in names and refused not in names
            answer = await client.call_tool(refused, {"parent": "/project1", "type": "nullTOP", "name": "no"})
        assert structured(answer)["code"] == "access_denied"
        assert td.exec("op('/project1/no')") == "None"

    @pytest.mark.usefixtures("levels")
    async def test_perform_mode_takes_away_what_its_ceiling_does_not_allow_and_gives_it_back(
        self, td: StandIn
    ) -> None:
        td.exec(f"setattr({component(td)}.par, 'Performlevel', 'observe')")
        make = {"parent": "/project1", "type": "nullTOP", "name": "during"}
        async with http_client(td, "legacy") as client:
            assert "create_operator" in await tools(client)
            td.do("perform", on=True)
            await eventually(client, lambda names: "create_operator" not in names)
            refusal = structured(await client.call_tool("create_operator", make))
            assert refusal["code"] == "access_denied" and "observe" in refusal["message"]
            assert td.exec("op('/project1/during')") == "None"
            assert not (await client.call_tool("get_status", {})).is_error
            td.do("perform", on=False)
            await eventually(client, lambda names: "create_operator" in names)
            assert not (await client.call_tool("create_operator", make)).is_error


#: (a file argument, the code of its refusal; `link` leads out of the project's folder)
FILES: list[tuple[str, str]] = [
    ("../out.tox", "access_denied"),
    ("./../out.tox", "access_denied"),
    ("a/../../out.tox", "access_denied"),
    ("a//..//..//out.tox", "access_denied"),
    ("..\\out.tox", "access_denied"),
    ("a\\..\\..\\out.tox", "access_denied"),
    ("/{outside}/out.tox", "access_denied"),
    ("//{outside}/out.tox", "access_denied"),
    ("\\\\server\\share\\out.tox", "access_denied"),
    ("link/out.tox", "access_denied"),
    ("link/../out.tox", "access_denied"),
    ("/dev/null.tox", "access_denied"),
    ("/proc/self/cwd/../out.tox", "access_denied"),
    ("C:\\out.tox", "value_invalid"),
    ("file:///{outside}/out.tox", "value_invalid"),
    ("%2e%2e/out.tox", "value_invalid"),
    ("\uff0e\uff0e/out.tox", "value_invalid"),
    ("~/out.tox", "value_invalid"),
    ("$HOME/out.tox", "value_invalid"),
    ("../out.tox\x00.tox", "value_invalid"),
    ("../out.tox\x00", "value_invalid"),
    ("../out.txt", "value_invalid"),
    ("", "value_invalid"),
    (".tox/", "value_invalid"),
]


class TestPaths:
    @pytest.mark.parametrize(("file", "code"), FILES)
    async def test_a_file_argument_does_not_leave_the_projects_folder(
        self, td: StandIn, tmp_path: Path, file: str, code: str
    ) -> None:
        folder = Path(td.exec("project.folder").strip("'\""))
        td.exec("op('/project1/exported') or op('/project1').create(baseCOMP, 'exported')")
        link = folder / "link"
        if file.startswith("link"):
            link.symlink_to(tmp_path, target_is_directory=True)
        before = set(folder.parent.glob("*.tox"))
        asked = {"path": "/project1/exported", "file": file.format(outside=str(tmp_path).strip("/"))}
        try:
            async with http_client(td) as client:
                answer = await client.call_tool("export_component", asked)
        finally:
            link.unlink(missing_ok=True)
        assert structured(answer)["code"] == code, answer
        assert list(tmp_path.iterdir()) == [] and set(folder.parent.glob("*.tox")) == before


async def _until_cancelled(client: Any) -> None:
    result = structured(await client.call_tool("measure_performance", {"frames": 1800}))
    assert result["code"] == "cancelled"


async def _running(client: Any) -> str:
    """The id of the job at work, as the full level sees it."""
    with anyio.fail_after(PATIENCE):
        while True:
            queue = structured(await client.call_tool("get_status", {}))["queue"]
            found = [name for name in queue["running"] if name.startswith("measure_performance")]
            if found:
                return str(found[0].split()[-1])


async def tools(client: Any) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def eventually(client: Any, wanted: Callable[[set[str]], bool]) -> None:
    with anyio.fail_after(PATIENCE):
        while not wanted(await tools(client)):
            await anyio.sleep(0.05)


def as_key(td: StandIn, token: str) -> Any:
    """The stand-in as seen by whoever has another key."""
    return SimpleNamespace(url=td.url, headers={"Authorization": f"Bearer {token}"})


class TestLogs:
    async def test_the_audit_log_names_key_client_tool_and_target_of_every_call_and_no_content(
        self, td: StandIn
    ) -> None:
        async with http_client(td) as client:
            await client.call_tool(
                "create_operator",
                {"parent": "/project1", "type": "textDAT", "name": "audited", "params": {}},
            )
            await client.call_tool("write_data", {"path": "/project1/audited", "text": "SECRET-CONTENT"})
            await client.call_tool("inspect_operator", {"paths": ["/nowhere"]})
            await client.call_tool("execute_python", {"code": "'SECRET-CODE'"})

        def entries() -> list[dict[str, Any]]:
            return [line for line in logs(td, "audit.log") if line["tool"]][-4:]

        until(lambda: [e["tool"] for e in entries()][-1:] == ["execute_python"], "not written")
        made, written, looked, ran = entries()
        assert (made["tool"], made["target"], made["outcome"]) == ("create_operator", "/project1", "ok")
        assert made["key"] == "owner" and made["address"] == "127.0.0.1" and made["client"]
        assert made["ms"] > 0 and made["time"].startswith("20")
        assert written["target"] == "/project1/audited"
        assert (looked["target"], looked["outcome"]) == ("/nowhere", "operator_not_found")
        assert ran["target"] == ""
        everything = "".join(
            path.read_text("utf-8", "replace") for path in (td.home / ".tdmcp" / "logs").iterdir()
        )
        assert "SECRET" not in everything
        assert td.token and td.token not in everything

    async def test_a_wrong_key_leaves_a_trace_and_a_thousand_tries_do_not_fill_the_disk(
        self, td: StandIn
    ) -> None:
        for _ in range(15):
            request(td.url, "POST", INITIALIZE, bearer("wrong"))
        until(
            lambda: [line for line in logs(td, "audit.log") if line["outcome"] == "unauthorized"],
            "no trace",
        )
        traces = [line for line in logs(td, "audit.log") if line["outcome"] == "unauthorized"]
        assert len(traces) < 15 and traces[-1]["address"] == "127.0.0.1"

    async def test_the_components_log_shows_edits_from_the_main_thread_only(self, td: StandIn) -> None:
        async with http_client(td) as client:
            await client.call_tool(
                "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "shown"}
            )
        cells = f"[[c.val for c in row] for row in {component(td)}.op('log').rows()]"
        rows = until(
            lambda: [r for r in json_rows(td, cells) if r[5] == "create_operator"],
            "the component's log does not show the call",
        )
        assert rows[-1][1] == "create_operator /project1" and rows[-1][4] == "owner"
        assert td.stats()["thread_conflicts"] == 0

    async def test_a_client_that_asks_hears_of_the_server_and_its_own_calls_only(self, td: StandIn) -> None:
        heard: list[Any] = []

        async def on_log(params: Any) -> None:
            heard.append(params)

        async with (
            http_client(td, "legacy", logging_callback=on_log) as asking,
            http_client(td, "legacy") as other,
        ):
            await asking.session.send_request(_set_level("debug"), _empty())
            await other.call_tool("find_operators", {"path": "/project1"})
            await asking.call_tool("get_status", {})
            with anyio.fail_after(PATIENCE):
                while not any(m.data.get("tool") == "get_status" for m in heard):
                    await anyio.sleep(0.02)
        assert not any(m.data.get("tool") == "find_operators" for m in heard)
        mine = next(m for m in heard if m.data.get("tool") == "get_status")
        assert mine.level == "debug" and mine.data["outcome"] == "ok" and "key" not in mine.data

    async def test_in_the_new_era_a_request_that_asks_hears_of_itself(self, td: StandIn) -> None:
        heard: list[Any] = []

        async def on_log(params: Any) -> None:
            heard.append(params)

        async with http_client(td, "2026-07-28", logging_callback=on_log) as client:
            await client.call_tool("get_status", {})
            assert heard == []
            await client.call_tool("get_status", {}, meta={"io.modelcontextprotocol/logLevel": "debug"})
        assert [m.data["tool"] for m in heard] == ["get_status"]


def _set_level(level: Any) -> Any:
    from mcp_types import SetLevelRequest, SetLevelRequestParams

    return SetLevelRequest(params=SetLevelRequestParams(level=level))


def _empty() -> Any:
    from mcp_types import EmptyResult

    return EmptyResult


def json_rows(td: StandIn, code: str) -> list[list[str]]:
    import ast

    rows = ast.literal_eval(td.exec(code))
    assert isinstance(rows, list)
    return rows


class TestMetrics:
    async def test_prometheus_can_read_the_figures_with_a_key(self, td: StandIn) -> None:
        async with http_client(td) as client:
            await client.call_tool("get_status", {})
        answer = request(td.url.replace("/mcp", "/metrics"), headers=td.headers)
        assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain")
        families = {f.name: f for f in text_string_to_metric_families(answer.body.decode())}
        calls = {
            (s.labels["tool"], s.labels["outcome"]): s.value
            for s in families["tdmcp_calls"].samples
            if s.name == "tdmcp_calls_total"
        }
        assert calls["get_status", "ok"] >= 1
        assert families["tdmcp_frames"].samples[0].value > 0
        assert families["tdmcp_call_seconds"].type == "histogram"
        assert all(family.documentation for family in families.values())
        assert td.stats()["thread_conflicts"] == 0

    def test_without_a_key_there_are_none(self, td: StandIn) -> None:
        assert request(td.url.replace("/mcp", "/metrics")).status == 401


def test_files_of_the_log_are_below_the_home(td: StandIn) -> None:
    folder = Path(td.home) / ".tdmcp" / "logs"
    assert {path.name for path in folder.iterdir()} >= {"audit.log", "server.log"}

"""The doctor names what is wrong and the one command that mends it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded import instances
from tdmcp_embedded.clients import launch, setup
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY
from tdmcp_embedded.clients.machine import Machine
from tdmcp_embedded.clients.setup import Choice
from tdmcp_embedded.doctor import checks, shell
from tdmcp_embedded.doctor.checks import NOTE, OK, PROBLEM, Finding
from tdmcp_embedded.file_modes import outside_profile
from tdmcp_embedded.http import identity
from tests.unit.http.site import Site


@contextmanager
def serving(health: bytes, keyed: bytes = b"") -> Iterator[int]:
    """Something that answers every GET with this text; with `keyed` to those that show the key `secret`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            good = self.headers.get("Authorization") == "Bearer secret"
            body = keyed if keyed and good else health
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def problems(found: Iterator[Finding]) -> list[Finding]:
    return [one for one in found if one.level == PROBLEM]


def test_a_server_that_answers_and_takes_its_key_is_fine(
    machine: Machine, running: Callable[..., Path]
) -> None:
    health = {"status": "ok", "timestamp": 1, "version": "0.1.0"}
    with serving(json.dumps(health).encode(), json.dumps({**health, "sessions": 0}).encode()) as port:
        running(url=f"http://127.0.0.1:{port}/mcp")
        assert problems(checks.components(machine)) == []
        running(url=f"http://127.0.0.1:{port}/mcp", token="former")
        [found] = problems(checks.components(machine))
        assert "refuses the access key" in found.sentence and "Restart" in found.remedy


def test_a_stalled_main_thread_is_told(machine: Machine, running: Callable[..., Path]) -> None:
    with serving(b'{"status": "stalled", "sessions": 0}') as port:
        running(url=f"http://127.0.0.1:{port}/mcp")
        [found] = problems(checks.components(machine))
        assert "makes no frames" in found.sentence and "dialog" in found.remedy


@pytest.mark.parametrize("body", [b"<html>", b'{"status": "fine"}', b"[]"])
def test_another_program_on_the_port_is_told(
    body: bytes, machine: Machine, running: Callable[..., Path]
) -> None:
    with serving(body) as port:
        running(url=f"http://127.0.0.1:{port}/mcp")
        [found] = problems(checks.components(machine))
        assert "another program answers" in found.sentence


def test_a_server_that_no_longer_listens_is_told(machine: Machine, running: Callable[..., Path]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        running(url=f"http://127.0.0.1:{taken.getsockname()[1]}/mcp")
        [found] = problems(checks.components(machine))
        assert "nobody listens" in found.sentence and "show (pid" in found.sentence


@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1:99999/mcp", "x", "", "\ud800"])
def test_an_entry_without_an_address_is_told(
    url: str, machine: Machine, running: Callable[..., Path]
) -> None:
    path = running()
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "url": url}), encoding="utf-8")
    [found] = problems(checks.components(machine))
    assert "no address" in found.sentence and "Restart" in found.remedy


def test_no_component_at_all_is_told_and_crashed_ones_are_cleaned_up(
    machine: Machine, running: Callable[..., Path]
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path = running()
    entry = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**entry, "pid": ended.pid, "process_started": 1.0}), encoding="utf-8")
    found = list(checks.examine(machine, machine.home))
    assert any(one.level == OK and "crashed: show.toe" in one.sentence for one in found)
    assert "No TouchDesigner" in problems(iter(found))[0].sentence
    assert not path.exists()


def test_two_components_of_one_name_and_an_older_one_are_notes(
    machine: Machine, running: Callable[..., Path]
) -> None:
    with (
        serving(b'{"status": "ok", "sessions": 1}') as one,
        serving(b'{"status": "ok", "sessions": 1}') as two,
    ):
        running(url=f"http://127.0.0.1:{one}/mcp", contract=0)
        running(url=f"http://127.0.0.1:{two}/mcp")
        notes = [found.sentence for found in checks.components(machine) if found.level == NOTE]
        assert any("2 components are called 'show'" in note for note in notes)
        assert any("older" in note for note in notes)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows guards the profile, not the file")
def test_keys_that_others_could_read_are_closed_and_told(machine: Machine, key: str) -> None:
    path = machine.tdmcp / "keys.json"
    path.chmod(0o644)
    [found] = problems(checks.keys(machine))
    assert "could read" in found.sentence and "New Token" in found.remedy
    assert path.stat().st_mode & 0o777 == 0o600
    assert problems(checks.keys(machine)) == []
    path.write_text("{", encoding="utf-8")
    assert "broken" in problems(checks.keys(machine))[0].sentence


def test_variables_that_stand_above_the_registry_are_told(machine: Machine) -> None:
    moved = Machine("linux", machine.home, {"TDMCP_URL": "http://x/mcp"})
    [found] = list(checks.keys(moved))
    assert found.level == NOTE and "TDMCP_URL" in found.sentence


@pytest.mark.parametrize("text", ["CONTRACT = 0\n", "something else"])
def test_a_shim_that_does_not_fit_is_renewed_by_adding_a_client_that_uses_it(
    text: str, machine: Machine
) -> None:
    setup.add("codex", Choice(), machine)
    launch.shim_file(machine).write_text(text, encoding="utf-8")
    [found] = problems(checks.shim(machine))
    assert found.remedy == "tdmcp client add codex"
    setup.add("codex", Choice(), machine)
    assert problems(checks.shim(machine)) == []


def test_a_shim_is_judged_by_its_contract_and_not_by_its_version(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.add("codex", Choice(), machine)
    launch.shim_file(machine).write_bytes(launch.shim_source() + b"# of another version\n")
    assert [one.level for one in checks.shim(machine)] == [OK]
    monkeypatch.setattr(checks, "CONTRACT", checks.CONTRACT + 1)
    [older] = checks.shim(machine)
    assert (older.level, older.remedy) == (NOTE, "tdmcp client add codex") and "older" in older.sentence


def test_each_kind_of_wrong_entry_has_its_command(machine: Machine, tmp_path: Path) -> None:
    def write(name: str, scope: str, servers: dict[str, Any] | str) -> None:
        path = CLIENTS[name].file(machine, scope, tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        container = CLIENTS[name].container[0]
        path.write_text(
            servers if isinstance(servers, str) else json.dumps({container: servers}), encoding="utf-8"
        )

    words = [str(tmp_path / "stdio_shim.py"), "--instance", "stage left", "--allow-open"]
    write("cursor", "user", {ENTRY: {"command": str(tmp_path / "gone"), "args": words}})
    write("vscode", "project", {ENTRY: {"type": "http", "url": "http://127.0.0.1:9988/mcp"}})
    write("gemini", "user", '{"mcpServers": [}')
    setup.add("claude-code", Choice(), machine)
    entry = json.loads((machine.home / ".claude.json").read_text("utf-8"))["mcpServers"][ENTRY]
    write("claude-code", "user", {ENTRY: entry, "td": entry})
    (machine.home / ".codex").mkdir()
    found = {(one.subject, one.level): one.remedy for one in checks.clients(machine, tmp_path)}
    assert found["Cursor", PROBLEM] == "tdmcp client add cursor --instance 'stage left' --allow-open"
    assert found["VS Code", PROBLEM] == "tdmcp client add vscode --scope project --transport http"
    assert "in a text editor" in found["Gemini CLI", PROBLEM]
    assert found["Claude Code", PROBLEM].startswith("Delete td from")
    assert found["Codex", NOTE] == "tdmcp client add codex"
    assert ("Windsurf", NOTE) not in found


def test_in_the_home_folder_a_file_of_both_scopes_is_looked_at_once(machine: Machine) -> None:
    setup.add("codex", Choice(), machine)
    found = [one for one in checks.clients(machine, machine.home) if one.subject == "Codex"]
    assert [one.level for one in found] == [OK]


def test_claude_desktop_with_extension_and_entry_has_it_twice(machine: Machine) -> None:
    setup.add("claude-desktop", Choice(), machine)
    folder = (
        CLIENTS["claude-desktop"].file(machine, "user", Path()).parent / "Claude Extensions" / "local.tdmcp"
    )
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"name": "tdmcp-embedded"}', encoding="utf-8")
    [found] = problems(checks.clients(machine, machine.home))
    assert found.remedy == "tdmcp client remove claude-desktop"
    setup.remove("claude-desktop", Choice(), machine)
    assert problems(checks.clients(machine, machine.home)) == []


def test_nothing_set_up_is_a_problem(machine: Machine) -> None:
    [found] = problems(checks.clients(machine, machine.home))
    assert found.sentence == "No client is set up."


def test_a_registry_that_may_not_be_read_is_told_with_the_command(
    windows: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Any:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(checks.os, "listdir", refuse)
    (found,) = problems(checks.registry(windows))
    assert "administrator" in found.sentence and found.remedy.startswith("icacls ")


def test_an_entry_of_another_computer_is_no_crash(machine: Machine, running: Callable[..., Path]) -> None:
    path = running(pid=999_999_999, host="studio-2/win32")
    (found,) = checks.registry(machine)
    assert found.level == OK and "other computers" in found.sentence and path.exists()


def test_the_key_is_shown_to_the_instance_of_the_entry_only(
    machine: Machine, running: Callable[..., Path]
) -> None:
    health = b'{"status": "ok", "instance_id": "the one"}'
    with serving(health, health[:-1] + b', "sessions": 0}') as port:
        path = running(url=f"http://127.0.0.1:{port}/mcp", instance_id="the one")
        assert problems(checks.components(machine)) == []
        path.unlink()
        running(url=f"http://127.0.0.1:{port}/mcp", instance_id="another")
        (found,) = problems(checks.components(machine))
        assert "another program answers there" in found.sentence


@pytest.mark.parametrize("secret", ["of another run", "of this run"])
def test_an_id_that_was_overheard_is_not_enough_to_be_shown_the_key(
    machine: Machine, running: Callable[..., Path], secret: str
) -> None:
    site = Site(instance_id="the one", instance_secret="of this run")
    nonce = "0123456789abcdef"
    facts = json.loads(site.ask("GET", "/health", key="", headers=[("tdmcp-nonce", nonce)]).body)
    assert facts["proof"] == identity.prove("of this run", nonce, 9988)
    # Whoever asked before can repeat all of it, but not answer another nonce.
    with serving(json.dumps(facts).encode(), json.dumps(facts).encode()) as port:
        running(url=f"http://127.0.0.1:{port}/mcp", instance_id="the one", instance_secret=secret)
        (found,) = problems(checks.components(machine))
    assert "another program answers there" in found.sentence


def test_a_touchdesigner_that_clients_cannot_name_is_a_finding_with_its_remedy(
    mac: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "/Volumes/TouchDesigner/TouchDesigner.app/Contents/bin/python3.11"
    monkeypatch.setattr(os.path, "isfile", lambda path: path == place)
    monkeypatch.setattr(instances, "listing", lambda folder: [{"python": place}])
    *_, found = checks.touchdesigner(mac)
    assert found.level == PROBLEM and "does not stay" in found.sentence
    assert "move it to Applications" in found.remedy


@pytest.mark.parametrize(
    ("system", "word", "quoted"),
    [
        ("win32", "two words", '"two words"'),
        ("win32", "show", "show"),
        ("linux", "two words", "'two words'"),
        ("darwin", "it's", """'it'"'"'s'"""),
    ],
)
def test_remedies_are_in_the_shell_of_the_system(system: str, word: str, quoted: str) -> None:
    assert shell.quoted(word, system) == quoted
    found = setup.Status(
        CLIENTS["cursor"], "user", Path(), "differs", "", True, {"args": ["--instance", word]}
    )
    assert checks._over(found, system) == f" --instance {quoted}"


def test_a_variable_is_removed_as_the_shell_of_the_system_does_it(windows: Machine, mac: Machine) -> None:
    def remedy(machine: Machine) -> str:
        found = checks.keys(replace(machine, env={**machine.env, "TDMCP_URL": "http://127.0.0.1:1/mcp"}))
        return next(one.remedy for one in found if one.subject == "environment")

    assert remedy(mac).startswith("unset TDMCP_URL,")
    assert "set TDMCP_URL=" in remedy(windows) and "Remove-Item Env:TDMCP_URL" in remedy(windows)


@pytest.mark.parametrize(
    ("folder", "outside"),
    [
        ("C:/Users/Me/.tdmcp", False),
        ("c:\\users\\me\\show", False),
        ("D:/shows/.tdmcp", True),
        ("C:/Users/Mel/.tdmcp", True),
        ("//server/home/me", True),
    ],
)
def test_keys_outside_of_the_profile_are_warned_of_on_windows(folder: str, outside: bool) -> None:
    sentence = outside_profile(folder, "C:/Users/me", system="win32")
    assert bool(sentence) is outside
    assert not outside or (folder in sentence and "TDMCP_HOME" in sentence)
    assert outside_profile(folder, "/home/me", system="linux") == ""


def test_the_doctor_warns_of_them_where_there_are_keys(windows: Machine, tmp_path: Path) -> None:
    away = tmp_path / "elsewhere"
    away.mkdir()
    machine = replace(windows, env={**windows.env, "TDMCP_HOME": str(away)})

    def found() -> list[str]:
        return [one.remedy for one in checks.keys(machine) if "outside of your user profile" in one.sentence]

    assert found() == []
    (away / "keys.json").write_text('{"keys": []}')
    assert found() == ["Set TDMCP_HOME to a folder of your profile, or to nothing."]

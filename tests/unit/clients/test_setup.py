"""A client's configuration gets our entry, keeps the rest, and can be had back as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded import CONTRACT
from tdmcp_embedded.clients import entries, jsonc, launch, setup
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.clients.setup import Choice

JSON = '{\n    "globalShortcut": "",\n    "mcpServers": {\n        "files": {"command": "npx", "args": ["x"]}\n    }\n}'
COMMENTED = """\
// settings of mine
{
  "theme": "dark",
  "%s": {
    // keep this one
    "files": { "command": "npx", "args": ["x"], },
  }, // servers
}
"""
TOML = 'model = "gpt"\n\n[mcp_servers.files] # mine\ncommand = "npx"\n\n[tui]\ntheme = "x"\n'


def existing(name: str) -> bytes:
    """A file as a user of that client may have it."""
    row = CLIENTS[name]
    if row.kind == "toml":
        return TOML.encode()
    if row.kind == "json":
        return JSON.replace("\n", "\r\n").encode("utf-8-sig" if name == "claude-desktop" else "utf-8")
    return (COMMENTED % row.container[0]).encode()


def servers(name: str, path: Path) -> dict[str, Any]:
    """The servers of a client's file, read by that format's own parser."""
    text = path.read_bytes().decode("utf-8-sig")
    row = CLIENTS[name]
    if row.kind == "toml":
        document = tomllib.loads(text)
    elif row.kind == "json":
        document = json.loads(text)
    else:
        document = jsonc.parse(text).value
    found: dict[str, Any] = document[row.container[0]]
    return found


def at(machine: Machine, name: str, scope: str = "user", folder: Path = Path()) -> Path:
    return CLIENTS[name].file(machine, scope, folder)


def given(machine: Machine, name: str, content: bytes | None = None) -> Path:
    path = at(machine, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(existing(name) if content is None else content)
    return path


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_keeps_what_it_had_and_gets_it_back_byte_for_byte(name: str, machine: Machine) -> None:
    path = given(machine, name)
    os.chmod(path, 0o640)
    before = path.read_bytes()
    done = setup.add(name, Choice(), machine)
    assert done.changed and done.path == path
    found = servers(name, path)
    assert list(found) == ["files", ENTRY]
    words = entries.command_of(found[ENTRY])
    shim = machine.tdmcp / "shim" / "stdio_shim"
    assert words == [sys.executable, "-I", "-S", str(shim), "--contract", str(CONTRACT)]
    assert (shim / "__main__.py").is_file()
    assert b"Bearer" not in path.read_bytes()
    assert done.backup is not None and done.backup.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 or sys.platform == "win32"
    assert setup.status(name, Choice(), machine).state == "current"

    written = path.read_bytes()
    assert not setup.add(name, Choice(), machine).changed
    assert path.read_bytes() == written

    assert setup.remove(name, Choice(), machine).changed
    assert path.read_bytes() == before
    assert not done.backup.exists()
    assert not setup.remove(name, Choice(), machine).changed
    assert sorted(p.name for p in path.parent.iterdir() if p.name != ".tdmcp") == [path.name]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_file_that_was_made_goes_again_with_its_folders(name: str, machine: Machine) -> None:
    setup.add(name, Choice(), machine)
    assert list(servers(name, at(machine, name))) == [ENTRY]
    setup.remove(name, Choice(), machine)
    assert [p.name for p in machine.home.iterdir()] == [".tdmcp"]


@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "claude-desktop"])
def test_over_http_the_entry_has_address_and_key_where_the_client_looks(
    name: str, machine: Machine, running: Callable[..., Path]
) -> None:
    running(url="http://127.0.0.1:9991/mcp")
    path = given(machine, name)
    setup.add(name, Choice(transport="http"), machine)
    entry = servers(name, path)[ENTRY]
    address = {"windsurf": "serverUrl", "gemini": "httpUrl"}.get(name, "url")
    headers = "http_headers" if name == "codex" else "headers"
    assert entry[address] == "http://127.0.0.1:9991/mcp"
    assert entry[headers] == {"Authorization": "Bearer secret"}
    kinds = {"claude-code": "http", "vscode": "http", "opencode": "remote"}
    assert entry.get("type") == kinds.get(name)


REFERENCES = {
    "claude-code": "Bearer ${TDMCP_TOKEN}",
    "cursor": "Bearer ${env:TDMCP_TOKEN}",
    "vscode": "Bearer ${env:TDMCP_TOKEN}",
    "gemini": "Bearer $TDMCP_TOKEN",
    "opencode": "Bearer {env:TDMCP_TOKEN}",
}


@pytest.mark.parametrize("name", [name for name, row in CLIENTS.items() if row.project])
def test_a_project_file_never_holds_the_key(
    name: str, machine: Machine, running: Callable[..., Path], tmp_path: Path
) -> None:
    running()
    choice = Choice(transport="http", scope="project", folder=tmp_path)
    done = setup.add(name, choice, machine)
    assert b"secret" not in done.path.read_bytes()
    entry = servers(name, done.path)[ENTRY]
    if name == "codex":
        assert entry["bearer_token_env_var"] == "TDMCP_TOKEN"
    else:
        assert entry["headers"]["Authorization"] == REFERENCES[name]
    assert any("TDMCP_TOKEN" in sentence for sentence in done.sentences)


def test_a_new_file_with_the_key_is_for_this_user_only(machine: Machine, key: str) -> None:
    done = setup.add("cursor", Choice(transport="http"), machine)
    assert key in done.path.read_text("utf-8")
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o600 or sys.platform == "win32"


def test_changing_the_transport_and_removing_still_brings_back_the_first_file(
    machine: Machine, key: str
) -> None:
    path = given(machine, "cursor")
    for transport in ("stdio", "http", "auto"):
        setup.add("cursor", Choice(transport=transport), machine)
    setup.remove("cursor", Choice(), machine)
    assert path.read_bytes() == existing("cursor")


def test_what_the_user_changed_meanwhile_stays_when_the_entry_goes(machine: Machine, key: str) -> None:
    path = given(machine, "cursor")
    setup.add("cursor", Choice(), machine)
    text = path.read_text("utf-8").replace('"dark"', '"light"')
    path.write_text(text, encoding="utf-8")
    setup.add("cursor", Choice(transport="http"), machine)
    done = setup.remove("cursor", Choice(), machine)
    assert path.read_text("utf-8") == (COMMENTED % "mcpServers").replace('"dark"', '"light"')
    assert done.backup is not None and ENTRY in done.backup.read_text("utf-8")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_broken_file_is_refused_by_its_line_and_left_alone(name: str, machine: Machine) -> None:
    broken = b"a = 1\nb = = 2\n" if CLIENTS[name].kind == "toml" else b'{\n  "a": 1\n  "b": 2\n}\n'
    path = given(machine, name, broken)
    for work in (setup.add, setup.remove):
        with pytest.raises(Refused, match=r"broken at line [23], column \d"):
            work(name, Choice(), machine)
    assert setup.status(name, Choice(), machine).state == "broken"
    assert path.read_bytes() == broken
    assert [p.name for p in path.parent.iterdir() if p.name not in (".tdmcp", path.name)] == []


@pytest.mark.parametrize("name", [name for name in CLIENTS if CLIENTS[name].kind != "toml"])
@pytest.mark.parametrize("inside", [None, 3, [], "x"])
def test_something_else_where_servers_belong_is_refused_and_left_alone(
    name: str, inside: object, machine: Machine
) -> None:
    content = json.dumps({CLIENTS[name].container[0]: inside}).encode()
    path = given(machine, name, content)
    assert setup.status(name, Choice(), machine).state in ("absent", "broken")
    with pytest.raises(Refused):
        setup.add(name, Choice(), machine)
    assert path.read_bytes() == content


def test_a_file_in_another_encoding_is_refused(machine: Machine) -> None:
    path = given(machine, "cursor", '{\n "a": "é"}'.encode("latin-1"))
    with pytest.raises(Refused, match="not UTF-8: line 2"):
        setup.add("cursor", Choice(), machine)
    assert "é".encode("latin-1") in path.read_bytes()


def test_a_dry_run_shows_the_change_and_makes_none(machine: Machine, key: str) -> None:
    path = given(machine, "cursor")
    done = setup.add("cursor", Choice(transport="http"), machine, dry_run=True)
    assert "+" in done.difference and ENTRY in done.difference
    assert key not in done.difference
    assert path.read_bytes() == existing("cursor")
    setup.add("cursor", Choice(), machine, dry_run=True)
    assert not (machine.tdmcp / "shim").exists()


def test_a_link_stays_a_link(machine: Machine, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(existing("cursor"))
    path = at(machine, "cursor")
    path.parent.mkdir()
    path.symlink_to(real)
    setup.add("cursor", Choice(), machine)
    assert path.is_symlink() and ENTRY in real.read_text("utf-8")
    setup.remove("cursor", Choice(), machine)
    assert path.is_symlink() and real.read_bytes() == existing("cursor")


def test_a_client_that_writes_its_file_meanwhile_loses_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = given(machine, "claude-code", b'{"a": 1}')
    plain = setup._put
    busy = [b'{"a": 2}', b'{"a": 3}']

    def put(*arguments: Any) -> str:
        edited = plain(*arguments)
        if busy:
            path.write_bytes(busy.pop(0))
        return edited

    monkeypatch.setattr(setup, "_put", put)
    setup.add("claude-code", Choice(), machine)
    assert json.loads(path.read_bytes())["a"] == 3
    assert ENTRY in servers("claude-code", path)


def test_opencode_is_written_in_the_form_its_file_has(machine: Machine) -> None:
    path = at(machine, "opencode").with_name("opencode.json")
    path.parent.mkdir(parents=True)
    path.write_text('{"mcp": {"servers": {}}}', encoding="utf-8")
    setup.add("opencode", Choice(), machine)
    document = json.loads(path.read_text("utf-8"))
    assert document["mcp"]["servers"][ENTRY]["type"] == "local"
    assert setup.status("opencode", Choice(), machine).state == "current"


def test_a_moved_home_of_ours_is_told_to_the_shim(machine: Machine, tmp_path: Path) -> None:
    moved = Machine("linux", machine.home, {"TDMCP_HOME": str(tmp_path / "elsewhere")})
    setup.add("cursor", Choice(), moved)
    entry = servers("cursor", at(moved, "cursor"))[ENTRY]
    assert entry["env"] == {"TDMCP_HOME": str(tmp_path / "elsewhere")}
    assert str(tmp_path / "elsewhere" / "shim" / "stdio_shim") in entry["args"]


def test_claude_desktop_cannot_be_given_a_url_and_says_what_to_do(machine: Machine) -> None:
    with pytest.raises(Refused, match="local URL") as caught:
        setup.add("claude-desktop", Choice(transport="http"), machine)
    assert "shim" in caught.value.hint


def test_without_a_key_http_is_refused(machine: Machine) -> None:
    with pytest.raises(Refused, match="no access key yet"):
        setup.add("cursor", Choice(transport="http"), machine)


def test_one_of_several_must_be_named_for_http(machine: Machine, running: Callable[..., Path]) -> None:
    running(name="left", url="http://127.0.0.1:9988/mcp")
    running(name="right", url="http://127.0.0.1:9989/mcp")
    with pytest.raises(Refused, match="2 TouchDesigners"):
        setup.add("cursor", Choice(transport="http"), machine)
    setup.add("cursor", Choice(transport="http", instance="right"), machine)
    assert servers("cursor", at(machine, "cursor"))[ENTRY]["url"] == "http://127.0.0.1:9989/mcp"
    with pytest.raises(Refused, match="'middle'"):
        setup.add("cursor", Choice(transport="http", instance="middle"), machine)


def test_status_finds_what_stopped_working(machine: Machine, running: Callable[..., Path], key: str) -> None:
    running()
    old = {
        "command": str(machine.home / "gone" / "python.exe"),
        "args": [str(machine.home / "stdio_shim.py")],
    }
    again = {"type": "http", "url": "http://127.0.0.1:9988/mcp"}
    given(
        machine,
        "cursor",
        json.dumps({"mcpServers": {ENTRY: old, "td2": again, "x": {"url": "http://x/mcp"}}}).encode(),
    )
    found = setup.status("cursor", Choice(), machine)
    assert found.state == "differs"
    assert "no longer there" in found.sentence and "shim is no longer" in found.sentence
    assert found.others == ["td2"]

    stale = {"url": "http://127.0.0.1:7777/mcp", "headers": {"Authorization": "Bearer former"}}
    given(machine, "cursor", json.dumps({"mcpServers": {ENTRY: stale}}).encode())
    found = setup.status("cursor", Choice(), machine)
    assert "serves at http://127.0.0.1:9988/mcp" in found.sentence
    assert "key is no longer valid" in found.sentence


@pytest.mark.parametrize(
    ("shim", "words"),
    [
        ("CONTRACT = 0\n", "too old (contract 0)"),
        ("print('mine')\n", "not the shim"),
        ("CONTRACT = 99\n", "(99)"),
    ],
)
def test_status_judges_what_an_entry_starts_by_its_contract(shim: str, words: str, machine: Machine) -> None:
    setup.add("cursor", Choice(), machine)
    launch.shim_file(machine).write_text(shim, encoding="utf-8")
    found = setup.status("cursor", Choice(), machine)
    assert found.state == "differs" and words in found.sentence


def test_another_version_of_the_same_contract_is_nothing_to_speak_of(machine: Machine) -> None:
    setup.add("cursor", Choice(), machine)
    launch.shim_file(machine).write_bytes(launch.shim_source() + b"# of another version\n")
    assert setup.status("cursor", Choice(), machine).state == "current"


@pytest.mark.parametrize("name", [*CLIENTS, "other"])
def test_printing_shows_the_entry_and_writes_nothing(name: str, machine: Machine) -> None:
    shown = setup.text(name, Choice(), machine)
    assert str(Path("shim") / "stdio_shim") in shown
    assert not (machine.home / ".cursor").exists()
    if name == "other":
        assert '"url": "http://127.0.0.1:9988/mcp"' in shown and "TDMCP_TOKEN" in shown


def test_an_unknown_client_or_scope_is_refused_with_what_there_is(machine: Machine) -> None:
    with pytest.raises(Refused) as caught:
        setup.add("emacs", Choice(), machine)
    assert "cursor" in caught.value.hint and "print other" in caught.value.hint
    with pytest.raises(Refused, match="no configuration per project"):
        setup.add("windsurf", Choice(scope="project"), machine)
    assert setup.status("VS Code", Choice(), machine).client.name == "vscode"


@pytest.mark.parametrize(
    "theirs",
    [
        {"url": "http://127.0.0.1:13316/mcp"},
        {"url": "http://127.0.0.1:13316/mcp", "headers": {"Authorization": "Bearer theirs"}},
        {"url": "http://localhost:4000/mcp"},
        {"command": "uvx", "args": ["another-touchdesigner-server"]},
        "not even an object",
    ],
)
def test_an_entry_of_that_name_which_is_not_ours_is_left_as_it_is(
    machine: Machine, running: Callable[..., Path], key: str, theirs: Any
) -> None:
    running()
    path = given(machine, "cursor", json.dumps({"mcpServers": {ENTRY: theirs}}).encode())
    done = setup.add("cursor", Choice(), machine)
    assert any(f"Another server is called {ENTRY}" in said for said in done.sentences)
    servers = json.loads(path.read_text("utf-8"))["mcpServers"]
    assert servers[ENTRY] == theirs and list(servers) == [ENTRY, "touchdesigner-embedded"]
    assert setup.status("cursor", Choice(), machine).state == "current"
    assert not setup.add("cursor", Choice(), machine).changed, "done again, nothing changes"
    setup.remove("cursor", Choice(), machine)
    assert json.loads(path.read_text("utf-8"))["mcpServers"] == {ENTRY: theirs}
    assert not setup.remove("cursor", Choice(), machine).changed, "what is not ours is not removed"

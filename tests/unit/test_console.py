"""No command fails because its output is piped and a path has letters that the code page lacks."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import click
import pytest

from tdmcp_embedded import cli, console

COMMANDS = [
    ["doctor"],
    ["doctor", "--json"],
    ["client", "print", "claude-desktop"],
    ["client", "print", "codex"],
    ["client", "print", "other"],
    ["client", "add", "cursor", "--dry-run"],
    ["client", "add", "vscode", "--dry-run", "--scope", "project"],
    ["client", "add", "windsurf"],
    ["client", "remove", "windsurf"],
    ["client", "status"],
    ["client", "status", "cursor"],
    ["key", "list"],
    ["client", "add", "\u5c71"],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose path has letters that Western Windows lacks: of Japan, of nobody (half a pair), and an emoji."""
    home = tmp_path / "\u5c71 \u03a9 \U0001f3d4"
    home.mkdir()
    for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("TDMCP_HOME", str(home / ".tdmcp"))
    monkeypatch.chdir(home)
    return home


def run(command: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command writes to a pipe of this encoding, which takes nothing else."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict"))
    try:
        cli.main(command, prog_name="tdmcp")
    except SystemExit:
        pass
    out.flush()
    written = out.buffer.getvalue()  # type: ignore[attr-defined]  # BytesIO
    assert isinstance(written, bytes)
    return written.decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "cp932", "cp1250"])
def test_no_command_fails_over_letters_that_its_output_lacks(
    folder: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    for command in COMMANDS:
        written = run(command, encoding, monkeypatch)
        assert written or command[-1] == "\u5c71", command


def test_a_configuration_that_is_printed_stays_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run(["client", "print", "claude-desktop"], "cp1252", monkeypatch)
    entry = json.loads(printed.partition("\n")[2])["mcpServers"]["touchdesigner"]
    assert str(folder / ".tdmcp") in entry["env"]["TDMCP_HOME"]


def test_what_is_no_letter_at_all_is_written_too() -> None:
    assert "a\udcff\u5c71".encode("cp1252", console.ERRORS) == b"a\\udcff\\u5c71"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", console.ERRORS)


def test_every_command_is_in_the_table() -> None:
    words = {command[0] for command in COMMANDS}
    # These start programs, and write what they do by the same way out.
    assert words | {"build", "demo", "pack", "stdio"} == set(cli.COMMANDS)
    assert isinstance(cli.main, click.Group)

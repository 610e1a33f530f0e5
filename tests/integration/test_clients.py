"""`tdmcp client` and `tdmcp doctor` as a user runs them, beside a running stand-in; what was written is then started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from fakes.driver import StandIn
from tdmcp_embedded import ACCEPTS, CONTRACT
from tests.integration.clients import PATIENCE, ROOT, http_client, rewrite_source, structured, text

pytestmark = pytest.mark.anyio


def tdmcp(td: StandIn, *arguments: str, code: int = 0) -> str:
    """Run the command with the stand-in's home; its output, standard error included."""
    home = str(td.home)
    names = ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "TDMCP_TOKEN", "TDMCP_URL")
    env = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-m", "tdmcp_embedded.cli", *arguments],
        env={
            **env,
            "HOME": home,
            "USERPROFILE": home,
            "TDMCP_HOME": str(td.home / ".tdmcp"),
            "PYTHONPATH": str(ROOT),
        },
        cwd=td.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


def parameters(entry: dict[str, Any], td: StandIn) -> StdioServerParameters:
    return StdioServerParameters(command=entry["command"], args=entry["args"], env=entry["env"], cwd=td.home)


async def project_seen_by(entry: dict[str, Any], td: StandIn) -> str:
    """What a client learns that starts the server by this entry, with an environment as bare as a desktop's."""
    async with Client(parameters(entry, td)) as client:
        status = structured(await client.call_tool("get_status", {}))
    return str(status["project"]["name"])


async def test_an_entry_that_was_written_starts_the_shim_and_reaches_touchdesigner(td: StandIn) -> None:
    assert "Added touchdesigner to Codex" in tdmcp(td, "client", "add", "codex")
    path = td.home / ".codex" / "config.toml"
    entry = tomllib.loads(path.read_text("utf-8"))["mcp_servers"]["touchdesigner"]
    assert await project_seen_by(entry, td) == td.exec("project.name").strip("'")
    assert "already" in tdmcp(td, "client", "add", "codex")
    tdmcp(td, "client", "remove", "codex")
    assert not path.parent.exists()


async def test_an_entry_that_starts_a_shim_too_old_is_refused_told_by_the_doctor_and_mended(
    td: StandIn,
) -> None:
    tdmcp(td, "client", "add", "codex")
    path = td.home / ".codex" / "config.toml"
    entry = tomllib.loads(path.read_text("utf-8"))["mcp_servers"]["touchdesigner"]
    shim = td.home / ".tdmcp" / "shim" / "stdio_shim" / "__main__.py"
    older = shim.read_text("utf-8").replace(f"\nCONTRACT = {CONTRACT}\n", f"\nCONTRACT = {ACCEPTS - 1}\n")
    rewrite_source(shim, older)
    try:
        async with Client(parameters(entry, td)) as client:
            refused = await client.call_tool("get_status", {})
            assert (await client.list_tools()).tools
        assert structured(refused)["code"] == "precondition_failed" and not structured(refused)["retryable"]
        assert "shim is too old" in text(refused) and "Install Client" in text(refused)
        assert f"too old (contract {ACCEPTS - 1})" in tdmcp(td, "client", "status", "codex", code=1)
        found = json.loads(tdmcp(td, "doctor", "--json", code=1))["findings"]
        wrong = {one["subject"]: one["remedy"] for one in found if one["level"] == "problem"}
        assert wrong == dict.fromkeys(("shim", "Codex"), "tdmcp client add codex")
        tdmcp(td, "client", "add", "codex")
        assert await project_seen_by(entry, td) == td.exec("project.name").strip("'")
    finally:
        tdmcp(td, "client", "remove", "codex")


async def test_an_entry_over_http_has_the_running_servers_address_and_key(td: StandIn) -> None:
    tdmcp(td, "client", "add", "claude-code", "--transport", "http")
    entry = json.loads((td.home / ".claude.json").read_text("utf-8"))["mcpServers"]["touchdesigner"]
    assert (entry["url"], entry["headers"]) == (td.url, td.headers)
    async with http_client(td) as client:
        assert (await client.list_tools()).tools
    tdmcp(td, "client", "remove", "claude-code")


async def test_the_doctor_is_content_once_a_client_is_set_up_and_not_before(td: StandIn) -> None:
    before = json.loads(tdmcp(td, "doctor", "--json", code=1))
    wrong = [one for one in before["findings"] if one["level"] == "problem"]
    assert [one["subject"] for one in wrong] == ["clients"]
    tdmcp(td, "client", "add", "cursor")
    assert "serves at " + td.url in tdmcp(td, "doctor")
    assert "cursor (user): current" in tdmcp(td, "client", "status")
    tdmcp(td, "client", "remove", "cursor")


async def test_a_refusal_is_two_sentences_and_an_exit_code(td: StandIn) -> None:
    shown = tdmcp(td, "client", "add", "claude-desktop", "--transport", "http", code=1)
    assert shown.splitlines() == [
        "Claude Desktop cannot reach a server at a local URL.",
        "Leave --transport out: it uses the shim.",
    ]
    dry = tdmcp(td, "client", "add", "vscode", "--dry-run")
    assert '+    "touchdesigner": {' in dry and "Would add" in dry
    assert not (td.home / ".config" / "Code").exists()
    assert "stdio_shim" in tdmcp(td, "client", "print", "other")


def test_setting_up_clients_needs_neither_the_sdk_nor_pydantic() -> None:
    code = (
        "import sys, tdmcp_embedded.clients.setup, tdmcp_embedded.doctor.checks\n"
        "print([n for n in ('mcp', 'pydantic', 'starlette', 'uvicorn', 'click', 'asyncio') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout.strip() == "[]"

"""Agents from their own packages, with a model on loopback that follows a script (`mock_model`)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fakes.driver import StandIn
from tests.clients import node
from tests.clients.mock_model import Anthropic, Gemini, MockModel, Responses
from tests.clients.tries import Attempt, Outcome, Restart

_PROMPT: Final = "Look at the network."
_TIMEOUT: Final = 240
_KEY: Final = "mock"


def _run(model: MockModel, command: Sequence[str], home: Path, env: Mapping[str, str]) -> Outcome:
    """Run an agent to its end, in an empty home and folder; what its model got to see."""
    work = home / "work"
    work.mkdir()
    surroundings = {
        "PATH": f"{node.NODE.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "TERM": "dumb", "CI": "1",
        "NO_PROXY": "127.0.0.1", "DO_NOT_TRACK": "1", **env,
    }  # fmt: skip
    log = home / "log.txt"
    with log.open("w") as words:
        try:
            subprocess.run(
                command, check=False, cwd=work, env=surroundings, stdin=subprocess.DEVNULL, stdout=words,
                stderr=subprocess.STDOUT, timeout=_TIMEOUT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            words.write("\nIt did not end.\n")
    outcome = Outcome()
    outcome.listed(model.tools)
    said = f"{log.read_text(errors='replace')[-1200:]} … {model.asked[-4:]}"
    answers = [*model.answers, None, None, None]
    # After the restart a second try is allowed.
    last = next((each for each in reversed(model.answers[2:])), None)
    outcome.picture(answers[0].pictures if answers[0] else [], answers[0].text if answers[0] else said)
    outcome.refusal(answers[1].text if answers[1] else said)
    outcome.restarted(last.text if last else said)
    return outcome


def claude(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """Claude Code."""
    servers = {"td": {"type": "http", "url": td.url, "headers": dict(td.headers)}}
    with MockModel(Anthropic(), restart) as model:
        return _run(
            model,
            [
                str(node.CLAUDE), "--print", _PROMPT, "--strict-mcp-config", "--mcp-config",
                json.dumps({"mcpServers": servers}), "--allowedTools", "mcp__td",
            ],
            home,
            {
                "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": _KEY, "CLAUDE_CONFIG_DIR": str(home / "claude"),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
                "DISABLE_ERROR_REPORTING": "1", "ENABLE_TOOL_SEARCH": "false",
            },
        )  # fmt: skip


def codex(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """Codex."""
    with MockModel(Responses(), restart) as model:
        folder = home / "codex"
        folder.mkdir()
        lines = [
            'model = "gpt-5"', 'model_provider = "mock"', "check_for_update_on_startup = false",
            "[analytics]", "enabled = false",
            "[model_providers.mock]", 'name = "mock"', f'base_url = "{model.url}/v1"', 'wire_api = "responses"',
            'env_key = "MOCK_KEY"', "supports_websockets = false", "request_max_retries = 0",
            "[mcp_servers.td]", f'url = "{td.url}"', 'bearer_token_env_var = "TD_KEY"',
        ]  # fmt: skip
        (folder / "config.toml").write_text("\n".join(lines) + "\n")
        return _run(
            model,
            [
                str(node.CODEX), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
                _PROMPT,
            ],
            home,
            {"CODEX_HOME": str(folder), "MOCK_KEY": _KEY, "TD_KEY": str(td.token)},
        )  # fmt: skip


def gemini(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """Gemini CLI."""
    settings: dict[str, Any] = {
        "mcpServers": {"td": {"httpUrl": td.url, "headers": dict(td.headers), "trust": True}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    }
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    with MockModel(Gemini(), restart) as model:
        return _run(
            model,
            [
                str(node.NODE), str(node.GEMINI), "--prompt", _PROMPT, "--approval-mode", "yolo",
                "--model", "gemini-2.5-flash",
            ],
            home,
            {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": _KEY, "GEMINI_CLI_NO_RELAUNCH": "true"},
        )  # fmt: skip


def opencode(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """OpenCode, with the API that takes pictures in a tool's answer."""
    with MockModel(Anthropic(), restart) as model:
        mock = {
            "npm": "@ai-sdk/anthropic",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": _KEY},
            "models": {
                "m": {"attachment": True, "tool_call": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
            },
        }  # fmt: skip
        config = {
            "provider": {"mock": mock}, "model": "mock/m", "small_model": "mock/m", "autoupdate": False,
            "share": "disabled",
            "mcp": {"td": {"type": "remote", "url": td.url, "headers": dict(td.headers), "oauth": False}},
        }  # fmt: skip
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
        return _run(
            model,
            [str(node.OPENCODE), "run", "--model", "mock/m", _PROMPT],
            home,
            {
                "OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_PERMISSION": json.dumps({"*": "allow"}),
                **{f"OPENCODE_DISABLE_{each}": "1" for each in switches},
            },
        )  # fmt: skip


CLIENTS: Final[dict[str, Attempt]] = {
    "Claude Code": claude,
    "Codex": codex,
    "Gemini CLI": gemini,
    "OpenCode": opencode,
}

"""The clients that sign in without a window: each connects, and calls a tool when asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.clients import node, python_packages, terminal
from tests.clients.mock_model import Anthropic, Gemini, MockModel, Responses
from tests.clients.oauth_person import Person
from tests.clients.tries import of_result

#: The call, and what its answer holds.
CALL: Final[tuple[str, dict[str, Any]]] = ("find_operators", {"path": "/", "name": "project1"})
FOUND: Final = "/project1"
_TIMEOUT: Final = 60
#: Where a browser is to go, whole: something else comes after it.
_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:\d+/authorize\?[\w%&=.+~-]+(?=[\s\x1b\x07])")


class Client(ABC):
    """One client with an empty home, which reaches the server at `url`."""

    def __init__(self, url: str, home: Path, person: Person) -> None:
        self.url, self.home, self.person = url, home, person
        self.timeout = _TIMEOUT
        """Seconds for a program to end."""

    @abstractmethod
    def sign_in(self) -> str:
        """Sign in; what went wrong, or nothing."""

    @abstractmethod
    def call(self) -> str:
        """The text of an answer to `CALL`, or what went wrong."""

    def expire(self) -> None:
        """Let it believe that its access token has expired, where it goes by its own clock."""
        return

    def close(self) -> None:
        """End what still runs."""
        return


class Driven(Client):
    """A client on an SDK, driven line by line."""

    def __init__(self, command: Sequence[str], url: str, home: Path, person: Person) -> None:
        super().__init__(url, home, person)
        self._process = subprocess.Popen(
            [*command, url, person.callback], cwd=node.HERE, env={**os.environ, "HOME": str(home)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
        )  # fmt: skip
        self._end = threading.Timer(4 * _TIMEOUT, self._process.kill)
        self._end.start()

    def sign_in(self) -> str:
        return str(self._do(do="connect").get("error", ""))

    def expire(self) -> None:
        self._do(do="expire")

    def call(self) -> str:
        answer = self._do(do="call", tool=CALL[0], arguments=CALL[1])
        return of_result(answer["result"])[0] if "result" in answer else str(answer["error"])

    def close(self) -> None:
        self._end.cancel()
        self._process.kill()
        self._process.communicate()

    def _do(self, **command: Any) -> dict[str, Any]:
        self._say(command)
        while True:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            answer: dict[str, Any] = json.loads(line) if line else {"error": "the client has ended"}
            if "open" not in answer:
                return answer
            self._say({"back": self.person.open(answer["open"])})

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


class Program(Client):
    """A program that opens a browser by itself, and listens for it to come back."""

    replies: Mapping[str, str] = {}
    """What is typed at its questions."""

    def __init__(self, url: str, home: Path, person: Person) -> None:
        super().__init__(url, home, person)
        self.note, self._over = home / "opened.txt", threading.Event()
        tools = home / "bin"
        tools.mkdir()
        opener = tools / "xdg-open"
        opener.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{self.note}'\n")
        opener.chmod(0o755)
        self.env = {
            "PATH": f"{tools}{os.pathsep}{node.NODE.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home),
            "BROWSER": str(opener), "TERM": "dumb", "NO_PROXY": "127.0.0.1", "DO_NOT_TRACK": "1", "DISPLAY": ":99",
        }  # fmt: skip
        self.work = home / "work"
        self.work.mkdir()
        self._watch = person.watch(self.note, self._over)

    def close(self) -> None:
        self._over.set()
        self._watch.join(_TIMEOUT)

    def heard(self, said: str) -> None:
        """Note the address in the program's output, for those whose own opener finds no browser here."""
        for address in _ADDRESS.findall(said):
            known = self.note.read_text("utf-8") if self.note.exists() else ""
            if address not in known:
                self.note.write_text(f"{known}{address}\n", "utf-8")

    def run(self, command: Sequence[str], **env: str) -> str:
        """Its output; bounded in time."""
        code, said = terminal.run(
            command, self.work, {**self.env, **env}, self.timeout, self.heard, self.replies
        )
        return "" if code == 0 else f"exit code {code}: {said[-600:]}"


class Claude(Program):
    """Claude Code."""

    def _env(self) -> dict[str, str]:
        return {
            "CLAUDE_CONFIG_DIR": str(self.home / "claude"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
            "ENABLE_TOOL_SEARCH": "false", "ANTHROPIC_API_KEY": "mock",
        }  # fmt: skip

    def sign_in(self) -> str:
        add = [str(node.CLAUDE), "mcp", "add", "--scope", "user", "--transport", "http", "td", self.url]
        return self.run(add, **self._env()) or self.run(
            [str(node.CLAUDE), "mcp", "login", "td"], **self._env()
        )

    def call(self) -> str:
        with MockModel(Anthropic(), lambda: None, (CALL,)) as model:
            command = [str(node.CLAUDE), "--print", "Look.", "--allowedTools", "mcp__td"]
            said = self.run(command, **self._env(), ANTHROPIC_BASE_URL=model.url)
            return model.answers[0].text if model.answers and model.answers[0] else said or "no call was made"


class Codex(Program):
    """Codex."""

    def _env(self) -> dict[str, str]:
        return {"CODEX_HOME": str(self.home / "codex"), "MOCK_KEY": "mock"}

    def _configure(self, model: str) -> None:
        folder = self.home / "codex"
        folder.mkdir(exist_ok=True)
        lines = [
            'model = "gpt-5"', 'model_provider = "mock"', "check_for_update_on_startup = false",
            'mcp_oauth_credentials_store = "file"',
            "[analytics]", "enabled = false",
            "[model_providers.mock]", 'name = "mock"', f'base_url = "{model}/v1"', 'wire_api = "responses"',
            'env_key = "MOCK_KEY"', "supports_websockets = false", "request_max_retries = 0",
            "[mcp_servers.td]", f'url = "{self.url}"',
        ]  # fmt: skip
        (folder / "config.toml").write_text("\n".join(lines) + "\n")

    def sign_in(self) -> str:
        self._configure("http://127.0.0.1:1")
        return self.run([str(node.CODEX), "mcp", "login", "td"], **self._env())

    def call(self) -> str:
        with MockModel(Responses(), lambda: None, (CALL,)) as model:
            self._configure(model.url)
            command = [
                str(node.CODEX), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Look.",
            ]  # fmt: skip
            said = self.run(command, **self._env())
            return model.answers[0].text if model.answers and model.answers[0] else said or "no call was made"


class OpenCode(Program):
    """OpenCode."""

    def _env(self, model: str = "http://127.0.0.1:1") -> dict[str, str]:
        mock = {
            "npm": "@ai-sdk/anthropic", "options": {"baseURL": f"{model}/v1", "apiKey": "mock"},
            "models": {"m": {"tool_call": True}},
        }  # fmt: skip
        config = {
            "provider": {"mock": mock}, "model": "mock/m", "small_model": "mock/m", "autoupdate": False,
            "share": "disabled", "mcp": {"td": {"type": "remote", "url": self.url}},
        }  # fmt: skip
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_PERMISSION": json.dumps({"*": "allow"}),
            **{f"OPENCODE_DISABLE_{each}": "1" for each in switches},
        }  # fmt: skip

    def sign_in(self) -> str:
        return self.run([str(node.OPENCODE), "mcp", "auth", "td"], **self._env())

    def call(self) -> str:
        with MockModel(Anthropic(), lambda: None, (CALL,)) as model:
            said = self.run([str(node.OPENCODE), "run", "--model", "mock/m", "Look."], **self._env(model.url))
            return model.answers[0].text if model.answers and model.answers[0] else said or "no call was made"


class GeminiCli(Program):
    """Gemini CLI; without a window it signs in on its own where its settings say that the server has OAuth."""

    replies: Mapping[str, str] = {"Do you want to continue?": "y\r"}

    def _env(self, model: str = "http://127.0.0.1:1") -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": model, "GEMINI_API_KEY": "mock", "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }  # fmt: skip

    def sign_in(self) -> str:
        settings: dict[str, Any] = {
            "mcpServers": {"td": {"httpUrl": self.url, "trust": True, "oauth": {"enabled": True}}},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        }
        (self.home / ".gemini").mkdir()
        (self.home / ".gemini" / "settings.json").write_text(json.dumps(settings), "utf-8")
        answer = self.call()
        return "" if FOUND in answer else answer

    def expire(self) -> None:
        tokens = self.home / ".gemini" / "mcp-oauth-tokens.json"
        kept = json.loads(tokens.read_text("utf-8"))
        for one in kept:
            one["token"]["expiresAt"] = 1
        tokens.write_text(json.dumps(kept), "utf-8")

    def call(self) -> str:
        with MockModel(Gemini(), lambda: None, (CALL,)) as model:
            command = [
                str(node.NODE), str(node.GEMINI), "--prompt", "Look.", "--approval-mode", "yolo",
                "--model", "gemini-2.5-flash",
            ]  # fmt: skip
            said = self.run(command, **self._env(model.url))
            return model.answers[0].text if model.answers and model.answers[0] else said or "no call was made"


class Inspector(Program):
    """The Inspector's command line; each command is a process of its own, and its tokens are kept in a file."""

    _PORTS: Final = iter(range(6400, 6500))

    def __init__(self, url: str, home: Path, person: Person) -> None:
        super().__init__(url, home, person)
        self._callback = f"http://127.0.0.1:{next(self._PORTS)}/oauth/callback"

    def _method(self, *words: str) -> str:
        output = self.home / "answer.json"
        output.unlink(missing_ok=True)
        command = [
            str(node.NODE), str(node.INSPECTOR), "--cli", self.url, "--transport", "http",
            "--callback-url", self._callback, "--output", str(output), *words,
        ]  # fmt: skip
        said = self.run(command, MCP_AUTO_OPEN_ENABLED="true")
        return output.read_text("utf-8") if output.exists() else said or "no answer"

    def sign_in(self) -> str:
        answer = self._method("--method", "tools/list")
        return "" if "find_operators" in answer else answer[:600]

    def call(self) -> str:
        given = [part for name, value in CALL[1].items() for part in ("--tool-arg", f"{name}={value}")]
        return self._method("--method", "tools/call", "--tool-name", CALL[0], *given)


class Remote(Program):
    """mcp-remote, as a desktop client starts it: one process for each run."""

    def sign_in(self) -> str:
        answer = self.call()
        return "" if FOUND in answer else answer

    def call(self) -> str:
        command = [str(node.NODE), str(node.REMOTE), self.url, "--transport", "http-only", "--allow-http"]
        script = [sys.executable, "-m", "tests.clients.oauth_stdio", *command]
        env = {"MCP_REMOTE_CONFIG_DIR": str(self.home / "auth"), "PYTHONPATH": str(python_packages.ROOT)}
        done = self.home / "answer.txt"
        done.unlink(missing_ok=True)
        said = self.run(script, **env, ANSWER=str(done))
        return done.read_text("utf-8") if done.exists() else said or "no answer"


Made = Callable[[str, Path, Person], Client]


def _driven(*command: str) -> Made:
    return lambda url, home, person: Driven(command, url, home, person)


def _bridge(package: str) -> Made:
    return _driven(str(node.NODE), str(node.HERE / "oauth_bridge.mjs"), package)


_SCRIPT: Final = str(node.HERE / "oauth_python.py")
CLIENTS: Final[dict[str, Made]] = {
    "Python SDK 1": _driven(str(python_packages.PYTHON), "-I", _SCRIPT),
    "Python SDK 2": _driven(sys.executable, "-I", _SCRIPT),
    "TypeScript SDK 1.12": _bridge("sdk-1.12"),
    "TypeScript SDK 1.32": _bridge("sdk-1.32"),
    "TypeScript SDK 2": _bridge("@modelcontextprotocol/client"),
    "mcp-remote": Remote,
    "MCP Inspector (command line)": Inspector,
    "Claude Code": Claude,
    "Codex": Codex,
    "OpenCode": OpenCode,
    "Gemini CLI": GeminiCli,
}

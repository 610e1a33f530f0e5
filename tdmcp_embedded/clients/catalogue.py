"""The clients: where each keeps its MCP servers, and how it writes one down.

A client is one row. `source` names the page of its documentation that the row was checked against (November 2026).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tdmcp_embedded.clients.machine import Machine, Refused

#: Where a server listens unless told otherwise.
USUAL_URL = "http://127.0.0.1:9988/mcp"
#: The name of our entry in every client.
ENTRY = "touchdesigner"
#: Its name where another server is called so already, as TouchDesigner's own (fact 83).
SECOND_ENTRY = "touchdesigner-embedded"
#: The variable that holds the access key where a file must not.
KEY_VARIABLE = "TDMCP_TOKEN"


@dataclass(frozen=True)
class Stdio:
    """The shim, started by the client."""

    command: str
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Http:
    """The server itself. Without `key` the entry refers to the variable `TDMCP_TOKEN`, or has none where the client
    `signs_in` (OAuth)."""

    url: str
    key: str = field(default="", repr=False)
    signs_in: bool = False


Writer = Callable[[Stdio | Http], dict[str, Any]]


@dataclass(frozen=True)
class Client:
    """One client.

    `container` is the path of keys to its servers; `kind` is "json" (strict), "jsonc" (comments and trailing commas) or
    "toml". `user` and `project` give candidates for its file: the first that exists counts, else the first.
    """

    name: str
    title: str
    kind: str
    container: tuple[str, ...]
    user: Callable[[Machine], tuple[Path, ...]]
    project: tuple[str, ...]
    write: Writer
    restart: str
    source: str
    #: For formats that changed: the container of a given document.
    container_of: Callable[[Any], tuple[str, ...]] | None = None
    http: bool = True
    #: Whether it may read any of its places, so that an entry belongs in the first and in all that are there.
    every_place: bool = False

    def file(self, machine: Machine, scope: str, folder: Path) -> Path:
        """The configuration file of a scope, the first of `files`.

        Raises:
            Refused: the client has no such scope.
        """
        return self.files(machine, scope, folder)[0]

    def files(self, machine: Machine, scope: str, folder: Path) -> list[Path]:
        """The configuration files of a scope that an entry belongs in: one, but where nobody knows which is read.

        Raises:
            Refused: the client has no such scope.
        """
        if scope == "project" and not self.project:
            raise Refused(f"{self.title} has no configuration per project.", "Use --scope user.")
        places = self.user(machine) if scope == "user" else tuple(folder / name for name in self.project)
        if self.every_place:
            return [places[0], *(place for place in places[1:] if place.exists())]
        return [next((place for place in places if place.exists()), places[0])]

    def path_in(self, document: Any) -> tuple[str, ...]:
        """The keys to the servers in a document that was read."""
        return self.container_of(document) if self.container_of else self.container

    @property
    def scopes(self) -> tuple[str, ...]:
        return ("user", "project") if self.project else ("user",)


def _started(server: Stdio, **first: Any) -> dict[str, Any]:
    entry = {**first, "command": server.command, "args": list(server.arguments)}
    if server.environment:
        entry["env"] = dict(server.environment)
    return entry


def _headers(server: Http, reference: str) -> dict[str, dict[str, str]]:
    if server.signs_in:
        return {}
    return {"headers": {"Authorization": f"Bearer {server.key or reference}"}}


def _common(address: str, reference: str, *, typed: bool = False) -> Writer:
    """Most clients: command, args and env, or an address and headers."""

    def write(server: Stdio | Http) -> dict[str, Any]:
        if isinstance(server, Stdio):
            return _started(server, type="stdio") if typed else _started(server)
        kind = {"type": "http"} if typed else {}
        return {**kind, address: server.url, **_headers(server, reference)}

    return write


def _codex(server: Stdio | Http) -> dict[str, Any]:
    if isinstance(server, Stdio):
        return _started(server)
    if server.signs_in:
        return {"url": server.url}
    if server.key:
        return {"url": server.url, "http_headers": _headers(server, "")["headers"]}
    return {"url": server.url, "bearer_token_env_var": KEY_VARIABLE}


def _opencode(server: Stdio | Http) -> dict[str, Any]:
    if isinstance(server, Http):
        headers = _headers(server, f"{{env:{KEY_VARIABLE}}}")
        return {"type": "remote", "url": server.url, **headers}
    entry: dict[str, Any] = {"type": "local", "command": [server.command, *server.arguments]}
    if server.environment:
        entry["environment"] = dict(server.environment)
    return entry


def _opencode_container(document: Any) -> tuple[str, ...]:
    # Version 2 keeps servers under mcp.servers, and still reads version 1's form, in which "servers" would be a server.
    mcp = document.get("mcp") if isinstance(document, dict) else None
    servers = mcp.get("servers") if isinstance(mcp, dict) else None
    return ("mcp", "servers") if isinstance(servers, dict) and "type" not in servers else ("mcp",)


def _claude_desktop(machine: Machine) -> tuple[Path, ...]:
    name = "claude_desktop_config.json"
    if machine.system == "win32":
        # Installed from the Store, or by its installer since 2026, it reads its own copy of the roaming folder, and where
        # that has no such file the usual one; a version beside it that is no package reads the usual one.
        packages = sorted(machine.local.glob("Packages/Claude_*/LocalCache/Roaming"))
        return (*(p / "Claude" / name for p in packages), machine.roaming / "Claude" / name)
    return (machine.roaming / "Claude" / name,)


def _home(*parts: str) -> Callable[[Machine], tuple[Path, ...]]:
    return lambda machine: (machine.home.joinpath(*parts),)


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            "json",
            ("mcpServers",),
            _claude_desktop,
            (),
            _common("url", ""),
            "Quit Claude Desktop (not only its window) and start it again.",
            "Connect to local MCP servers (Model Context Protocol); the packaged Windows path: claude-code issues 25579 and 26073",
            http=False,
            every_place=True,
        ),
        Client(
            "claude-code",
            "Claude Code",
            "json",
            ("mcpServers",),
            lambda machine: (machine.folder("CLAUDE_CONFIG_DIR") / ".claude.json",),
            (".mcp.json",),
            _common("url", f"${{{KEY_VARIABLE}}}", typed=True),
            "Start a new session; /mcp shows the server.",
            "Connect Claude Code to tools via MCP (Claude Code docs)",
        ),
        Client(
            "cursor",
            "Cursor",
            "jsonc",
            ("mcpServers",),
            _home(".cursor", "mcp.json"),
            (".cursor/mcp.json",),
            _common("url", f"${{env:{KEY_VARIABLE}}}"),
            "Restart Cursor, then switch the server on under Customize, MCPs.",
            "Model Context Protocol (Cursor docs)",
        ),
        Client(
            "vscode",
            "VS Code",
            "jsonc",
            ("servers",),
            lambda machine: (machine.roaming / "Code" / "User" / "mcp.json",),
            (".vscode/mcp.json",),
            _common("url", f"${{env:{KEY_VARIABLE}}}", typed=True),
            "Run the command MCP: List Servers and start it there.",
            "MCP configuration reference (VS Code docs)",
        ),
        Client(
            "codex",
            "Codex",
            "toml",
            ("mcp_servers",),
            lambda machine: (machine.folder("CODEX_HOME", ".codex") / "config.toml",),
            (".codex/config.toml",),
            _codex,
            "Start Codex anew; /mcp shows the server. Project files count only in projects that you trust.",
            "Model Context Protocol, and Config basics (Codex docs)",
        ),
        Client(
            "windsurf",
            "Windsurf",
            "jsonc",
            ("mcpServers",),
            _home(".codeium", "windsurf", "mcp_config.json"),
            (),
            _common("serverUrl", f"${{env:{KEY_VARIABLE}}}"),
            "Press refresh in Cascade's MCP settings.",
            "Model Context Protocol (Windsurf docs)",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "jsonc",
            ("mcpServers",),
            _home(".gemini", "settings.json"),
            (".gemini/settings.json",),
            _common("httpUrl", f"${KEY_VARIABLE}"),
            "Start Gemini CLI anew; /mcp shows the server.",
            "MCP servers with the Gemini CLI (gemini-cli docs)",
        ),
        Client(
            "opencode",
            "OpenCode",
            "jsonc",
            ("mcp",),
            lambda machine: tuple(machine.xdg / "opencode" / f"opencode.{end}" for end in ("jsonc", "json")),
            ("opencode.jsonc", "opencode.json"),
            _opencode,
            "Start OpenCode anew; `opencode mcp list` shows the server.",
            "MCP servers, and Migrate from V1 (OpenCode docs)",
            container_of=_opencode_container,
        ),
    )
}


def client(name: str) -> Client:
    """A client by name, in any spelling of it.

    Raises:
        Refused: none is called so.
    """
    plain = name.strip().casefold().replace(" ", "-").replace("_", "-")
    aliases = {"claude": "claude-desktop", "vs-code": "vscode", "code": "vscode", "gemini-cli": "gemini"}
    found = CLIENTS.get(aliases.get(plain, plain))
    if found is None:
        raise Refused(
            f"No client called {name!r} is known.",
            f"Known: {', '.join(CLIENTS)}. `tdmcp client print other` shows what any other client needs.",
        )
    return found

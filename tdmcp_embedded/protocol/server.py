"""The MCP server of one TouchDesigner: the SDK's low-level server over the table of tools, for both protocol eras."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    SetLevelRequestParams,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool
from starlette.types import ASGIApp

from tdmcp_embedded import __version__
from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.protocol import access, arguments, confirm, results, runner
from tdmcp_embedded.protocol.instructions import INSTRUCTIONS
from tdmcp_embedded.protocol.log_messages import LogMessages
from tdmcp_embedded.protocol.recording import Recording, client_of
from tdmcp_embedded.protocol.schemas import input_schema, output_schema
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Call, Effect, Tool

_log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

#: Legacy sessions: idle this long (seconds) they end; at most this many live at once.
SESSION_IDLE_SECONDS = 1800.0
MAX_SESSIONS = 1000


@dataclass(frozen=True)
class Host:
    """What the protocol needs to know of the TouchDesigner it lives in.

    `settings` gives the settings of the moment; `facts` is sampled on the main thread and may be read anywhere.
    """

    td: ModuleType
    queue: FrameQueue
    settings: Callable[[], Settings]
    facts: Mapping[str, Any]
    log: Log = field(default_factory=Log)


class _Server(Server[Any]):
    """The SDK takes the list-changed flags from options that its HTTP manager never passes; so they are given here."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )


class McpServer:
    """One MCP server: `asgi` answers requests to its endpoint while `lifespan()` is entered (once)."""

    def __init__(self, host: Host, tools: Mapping[str, Tool] = TABLE) -> None:
        self._host = host
        self._tools = tools
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self.server = _Server(
            "tdmcp-embedded",
            version=__version__,
            title="TouchDesigner",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=self._schema_of,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listen,
        )
        self.server.middleware.append(self._remember_session)
        self._sessions: dict[str, Any] = {}
        self._messages = LogMessages(host.log, _session_id, self._is_open)
        self.server.add_request_handler("logging/setLevel", SetLevelRequestParams, self._messages.set_level)
        self.server.middleware.append(Recording(host.log, tools, _session_id, self._messages))
        self._manager = StreamableHTTPSessionManager(
            self.server,
            # Host and Origin are checked, more strictly, before a request gets here.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=SESSION_IDLE_SECONDS,
            max_sessions=MAX_SESSIONS,
            # Bodies are limited by our own gate, which answers before parsing.
            max_request_body_size=2**31,
        )
        self.asgi: ASGIApp = StreamableHTTPASGIApp(self._manager)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Enter while serving; once per server, since the SDK's session manager cannot be used again."""
        async with self._manager.run():
            try:
                yield
            finally:
                self._messages.close()

    def session_count(self) -> int:
        """Sessions of the handshake era that are open now."""
        return len(self._manager._server_instances)  # the SDK has no public count

    def _is_open(self, session_id: str) -> bool:
        return session_id in self._manager._server_instances

    def close_streams(self) -> None:
        """End the open subscription streams in good order; before the server stops."""
        self._listen.close()
        self._messages.close()

    async def announce_tools(self) -> None:
        """Tell every client that the list of tools changed (a level or the toolset did)."""
        await self._bus.publish(ToolsListChanged())
        open_now = self._manager._server_instances
        for session_id in [s for s in self._sessions if s not in open_now]:
            del self._sessions[session_id]
        for session in list(self._sessions.values()):
            try:
                await session.send_tool_list_changed()
            except Exception:  # noqa: BLE001 - one client that went away must not keep the others from hearing
                _log.debug("a session could not be told of the changed list", exc_info=True)

    # -- requests ------------------------------------------------------------------------------------------

    async def _remember_session(self, ctx: Context, call_next: Callable[[Context], Any]) -> Any:
        if ctx.method == "notifications/initialized":
            self._sessions[_session_id(ctx)] = ctx.session
        return await call_next(ctx)

    def _schema_of(self, name: str) -> Mapping[str, Any] | None:
        tool = self._tools.get(name)
        return input_schema(tool) if tool else None

    def _level(self, ctx: Context) -> Level:
        key = _scope(ctx).get("tdmcp.key")
        return access.effective_level(
            key.level if key is not None else Level.FULL, self._host.settings(), self._host.facts
        )

    async def _list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        if params is not None and params.cursor:
            raise MCPError(INVALID_PARAMS, "The list of tools has one page; call without a cursor.")
        tools = access.allowed(self._tools.values(), self._level(ctx), self._host.settings())
        return ListToolsResult(tools=[listed(tool) for tool in tools])

    async def _call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        tool = self._tools.get(params.name)
        if tool is None:
            close = near(params.name, list(self._tools))
            raise MCPError(
                INVALID_PARAMS,
                f"There is no tool {params.name!r}."
                + (f" Did you mean {', '.join(close)}?" if close else ""),
            )
        try:
            return await self._answer(ctx, tool, params)
        except ToolFailure as refusal:
            return results.failure(refusal)
        except Exception:  # noqa: BLE001 - no traceback of ours may reach a client
            _log.exception("tool %s failed", tool.name)
            return results.failure(
                ToolFailure(
                    Code.INTERNAL_ERROR,
                    f"{tool.name} failed inside tdmcp-embedded; this is a fault of the server, not of the call.",
                    hint="The log on the component's About page has the details.",
                )
            )

    async def _answer(
        self, ctx: Context, tool: Tool, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        level = self._level(ctx)
        access.require(tool, level)
        given = dict(params.arguments or {})
        if confirm.answered(params):
            given["confirm"] = True
        try:
            output = await runner.run(self._call(ctx, tool, level), tool, arguments.parse(tool, given))
        except ToolFailure as refusal:
            if refusal.code is not Code.CONFIRMATION_REQUIRED or not confirm.can_ask(ctx):
                raise
            question = await confirm.ask(ctx, params, refusal)
            if question is not None:
                return question
            given["confirm"] = True
            output = await runner.run(self._call(ctx, tool, level), tool, arguments.parse(tool, given))
        return results.success(output)

    def _call(self, ctx: Context, tool: Tool, level: Level) -> Call:
        return Call(
            td=self._host.td,
            settings=self._host.settings(),
            queue=self._host.queue,
            level=level,
            session=_session_id(ctx),
            client=client_of(ctx),
            tool=tool.name,
            instance=dict(self._host.facts),
            progress=_progress(ctx),
        )


def listed(tool: Tool) -> ListedTool:
    """A row of the table as `tools/list` shows it."""
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool),
        output_schema=output_schema(tool),
        annotations=ToolAnnotations(
            read_only_hint=tool.effect is Effect.READ,
            destructive_hint=tool.effect is Effect.DESTRUCTIVE,
            idempotent_hint=tool.idempotent or tool.effect is Effect.READ,
            open_world_hint=False,
        ),
    )


def _scope(ctx: Context) -> Mapping[str, Any]:
    scope: Mapping[str, Any] = ctx.request.scope if ctx.request is not None else {}
    return scope


def _session_id(ctx: Context) -> str:
    """What the frame queue shares its turns by: the session, or in the sessionless era the client's connection."""
    if ctx.request is not None:
        legacy = ctx.request.headers.get("mcp-session-id")
        if legacy:
            return str(legacy)
    client = _scope(ctx).get("client")
    return f"{client[0]}:{client[1]}" if client else ""


def _progress(ctx: Context) -> Callable[[float, float | None, str], None]:
    if not ctx.meta or ctx.meta.get("progress_token") is None and ctx.meta.get("progressToken") is None:
        return lambda done, total, message: None
    loop = asyncio.get_running_loop()

    def report(done: float, total: float | None, message: str) -> None:
        coroutine = ctx.session.report_progress(done, total, message)
        try:
            asyncio.run_coroutine_threadsafe(coroutine, loop)
        except RuntimeError:  # the server's loop has ended meanwhile
            coroutine.close()

    return report

"""The MCP server of one TouchDesigner: the SDK's low-level server over a row of offers, for both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, SetLevelRequestParams
from starlette.types import ASGIApp

from tdmcp_embedded import __version__
from tdmcp_embedded.protocol import malformed, sdk_sessions, shared_lists, tasks
from tdmcp_embedded.protocol.apps import NetworkApp
from tdmcp_embedded.protocol.dispatch import Dispatch
from tdmcp_embedded.protocol.icons import SERVER_ICONS
from tdmcp_embedded.protocol.instructions import GENERAL, fitting
from tdmcp_embedded.protocol.log_messages import LogMessages
from tdmcp_embedded.protocol.lost_sessions import LostSessions
from tdmcp_embedded.protocol.notices import Notices
from tdmcp_embedded.protocol.offer import Context, Offer
from tdmcp_embedded.protocol.prompts import Prompts
from tdmcp_embedded.protocol.recording import Recording
from tdmcp_embedded.protocol.requests import Host, session_id
from tdmcp_embedded.protocol.resources import Resources
from tdmcp_embedded.protocol.session_room import SessionRoom
from tdmcp_embedded.protocol.streamable_http import StreamableHttp
from tdmcp_embedded.protocol.subscriptions import Subscriptions
from tdmcp_embedded.protocol.tasks import Tasks
from tdmcp_embedded.protocol.tool_calls import ToolCalls, listed
from tdmcp_embedded.protocol.watcher import Watcher
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Tool

__all__ = ["Host", "McpServer", "listed"]

#: Legacy sessions: idle this long (seconds) they end; at most this many live at once.
SESSION_IDLE_SECONDS = 1800.0
MAX_SESSIONS = 1000


class _Server(Server[Any]):
    """The SDK takes the list-changed flags from options that its HTTP manager never passes; so they are given here."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options
            or NotificationOptions(tools_changed=True, resources_changed=True, prompts_changed=True),
            experimental_capabilities,
            extensions,
        )


class McpServer:
    """One MCP server: `asgi` answers requests to its endpoint while `lifespan()` is entered (once).

    Args:
        tools: the table of tools.
        extra: further offers after the server's own (tools, resources, prompts).
    """

    def __init__(self, host: Host, tools: Mapping[str, Tool] = TABLE, extra: Sequence[Offer] = ()) -> None:
        self._host = host
        self.notices = Notices(self._is_open)
        calls = ToolCalls(host, tools)
        resources = Resources(host, calls)
        offers: list[Offer] = [calls, resources, Prompts(host, tools), NetworkApp(), *extra]
        dispatch = Dispatch(offers)
        self._lists = shared_lists.SharedLists()
        self._tasks = Tasks(dispatch.call_tool, dispatch.task_use)
        self._watcher = Watcher(host.queue, resources.look, self.notices.resource_updated)
        self._subscriptions = Subscriptions(self.notices, session_id, self._is_open, self._watcher.begin)
        self._watcher.wanted = self._subscriptions.wanted
        self.server = _Server(
            "tdmcp-embedded",
            version=__version__,
            title="TouchDesigner",
            instructions=GENERAL,
            icons=SERVER_ICONS,
            cache_hints=dispatch.cache_hints,
            get_tool_input_schema=dispatch.input_schema,
            on_list_tools=dispatch.list_tools,
            on_list_resources=dispatch.list_resources,
            on_list_resource_templates=dispatch.list_resource_templates,
            on_read_resource=dispatch.read_resource,
            on_subscribe_resource=self._subscriptions.subscribe,
            on_unsubscribe_resource=self._subscriptions.unsubscribe,
            on_subscriptions_listen=self._subscriptions.listen,
            on_list_prompts=dispatch.list_prompts,
            on_get_prompt=dispatch.get_prompt,
            on_completion=dispatch.complete,
        )
        for offer in offers:
            offer.notices = self.notices
            self.server.extensions.update({name: dict(value) for name, value in offer.extensions().items()})
        self.server.extensions[tasks.EXTENSION] = {}
        # Here and not with the others, since the SDK's signature of that handler knows no tasks.
        self.server.add_request_handler("tools/call", CallToolRequestParams, self._tasks.call_tool)
        for method, (takes, answers) in self._tasks.methods.items():
            self.server.add_request_handler(method, takes, answers)
        self.server.middleware.append(malformed.explain)
        self.server.middleware.append(self._introduce)
        self._messages = LogMessages(host.log, session_id, self._is_open)
        self.server.add_request_handler("logging/setLevel", SetLevelRequestParams, self._messages.set_level)
        recording = Recording(host.log, tools, session_id, self._messages)
        self._tasks.ended = recording.task_ended
        self.server.middleware.append(recording)
        self._manager = self._make_manager()
        self._sessionless = self._make_manager(stateless=True)
        lost = LostSessions(SessionRoom(self._manager), self._manager, self._sessionless.handle_request)
        endpoint = StreamableHttp(lost)
        self.server.middleware.append(endpoint.middleware)
        self.asgi: ASGIApp = endpoint
        self._end_log = resources.follow_log(self._watcher.changed)

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Enter while serving; once per server, since the SDK's session managers cannot be used again."""
        return self._run_managers()

    @asynccontextmanager
    async def _run_managers(self) -> AsyncGenerator[None]:
        async with self._sessionless.run(), self._manager.run():
            yield

    def _make_manager(self, *, stateless: bool = False) -> StreamableHTTPSessionManager:
        return StreamableHTTPSessionManager(
            self.server,
            stateless=stateless,
            # Host and Origin are checked, more strictly, before a request gets here.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=SESSION_IDLE_SECONDS,
            max_sessions=MAX_SESSIONS,
            # Bodies are limited by our own gate, which answers before parsing.
            max_request_body_size=2**31,
        )

    def session_count(self) -> int:
        """Sessions of the handshake era that are open now."""
        return sdk_sessions.count(self._manager)

    def subscription_count(self) -> int:
        """Resources that somebody wants to hear of now."""
        return len(self._subscriptions.wanted())

    def is_open(self, session: str) -> bool:
        """Whether a session of the handshake era, by its id, is open now."""
        return self._is_open(session)

    def close_streams(self) -> None:
        """End the open subscription streams in good order; before the server stops."""
        self._end_log()
        self._tasks.close()
        self._watcher.close()
        self._subscriptions.close()
        self.notices.close()
        self._messages.close()

    async def announce_tools(self) -> None:
        """Tell every client that the list of tools changed (a level or the toolset did)."""
        await self.notices.tools_changed()
        self._watcher.changed("td://tools")

    def _is_open(self, session: str) -> bool:
        return sdk_sessions.is_open(self._manager, session)

    async def _introduce(self, ctx: Context, call_next: Callable[[Context], Any]) -> Any:
        """A middleware: remembers sessions, tells a new client what fits this project and its level, shares lists."""
        if ctx.method == "notifications/initialized":
            self.notices.remember(session_id(ctx), ctx.session)
        result = await call_next(ctx)
        if ctx.method in shared_lists.METHODS and isinstance(result, dict):
            return self._lists.shared(ctx.method, result)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            if ctx.method == "initialize":
                # Tasks are an extension of the revision without a handshake; those of 2025-11-25 were others.
                result.get("capabilities", {}).get("extensions", {}).pop(tasks.EXTENSION, None)
            result["instructions"] = fitting(self._host.level(ctx), self._host.settings(), self._host.facts)
        return result

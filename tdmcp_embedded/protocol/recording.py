"""Every call and every reading of a resource is told to the log: who, what, how it went, how long it took."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import BaseModel, ValidationError

from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.logs.records import Record
from tdmcp_embedded.logs.targets import target
from tdmcp_embedded.protocol.log_messages import LogMessages
from tdmcp_embedded.tools.tool import Effect, Tool

Context = ServerRequestContext[Any, Any]

#: The kind of result that is a task, on the wire.
_TASK: Final = "task"

_RECORDED: Final = ("tools/call", "resources/read", "prompts/get")


class Recording:
    """A middleware of the SDK's server.

    Args:
        session_of: the id of the session a request belongs to.
        messages: tells the record of a call to the client that made it, if it asked for that.
    """

    def __init__(
        self,
        log: Log,
        tools: Mapping[str, Tool],
        session_of: Callable[[Context], str],
        messages: LogMessages,
    ) -> None:
        self._log, self._tools = log, tools
        self._session_of = session_of
        self._messages = messages

    async def __call__(self, ctx: Context, call_next: Callable[[Context], Any]) -> Any:
        if ctx.method == "initialize":
            result = await call_next(ctx)
            info = (ctx.params or {}).get("clientInfo")
            self._log.event("info", f"{_named(info) or 'A client'} has connected.", **_caller(ctx))
            return result
        if ctx.method not in _RECORDED:
            return await call_next(ctx)
        began = time.perf_counter()
        outcome = "internal_error"
        try:
            result = await call_next(ctx)
            outcome = _outcome(result)
            return result
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except (MCPError, ValidationError):
            # The SDK makes "invalid params" of the latter.
            outcome = "refused"
            raise
        finally:
            # A call that has become a task is told of when that is over.
            if outcome != _TASK:
                record = self._record(ctx, outcome, (time.perf_counter() - began) * 1000)
                if outcome != "cancelled":
                    await self._messages.tell_caller(ctx, record)

    def task_ended(self, ctx: Context, result: object, ms: float) -> None:
        """The task that came of a call is over.

        Args:
            ctx: of the request that was the call.
            result: what the call gave, or the exception it ended with.
        """
        if isinstance(result, asyncio.CancelledError):
            outcome = "cancelled"
        elif isinstance(result, BaseException):
            outcome = "refused" if isinstance(result, MCPError) else "internal_error"
        else:
            outcome = _outcome(result)
        self._record(ctx, outcome, ms)

    def _record(self, ctx: Context, outcome: str, ms: float) -> Record:
        params = ctx.params or {}
        name = str(params.get("name", ""))
        if ctx.method == "tools/call":
            tool = self._tools.get(name)
            edits = tool is not None and tool.effect is not Effect.READ
            given = params.get("arguments")
            about = target(given if isinstance(given, Mapping) else None)
        else:
            edits, about, name = False, target(params) or name, ctx.method
        return self._log.call(
            edits=edits, outcome=outcome, tool=name, ms=ms, target=about,
            client=client_of(ctx), session=self._session_of(ctx), **_caller(ctx),
        )  # fmt: skip


def client_of(ctx: Context) -> str:
    """What the client calls itself, or nothing."""
    params = ctx.session.client_params
    return _named(params.client_info) if params is not None else ""


def _named(info: Any) -> str:
    if isinstance(info, BaseModel):
        info = info.model_dump()
    if not isinstance(info, Mapping):
        return ""
    return f"{info.get('name', '')} {info.get('version', '')}".strip()


def _caller(ctx: Context) -> dict[str, str]:
    scope = ctx.request.scope if ctx.request is not None else {}
    key, address = scope.get("tdmcp.key"), scope.get("client")
    return {
        "key": key.name if key is not None else "",
        "address": address[0] if address else "",
        "forwarded": str(scope.get("tdmcp.forwarded", "")),
    }


def _outcome(result: Any) -> str:
    if isinstance(result, InputRequiredResult):
        return "asked"
    if isinstance(result, BaseModel) and not isinstance(result, CallToolResult):
        return "ok"
    if isinstance(result, CallToolResult):
        failed, content = bool(result.is_error), result.structured_content
    elif isinstance(result, Mapping):
        failed, content = bool(result.get("isError")), result.get("structuredContent")
        if result.get("resultType") == "input_required":
            return "asked"
        if result.get("resultType") == _TASK:
            return _TASK
    else:
        return "ok"
    if not failed:
        return "ok"
    return str(content.get("code", "failed")) if isinstance(content, Mapping) else "failed"

"""The tools of the table, as MCP tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.logs import recent_edits
from tdmcp_embedded.logs.recent_edits import Answer, EditCall
from tdmcp_embedded.logs.targets import target
from tdmcp_embedded.protocol import access, apps, arguments, confirm, icons, results, runner
from tdmcp_embedded.protocol.offer import Context, Offer
from tdmcp_embedded.protocol.recording import client_of
from tdmcp_embedded.protocol.requests import Host, key_id, session_id
from tdmcp_embedded.protocol.schemas import input_schema, output_schema
from tdmcp_embedded.protocol.task import LONGEST, of_this_call
from tdmcp_embedded.tools import host_arguments, undo_names
from tdmcp_embedded.tools.tool import Call, Effect, Tool

_log = logging.getLogger(__name__)

#: Outcomes of a call after which its job may come to another one.
_WORK_GOES_ON: Final = (Code.STILL_RUNNING.value, Code.CANCELLED.value)


class ToolCalls(Offer):
    """Lists what the caller's level allows, and runs it."""

    def __init__(self, host: Host, table: Mapping[str, Tool]) -> None:
        self._host = host
        self._table = table
        self._noted = _Noted()

    async def tools(self, ctx: Context) -> list[ListedTool]:
        rows = access.allowed(self._table.values(), self._host.level(ctx), self._host.settings())
        return [listed(tool) for tool in rows]

    def tool_names(self) -> list[str]:
        return list(self._table)

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        row = self._table.get(tool)
        return input_schema(row) if row else None

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult | None:
        tool = self._table.get(params.name)
        if tool is None:
            return None
        given, added = host_arguments.split(tool, params.arguments or {})
        if tool.name == "batch":
            given, inside = host_arguments.split_calls(given, self._table)
            added = list(dict.fromkeys([*added, *inside]))
        params = params.model_copy(update={"arguments": given})
        result = await self._result(ctx, tool, params)
        if not isinstance(result, CallToolResult):
            return result
        new = self._noted.new(_session(ctx), added)
        if not new:
            return result
        return results.noted(result, host_arguments.sentence(tool, new), new)

    async def _result(
        self, ctx: Context, tool: Tool, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        noted = self._note(ctx, tool, params)
        try:
            result = await self._answered(ctx, tool, params, noted)
        except asyncio.CancelledError:
            if noted is not None:
                recent_edits.end(noted, Code.CANCELLED.value)
            raise
        if noted is not None:
            _note_end(noted, result)
        return result

    def _note(self, ctx: Context, tool: Tool, params: CallToolRequestParams) -> EditCall | None:
        """Note a call that can change the project, so that its client can look up what became of it."""
        if tool.effect is Effect.READ:
            return None
        about = f"{tool.title} {target(params.arguments)}".rstrip()
        return self._host.log.edits.begin(key_id(ctx), tool.name, about, client_of(ctx))

    async def _answered(
        self, ctx: Context, tool: Tool, params: CallToolRequestParams, noted: EditCall | None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await self._answer(ctx, tool, params, noted)
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
        self, ctx: Context, tool: Tool, params: CallToolRequestParams, noted: EditCall | None
    ) -> CallToolResult | InputRequiredResult:
        access.require(tool, self._host.level(ctx))
        given = dict(params.arguments or {})
        if confirm.answered(params):
            given["confirm"] = True
        parsed = arguments.parse(tool, given)
        if noted is not None:
            noted.about = undo_names.about(tool, parsed)
        try:
            output = await runner.run(self._call(ctx, tool, noted), tool, parsed)
        except ToolFailure as refusal:
            if refusal.code is not Code.CONFIRMATION_REQUIRED or not confirm.can_ask(ctx):
                raise
            question = await confirm.ask(ctx, params, refusal)
            if question is not None:
                return question
            given["confirm"] = True
            output = await runner.run(self._call(ctx, tool, noted), tool, arguments.parse(tool, given))
        return results.success(output)

    def _call(self, ctx: Context, tool: Tool, noted: EditCall | None = None) -> Call:
        call, task = self._host.call(ctx, tool.name), of_this_call.get()
        call.noted = noted
        if task is not None:
            call.progress = task.follow(call.progress)
            # Nobody waits for it: whoever has the task asks when it likes, and sees meanwhile what it does.
            call.deadline = LONGEST
        return call


def _note_end(noted: EditCall, result: CallToolResult | InputRequiredResult) -> None:
    if not isinstance(result, CallToolResult):
        # Nothing is done yet; the answer comes as another call.
        recent_edits.end(noted, Code.CONFIRMATION_REQUIRED.value)
        return
    content = result.structured_content
    failed = bool(result.is_error)
    outcome = str((content or {}).get("code", "failed")) if failed else "ok"
    answer = None
    if outcome not in _WORK_GOES_ON:
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        answer = Answer(content, text, failed)
    recent_edits.end(noted, outcome, answer)


class _Noted:
    """Which host arguments each session has been told of."""

    _SESSIONS: Final = 256

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def new(self, session: str, names: list[str]) -> list[str]:
        """Those of the names that this session has not been told of; it now has."""
        if not names:
            return []
        known = self._names.pop(session, set())
        self._names[session] = known | set(names)
        if len(self._names) > self._SESSIONS:
            del self._names[next(iter(self._names))]
        return [name for name in names if name not in known]


def _session(ctx: Context) -> str:
    """The session; where there are none, the key and what the client calls itself: connections change."""
    request = ctx.request
    if request is not None and not request.headers.get("mcp-session-id"):
        key = request.scope.get("tdmcp.key")
        return f"{key.id if key is not None else ''} {client_of(ctx)}"
    return session_id(ctx)


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
        icons=icons.OF_EFFECT[tool.effect],
        _meta=apps.tool_meta(tool.name),
    )

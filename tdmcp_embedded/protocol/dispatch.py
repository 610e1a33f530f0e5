"""The handlers of the protocol's requests: each asks the offers, one after the other."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
)

from tdmcp_embedded.errors import near
from tdmcp_embedded.protocol.offer import Context, Offer, TaskUse

#: How long (ms) a client may keep what it was told. Lists change with the level, which is announced; what a resource
#: holds can change at any frame.
CACHE_HINTS: Final[Mapping[CacheableMethod, CacheHint]] = {
    "tools/list": CacheHint(ttl_ms=60_000),
    "prompts/list": CacheHint(ttl_ms=60_000),
    "resources/list": CacheHint(ttl_ms=5_000),
    "resources/templates/list": CacheHint(ttl_ms=60_000),
    "resources/read": CacheHint(ttl_ms=0),
}


class Dispatch:
    """The handlers, over a row of offers."""

    cache_hints = CACHE_HINTS

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = offers

    # -- tools -----------------------------------------------------------------------------------------------

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        for offer in self._offers:
            schema = offer.input_schema(tool)
            if schema is not None:
                return schema
        return None

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        _one_page("tools", params)
        return ListToolsResult(tools=[tool for offer in self._offers for tool in await offer.tools(ctx)])

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        for offer in self._offers:
            result = await offer.call_tool(ctx, params)
            if result is not None:
                return result
        _unknown("tool", params.name, [name for offer in self._offers for name in offer.tool_names()])

    def task_use(self, params: CallToolRequestParams) -> TaskUse:
        """When a call becomes a task; the offer that has the tool knows."""
        for offer in self._offers:
            if params.name in offer.tool_names():
                return offer.task_use(params)
        return TaskUse.WHEN_LONG

    # -- resources -------------------------------------------------------------------------------------------

    async def list_resources(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """First what is always there; then, page by page, what each offer has many of."""
        which, start = _position(params.cursor if params is not None else None, len(self._offers))
        found: list[Resource] = []
        if which < 0:
            found = [resource for offer in self._offers for resource in await offer.resources(ctx)]
            which = 0
        else:
            found, following = await self._offers[which].more_resources(ctx, start)
            if following is not None:
                return ListResourcesResult(resources=found, next_cursor=_cursor(which, following))
            which += 1
        more = next((i for i in range(which, len(self._offers)) if _has_more(self._offers[i])), None)
        return ListResourcesResult(
            resources=found, next_cursor=_cursor(more, 0) if more is not None else None
        )

    async def list_resource_templates(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        _one_page("resource templates", params)
        return ListResourceTemplatesResult(
            resource_templates=[t for offer in self._offers for t in await offer.resource_templates(ctx)]
        )

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | InputRequiredResult:
        for offer in self._offers:
            result = await offer.read_resource(ctx, params)
            if result is not None:
                return result
        raise MCPError(INVALID_PARAMS, f"There is no resource {params.uri}.", {"uri": params.uri})

    # -- prompts ---------------------------------------------------------------------------------------------

    async def list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        _one_page("prompts", params)
        return ListPromptsResult(prompts=[p for offer in self._offers for p in await offer.prompts(ctx)])

    async def get_prompt(
        self, ctx: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult:
        for offer in self._offers:
            result = await offer.get_prompt(ctx, params)
            if result is not None:
                return result
        known = [prompt.name for offer in self._offers for prompt in await offer.prompts(ctx)]
        _unknown("prompt", params.name, known)

    # -- completions -----------------------------------------------------------------------------------------

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        for offer in self._offers:
            found = await offer.complete(ctx, params)
            if found is not None:
                return CompleteResult(completion=found)
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))


def _has_more(offer: Offer) -> bool:
    return type(offer).more_resources is not Offer.more_resources


def _one_page(what: str, params: PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, f"The list of {what} has one page; call without a cursor.")


def _unknown(what: str, name: str, known: Sequence[str]) -> NoReturn:
    close = near(name, known)
    raise MCPError(
        INVALID_PARAMS,
        f"There is no {what} {name!r}." + (f" Did you mean {', '.join(close)}?" if close else ""),
    )


def _cursor(which: int, start: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([which, start]).encode()).decode("ascii")


def _position(cursor: str | None, offers: int) -> tuple[int, int]:
    """Which offer's list goes on at which entry; -1 is before the first of those."""
    if not cursor:
        return -1, 0
    try:
        which, start = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        if isinstance(which, int) and isinstance(start, int) and 0 <= which < offers and start >= 0:
            return which, start
    except (ValueError, TypeError, binascii.Error):
        pass
    raise MCPError(INVALID_PARAMS, "This cursor is not one of resources/list; start again without one.")

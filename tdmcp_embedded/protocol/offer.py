"""What a part of the server offers to clients; the server is a row of these, asked one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
)
from mcp_types import Tool as ListedTool

if TYPE_CHECKING:
    from tdmcp_embedded.protocol.notices import Notices

Context = ServerRequestContext[Any, Any]


class TaskUse(Enum):
    """When a tool's call becomes a task, for a client that knows tasks."""

    WHEN_LONG = "when it is not over at once"
    ALWAYS = "always"
    REQUIRED = "always; and clients that know no tasks cannot call it"


#: Extensions of the protocol by identifier, each with its settings.
Extensions = Mapping[str, Mapping[str, Any]]


class Offer:
    """Base of all offers, which offers nothing.

    A subclass overrides what it has. The methods that answer for one name or address give None for one that is not
    theirs, so that the next offer is asked. They run on the server's event loop.
    """

    #: Where to say that a list or a resource changed; set when the offer joins a server.
    notices: Notices

    def extensions(self) -> Extensions:
        """Extensions of the protocol that the server announces on account of this offer."""
        return {}

    async def tools(self, ctx: Context) -> list[ListedTool]:
        return []

    def tool_names(self) -> list[str]:
        """Every tool there may be, for near matches."""
        return []

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        return None

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult | None:
        return None

    def task_use(self, params: CallToolRequestParams) -> TaskUse:
        """When a call of one of its tools becomes a task, for clients that know tasks."""
        return TaskUse.WHEN_LONG

    async def resources(self, ctx: Context) -> list[Resource]:
        """Resources that are always there and quick to list; they make the first page."""
        return []

    async def more_resources(self, ctx: Context, start: int) -> tuple[list[Resource], int | None]:
        """Further resources from the `start`th on, and where the next page starts; for long lists."""
        return [], None

    async def resource_templates(self, ctx: Context) -> list[ResourceTemplate]:
        return []

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | InputRequiredResult | None:
        return None

    async def prompts(self, ctx: Context) -> list[Prompt]:
        return []

    async def get_prompt(
        self, ctx: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult | None:
        return None

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> Completion | None:
        return None

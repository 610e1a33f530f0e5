"""The tools with which the conformance suite tries tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolRequestParams, CallToolResult, ElicitResult, TextContent

from tdmcp_embedded.protocol.offer import Context, TaskUse
from tests.conformance import questions
from tests.conformance.fixture_tools import Result, said, tool

if TYPE_CHECKING:
    from tests.conformance.fixtures import Fixtures

_FORM = {"confirm": "boolean"}


def use(params: CallToolRequestParams) -> TaskUse:
    """When the call of a fixture becomes a task."""
    if params.name in ("slow_compute", "protocol_error_job", "confirm_delete", "multi_input"):
        return TaskUse.ALWAYS
    if params.name == "failing_job" or params.name == "test_tool_with_task" and params.input_responses:
        return TaskUse.REQUIRED
    return TaskUse.WHEN_LONG


@tool(name={"type": "string"})
async def greet(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return said(f"Hello, {(params.arguments or {})['name']}!")


@tool(seconds={"type": "number"}, label={"type": "string"})
async def slow_compute(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    seconds = (params.arguments or {})["seconds"]
    await anyio.sleep(seconds)
    return said(f"Computed for {seconds} s.")


@tool()
async def failing_job(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return CallToolResult(content=[TextContent(text="It does not work.")], is_error=True)


@tool()
async def protocol_error_job(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    raise MCPError(INTERNAL_ERROR, "An error of the protocol, as wanted.")


@tool(filename={"type": "string"})
async def confirm_delete(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    if not params.input_responses:
        return questions.ask(confirm=questions.form("Delete it?", **_FORM))
    return said("Deleted.")


@tool()
async def multi_input(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    if not params.input_responses:
        return questions.ask(
            first=questions.form("The first?", **_FORM), second=questions.form("The second?", **_FORM)
        )
    return said(f"{len(params.input_responses)} answers.")


@tool()
async def test_tool_with_task(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    answer = (params.input_responses or {}).get("user_name")
    if not isinstance(answer, ElicitResult):
        return questions.ask(state="named", user_name=questions.form("Your name?", name="string"))
    questions.unseal(params.request_state)
    return said(f"Hello, {(answer.content or {}).get('name')}!")

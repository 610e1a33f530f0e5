"""The tools that the conformance suite calls by name. Each is `(fixtures, ctx, params) -> result`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.connection import allowed_log_levels
from mcp.shared.exceptions import MCPError
from mcp_types import (
    AudioContent,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    CreateMessageResult,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListRootsResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    TextContent,
    TextResourceContents,
)

from tdmcp_embedded.protocol.offer import Context
from tests.conformance import questions
from tests.conformance.content import SCHEMA_2020_12, png, wav

if TYPE_CHECKING:
    from tests.conformance.fixtures import Fixtures

Result = CallToolResult | InputRequiredResult
Fixture = Callable[["Fixtures", Context, CallToolRequestParams], Awaitable[Result]]

#: The code of *missing required client capability*.
MISSING_CAPABILITY = -32021

#: Seconds between two messages of one tool: the suite wants to see them arrive one after the other.
_PAUSE = 0.05

TOOLS: dict[str, Fixture] = {}
SCHEMAS: dict[str, dict[str, Any]] = {}


def tool(**properties: dict[str, Any]) -> Callable[[Fixture], Fixture]:
    """Register a function under its name, with required arguments of these schemas."""

    def register(function: Fixture) -> Fixture:
        TOOLS[function.__name__] = function
        SCHEMAS[function.__name__] = {
            "type": "object",
            "properties": properties,
            "required": [name for name, schema in properties.items() if "x-mcp-header" not in schema],
        }
        return function

    return register


def said(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)])


def resource(uri: str, mime: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime, text=text))


# -- content -------------------------------------------------------------------------------------------------


@tool()
async def test_simple_text(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return said("This is a simple text response for testing.")


@tool()
async def test_image_content(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return CallToolResult(content=[ImageContent(data=png(), mime_type="image/png")])


@tool()
async def test_audio_content(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return CallToolResult(content=[AudioContent(data=wav(), mime_type="audio/wav")])


@tool()
async def test_embedded_resource(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    content: list[ContentBlock] = [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ]
    return CallToolResult(content=content)


@tool()
async def test_multiple_content_types(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    return CallToolResult(
        content=[
            TextContent(text="Multiple content types test:"),
            ImageContent(data=png(), mime_type="image/png"),
            resource(
                "test://mixed-content-resource",
                "application/json",
                json.dumps({"test": "data", "value": 123}),
            ),
        ]
    )


@tool()
async def test_error_handling(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return CallToolResult(
        content=[TextContent(text="This tool intentionally returns an error for testing")], is_error=True
    )


# -- messages along the way ----------------------------------------------------------------------------------


async def _log(ctx: Context, text: str) -> None:
    if "info" in allowed_log_levels(ctx.protocol_version, ctx.meta):
        await ctx.session.send_notification(
            LoggingMessageNotification(params=LoggingMessageNotificationParams(level="info", data=text)),
            related_request_id=ctx.request_id,
        )


@tool()
async def test_tool_with_logging(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    await _log(ctx, "Tool execution started")
    await anyio.sleep(_PAUSE)
    await _log(ctx, "Tool processing data")
    await anyio.sleep(_PAUSE)
    await _log(ctx, "Tool execution completed")
    return said("Logged three messages.")


@tool()
async def test_logging_tool(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    await _log(ctx, "A message for whoever asked for it")
    return said("Logged a message if one was asked for.")


@tool()
async def test_tool_with_progress(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    # As the server's own tools report it.
    report = fixtures.host.call(ctx, params.name).progress
    for done in (0, 50, 100):
        report(done, 100, f"{done} of 100")
        await anyio.sleep(_PAUSE)
    return said("Reported progress three times.")


@tool()
async def test_trigger_tool_change(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    await fixtures.notices.tools_changed()
    return said("Announced a change of tools.")


@tool()
async def test_trigger_prompt_change(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    await fixtures.notices.prompts_changed()
    return said("Announced a change of prompts.")


@tool()
async def test_reconnection(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await anyio.sleep(2 * _PAUSE)
    return said("Reconnection test completed")


# -- questions of the handshake era --------------------------------------------------------------------------


@tool(prompt={"type": "string"})
async def test_sampling(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    prompt = str((params.arguments or {})["prompt"])
    answer = await ctx.session.send_request(questions.sampling(prompt), CreateMessageResult)
    content = answer.content
    return said(f"LLM response: {content.text if isinstance(content, TextContent) else content}")


async def _elicit(ctx: Context, message: str, schema: dict[str, Any], words: str) -> Result:
    answer = await ctx.session.elicit_form(message, schema, ctx.request_id)
    return said(f"{words}: action={answer.action}, content={json.dumps(answer.content)}")


@tool(message={"type": "string"})
async def test_elicitation(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    schema = {
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    }
    return await _elicit(ctx, str((params.arguments or {})["message"]), schema, "User response")


@tool()
async def test_elicitation_sep1034_defaults(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    return await _elicit(ctx, "Some values, with defaults", questions.DEFAULTS, "Elicitation completed")


@tool()
async def test_elicitation_sep1330_enums(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    return await _elicit(ctx, "Some choices", questions.CHOICES, "Elicitation completed")


# -- questions of 2026-07-28 ---------------------------------------------------------------------------------


@tool()
async def test_missing_capability(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(MISSING_CAPABILITY, "This needs sampling.", {"requiredCapabilities": {"sampling": {}}})
    return said("The client can sample.")


@tool()
async def test_streaming_elicitation(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    return questions.ask(answer=questions.form("Anything to add?", text="string"))


def _answer(params: CallToolRequestParams, name: str) -> Any:
    return (params.input_responses or {}).get(name)


@tool()
async def test_input_required_result_elicitation(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    answer = _answer(params, "user_name")
    if isinstance(answer, ElicitResult) and answer.action == "accept" and "name" in (answer.content or {}):
        return said(f"Hello, {(answer.content or {})['name']}!")
    return questions.ask(user_name=questions.form("What is your name?", name="string"))


@tool()
async def test_input_required_result_sampling(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    answer = _answer(params, "capital_question")
    if isinstance(answer, CreateMessageResult):
        return said(str(getattr(answer.content, "text", answer.content)))
    return questions.ask(capital_question=questions.sampling("What is the capital of France?"))


@tool()
async def test_input_required_result_list_roots(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    answer = _answer(params, "client_roots")
    if isinstance(answer, ListRootsResult):
        return said("Roots: " + ", ".join(str(root.uri) for root in answer.roots))
    return questions.ask(client_roots=questions.roots())


@tool()
async def test_input_required_result_request_state(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    if _answer(params, "confirm") is not None:
        questions.unseal(params.request_state)
        return said("state-ok")
    return questions.ask("asked", confirm=questions.form("Please confirm", ok="boolean"))


@tool()
async def test_input_required_result_multiple_inputs(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    wanted: dict[str, Any] = {
        "user_name": questions.form("What is your name?", name="string"),
        "greeting": questions.sampling("Generate a greeting", 50),
        "client_roots": questions.roots(),
    }
    if set(wanted) <= set(params.input_responses or {}):
        questions.unseal(params.request_state)
        return said("All three answers have arrived.")
    return questions.ask("asked", **wanted)


@tool()
async def test_input_required_result_multi_round(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    if _answer(params, "step2") is not None:
        return said(f"Done, after {questions.unseal(params.request_state)}.")
    if _answer(params, "step1") is not None:
        questions.unseal(params.request_state)
        question = questions.form("Step 2: What is your favorite color?", color="string")
        return questions.ask("two rounds", step2=question)
    return questions.ask("one round", step1=questions.form("Step 1: What is your name?", name="string"))


@tool()
async def test_input_required_result_tampered_state(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    if params.request_state is not None:
        return said(f"The state is as it was: {questions.unseal(params.request_state)}")
    return questions.ask("untouched", confirm=questions.form("Please confirm", ok="boolean"))


@tool()
async def test_input_required_result_capabilities(
    fixtures: Fixtures, ctx: Context, params: CallToolRequestParams
) -> Result:
    able = ctx.session.client_capabilities
    wanted: dict[str, Any] = {}
    if able is not None and able.sampling is not None:
        wanted["thought"] = questions.sampling("What do you think?")
    if able is not None and able.elicitation is not None:
        wanted["answer"] = questions.form("What do you say?", answer="string")
    return questions.ask(**wanted) if wanted else said("This client cannot be asked.")


# -- schemas and headers -------------------------------------------------------------------------------------


@tool()
async def json_schema_2020_12_tool(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return said(json.dumps(params.arguments))


SCHEMAS["json_schema_2020_12_tool"] = SCHEMA_2020_12


@tool(region={"type": "string", "x-mcp-header": "Region"})
async def test_header_param(fixtures: Fixtures, ctx: Context, params: CallToolRequestParams) -> Result:
    return said(f"region: {(params.arguments or {}).get('region')}")

"""What the conformance suite expects of a server under test, as one more offer beside the server's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import (
    BlobResourceContents,
    CallToolRequestParams,
    CompleteRequestParams,
    Completion,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptReference,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from mcp_types import Tool as ListedTool

from tdmcp_embedded.protocol.offer import Context, Offer, TaskUse
from tdmcp_embedded.protocol.requests import Host
from tests.conformance import fixture_tasks, questions
from tests.conformance.content import png
from tests.conformance.fixture_tools import SCHEMAS, TOOLS, Result, resource

_PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}

_WORDS = ("paris", "park", "party", "hello", "world")


class Fixtures(Offer):
    """The fixtures of every scenario."""

    def __init__(self, host: Host) -> None:
        self.host = host

    # -- tools -----------------------------------------------------------------------------------------------

    async def tools(self, ctx: Context) -> list[ListedTool]:
        return [
            ListedTool(
                name=name, description="A fixture of the conformance suite.", input_schema=SCHEMAS[name]
            )
            for name in TOOLS
        ]

    def tool_names(self) -> list[str]:
        return list(TOOLS)

    def input_schema(self, tool: str) -> Mapping[str, Any] | None:
        return SCHEMAS.get(tool)

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> Result | None:
        function = TOOLS.get(params.name)
        return await function(self, ctx, params) if function is not None else None

    def task_use(self, params: CallToolRequestParams) -> TaskUse:
        return fixture_tasks.use(params)

    # -- resources -------------------------------------------------------------------------------------------

    async def resources(self, ctx: Context) -> list[Resource]:
        return [
            Resource(uri=uri, name=uri.removeprefix("test://"), description="A fixture.", mime_type=mime)
            for uri, mime in (
                ("test://static-text", "text/plain"),
                ("test://static-binary", "image/png"),
                ("test://watched-resource", "text/plain"),
            )
        ]

    async def resource_templates(self, ctx: Context) -> list[ResourceTemplate]:
        return [
            ResourceTemplate(
                uri_template="test://template/{id}/data", name="template", description="A fixture.",
                mime_type="application/json",
            )
        ]  # fmt: skip

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | None:
        uri = params.uri
        text, mime = "", "text/plain"
        if uri == "test://static-binary":
            blob = BlobResourceContents(uri=uri, mime_type="image/png", blob=png())
            return ReadResourceResult(contents=[blob])
        if uri == "test://static-text":
            text = "This is the content of the static text resource."
        elif uri == "test://watched-resource":
            text = "This is a resource one can watch."
        elif uri.startswith("test://template/") and uri.endswith("/data"):
            number = uri.removeprefix("test://template/").removesuffix("/data")
            mime = "application/json"
            text = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        else:
            return None
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=mime, text=text)])

    # -- prompts ---------------------------------------------------------------------------------------------

    async def prompts(self, ctx: Context) -> list[Prompt]:
        return [
            Prompt(
                name=name,
                description="A fixture.",
                arguments=[PromptArgument(name=argument, required=True) for argument in arguments],
            )
            for name, arguments in _PROMPTS.items()
        ]

    async def get_prompt(
        self, ctx: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult | None:
        given = params.arguments or {}
        if params.name == "test_simple_prompt":
            return _prompt(TextContent(text="This is a simple prompt for testing."))
        if params.name == "test_prompt_with_arguments":
            words = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
            return _prompt(TextContent(text=words))
        if params.name == "test_prompt_with_embedded_resource":
            embedded = resource(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return _prompt(embedded, TextContent(text="Please process the embedded resource above."))
        if params.name == "test_prompt_with_image":
            image = ImageContent(data=png(), mime_type="image/png")
            return _prompt(image, TextContent(text="Please analyze the image above."))
        if params.name == "test_input_required_result_prompt":
            answer = (params.input_responses or {}).get("user_context")
            if isinstance(answer, ElicitResult):
                return _prompt(TextContent(text=f"Context: {answer.content}"))
            question = questions.form("What context should the prompt use?", context="string")
            return questions.ask(user_context=question)
        return None

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> Completion | None:
        if not isinstance(params.ref, PromptReference) or params.ref.name not in _PROMPTS:
            return None
        values = [word for word in _WORDS if word.startswith(params.argument.value)]
        return Completion(values=values, total=len(values), has_more=False)


def _prompt(*content: Any) -> GetPromptResult:
    return GetPromptResult(messages=[PromptMessage(role="user", content=block) for block in content])

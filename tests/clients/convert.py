"""Converts listed tools as client libraries do. Runs in the environment of `requirements/clients.txt`, as a script.

Reads `tools/list` as JSON from standard input; writes {converter: {tool: {"schema": ...} or {"error": ...}}}.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from typing import Any

from agents.mcp import MCPServerStreamableHttp, MCPUtil
from google.genai._mcp_utils import mcp_to_gemini_tools
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_google_genai._function_utils import convert_to_genai_function_declarations
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from mcp.types import Tool
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

#: Nobody is called: the tools are only converted.
NOWHERE = "http://127.0.0.1:9/mcp"


def openai_agents(tool: Tool, strict: bool) -> Any:
    server = MCPServerStreamableHttp(params={"url": NOWHERE})
    made = MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=strict)
    return made.params_json_schema


def langchain(tool: Tool) -> Any:
    return convert_mcp_tool_to_langchain_tool(
        None, tool, connection={"transport": "streamable_http", "url": NOWHERE}
    )


def gemini(declared: Any) -> Any:
    """The schema of the one function in what a converter for Gemini made."""
    declared = declared[0] if isinstance(declared, list) else declared
    parameters = declared.function_declarations[0].parameters
    return parameters.model_dump(mode="json", exclude_none=True) if parameters is not None else {}


def openai(converted: dict[str, Any]) -> Any:
    return converted["function"]["parameters"]


def pydantic_ai(transformer: Any, tool: Tool, strict: bool | None) -> Any:
    return transformer(copy.deepcopy(tool.inputSchema), strict=strict).walk()


#: (name, function): names begin with the API that takes the schema.
CONVERTERS: dict[str, Callable[[Tool], Any]] = {
    "openai strict: pydantic-ai": lambda tool: pydantic_ai(OpenAIJsonSchemaTransformer, tool, True),
    "openai: pydantic-ai": lambda tool: pydantic_ai(OpenAIJsonSchemaTransformer, tool, None),
    "openai strict: langchain": lambda tool: openai(convert_to_openai_tool(langchain(tool), strict=True)),
    "openai: langchain": lambda tool: openai(convert_to_openai_tool(langchain(tool))),
    # It falls back to the schema as it is where strict mode cannot say the same.
    "openai: openai-agents, strict asked for": lambda tool: openai_agents(tool, True),
    "openai: openai-agents": lambda tool: openai_agents(tool, False),
    "gemini: google-genai": lambda tool: gemini(mcp_to_gemini_tools([tool])),
    "gemini: langchain-google-genai": lambda tool: gemini(
        convert_to_genai_function_declarations([langchain(tool)])
    ),
    "gemini: pydantic-ai": lambda tool: pydantic_ai(GoogleJsonSchemaTransformer, tool, None),
}


def attempt(convert: Callable[[Tool], Any], tool: Tool) -> dict[str, Any]:
    try:
        return {"schema": convert(tool)}
    except Exception as error:  # noqa: BLE001 - whatever a library raises is the finding
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def main() -> None:
    tools = [Tool.model_validate(each) for each in json.load(sys.stdin)]
    found = {
        name: {tool.name: attempt(convert, tool) for tool in tools} for name, convert in CONVERTERS.items()
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()

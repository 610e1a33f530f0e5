"""The table of prompts as MCP prompts: each with what it found in the project when it was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptReference,
    TextContent,
)

from tdmcp_embedded.errors import ToolFailure, near
from tdmcp_embedded.prompts.table import PROMPTS, Look, PromptRow
from tdmcp_embedded.protocol import arguments, completions, icons, results, runner
from tdmcp_embedded.protocol.offer import Context, Offer
from tdmcp_embedded.protocol.requests import Host
from tdmcp_embedded.tools.tool import Tool

_ARGUMENT: Final = re.compile(r"\{([a-z_]+)\}")


class Prompts(Offer):
    """Lists and fills the prompts."""

    def __init__(
        self, host: Host, tools: Mapping[str, Tool], table: Mapping[str, PromptRow] = PROMPTS
    ) -> None:
        self._host, self._tools, self._table = host, tools, table

    async def prompts(self, ctx: Context) -> list[Prompt]:
        return [
            Prompt(
                name=row.name, title=row.title, description=row.description, icons=icons.OF_PROMPT,
                arguments=[
                    PromptArgument(
                        name=a.name, title=a.name.capitalize(), description=a.description, required=a.required
                    )
                    for a in row.arguments
                ],
            )
            for row in self._table.values()
        ]  # fmt: skip

    async def get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult | None:
        row = self._table.get(params.name)
        if row is None:
            return None
        values = _values(row, params.arguments or {})
        parts = [_filled(row.text, values)]
        for look in row.looks:
            parts.append(f"{look.tool} says now:\n{await self._look(ctx, row, look, values)}")
        message = PromptMessage(role="user", content=TextContent(text="\n\n".join(parts)))
        return GetPromptResult(description=row.description, messages=[message])

    async def _look(self, ctx: Context, row: PromptRow, look: Look, values: Mapping[str, str]) -> str:
        """What a tool says.

        Raises:
            MCPError: what it refuses. A prompt with a refusal in it would look as if it were one to work with.
        """
        tool = self._tools[look.tool]
        try:
            given = arguments.parse(tool, _filled(dict(look.arguments), values))
            output = await runner.run(self._host.call(ctx, tool.name), tool, given)
        except ToolFailure as refusal:
            raise results.protocol_error(refusal, prompt=row.name) from None
        return output.text().encode("utf-8", "replace").decode("utf-8")

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> Completion | None:
        if not isinstance(params.ref, PromptReference) or params.ref.name not in self._table:
            return None
        row = self._table[params.ref.name]
        argument = next((a for a in row.arguments if a.name == params.argument.name), None)
        if argument is None or not (argument.words or argument.completes):
            return completions.of_words(params.argument.value, ())
        if argument.words:
            return completions.of_words(params.argument.value, argument.words)
        given = (params.context.arguments if params.context is not None else None) or {}
        asked = completions.Asked(argument.completes, params.argument.value, given, argument.family)
        return await completions.ask(self._host, ctx, asked)


def _values(row: PromptRow, given: Mapping[str, str]) -> dict[str, str]:
    """The arguments with their defaults.

    Raises:
        MCPError: one is missing or unknown.
    """
    known = [argument.name for argument in row.arguments]
    for name in given:
        if name not in known:
            close = near(name, known)
            raise MCPError(
                INVALID_PARAMS,
                f"{row.name} has no argument {name!r}."
                + (f" Did you mean {', '.join(close)}?" if close else f" It takes: {', '.join(known)}."),
            )
    missing = [a.name for a in row.arguments if a.required and not given.get(a.name, "").strip()]
    if missing:
        raise MCPError(INVALID_PARAMS, f"{row.name} needs {', '.join(missing)}.")
    return {argument.name: given.get(argument.name) or argument.default for argument in row.arguments}


def _filled(template: Any, values: Mapping[str, str]) -> Any:
    """With `{argument}` replaced in every text, in one pass: what people write may hold braces itself."""
    if isinstance(template, str):
        return _ARGUMENT.sub(lambda found: values.get(found[1], found[0]), template)
    if isinstance(template, dict):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(item, values) for item in template]
    return template

"""Outputs and failures as MCP tool results: structured content and a text that says the same, or pictures and text."""

from __future__ import annotations

import base64
import json
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ResourceLink,
    TextContent,
)

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import icons
from tdmcp_embedded.resources.kinds import KINDS
from tdmcp_embedded.tools.tool import DoneUnanswered, Output, unanswered

#: Largest message, in bytes: Claude Desktop refuses results over 1 MB, the Python SDK's client events over 1 MiB.
MESSAGE_LIMIT = 1_000_000

#: The key of `_meta` under which a result says what the MCP App needs besides the pictures.
APP_META = "tdmcp-embedded/picture"

#: Room for the JSON-RPC envelope around a result.
_ENVELOPE = 4_000

#: Failures that say nothing about the request: TouchDesigner or the server could not answer it at this moment.
_NOT_THE_REQUEST = frozenset(
    {
        Code.MAIN_THREAD_STALLED,
        Code.NOT_STARTED,
        Code.STILL_RUNNING,
        Code.BUSY,
        Code.CANCELLED,
        Code.TIME_LIMIT,
        Code.TD_ERROR,
        Code.INTERNAL_ERROR,
    }
)


def success(output: Output) -> CallToolResult:
    """A tool's output as a result. Pictures go with text only: some clients (Codex) pass the model nothing but the
    structured content where there is any.

    Of an edit that is done the answer says so in any case.

    Raises:
        ToolFailure: `too_large`, when the message would be refused by clients.
    """
    try:
        return _success(output)
    except Exception as error:
        if output._edit is None or isinstance(output, DoneUnanswered):
            raise
        return _success(unanswered(output._edit, error))


def _success(output: Output) -> CallToolResult:
    structured = None if output.pictures else _encodable(output.structured())
    meta = {APP_META: shown} if (shown := output.for_app()) is not None else None
    content: list[ContentBlock] = [TextContent(text=_encodable(output.text()))]
    for picture in output.pictures:
        content.append(
            ImageContent(data=base64.b64encode(picture.data).decode("ascii"), mime_type=picture.mime)
        )
    link = output.link()
    if link is not None:
        content.append(_link(link))
    size = len(json.dumps(structured).encode()) + sum(_size(block) for block in content)
    if size > MESSAGE_LIMIT - _ENVELOPE:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"The answer would be {size / 1e6:.1f} MB; MCP clients take at most {MESSAGE_LIMIT / 1e6:.0f} MB.",
            hint="Ask for less: fewer operators or fields, a smaller limit, depth, range or max_size.",
        )
    return CallToolResult(content=content, structured_content=structured, _meta=meta)


def failure(error: ToolFailure) -> CallToolResult:
    """A refusal as an `isError` result that an agent can act on."""
    return CallToolResult(
        content=[TextContent(text=_encodable(error.text()))],
        structured_content=_encodable(error.structured()),
        is_error=True,
    )


def noted(result: CallToolResult, sentence: str, ignored: list[str]) -> CallToolResult:
    """The result with a sentence on arguments that were ignored, and with their names in the structured content."""
    content = result.structured_content
    if content is not None:
        content = {**content, "ignored_arguments": ignored}
    return result.model_copy(
        update={"content": [*result.content, TextContent(text=sentence)], "structured_content": content}
    )


def protocol_error(refusal: ToolFailure, **data: Any) -> MCPError:
    """A refusal of a request that is no tool call, where MCP has only errors of the protocol.

    Args:
        data: further facts for the error's data, which says what a tool's refusal would.
    """
    message = refusal.message + (f" {refusal.hint}" if refusal.hint else "")
    if refusal.suggestions:
        message += f" Did you mean {', '.join(refusal.suggestions)}?"
    code = INTERNAL_ERROR if refusal.code in _NOT_THE_REQUEST else INVALID_PARAMS
    return MCPError(code, _encodable(message), _encodable({**data, **refusal.structured()}))


def _size(block: ContentBlock) -> int:
    if isinstance(block, TextContent):
        return len(json.dumps(block.text))
    return len(block.data) if isinstance(block, ImageContent) else 0


def _link(uri: str) -> ResourceLink:
    """The way to the whole of what the answer is a part of."""
    name, kind = uri.partition("://")[2], KINDS[uri.partition("://")[2].partition("/")[0]]
    return ResourceLink(
        uri=uri, name=name, title=kind.title, description=kind.description, mime_type=kind.mime,
        icons=icons.OF_KIND[kind.name],
    )  # fmt: skip


def _encodable(value: Any) -> Any:
    """The value with lone surrogates replaced: they are legal in Python's text but not in UTF-8 messages."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value

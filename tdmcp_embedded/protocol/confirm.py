"""Asking the person behind the client before something is deleted, in both protocol eras.

A tool refuses with `confirmation_required`; where the client can show a question (elicitation), the server asks and
runs the call again with `confirm: true`. Elsewhere the refusal reaches the agent, which must ask by its own means.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.streamable_http import JSON_ONLY

_QUESTION = "confirm"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Do it", "default": False}},
    "required": ["confirm"],
}

#: Binds an answer to the very call that was asked about; made anew in every process.
_SECRET = os.urandom(32)


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client says it can put a form before its user, and the question can reach it."""
    if (
        ctx.request is not None
        and ctx.request.scope.get(JSON_ONLY)
        and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS
    ):
        return False
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None


def answered(params: CallToolRequestParams) -> bool:
    """Whether this call is a retry that carries the user's yes (2026-07-28).

    Raises:
        ToolFailure: `cancelled`, when the user declined, or when the answer belongs to another call.
    """
    responses = params.input_responses or {}
    if _QUESTION not in responses:
        return False
    if not hmac.compare_digest((params.request_state or "").encode(), _seal(params).encode()):
        raise ToolFailure(
            Code.CANCELLED, "The confirmation belongs to another call.", hint="Call again to be asked anew."
        )
    answer = responses[_QUESTION]
    if isinstance(answer, ElicitResult):
        return _yes(answer)
    raise _declined()


async def ask(
    ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams, refusal: ToolFailure
) -> InputRequiredResult | None:
    """Put the question. None means the user said yes; an `InputRequiredResult` is to be returned to the client.

    Raises:
        ToolFailure: `cancelled`, when the user declined; `refusal` itself, when the client cannot be asked after all.
    """
    form = ElicitRequestFormParams(message=refusal.message, requested_schema=_SCHEMA)
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return InputRequiredResult(
            input_requests={_QUESTION: ElicitRequest(params=form)}, request_state=_seal(params)
        )
    try:
        result = await ctx.session.elicit_form(refusal.message, _SCHEMA, ctx.request_id)
    except MCPError:
        raise refusal from None
    _yes(result)
    return None


def _yes(result: ElicitResult) -> bool:
    content: Mapping[str, Any] = result.content or {}
    if result.action == "accept" and content.get("confirm") is True:
        return True
    raise _declined()


def _declined() -> ToolFailure:
    return ToolFailure(Code.CANCELLED, "The user declined; nothing was changed.")


def _seal(params: CallToolRequestParams) -> str:
    call = json.dumps([params.name, params.arguments], sort_keys=True, default=str)
    return hmac.new(_SECRET, call.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

"""Questions that fixtures put to the client, in the shapes of both eras."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

_KEY = b"only for the fixtures"


def form(message: str, **properties: str) -> ElicitRequest:
    """A form with required properties of these JSON types."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(prompt: str, max_tokens: int = 100) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=prompt))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=max_tokens))


def roots() -> ListRootsRequest:
    return ListRootsRequest()


def ask(state: str | None = None, **requests: InputRequest) -> InputRequiredResult:
    """A result that asks; `state` comes back sealed."""
    return InputRequiredResult(input_requests=requests, request_state=None if state is None else seal(state))


def seal(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def unseal(sealed: str | None) -> str:
    """The state, or a refusal if it is not the one that was given out."""
    state, _, _ = (sealed or "").rpartition(".")
    if not hmac.compare_digest(seal(state), sealed or ""):
        raise MCPError(INVALID_PARAMS, "The request state is not one of this server's.")
    return state


#: A default for a value of every primitive type.
DEFAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}


def _titled(ordinals: str, noun: str) -> list[dict[str, str]]:
    return [
        {"const": f"value{number}", "title": f"{ordinal} {noun}"}
        for number, ordinal in enumerate(ordinals.split(), start=1)
    ]


_OPTIONS = ["option1", "option2", "option3"]

#: Every way of writing a choice.
CHOICES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _titled("First Second Third", "Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _titled("First Second Third", "Choice")}},
    },
}

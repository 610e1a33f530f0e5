"""A request whose parameters have a wrong form is told which, in our words, whatever the method."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, request

_PROMPT = {"type": "ref/prompt", "name": "explain_network"}

#: (method, its parameters, what the answer says)
CASES: list[tuple[str, Any, str]] = [
    ("prompts/get", None, "prompts/get: params is missing."),
    ("prompts/get", {}, "prompts/get: name is missing."),
    ("prompts/get", {"name": 5}, "prompts/get: name takes a text, not 5."),
    ("prompts/get", {"name": "explain_network", "arguments": [1]}, "prompts/get: arguments takes an object, not [1]."),
    (
        "prompts/get", {"name": "explain_network", "arguments": {"path": 5}},
        "prompts/get: arguments.path takes a text, not 5.",
    ),
    ("resources/read", {}, "resources/read: uri is missing."),
    ("resources/read", {"uri": ["td://log"]}, 'resources/read: uri takes a text, not ["td://log"].'),
    ("resources/subscribe", {"uri": 5}, "resources/subscribe: uri takes a text, not 5."),
    ("completion/complete", {}, "completion/complete: argument is missing; ref is missing."),
    (
        "completion/complete", {"ref": _PROMPT, "argument": {"name": "path", "value": 1}},
        "completion/complete: argument.value takes a text, not 1.",
    ),
    (
        "completion/complete", {"ref": _PROMPT, "argument": {"name": "path", "value": ""}, "context": {"arguments": [1]}},
        "completion/complete: context.arguments takes an object, not [1].",
    ),
    ("tools/call", {"name": "get_status", "arguments": [1]}, "tools/call: arguments takes an object, not [1]."),
    ("tools/list", {"cursor": 5}, "tools/list: cursor takes a text, not 5."),
    ("logging/setLevel", {"level": "loud"}, "logging/setLevel: level takes one of 'alert', "),
]  # fmt: skip


@pytest.fixture(scope="module")
def session(td: StandIn) -> dict[str, str]:
    """The headers of a session that is open."""
    headers = {**JSON_HEADERS, **td.headers}
    opened = request(td.url, "POST", INITIALIZE, headers)
    headers |= {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    request(td.url, "POST", b'{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
    return headers


@pytest.mark.parametrize(("method", "params", "says"), CASES)
def test_the_answer_says_what_has_a_wrong_form(
    td: StandIn, session: dict[str, str], method: str, params: Any, says: str
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
    answer = request(td.url, "POST", json.dumps(message).encode(), session)
    (data,) = [line[6:] for line in answer.body.decode().splitlines() if line.startswith("data: {")]
    error = json.loads(data)["error"]
    assert error["code"] == -32602 and error["message"].startswith(says)
    assert "pydantic" not in data and "Input should" not in data and "validation" not in data

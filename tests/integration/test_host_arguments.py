"""What hosts add to every call does not make calls fail, and the first answer says what was ignored."""

from __future__ import annotations

from typing import Any

import pytest

from fakes.driver import StandIn
from stdio_shim import __main__ as shim
from tdmcp_embedded.tools.host_arguments import HOST_ARGUMENTS
from tdmcp_embedded.tools.shapes import shape
from tdmcp_embedded.tools.table import TABLE
from tests.integration.clients import http_client, structured, text

pytestmark = pytest.mark.anyio

N8N = {"toolCallId": "call_1", "tool": "x", "sessionId": "s", "action": "sendMessage", "chatInput": "hi"}
CURSOR = {"random_string": "dummy"}

#: (what the host adds, the tool, its own arguments, what is ignored)
CASES: list[tuple[dict[str, Any], str, dict[str, Any], list[str]]] = [
    (N8N, "get_status", {}, ["toolCallId", "tool", "sessionId", "action", "chatInput"]),
    (CURSOR, "get_status", {}, ["random_string"]),
    (CURSOR | N8N, "find_operators", {"path": "/project1"}, ["random_string", *N8N]),
    # A name that the tool has is the tool's own.
    ({"toolCallId": "call_1"}, "get_job", {"job": "job-0", "action": "status"}, ["toolCallId"]),
]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(("added", "tool", "own", "ignored"), CASES)
async def test_added_arguments_are_ignored_and_that_is_said_once(
    td: StandIn, mode: str, added: dict[str, Any], tool: str, own: dict[str, Any], ignored: list[str]
) -> None:
    name = f"{mode} {tool} {len(added)}"
    async with http_client(td, mode, client_info=_named(name)) as client:
        plain = await client.call_tool(tool, own)
        first = await client.call_tool(tool, {**added, **own})
        again = await client.call_tool(tool, {**added, **own})
    assert structured(first)["ignored_arguments"] == ignored
    assert all(name in text(first) for name in ignored) and "Ignored" in text(first)
    assert set(structured(first)) - set(structured(plain)) <= {"ignored_arguments"}
    assert (again.is_error, "Ignored" in text(again)) == (plain.is_error, False)
    assert "ignored_arguments" not in structured(again)


_FIND = {"tool": "find_operators", "arguments": {"path": "/"}}

#: (the calls of a batch as the host hands them on, what is ignored)
IN_BATCHES: list[tuple[Any, list[str]]] = [
    (
        [
            _FIND | {"arguments": {"path": "/", **N8N}, "sessionId": "s"},
            # It has an action of its own.
            {"tool": "control_timeline", "arguments": {"action": "play", "toolCallId": "x"}},
        ],
        ["sessionId", "toolCallId", "tool", "action", "chatInput"],
    ),
    ('[{"tool": "find_operators", "arguments": {"path": "/", "random_string": "x"}}]', ["random_string"]),
]


@pytest.mark.parametrize(("calls", "ignored"), IN_BATCHES, ids=["list", "text"])
async def test_what_hosts_add_inside_a_batch_is_ignored_too(
    td: StandIn, calls: Any, ignored: list[str]
) -> None:
    async with http_client(td, client_info=_named(f"batch {ignored}")) as client:
        first = await client.call_tool("batch", {"calls": calls})
        again = await client.call_tool("batch", {"calls": calls})
    assert (first.is_error, again.is_error) == (False, False)
    assert structured(first)["ignored_arguments"] == ignored and "Ignored" in text(first)
    assert "Ignored" not in text(again)


async def test_whatever_no_host_adds_is_refused_as_ever(td: StandIn) -> None:
    async with http_client(td) as client:
        refused = await client.call_tool("get_status", {**N8N, "toolCallid": "x"})
    assert structured(refused)["code"] == "value_invalid" and "'toolCallid'" in text(refused)


async def test_what_is_inside_a_batch_is_refused_where_no_host_adds_it(td: StandIn) -> None:
    calls = [{"tool": "find_operators", "arguments": {"path": "/", "randomstring": "x"}}]
    async with http_client(td) as client:
        refused = await client.call_tool("batch", {"calls": calls, **CURSOR})
    assert structured(refused)["code"] == "value_invalid" and "'randomstring'" in text(refused)


def test_the_shim_knows_the_same_names() -> None:
    assert {row.name for row in HOST_ARGUMENTS} == shim.HOST_ARGUMENTS


def test_some_tool_has_one_of_the_names_for_itself() -> None:
    names = {row.name for row in HOST_ARGUMENTS}
    assert any(names & set(shape(tool.arguments)["properties"]) for tool in TABLE.values())


def _named(name: str) -> Any:
    from mcp_types import Implementation

    return Implementation(name=name, version="1")

"""Raw requests for the stress tests: what the official client would never send, and bounded waiting for answers."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from fakes.driver import StandIn
from tests.answers import check_result
from tests.integration.clients import JSON_HEADERS, PATIENCE, Answer, request

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "stress", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

#: How the component is called in the stand-in's scripts.
COMPONENT = "op('/project1/tdmcp')"
#: The server object of the component, from a script.
SERVER = "__import__('tdmcp_embedded.embed').embed.find(op('/project1/tdmcp'))"


def message(method: str, params: dict[str, Any] | None = None, number: Any = 1) -> dict[str, Any]:
    """A JSON-RPC request of the handshake era."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def post(td: StandIn, body: bytes | dict[str, Any] | list[Any], **headers: str) -> Answer:
    """POST to the MCP endpoint with the access key and, unless told otherwise, the headers a proper client sends."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {
        **JSON_HEADERS,
        **td.headers,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return request(td.url, "POST", data, fields)


def payload(answer: Answer) -> dict[str, Any]:
    """The JSON-RPC message of an answer, be it plain JSON or an event stream."""
    return payload_of(answer.headers.get("content-type", ""), answer.body)


def payload_of(content_type: str, body: bytes) -> dict[str, Any]:
    """The same of a body."""
    if content_type.startswith("text/event-stream"):
        body = [line[6:] for line in body.splitlines() if line.startswith(b"data: {")][-1]
    parsed = json.loads(body)
    assert isinstance(parsed, dict), parsed
    return parsed


def call_body(tool: str, arguments: dict[str, Any], number: Any = 1) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a tool call of the modern era, which needs no session."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return json.dumps(message("tools/call", params, number)).encode(), headers


def call(td: StandIn, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool call: its structured content, with `is_error` beside it."""
    body, headers = call_body(tool, arguments)
    answer = payload(post(td, body, **headers))
    assert "result" in answer, answer
    check_result(tool, answer["result"])
    return {
        **answer["result"].get("structuredContent", {}),
        "is_error": answer["result"].get("isError", False),
    }


def open_session(td: StandIn) -> str:
    """A session of the handshake era; its id."""
    client = {"name": "stress", "version": "1"}
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    answer = post(td, message("initialize", params))
    assert answer.status == 200, answer
    session = answer.headers["mcp-session-id"]
    done = post(td, {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)
    assert done.status == 202, done
    return session


def in_session(td: StandIn, session: str, method: str, params: dict[str, Any] | None = None) -> Answer:
    """A request in a session of the handshake era."""
    return post(td, message(method, params), Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY)


def open_stream(td: StandIn, session: str) -> socket.socket:
    """The event stream of a session, open; its head has arrived."""
    line = connect(td)
    line.sendall(
        head(td, "GET", Accept="text/event-stream", Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY)
    )
    seen = b""
    while b"\r\n\r\n" not in seen:
        part = line.recv(4096)
        assert part, seen
        seen += part
    assert b" 200 " in seen.split(b"\r\n")[0], seen
    return line


def connect(td: StandIn) -> socket.socket:
    parts = urlsplit(td.url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=PATIENCE)


def head(td: StandIn, method: str = "POST", **headers: str) -> bytes:
    """The head of a request, as it goes over the wire."""
    fields = {"Host": urlsplit(td.url).netloc, **td.headers}
    if method == "POST":
        fields |= JSON_HEADERS
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def hung_up(line: socket.socket) -> bytes:
    """What still came until the server hung up; waits for that."""
    seen = b""
    try:
        while part := line.recv(65536):
            seen += part
    except ConnectionError:
        pass
    return seen


def health(td: StandIn) -> dict[str, Any]:
    """`/health` as the holder of a key sees it."""
    answer = request(td.url.removesuffix("mcp") + "health", headers=td.headers)
    assert answer.status == 200, answer
    return dict(answer.json)


def until(td: StandIn, question: Callable[[], Any], wanted: Callable[[Any], bool], tries: int = 1500) -> Any:
    """Ask once a frame until the answer is a wanted one; bounded by tries."""
    got = None
    for _ in range(tries):
        got = question()
        if wanted(got):
            return got
        td.exec("1")
    raise AssertionError(f"still {got!r}")


def sound(td: StandIn) -> None:
    """Whatever was done to it: it answers, works, and agrees with what TouchDesigner says."""
    made = call(
        td,
        "create_operator",
        {"parent": "/project1", "type": "nullTOP", "name": "proof", "if_exists": "return"},
    )
    assert not made["is_error"], made
    assert td.exec("op('/project1/proof').type") == "'null'"
    td.exec("op('/project1/proof').destroy()")
    assert health(td)["status"] == "ok"
    stats = td.stats()
    assert stats["thread_conflicts"] == 0
    assert td.strays == []
    assert "Traceback" not in td.stderr(), td.stderr()[-3000:]

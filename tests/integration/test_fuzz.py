"""Random input at the entrances: nothing hangs, nothing fails inside, and the next proper client is served.

The default run is short and always the same; `pytest tests/integration/test_fuzz.py --fuzz-long` goes on for long, with
new input each time.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fakes.driver import StandIn
from tdmcp_embedded.errors import Code
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.settings import Level
from tests.integration.clients import INITIALIZE, JSON_HEADERS, PATIENCE, request

EXAMPLES, MANY = 200, 20_000

#: Whatever a client sends, it gets one of these, or the server hangs up on it. 500 would be our fault.
STATUSES = {
    200,
    202,
    204,
    400,
    401,
    403,
    404,
    405,
    406,
    408,
    409,
    411,
    413,
    415,
    417,
    421,
    429,
    431,
    501,
    505,
}


class Target:
    """A stand-in under fire, with a key that may edit but run no code, and a session of the handshake era."""

    def __init__(self, td: StandIn) -> None:
        self.td = td
        self.port = int(td.ready["port"])
        keys = Keys(td.home / ".tdmcp" / "keys.json")
        self.token = keys.make("fuzz", Level.EDIT).token
        self.headers = {**JSON_HEADERS, "Authorization": f"Bearer {self.token}"}
        self.session: dict[str, str] = {}
        self._line: http.client.HTTPConnection | None = None

    def open_session(self) -> None:
        answer = request(self.td.url, "POST", INITIALIZE, self.headers)
        assert answer.status == 200, answer
        self.session = {
            "Mcp-Session-Id": answer.headers["mcp-session-id"],
            "Mcp-Protocol-Version": "2025-11-25",
        }
        assert self.post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')[0] == 202

    def post(self, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """One request over a line that stays open, as long as the server keeps it."""
        for attempt in (1, 2):
            line = self._line or http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            self._line = line
            try:
                line.request("POST", "/mcp", body, {**self.headers, **self.session, **(headers or {})})
                answer = line.getresponse()
                return answer.status, answer.read()
            except (ConnectionError, http.client.HTTPException):
                line.close()
                self._line = None
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def raw(self, data: bytes) -> bytes:
        """Send bytes, end the sending, and give all that comes back until the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as line:
            received = b""
            with contextlib.suppress(ConnectionError):
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
                while part := line.recv(65536):
                    received += part
            return received

    def is_well(self) -> None:
        assert request(self.td.url.replace("/mcp", "/health")).json["status"] == "ok"


@pytest.fixture(scope="module")
def under_fire() -> Iterator[Target]:
    pace = ("--set", "Requestspersecond=5000", "--set", "Burst=1000")
    with StandIn("--scene", "empty", *pace) as td:
        target = Target(td)
        for _ in range(200):
            if request(td.url, "POST", INITIALIZE, target.headers).status == 200:
                break
        target.open_session()
        yield target
        target.is_well()
        assert td.stats()["thread_conflicts"] == 0
        faults = [line for line in _log(td) if line["level"] == "error"]
        assert faults == [], "something failed inside"


def _log(td: StandIn) -> list[dict[str, Any]]:
    path = td.home / ".tdmcp" / "logs" / "server.log"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Runs a property with as many examples as were asked for."""
    long = request.config.getoption("--fuzz-long")

    def run(strategy: st.SearchStrategy[Any], check: Callable[[Any], None]) -> None:
        bounded = settings(
            max_examples=MANY if long else EXAMPLES,
            derandomize=not long,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink) if long else (Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        bounded(given(strategy)(check))()

    return run


# What is sent

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()  # written as NaN and Infinity, which JSON does not have
    | st.text(max_size=20)
    | st.sampled_from(["\ud800", "\x00", "/", "/project1", "../..", "noiseTOP", "*", "{", "2025-11-25"])
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
nested = st.integers(1, 30_000).map(lambda depth: b"[" * depth + b"]" * depth)
broken = st.binary(max_size=200) | st.sampled_from(
    [b"", b"{", b'{"a":1}}', b"\xff\xfe", b'"\\ud800"', b"[NaN]", b"1e999", b'{"jsonrpc": "2.0"}', b"[]"]
)
texts = anything.map(lambda value: json.dumps(value).encode()) | nested | broken

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/get",
    "completion/complete", "logging/setLevel", "subscriptions/listen", "server/discover", "notifications/cancelled",
    "notifications/progress", "nonsense", "",
]  # fmt: skip
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | anything, "method": st.sampled_from(METHODS) | anything},
    optional={"id": st.integers(0, 9) | anything, "params": anything, "result": anything, "error": anything},
)

TOOLS = [
    "get_status", "find_operators", "inspect_operator", "read_network", "read_data", "check_errors", "create_operator",
    "set_parameters", "wire_operators", "update_operator", "copy_operators", "delete_operators", "write_data",
    "arrange_network", "define_parameters", "compare_network", "checkpoint", "build_network", "get_job", "batch",
    "describe_type", "undo", "execute_python", "get_selection",
]  # fmt: skip
NAMES = [
    "path", "paths", "parent", "name", "type", "params", "limit", "cursor", "depth", "confirm", "changes", "connect",
    "disconnect", "operators", "inputs", "pages", "text", "table", "replace", "calls", "action", "steps", "job", "view",
]  # fmt: skip
paths = st.sampled_from(["/project1", "/", "/project1/a", "/project1/tdmcp", "/nowhere", "."])
values = paths | anything | st.lists(paths, max_size=2) | st.integers(-3, 50)
calls = st.fixed_dictionaries(
    {
        "name": st.sampled_from(TOOLS),
        "arguments": st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), values, max_size=5),
    }
)

header = st.sampled_from(
    [
        "Host: 127.0.0.1", "Host: evil.example", "Host:", "Content-Length: 2", "Content-Length: 99999999999",
        "Content-Length: -1", "Content-Length: 2, 2", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Content-Type: application/json", "Content-Type: text/html", "Origin: null", "Origin: http://127.0.0.1:1",
        "Expect: 100-continue", "Connection: close", "Connection: upgrade", "Upgrade: websocket", "Authorization: Bearer x",
        "Authorization: Basic eA==", "Accept: text/event-stream", "Mcp-Session-Id: ../../x", "X-Forwarded-For: 127.0.0.1",
        "Mcp-Protocol-Version: 1", "Cookie: " + "a" * 5000, " folded: x", "no colon", "\x00: y",
    ]
) | st.text(st.characters(max_codepoint=255), max_size=30)  # fmt: skip
requests = st.tuples(
    st.sampled_from(["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "CONNECT", "PRI", "get", ""])
    | st.text(st.characters(max_codepoint=255), max_size=8),
    st.sampled_from(["/mcp", "/health", "/metrics", "/", "*", "//mcp", "/mcp/", "/%6dcp", "http://evil.example/mcp", "/\x00"])
    | st.text(st.characters(max_codepoint=255), max_size=30),
    st.sampled_from(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", ""]),
    st.lists(header, max_size=6),
    st.booleans(),
    st.sampled_from([b"", b"{}", b"2\r\n{}\r\n0\r\n\r\n", b"ffffffffff\r\n", b"2\r\n{}\r\n-1\r\n", b"x" * 3000]) | texts,
)  # fmt: skip


# What must hold


def test_any_bytes_get_a_proper_answer_or_none(under_fire: Target, run: Callable[..., None]) -> None:
    def check(parts: tuple[str, str, str, list[str], bool, bytes]) -> None:
        method, path, version, fields, proper, body = parts
        if proper:
            fields = [
                "Host: 127.0.0.1",
                f"Authorization: Bearer {under_fire.token}",
                "Content-Type: application/json",
                *fields,
            ]
        head = "\r\n".join([f"{method} {path} {version}".strip(), *fields, "", ""])
        answer = under_fire.raw(head.encode("latin-1") + body)
        if answer:
            assert answer.startswith(b"HTTP/1.1 "), answer[:80]
            status = int(answer.split(b" ", 2)[1])
            assert status in STATUSES | {100}, answer[:200]
            assert under_fire.token.encode() not in answer
            assert b"Traceback" not in answer

    run(requests, check)
    under_fire.is_well()


def test_any_json_and_what_is_none_is_answered_in_json_or_refused(
    under_fire: Target, run: Callable[..., None]
) -> None:
    def check(body: bytes) -> None:
        status, answer = under_fire.post(body)
        assert status in STATUSES, (status, answer[:200])
        assert b"Traceback" not in answer
        _strict(answer)

    run(texts, check)
    under_fire.is_well()


def test_any_message_gets_a_result_or_an_error_of_json_rpc(
    under_fire: Target, run: Callable[..., None]
) -> None:
    def check(message: dict[str, Any]) -> None:
        status, answer = under_fire.post(json.dumps(message).encode())
        assert status in STATUSES, (status, answer[:200])
        for reply in _strict(answer):
            if "id" in reply and "method" not in reply:
                assert ("result" in reply) != ("error" in reply), reply
            if "error" in reply:
                assert isinstance(reply["error"]["code"], int) and reply["error"]["message"]
                # Something of ours has failed; what the client did wrong has other numbers.
                assert reply["error"]["code"] != -32603, reply

    run(messages.filter(lambda m: m["method"] != "subscriptions/listen"), check)
    under_fire.is_well()


def test_any_arguments_of_a_tool_are_answered_or_refused_with_a_code(
    under_fire: Target, run: Callable[..., None]
) -> None:
    codes = {code.value for code in Code} - {Code.INTERNAL_ERROR.value}

    def check(params: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status, answer = under_fire.post(json.dumps(message).encode())
        assert status in STATUSES, (status, answer[:200])
        for reply in _strict(answer):
            result = reply.get("result", {})
            if result.get("isError"):
                error = result["structuredContent"]
                assert error["code"] in codes, error
                assert error["message"], error

    run(calls, check)
    under_fire.is_well()


def _strict(answer: bytes) -> list[dict[str, Any]]:
    """The messages in an answer (plain or as an event stream), which must be strict JSON in UTF-8."""
    if not answer.strip():
        return []
    text = answer.decode("utf-8")
    if text.startswith(("event:", "data:", "id:", ":", "retry:")):
        parts = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    else:
        parts = [text]
    found = [json.loads(part, parse_constant=_refuse) for part in parts if part]
    return [message for message in found if isinstance(message, dict)]


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")

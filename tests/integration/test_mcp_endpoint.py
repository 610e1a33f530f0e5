"""The MCP endpoint as any client meets it: forms of answers, ids, cancelled calls. The next case is a line."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, PATIENCE, Answer, request
from tests.integration.stress.wire import LEGACY, META, MODERN, call_body, message, payload

JSON = "application/json"
EVENTS = "text/event-stream"
PING = json.dumps(message("ping")).encode()


@pytest.fixture(scope="module")
def session(td: StandIn) -> dict[str, str]:
    return open_session(td)


def open_session(td: StandIn) -> dict[str, str]:
    """The headers of a new session of the handshake protocol."""
    headers = {"Content-Type": JSON, **td.headers}
    opened = request(td.url, "POST", INITIALIZE, headers)
    assert opened.status == 200, opened
    headers |= {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": LEGACY}
    ready = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    assert request(td.url, "POST", ready, headers).status == 202
    return headers


# Forms

#: (the Accept header, None for none; the form of an answer with a handshake; the one without; "" for a refusal)
FORMS: list[tuple[str | None, str, str]] = [
    (None, EVENTS, JSON),
    ("", EVENTS, JSON),
    ("*/*", EVENTS, JSON),
    (f"{JSON}, {EVENTS}", EVENTS, JSON),
    (f"{EVENTS};q=0.5, {JSON}", EVENTS, JSON),
    (JSON, JSON, JSON),
    ("APPLICATION/JSON", JSON, JSON),
    ("application/json; charset=utf-8", JSON, JSON),
    ("application/*", JSON, JSON),
    (f"{JSON}, {EVENTS};q=0", JSON, JSON),
    ("*/*, text/event-stream;q=0", JSON, JSON),
    (EVENTS, EVENTS, EVENTS),
    ("Text/Event-Stream", EVENTS, EVENTS),
    ("text/*", EVENTS, EVENTS),
    (f"{JSON};q=0, */*", EVENTS, EVENTS),
    (f"{JSON};q=x", JSON, JSON),
    ("text/html", "", ""),
    ("image/*, text/plain", "", ""),
    ("*/*;q=0", "", ""),
    (",,;,", "", ""),
]


@pytest.mark.parametrize(("accept", "with_handshake", "without"), FORMS)
def test_an_answer_comes_in_a_form_that_the_client_takes(
    td: StandIn, session: dict[str, str], accept: str | None, with_handshake: str, without: str
) -> None:
    body, headers = call_body("get_status", {})
    legacy = json.dumps(message("tools/call", {"name": "get_status"})).encode()
    accepts = {} if accept is None else {"Accept": accept}
    asked = [
        (with_handshake, request(td.url, "POST", legacy, {**session, **accepts})),
        (without, request(td.url, "POST", body, {"Content-Type": JSON, **td.headers, **headers, **accepts})),
    ]
    for form, answer in asked:
        if not form:
            assert answer.status == 406 and "accept one of them" in answer.json["error"]["message"]
            continue
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, form)
        assert payload(answer)["result"]["structuredContent"]["server"]["pid"] == td.ready["pid"]


@pytest.mark.parametrize("accept", [JSON, EVENTS, "*/*", None])
def test_a_session_can_be_opened_in_every_form(td: StandIn, accept: str | None) -> None:
    headers = {"Content-Type": "APPLICATION/JSON", **td.headers, **({"Accept": accept} if accept else {})}
    opened = request(td.url, "POST", INITIALIZE, headers)
    assert opened.headers["mcp-session-id"]
    assert payload(opened)["result"]["serverInfo"]["name"] == "tdmcp-embedded"


@pytest.mark.parametrize(
    ("method", "body", "accept", "status"),
    [
        ("GET", None, JSON, 406),
        ("GET", None, "text/html", 406),
        ("POST", message("subscriptions/listen", {"notifications": {}, "_meta": META}), JSON, 406),
    ],
)
def test_a_stream_of_notifications_is_never_json(
    td: StandIn, session: dict[str, str], method: str, body: Any, accept: str, status: int
) -> None:
    headers = {**session, "Accept": accept}
    if body is not None:
        headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": body["method"]}
    answer = request(td.url, method, json.dumps(body).encode() if body else None, headers)
    assert answer.status == status and EVENTS in answer.json["error"]["message"]


def test_who_takes_json_only_is_not_asked_but_told_to_confirm(td: StandIn) -> None:
    """A question in the middle of an answer has no place in JSON; the call would wait for ever."""
    td.exec("[op('/project1').create(nullTOP, f'many{i}') for i in range(8)]")
    asking = json.loads(INITIALIZE)
    asking["params"]["capabilities"] = {"elicitation": {}}
    headers = {"Content-Type": JSON, "Accept": JSON, **td.headers}
    opened = request(td.url, "POST", json.dumps(asking).encode(), headers)
    headers |= {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": LEGACY}
    request(td.url, "POST", b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', headers)
    delete = {"name": "delete_operators", "arguments": {"paths": [f"/project1/many{i}" for i in range(8)]}}
    answer = request(td.url, "POST", json.dumps(message("tools/call", delete)).encode(), headers)
    assert payload(answer)["result"]["structuredContent"]["code"] == "confirmation_required"


def test_last_event_id_on_a_living_session_opens_a_stream(td: StandIn) -> None:
    with Line(td, "GET", None, {**open_session(td), "Last-Event-ID": "7"}) as stream:
        assert stream.answer.status == 200 and stream.answer.headers["content-type"].startswith(EVENTS)


# Messages

REQUEST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NO_ANSWER = (202, None)
INVALID = (400, -32600)
PARSE = (400, -32700)


def but(**changes: Any) -> bytes:
    """The request with other values; `...` takes a member away."""
    changed = {**REQUEST, **changes}
    return json.dumps({name: value for name, value in changed.items() if value is not ...}).encode()


#: (body, (HTTP status, error code; 0 for a result, None for no message))
MESSAGES: list[tuple[bytes, tuple[int, int | None]]] = [
    (but(), (200, 0)),
    # ids
    (but(id="a"), (200, 0)),
    (but(id=""), (200, 0)),
    (but(id=0), (200, 0)),
    (but(id=-1), (200, 0)),
    (but(id=2**63 - 1), (200, 0)),
    (but(id="i" * 1000), (200, 0)),
    (but(id="ü\u202e\x00"), (200, 0)),
    (but(id=None), INVALID),
    (but(id=True), INVALID),
    (but(id=False), INVALID),
    (but(id=1.5), INVALID),
    (but(id=1.0), INVALID),
    (but(id=[]), INVALID),
    (but(id={}), INVALID),
    (but(id=2**63), INVALID),
    (but(id=10**400), INVALID),
    (but(id="i" * 1001), INVALID),
    (but().replace(b'"id": 1', b'"id": 1e3'), INVALID),
    (but().replace(b'"id": 1', b'"id": -0.0'), INVALID),
    (but().replace(b'"id": 1', b'"id": NaN'), INVALID),
    (but().replace(b'"id": 1', b'"id": 1, "id": null'), INVALID),
    (but().replace(b'"id": 1', b'"id": ' + b"1" * 5000), PARSE),
    # the rest of the envelope
    (but(jsonrpc="1.0"), INVALID),
    (but(jsonrpc=2.0), INVALID),
    (but(jsonrpc=...), INVALID),
    (but(method=...), INVALID),
    (but(method=None), INVALID),
    (but(method=7), INVALID),
    (but(method=["ping"]), INVALID),
    (but(params=[]), INVALID),
    (but(params="x"), INVALID),
    (but(params=None), (200, 0)),
    (but(method="nonsense"), (200, -32601)),
    (but(method="tools/call\x00"), (200, -32601)),
    (but(id=..., method="notifications/nonsense"), NO_ANSWER),
    (but(id=..., method="notifications/cancelled", params={"requestId": 99}), NO_ANSWER),
    (but(method=..., result={}), NO_ANSWER),
    (but(method=..., error={"code": 1, "message": "x"}), NO_ANSWER),
    (but(method=..., id=None, error={"code": 1, "message": "x"}), NO_ANSWER),
    (but(method=..., id=None, result={}), INVALID),
    (but(method=..., result={}, error={"code": 1, "message": "x"}), INVALID),
    (but(method=..., result=1), INVALID),
    (but(method=..., error={}), INVALID),
    (but(method=..., error={"code": True, "message": "x"}), INVALID),
    # no message at all
    (b"", PARSE),
    (b"{", PARSE),
    (b"{}", INVALID),
    (b"null", INVALID),
    (b"1", INVALID),
    (b'"ping"', INVALID),
    (b"[]", INVALID),
    (b"[" + but() + b"]", INVALID),
    (but() + but(), PARSE),
    (but() + b"\n", (200, 0)),
    (b"\xef\xbb\xbf" + but(), PARSE),
    (but().decode().encode("utf-16"), PARSE),
    (b"\xff\xfe", PARSE),
    (b"{'jsonrpc': '2.0'}", PARSE),
    (but().replace(b"}", b",}"), PARSE),
    (b"[" * 100_000, PARSE),
    (but(params={"x": 0}).replace(b"0}", b"[" * 500 + b"]" * 500 + b"}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b"1" * 5000 + b"}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b"01}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b"+1}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b".5}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b"0x10}"), PARSE),
    (but(params={"x": 0}).replace(b"0}", b"1e999}"), (200, 0)),
    (but(params={"x": "\ud800"}), PARSE),
]


@pytest.mark.parametrize(("body", "expected"), MESSAGES)
def test_each_message_gets_its_answer(
    td: StandIn, session: dict[str, str], body: bytes, expected: tuple[int, int | None]
) -> None:
    answer = request(td.url, "POST", body, session)
    if expected[1] is None:
        assert (answer.status, answer.body) == (202, b"")
        return
    reply = payload(answer)
    assert (answer.status, reply.get("error", {}).get("code", 0)) == expected, reply
    text = reply.get("error", {}).get("message", "")
    assert "pydantic" not in text and "Traceback" not in text
    if expected[1] in (-32600, -32700):
        assert reply["id"] is None and len(text) > 15


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (but(id=None), INVALID),
        (but(id=True), INVALID),
        (but(id=1.0), INVALID),
        (but(id=10**400), INVALID),
        (but(jsonrpc=...), INVALID),
        (b"[" + but() + b"]", INVALID),
        (b"{", PARSE),
        (b"[" * 100_000, PARSE),
        (but(id=...), NO_ANSWER),
    ],
)
def test_the_same_holds_without_a_handshake(
    td: StandIn, body: bytes, expected: tuple[int, int | None]
) -> None:
    headers = {"Content-Type": JSON, **td.headers, "MCP-Protocol-Version": MODERN, "Mcp-Method": "ping"}
    answer = request(td.url, "POST", body, headers)
    code = answer.json["error"]["code"] if answer.body else None
    assert (answer.status, code) == expected


# Calls at work

WATCH = {
    "name": "watch_values",
    "arguments": {"watch": [{"path": "/project1", "param": "w"}], "frames": 1800},
}


class Line:
    """A request whose answer is read as it comes."""

    def __init__(self, td: StandIn, method: str, body: bytes | None, headers: dict[str, str]) -> None:
        parts = urlsplit(td.url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        self._connection.request(method, parts.path, body, headers)
        self._answer: http.client.HTTPResponse | None = None

    @property
    def answer(self) -> http.client.HTTPResponse:
        self._answer = self._answer or self._connection.getresponse()
        return self._answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._connection.close()
        if self._answer is not None:
            self._answer.close()


def begin(td: StandIn, headers: dict[str, str], number: Any, accept: str = "*/*") -> Line:
    """Begin a call that takes half a minute, and wait until it is at work."""
    asked = message("tools/call", WATCH, number)
    line = Line(td, "POST", json.dumps(asked).encode(), {**headers, "Accept": accept})
    for _ in range(1000):
        status = message("tools/call", {"name": "get_status"}, "status")
        found = payload(request(td.url, "POST", json.dumps(status).encode(), headers))
        if "watch_values" in str(found["result"]["structuredContent"]["queue"]["running"]):
            return line
    raise AssertionError("the call has not begun")


def cancel(td: StandIn, headers: dict[str, str], number: Any) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    assert request(td.url, "POST", json.dumps(cancelled).encode(), headers).status == 202


@pytest.fixture
def own_session(td: StandIn) -> Iterator[dict[str, str]]:
    headers = open_session(td)
    yield headers
    request(td.url, "DELETE", None, headers)


@pytest.mark.parametrize(("accept", "status"), [("*/*", 200), (EVENTS, 200), (JSON, 202)])
def test_a_cancelled_call_gets_no_answer(
    td: StandIn, own_session: dict[str, str], accept: str, status: int
) -> None:
    with begin(td, own_session, 5, accept) as call:
        cancel(td, own_session, 5)
        assert call.answer.status == status
        assert b'"id"' not in call.answer.read()
    again = request(td.url, "POST", but(id=5), own_session)
    assert payload(again)["result"] == {}, "the session goes on, and the id is free again"


@pytest.mark.parametrize(
    ("first", "second", "status"), [(5, 5, 400), ("a", "a", 400), (5, "5", 400), (5, 6, 200)]
)
def test_an_id_is_used_once_at_a_time(
    td: StandIn, own_session: dict[str, str], first: Any, second: Any, status: int
) -> None:
    with begin(td, own_session, first):
        answer = request(td.url, "POST", but(id=second), own_session)
        assert answer.status == status
        if status == 400:
            assert (payload(answer)["error"]["code"], payload(answer)["id"]) == (-32600, None)
            assert "still at work" in payload(answer)["error"]["message"]
        cancel(td, own_session, first)


def test_the_id_of_a_call_stays_taken_when_its_client_hangs_up(
    td: StandIn, own_session: dict[str, str]
) -> None:
    with begin(td, own_session, 5) as call:
        assert call.answer.status == 200
    assert request(td.url, "POST", but(id=5), own_session).status == 400
    cancel(td, own_session, 5)
    statuses = (request(td.url, "POST", but(id=5), own_session).status for _ in range(1000))
    assert 200 in statuses, "the id never becomes free"


def test_ids_of_two_sessions_have_nothing_to_do_with_each_other(td: StandIn) -> None:
    one, other = open_session(td), open_session(td)
    with begin(td, one, 5):
        assert request(td.url, "POST", but(id=5), other).status == 200
        cancel(td, one, 5)


def test_many_requests_with_one_id_at_the_same_time_are_answered_or_refused(
    td: StandIn, own_session: dict[str, str]
) -> None:
    answers: list[Answer] = []

    def ask() -> None:
        answers.append(request(td.url, "POST", but(id=1, method="tools/list"), own_session))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} <= {200, 400} and len(answers) == 8
    assert all("tools" in payload(a)["result"] for a in answers if a.status == 200)

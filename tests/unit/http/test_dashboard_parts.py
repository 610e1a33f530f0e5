"""What the dashboard is told, without a browser: conditions in words, clients, figures, pages, consents."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http import dashboard
from tdmcp_embedded.http.condition import condition
from tdmcp_embedded.http.connecting import KEY, ways_from_elsewhere, ways_to_connect
from tdmcp_embedded.http.dashboard import Dashboard
from tdmcp_embedded.http.feed import Figures, event
from tdmcp_embedded.http.keys import Key, Keys
from tdmcp_embedded.http.pages import pages
from tdmcp_embedded.http.visitors import visitors
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.protocol.requests import Host
from tdmcp_embedded.settings import Level, Settings
from tests.unit.http.asgi import ask

pytestmark = pytest.mark.anyio

FINE = {"frames": 100, "stalled_for_s": 0.0, "running": [], "current": None}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("queue", "facts", "state", "words"),
    [
        ({**FINE, "frames": 0}, {}, "starting", "not shown a frame yet"),
        (FINE, {"playing": True}, "ok", "is running"),
        (FINE, {"playing": False}, "paused", "timeline is paused"),
        (FINE, {"playing": True, "perform_mode": True}, "performing", "Perform mode"),
        ({**FINE, "stalled_for_s": 12.0}, {}, "stalled", "a dialog is open"),
        ({**FINE, "stalled_for_s": 12.0}, {"power": False}, "stalled", "power button is off"),
        (
            {
                **FINE,
                "stalled_for_s": 3.0,
                "running": [{"label": "execute_python", "job": "7"}],
                "current": "7",
            },
            {},
            "stalled",
            "execute_python (7) is still at work",
        ),
        (
            {**FINE, "stalled_for_s": 3.0, "running": [{"label": "waits_a_frame", "job": "7"}]},
            {},
            "stalled",
            "a dialog is open",
        ),
    ],
)
async def test_the_condition_is_said_in_words(
    queue: dict[str, Any], facts: dict[str, Any], state: str, words: str
) -> None:
    found = condition(queue, facts)
    assert found.state == state
    assert words in f"{found.sentence} {found.advice}"


async def test_clients_are_counted_by_name_key_and_address() -> None:
    log = Log()
    facts = {"client": "cursor 1", "key": "owner", "address": "127.0.0.1"}
    log.call(edits=True, outcome="ok", tool="create_operator", ms=1, session="s1", **facts)
    log.call(edits=True, outcome="name_taken", tool="create_operator", ms=1, session="s2", **facts)
    log.call(edits=False, outcome="ok", tool="get_status", ms=1, session="s3", **{**facts, "key": "guest"})
    log.event("info", "Something else.")
    rows = visitors(log.ring.since(0), lambda session: session == "s1")
    assert [(row["key"], row["calls"], row["failed"], row["sessions"]) for row in rows] == [
        ("guest", 1, 0, 0),
        ("owner", 2, 1, 1),
    ]
    assert "s1" not in json.dumps(rows)


async def test_figures_are_of_the_time_since_the_last_sample() -> None:
    now = 0.0
    queue = FrameQueue(watch=False, clock=lambda: now)
    figures = Figures(queue, clock=lambda: now)
    for _ in range(30):
        now += 1 / 30
        queue.pump()
    sample = figures.sample()
    assert sample["fps"] == 30.0 and sample["frame_ms"] == pytest.approx(33.3, abs=0.1)
    now += 1.0
    assert figures.sample()["frame_ms"] is None
    queue.close("done")


async def test_an_event_is_one_block_whatever_it_holds() -> None:
    block = event("records", [{"event": "two\nlines\n\nand more"}])
    assert block.endswith("\n\n") and block.count("\n\n") == 1


async def test_every_way_to_connect_leaves_the_place_of_the_key_open() -> None:
    ways = ways_to_connect("http://127.0.0.1:9988/mcp")
    assert {"Claude Code", "Claude Desktop", "Cursor", "Codex", "Any other"} <= {
        way["client"] for way in ways
    }
    for way in ways:
        if way["client"] != "Claude Desktop":
            assert KEY in way["text"] and "http://127.0.0.1:9988/mcp" in way["text"], way
    assert next(way for way in ways if way["client"] == "Codex")["text"].startswith(
        "[mcp_servers.touchdesigner]"
    )


async def test_pages_are_asked_for_again_only_when_they_changed() -> None:
    for path, page in pages().items():
        first = await ask(page.app, "GET", path, json_type=False)
        assert first.status == 200 and first.body
        again = await ask(
            page.app, "GET", path, json_type=False, headers=[("if-none-match", first.headers["etag"])]
        )
        assert again.status == 304 and not again.body
        assert page.public, "the page comes before the key"


#: Bodies that answer no question.
NOT_ANSWERS = [
    b"", b"{", b"[]", b"null", b"3", b'"q1"', b'{"id": 1}', b'{"id": 1, "allow": true}', b'{"allow": true}',
    b'{"id": "q1"}', b'{"id": "q1", "allow": "yes"}', b'{"id": "q1", "allow": null}', b"\xff", b"[" * 100_000,
]  # fmt: skip


class Questions:
    """One open question."""

    def __init__(self) -> None:
        self.decided: list[tuple[str, bool]] = []

    def pending(self) -> list[dict[str, Any]]:
        return [{"id": "q1", "title": "Let Agent in?", "text": "It asks for level edit."}]

    def decide(self, question: str, allow: bool) -> bool:
        self.decided.append((question, allow))
        return True


async def test_the_person_at_this_machine_can_answer_questions_and_nobody_else() -> None:
    queue, questions, keys = FrameQueue(watch=False), Questions(), Keys()
    host = Host(SimpleNamespace(), queue, Settings, {})  # type: ignore[arg-type]  # nothing here touches TouchDesigner
    board = Dashboard(host, keys, sessions=lambda: 0, is_open=lambda _: False, consents=questions)
    consent = board.endpoints()["/api/consent"].app

    def holding(key: Key) -> ASGIApp:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await consent({**scope, "tdmcp.key": key}, receive, send)

        return app

    body = b'{"id": "q1", "allow": true}'
    guest = keys.make("guest", Level.EDIT)
    refused = await ask(holding(guest), path="/api/consent", body=body)
    assert refused.status == 403 and questions.decided == []
    answer = await ask(holding(keys.first()), path="/api/consent", body=body)
    assert json.loads(answer.body) == {"open": True} and questions.decided == [("q1", True)]
    for body in NOT_ANSWERS:
        broken = await ask(holding(keys.first()), path="/api/consent", body=body)
        assert broken.status == 400, body
        assert json.loads(broken.body)["error"]["code"] == "value_invalid"
    assert len(questions.decided) == 1
    without = Dashboard(host, keys, sessions=lambda: 0, is_open=lambda _: False)
    assert "/api/consent" not in without.endpoints()
    queue.close("done")


#: Faults of ours, of the kinds that bad input brings about as well.
FAULTS = [ValueError("x"), KeyError("x"), TypeError("x"), AttributeError("x"), RuntimeError("x")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
async def test_a_fault_of_ours_is_not_called_the_requests_and_is_logged(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise fault

    queue = FrameQueue(watch=False)
    host = Host(SimpleNamespace(), queue, broken, {})  # type: ignore[arg-type]  # nothing here touches TouchDesigner
    monkeypatch.setattr(dashboard, "ways_to_connect", broken)
    board = Dashboard(host, Keys(), sessions=lambda: 0, is_open=lambda _: False)
    answer = await ask(board.endpoints()["/api/me"].app, "GET", "/api/me")
    error = json.loads(answer.body)["error"]
    assert answer.status == 500 and error["code"] == "internal_error"
    assert "fault of the server" in error["message"] and "Traceback" not in answer.body.decode()
    assert "/api/me failed" in caplog.text and type(fault).__name__ in caplog.text
    queue.close("done")


#: (whether agents sign in, what stands in every snippet but Claude Desktop's, what stands in none)
ELSEWHERE = [
    (True, "https://td.example/mcp", ("Bearer", "{KEY}", "TOKEN", "headers")),
    (False, "KEY", ("{KEY}",)),
]


@pytest.mark.parametrize(("oauth", "there", "nowhere"), ELSEWHERE)
async def test_ways_for_other_machines_never_hold_the_key_of_the_page(
    oauth: bool, there: str, nowhere: tuple[str, ...]
) -> None:
    ways = ways_from_elsewhere("https://td.example/mcp", oauth=oauth)
    assert all(way["client"].endswith("(another machine)") for way in ways)
    for way in ways:
        assert not any(word in way["text"] for word in nowhere), way
        if "by a link" not in way["client"]:
            assert there in way["text"] and "https://td.example/mcp" in way["text"], way
    linked = {way["client"].partition(",")[0] for way in ways if "by a link" in way["client"]}
    assert linked == ({"Cursor", "VS Code"} if oauth else set())

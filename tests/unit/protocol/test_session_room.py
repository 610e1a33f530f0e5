"""Sessions count by key: whoever opens more than there is room for ends its own, not another's."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import pytest

from tdmcp_embedded.protocol import sdk_sessions
from tdmcp_embedded.protocol.session_room import SessionRoom

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Manager:
    """The SDK's, as far as it is used: sessions with the moment at which they end, and who opened them."""

    def __init__(self, most: int) -> None:
        self.max_sessions = most
        self._server_instances: dict[str, Any] = {}
        self._session_owners: dict[str, Any] = {}
        self.ended: list[str] = []
        self._time = 0.0

    def open(self, key: str, count: int = 1, at_work: bool = False) -> None:
        for _ in range(count):
            self._time += 1
            name = f"{key}-{len(self._server_instances) + len(self.ended)}"
            ends = math.inf if at_work else self._time
            scope = SimpleNamespace(deadline=ends, cancel=lambda name=name: self.ended.append(name))
            self._server_instances[name] = SimpleNamespace(idle_scope=scope)
            if key:
                self._session_owners[name] = {"client_id": key}

    async def asgi_app(self, scope: Any, receive: Any, send: Any) -> None:
        """What `StreamableHTTPASGIApp` calls."""
        key = scope["tdmcp.key"].id if "tdmcp.key" in scope else ""
        full = len(self._server_instances) >= self.max_sessions
        if not full:
            self.open(key)
        await send({"type": "http.response.start", "status": 503 if full else 200, "headers": []})

    def of(self, key: str) -> int:
        return sum(name.startswith(f"{key}-") for name in self._server_instances)


async def open_session(manager: Manager, key: str) -> tuple[int, dict[str, Any]]:
    """The status of opening a session, and the body of a refusal of ours."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "method": "POST", "headers": [], "path": "/mcp"}
    if key:
        scope["tdmcp.key"] = SimpleNamespace(id=key)
    await SessionRoom(manager)(scope, None, send)  # type: ignore[arg-type]  # never read
    body = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], json.loads(body) if body else {}


async def test_a_key_that_opens_sessions_without_end_ends_its_own() -> None:
    manager = Manager(80)
    manager.open("modest", 10)
    for _ in range(500):
        assert (await open_session(manager, "hog"))[0] == 200
    assert manager.of("modest") == 10
    assert manager.of("hog") == 70 and len(manager.ended) == 430
    assert all(name.startswith("hog-") for name in manager.ended)


async def test_the_sessions_of_a_key_are_ended_longest_idle_first() -> None:
    manager = Manager(8)
    manager.open("a", 1, at_work=True)
    manager.open("a", 6)
    assert (await open_session(manager, "a"))[0] == 200
    assert manager.ended == ["a-1"]


async def test_places_are_left_for_other_keys() -> None:
    manager = Manager(80)
    for _ in range(300):
        await open_session(manager, "hog")
    for _ in range(10):
        assert (await open_session(manager, "other"))[0] == 200
    assert manager.of("hog") == 70 and manager.of("other") == 10


async def test_a_key_whose_sessions_are_all_at_work_is_refused_and_costs_nobody_a_session() -> None:
    manager = Manager(80)
    manager.open("modest", 5)
    manager.open("hog", 70, at_work=True)
    status, body = await open_session(manager, "hog")
    assert status == 503 and "access key" in body["error"]["message"]
    assert not manager.ended and manager.of("modest") == 5
    assert (await open_session(manager, "modest"))[0] == 200


async def test_in_a_full_server_a_key_without_a_session_takes_a_place_of_the_fullest() -> None:
    manager = Manager(8)
    manager.open("a", 5)
    manager.open("b", 3)
    assert (await open_session(manager, "c"))[0] == 200
    assert manager.ended == ["a-0"]
    # From now on it pays for itself.
    assert (await open_session(manager, "c"))[0] == 200
    assert (manager.of("a"), manager.of("b"), manager.of("c")) == (4, 3, 1)


async def test_no_key_within_its_share_ever_loses_a_session_to_others() -> None:
    manager = Manager(9)
    for key in ("a", "b", "c"):
        manager.open(key, 3, at_work=key == "c")
    for _ in range(20):
        await open_session(manager, "c")
    assert (manager.of("a"), manager.of("b"), manager.of("c")) == (3, 3, 3)
    assert not manager.ended


async def test_without_keys_all_places_can_be_had_and_the_longest_idle_makes_way() -> None:
    manager = Manager(3)
    for _ in range(10):
        assert (await open_session(manager, ""))[0] == 200
    assert len(manager._server_instances) == 3


@pytest.mark.parametrize(
    "missing", [("_server_instances",), ("_session_owners",), ("_server_instances", "_session_owners")]
)
async def test_an_sdk_that_does_not_show_its_sessions_opens_them_by_itself(missing: tuple[str, ...]) -> None:
    manager = Manager(2)
    for name in missing:
        delattr(manager, name)

    async def opens(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    manager.asgi_app = opens  # type: ignore[method-assign]
    assert (await open_session(manager, "a"))[0] == 200
    assert sdk_sessions.count(manager) == 0  # type: ignore[arg-type]
    assert sdk_sessions.is_open(manager, "any") == ("_server_instances" in missing)  # type: ignore[arg-type]

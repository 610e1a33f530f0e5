"""A session that is over, where the SDK shows its sessions and where it does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from tdmcp_embedded.protocol.lost_sessions import LostSessions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


# (what the SDK's manager shows, who answers the first and the second request of a session)
MANAGERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"_server_instances": {"a": object()}}, ["sdk", "sdk"]),
    ({"_server_instances": {}}, ["404", "sessionless"]),
    ({}, ["sdk", "sdk"]),  # the SDK answers 404 itself, each time
    ({"_server_instances": None}, ["sdk", "sdk"]),
]


@pytest.mark.parametrize(("shown", "answers"), MANAGERS)
async def test_a_request_of_a_session_is_answered_by(shown: dict[str, Any], answers: list[str]) -> None:
    said: list[str] = []

    def answering(who: str) -> Any:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            said.append(who)

        return app

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            said.append(str(message["status"]))

    manager: Any = SimpleNamespace(**shown)
    lost = LostSessions(answering("sdk"), manager, answering("sessionless"))
    for _ in answers:
        scope = {"type": "http", "method": "POST", "headers": [(b"mcp-session-id", b"a")]}
        await lost(scope, None, send)  # type: ignore[arg-type]
    assert said == answers


def test_the_names_that_are_read_of_the_sdk_are_there() -> None:
    """Fails with a new SDK, so that somebody decides; users only lose the comfort then."""
    from mcp.server.lowlevel import Server

    manager = StreamableHTTPSessionManager(Server("any"))
    assert {"_server_instances", "_session_owners"} <= vars(manager).keys()

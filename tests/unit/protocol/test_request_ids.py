"""When the id of a request may be used again in its session."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from tdmcp_embedded.protocol.streamable_http import StreamableHttp

SCOPE = {
    "type": "http",
    "method": "POST",
    "headers": [
        (b"accept", b"application/json"),
        (b"mcp-session-id", b"s"),
        (b"content-type", b"application/json"),
    ],
}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Sdk:
    """The SDK's endpoint: it answers, and comes to its end some time after that."""

    def __init__(self, *, handled: bool) -> None:
        self.handled = handled
        self.answered = anyio.Event()
        self.may_end = anyio.Event()
        self.endpoint = StreamableHttp(self)
        self.statuses: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.handled:
            await self.endpoint.middleware(
                SimpleNamespace(request=SimpleNamespace(headers={"mcp-session-id": "s"}), request_id=1),
                _handler,
            )
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", b"application/json")],
            }
        )
        await send({"type": "http.response.body", "body": b"{}"})
        self.answered.set()
        await self.may_end.wait()

    async def post(self) -> None:
        async def receive() -> Any:
            return {"type": "http.request", "body": PING}

        async def send(message: Any) -> None:
            if "status" in message:
                self.statuses.append(message["status"])

        await self.endpoint(dict(SCOPE), receive, send)


async def _handler(ctx: Any) -> None:
    await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
@pytest.mark.parametrize("handled", [True, False], ids=["by a handler", "by the SDK itself"])
async def test_an_id_is_free_once_its_request_is_answered(handled: bool) -> None:
    sdk = Sdk(handled=handled)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sdk.post)
        await sdk.answered.wait()
        # The client has its answer, and the SDK has not forgotten the request.
        tasks.start_soon(sdk.post)
        await anyio.wait_all_tasks_blocked()
        assert sdk.statuses == [200]
        sdk.may_end.set()
    assert sdk.statuses == [200, 200]


@pytest.mark.anyio
async def test_an_id_whose_request_has_no_answer_yet_is_taken() -> None:
    sdk = Sdk(handled=True)
    async with anyio.create_task_group() as tasks, sdk.endpoint._working(("s", "1")):
        await sdk.post()
        assert sdk.statuses == [400]
        tasks.cancel_scope.cancel()

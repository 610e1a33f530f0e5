"""Subscriptions count by key: one key cannot take the looks of all."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import SubscribeRequestParams, UnsubscribeRequestParams

from tdmcp_embedded.protocol.notices import Notices
from tdmcp_embedded.protocol.subscriptions import Subscriptions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def asked(key: str, session: str) -> Any:
    scope = {"tdmcp.key": SimpleNamespace(name=key, id=key)} if key else {}
    return SimpleNamespace(session_id=session, request=SimpleNamespace(scope=scope, headers={}))


async def nothing(uris: Iterable[str]) -> None:
    return None


async def test_one_key_has_so_many_and_another_as_many_again() -> None:
    open_sessions = {f"{key}{n}" for key in "ab" for n in range(6)}
    subscriptions = Subscriptions(
        Notices(open_sessions.__contains__),
        lambda ctx: ctx.session_id,  # type: ignore[attr-defined]
        open_sessions.__contains__,
        nothing,
    )

    async def subscribe(key: str, session: int, resource: int) -> None:
        params = SubscribeRequestParams(uri=f"td://text/{session}/{resource}")
        await subscriptions.subscribe(asked(key, f"{key}{session}"), params)

    for key in "ab":
        for n in range(1000):
            await subscribe(key, n // 200, n)
        with pytest.raises(MCPError, match="one access key"):
            await subscribe(key, 5, 0)
        await subscribe(key, 0, 0)  # what it has already is no more
    await subscriptions.unsubscribe(asked("a", "a0"), UnsubscribeRequestParams(uri="td://text/0/0"))
    await subscribe("a", 5, 0)
    open_sessions.remove("b0")
    assert subscriptions.wanted()  # looks who is still there
    await subscribe("b", 5, 0)

"""Notices to sessions: in order, once each, and nobody waits for a client that does not read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tdmcp_embedded.protocol.notices import Notices

PATIENCE = 30.0

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Session:
    """A client's session: reads what it is sent, unless it is told not to, or raises."""

    def __init__(self, reads: bool = True, raises: bool = False) -> None:
        self.got: asyncio.Queue[str] = asyncio.Queue()
        self.begun = 0
        self.reading = asyncio.Event()
        self._raises = raises
        if reads:
            self.reading.set()

    async def send_notification(self, notification: Any) -> None:
        self.begun += 1
        await self.reading.wait()
        if self._raises:
            raise ConnectionError("gone")
        uri = getattr(notification.params, "uri", "")
        await self.got.put(str(uri or notification.method))

    async def hear(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.got.get()


def notices_to(open_sessions: dict[str, Session]) -> Notices:
    made = Notices(lambda name: name in open_sessions)
    made.subscribers_of = lambda uri: list(open_sessions)
    for name, session in open_sessions.items():
        made.remember(name, session)
    return made


async def test_a_session_that_does_not_read_delays_nobody() -> None:
    sessions = {"deaf": Session(reads=False), "one": Session(), "two": Session()}
    notices = notices_to(sessions)
    for n in range(5):
        await notices.resource_updated(f"td://text/{n}")
    for name in ("one", "two"):
        assert [await sessions[name].hear() for _ in range(5)] == [f"td://text/{n}" for n in range(5)]
    assert sessions["deaf"].begun == 1
    notices.close()


async def test_a_session_that_reads_again_gets_each_notice_once_and_in_order() -> None:
    slow = Session(reads=False)
    notices = notices_to({"slow": slow})
    await notices.resource_updated("td://first")
    for _ in range(1000):
        await notices.resource_updated("td://a")
        await notices.resource_updated("td://b")
    await notices.tools_changed()
    slow.reading.set()
    heard = [await slow.hear() for _ in range(4)]
    assert heard == ["td://first", "td://a", "td://b", "notifications/tools/list_changed"]
    assert slow.got.empty()


async def test_what_waits_for_a_session_is_bounded() -> None:
    notices = notices_to({"deaf": Session(reads=False)})
    for n in range(5000):
        await notices.resource_updated(f"td://text/{n}")
    assert len(notices._sessions["deaf"]) <= 256
    notices.close()


async def test_a_session_that_raises_keeps_nobody_from_hearing_not_even_itself() -> None:
    broken, whole = Session(raises=True), Session()
    notices = notices_to({"broken": broken, "whole": whole})
    await notices.resource_updated("td://a")
    await notices.resource_updated("td://b")
    assert [await whole.hear(), await whole.hear()] == ["td://a", "td://b"]
    assert broken.begun == 2


async def test_a_session_that_has_ended_leaves_nothing_behind() -> None:
    deaf = Session(reads=False)
    sessions = {"deaf": deaf}
    notices = notices_to(sessions)
    await notices.resource_updated("td://a")
    await asyncio.sleep(0)
    task = notices._sessions["deaf"]._task
    assert task is not None
    del sessions["deaf"]
    await notices.tools_changed()
    await asyncio.wait([task], timeout=PATIENCE)
    assert task.cancelled() and not notices._sessions

"""The watch over subscribed resources, with a queue that is pumped beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.protocol import watcher
from tdmcp_embedded.protocol.watcher import LOOK_FAILED, Watcher

#: Seconds a test waits for what must come; generous, for a busy machine.
PATIENCE = 30.0


class Scene:
    """A project of addresses with numbers, a watcher over it, and what was told."""

    def __init__(self) -> None:
        self.queue = FrameQueue(watch=False)
        self.values: dict[str, int] = {}
        self.looked: list[str] = []
        self.told: asyncio.Queue[str] = asyncio.Queue()
        self.wanted: set[str] = set()
        self.cost = 0.0
        self.raises = 0
        self.failed: set[str] = set()
        self.watcher = Watcher(self.queue, self.look, self.told.put)
        self.watcher.wanted = lambda: self.wanted

    def look(self, uris: Sequence[str]) -> Generator[Any, None, Mapping[str, tuple[object, float]]]:
        self.looked += uris
        yield
        if self.raises:
            self.raises -= 1
            raise RuntimeError("TouchDesigner is busy")
        return {
            uri: (LOOK_FAILED if uri in self.failed else self.values[uri], self.cost)
            for uri in uris
            if uri in self.values
        }

    async def begin(self, *uris: str) -> None:
        self.wanted |= set(uris)
        await self.watcher.begin(uris)

    async def hear(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.told.get()

    async def looks(self, count: int) -> None:
        """Wait until so many more looks were taken."""
        until = len(self.looked) + count
        async with asyncio.timeout(PATIENCE):
            while len(self.looked) < until:
                await asyncio.sleep(0)


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    made = Scene()

    async def frames() -> None:
        while True:
            made.queue.pump()
            await asyncio.sleep(0.002)

    pump = asyncio.create_task(frames())
    try:
        yield made
    finally:
        made.watcher.close()
        pump.cancel()
        made.queue.close("the test is over")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


pytestmark = pytest.mark.anyio


async def test_a_change_right_after_subscribing_is_told() -> None:
    async with scene() as here:
        here.values["a"] = 1
        await here.begin("a")
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_a_resource_that_comes_and_goes_is_told() -> None:
    async with scene() as here:
        here.values["a"] = 1
        here.values["b"] = 1
        await here.begin("a", "b")
        here.values["b"] = None  # type: ignore[assignment]  # what a look says of an operator that is gone
        assert await here.hear() == "b"


async def test_many_changes_in_a_row_are_told_as_few() -> None:
    async with scene() as here:
        here.values["a"] = 0
        await here.begin("a")
        for _ in range(4):
            here.values["a"] += 1
            await here.looks(1)
        await here.hear()
        here.values["last"] = 0
        await here.begin("last")
        here.values["last"] = 1
        heard = [await here.hear()]
        while heard[-1] != "last":
            heard.append(await here.hear())
        assert heard.count("a") <= 2


async def test_nothing_runs_once_nobody_wants_anything() -> None:
    async with scene() as here:
        here.values["a"] = 1
        await here.begin("a")
        await here.looks(1)
        here.wanted.clear()
        task = here.watcher._task
        assert task is not None
        async with asyncio.timeout(PATIENCE):
            await task
        before = here.queue.stats()["submitted"]
        here.watcher.changed("a")
        await asyncio.sleep(0)
        assert here.queue.stats()["submitted"] == before
        # And it begins anew for the next who comes.
        await here.begin("a")
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_what_cannot_be_looked_at_is_told_only_when_somebody_says_so() -> None:
    async with scene() as here:
        here.values["seen"] = 1
        await here.begin("log", "seen")
        await here.looks(4)
        assert here.looked.count("log") == 1
        here.watcher.changed("log")
        assert await here.hear() == "log"


async def test_a_look_that_takes_long_is_made_seldom() -> None:
    async with scene() as here:
        here.values |= {"heavy": 1, "light": 1}
        here.cost = 1000.0
        await here.begin("heavy")
        here.cost = 0.0
        await here.begin("light")
        await here.looks(5)
        assert here.looked.count("heavy") == 1


async def test_a_stalled_main_thread_only_delays_it() -> None:
    async with scene() as here:
        here.values["a"] = 1
        here.queue.stall_after = -1.0  # whoever asks now is told that nobody pumps
        await here.begin("a")
        here.queue.stall_after = 60.0
        await here.looks(1)
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_a_look_that_raises_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_RETRY", 0.01)
    async with scene() as here:
        here.values["a"] = 1
        await here.begin("a")
        here.raises = 3
        await here.looks(4)
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_a_resource_whose_look_failed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_RETRY", 0.01)
    async with scene() as here:
        here.values |= {"a": 1, "b": 1}
        await here.begin("a", "b")
        here.failed = {"a"}
        await here.looks(4)
        here.failed = set()
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_what_changed_while_the_first_look_failed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_RETRY", 0.01)
    async with scene() as here:
        here.values["a"] = 1
        here.raises = 1
        await here.begin("a")
        here.values["a"] = 2
        assert await here.hear() == "a"


async def test_a_notice_that_cannot_be_sent_does_not_end_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "_RETRY", 0.01)
    async with scene() as here:
        here.values |= {"a": 1, "b": 1}
        await here.begin("a", "b")
        told, failures = here.watcher._tell, []

        async def refuse(uri: str) -> None:
            failures.append(uri)
            here.watcher._tell = told
            raise ConnectionError("no")

        here.watcher._tell = refuse
        here.values["a"] = 2
        async with asyncio.timeout(PATIENCE):
            while not failures:
                await asyncio.sleep(0)
        here.values["b"] = 2
        assert await here.hear() == "b"


async def test_an_exception_in_the_list_of_subscribers_does_not_end_the_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watcher, "_RETRY", 0.01)
    async with scene() as here:
        here.values["a"] = 1
        await here.begin("a")
        failures: list[int] = []

        def wanted() -> set[str]:
            here.watcher.wanted = lambda: here.wanted
            failures.append(1)
            raise RuntimeError("changed size during iteration")

        here.watcher.wanted = wanted
        async with asyncio.timeout(PATIENCE):
            while not failures:
                await asyncio.sleep(0)
        here.values["a"] = 2
        assert await here.hear() == "a"

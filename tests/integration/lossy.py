"""A slow network on which connections break: a TCP proxy on this machine, and a client that copes with it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Final, Literal, Self, get_args
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.integration.clients import PATIENCE, structured

#: Where a connection breaks: before the first byte of the answer gets through, before the server has the request, in the
#: middle of the answer, or just after the request.
Break = Literal["answer lost", "request lost", "answer broken", "gone after the request"]
BREAKS: Final[tuple[Break, ...]] = get_args(Break)

#: Bytes of the answer that get through where it breaks in the middle.
_HALF: Final = 40


class LossyProxy:
    """In front of a server of this machine. Use it as an asynchronous context manager.

    Args:
        url: of the server behind.
        seed: of what breaks.
        cut: the share of POST requests whose connection breaks.
        latency: seconds from one end to the other, there and back together.
    """

    def __init__(self, url: str, *, seed: int, cut: float, latency: float = 0.0) -> None:
        parts = urlsplit(url)
        self._behind, self._path = (str(parts.hostname), int(parts.port or 80)), parts.path
        self._random, self._cut, self._latency = random.Random(seed), cut, latency
        self.breaks: Counter[str] = Counter()
        self.requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}{self._path}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._pass_on(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind_reader, behind = await asyncio.open_connection(*self._behind)
        fate: list[Break | None] = [None]  # of the request at work

        async def there() -> None:
            while data := await reader.read(65536):
                if data.startswith(b"POST "):
                    fate[0] = self._draw()
                await asyncio.sleep(self._latency / 2)
                if fate[0] == "request lost":
                    return
                behind.write(data)
                await behind.drain()
                if fate[0] == "gone after the request" and not data.startswith(b"POST "):
                    return

        async def back() -> None:
            while data := await behind_reader.read(65536):
                await asyncio.sleep(self._latency / 2)
                if fate[0] in ("answer lost", "gone after the request"):
                    return
                writer.write(data[:_HALF] if fate[0] == "answer broken" else data)
                await writer.drain()
                if fate[0] == "answer broken":
                    return

        tasks = {asyncio.create_task(there()), asyncio.create_task(back())}
        try:
            with suppress(OSError):
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            behind.transport.abort()
            # An end in good order lets the last bytes through; the others do not wait.
            writer.close()

    def _draw(self) -> Break | None:
        self.requests += 1
        if self._random.random() >= self._cut:
            return None
        # In turn, so that a few breaks are of every kind.
        which = BREAKS[sum(self.breaks.values()) % len(BREAKS)]
        self.breaks[which] += 1
        return which


class CarefulClient:
    """The official client, used as the server's instructions say: what became of an edit whose answer was lost is looked
    up before the edit is repeated.

    Args:
        url: where the server is reached, through whatever.
        headers: with the access key.
        mode: of the official client.
    """

    #: How often one edit, and one question, is tried.
    TRIES: Final = 20

    def __init__(self, url: str, headers: Mapping[str, str], mode: str = "auto") -> None:
        self._url, self._headers, self._mode = url, headers, mode
        self.repeated = self.looked_up = 0
        self.said: list[tuple[str, str, str]] = []
        """Of each edit that was looked up: what it is called, its outcome, and what became of it."""

    async def edits(self, calls: Mapping[str, tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
        """Make these edits, one after the other; the answer of each.

        Args:
            calls: tool and arguments, by what get_status calls the call.
        """
        answers: dict[str, dict[str, Any]] = {}
        waiting = list(calls)
        for _ in range(self.TRIES + len(calls)):
            if not waiting:
                return answers
            about = waiting[0]
            with suppress(Exception):
                async with self._connected() as client:
                    while waiting:
                        about = waiting[0]
                        # Cleared by the answer: whatever ends the connection before leaves the edit in doubt.
                        tool, arguments = calls[about]
                        # An answer, a refusal too: whatever it is, the client knows what became of its edit.
                        answers[about] = structured(await client.call_tool(tool, arguments))
                        waiting.pop(0)
            if waiting and (found := await self._look_up(waiting[0])) is not None:
                answers[waiting.pop(0)] = found
        raise AssertionError(f"not done after all tries: {waiting}")

    async def _look_up(self, about: str) -> dict[str, Any] | None:
        """The answer of an edit that stands; None if it was not made."""
        for _ in range(self.TRIES):
            with suppress(Exception):
                async with self._connected() as client:
                    status = structured(await _called(client, "get_status", {}))
                    rows = [row for row in status.get("recent_edits", ()) if row["call"] == about]
                    if rows:
                        self.said.append((about, rows[0]["outcome"], rows[0]["edit"]))
                    if not rows or rows[0]["edit"] == "none":
                        self.repeated += 1
                        return None
                    if rows[0]["edit"] == "not over":
                        continue
                    job = structured(await _called(client, "get_job", {"job": rows[0]["job"]}))
                    self.looked_up += 1
                    found: dict[str, Any] = job.get("result") or {"looked up": rows[0]}
                    return found
        raise AssertionError(f"nobody says what became of {about}")

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(headers=dict(self._headers), timeout=httpx2.Timeout(PATIENCE)) as web,
            Client(streamable_http_client(self._url, http_client=web), mode=self._mode) as client,
        ):
            yield client


async def _called(client: Client, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result

"""An open request ends when its key stops being valid, and leaves the others alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from tdmcp_embedded.http import leash
from tdmcp_embedded.http.keys import Key
from tdmcp_embedded.http.leash import Leash

GOOD, DEAD = Key("good", "1"), Key("dead", "2")
BODY: dict[str, Any] = {"type": "http.request", "body": b"{}", "more_body": False}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leash, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(leash, "_GRACE_S", 0.05)


class Client:
    """One open request."""

    def __init__(self, app: Leash, key: Key) -> None:
        self._app, self._key = app, key
        self.got: list[Any] = []
        self._given = False
        self.gone = asyncio.Event()

    async def receive(self) -> Any:
        if not self._given:
            self._given = True
            return BODY
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.got.append(message)

    async def ask(self) -> None:
        scope = {"type": "http", "tdmcp.key": self._key}
        async with asyncio.timeout(30):
            await self._app(scope, self.receive, self.send)


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    """Sends one event, and then waits until its client goes."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello", "more_body": True})
    assert (await receive())["type"] == "http.disconnect"


async def stubborn(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.Event().wait()


def run(app: Any, *keys: Key) -> list[list[Any]]:
    """What the clients with these keys got until their requests ended; those of good keys end by themselves."""

    async def go() -> list[list[Any]]:
        clients = [Client(leashed, key) for key in keys]
        tasks = [asyncio.create_task(client.ask()) for client in clients]
        dead = [task for task, key in zip(tasks, keys, strict=True) if key is DEAD]
        if dead:
            await asyncio.wait(dead, timeout=30)
        for task, key, client in zip(tasks, keys, clients, strict=True):
            assert task.done() == (key is DEAD)
            client.gone.set()
        await asyncio.gather(*tasks)
        return [client.got for client in clients]

    leashed = Leash(app, lambda key: key is not DEAD)
    return asyncio.run(go())


def test_a_stream_of_a_dead_key_is_ended_in_good_order() -> None:
    (got,) = run(stream, DEAD)
    assert [m.get("body") for m in got] == [None, b"hello", b""]
    assert not got[-1].get("more_body")


def test_a_stream_of_a_good_key_beside_it_goes_on() -> None:
    dead, good = run(stream, DEAD, GOOD)
    assert len(dead) == 3 and len(good) == 2


def test_an_application_that_does_not_notice_is_broken_off_and_the_client_told() -> None:
    (got,) = run(stubborn, DEAD)
    assert got[0]["status"] == 401
    assert got[-1] == {"type": "http.response.body", "body": b""}


def test_the_end_of_the_server_still_reaches_an_open_request() -> None:
    async def go() -> None:
        client = Client(Leash(stubborn, lambda key: True), GOOD)
        task = asyncio.create_task(client.ask())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())


async def renewing(scope: Scope, receive: Receive, send: Send) -> None:
    """Makes its own key invalid, and is long about telling the new one."""
    await receive()
    leash.let_go(dict(scope))
    keys.discard(DEAD.token)
    await asyncio.sleep(10 * leash.LOOK_EVERY_S)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the new key"})


keys: set[str] = set()


def test_the_request_that_renews_its_key_is_answered() -> None:
    keys.add(DEAD.token)
    client = Client(Leash(renewing, lambda key: key.token in keys), DEAD)
    asyncio.run(client.ask())
    assert [message.get("status", message.get("body")) for message in client.got] == [200, b"the new key"]


@pytest.mark.anyio
async def test_a_key_that_cannot_be_looked_up_does_not_spare_the_others() -> None:
    broken = Key("broken", "3")

    def valid(key: Key) -> bool:
        if key is broken:
            raise OSError("the disk is gone")
        return key is not DEAD

    app = Leash(stream, valid)
    clients = [Client(app, broken), Client(app, DEAD)]
    asked = [asyncio.create_task(client.ask()) for client in clients]
    done, _ = await asyncio.wait(asked, timeout=30, return_when=asyncio.FIRST_COMPLETED)
    assert done == {asked[1]}
    clients[0].gone.set()
    await asked[0]

"""The shim itself: each message of the client, and what becomes of it."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.background import guarded, start_thread
from tox_build.shim.constants import FLUSH, HANDSHAKE, LOOK_EVERY, MAX_LISTENS, MAX_REQUESTS, VERSION_KEY
from tox_build.shim.flights import Batch, Flight, Outlet
from tox_build.shim.forwarding import Forwarding
from tox_build.shim.instances import Instances
from tox_build.shim.known import OPEN_TOOL, Known, announcing
from tox_build.shim.messages import Refusal, as_error, dumps, modern_version, params_of, parse, valid_id
from tox_build.shim.projects import Projects
from tox_build.shim.servers import Servers
from tox_build.shim.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Shim(Forwarding):
    """The proxy: what the client says goes to the server if one is there, and is answered here if none is.

    Args:
        instances: the servers there are.
        write: takes one line for the client.
        log: takes one line about what happens.
        problem: what is wrong with the shim's own settings; every call says so.
        projects: starts TouchDesigner, where the user allows that.
        notice: what every answer carries.
    """

    def __init__(
        self,
        instances: Instances,
        write: Callable[[bytes], None],
        log: Callable[[str], None],
        problem: str = "",
        projects: Projects | None = None,
        notice: str = "",
    ) -> None:
        out = Outlet(write, log)
        known = Known(instances.home, out.later)
        super().__init__(out, known, Servers(instances, problem), projects, notice)
        self._flights: dict[tuple[bool, Any], Flight] = {}
        self._idle = threading.Condition()
        self._watching = False
        # What the watch saw last, and how long (seconds) it waits until it looks again.
        self._seen: Any = None
        self._several = False
        self._pause = LOOK_EVERY

    def run(self, lines: Callable[[], bytes]) -> None:
        """Serve until the end of input; `lines()` gives a line at a time and b"" at the end."""
        while True:
            raw = lines()
            if not raw:
                break
            raw = raw.strip()
            if not raw:
                continue
            try:
                self.receive(raw)
            except Exception as error:  # noqa: BLE001 - one message must not end the conversation
                self.out.log(f"a message was not understood: {error!r}")
                self.out.emit(
                    dumps(as_error(None, -32603, f"The stdio shim failed: {type(error).__name__}: {error}"))
                )
        self.close()

    def close(self) -> None:
        """Let quick answers out, say goodbye to the server, and be done."""
        with self._idle:
            self._idle.wait_for(lambda: not self._flights, FLUSH)
        self.servers.closing = True
        self.servers.wake.set()
        self.sessions.close()

    def receive(self, raw: bytes) -> None:
        """One line from the client."""
        if raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        try:
            message = parse(raw)
        except (ValueError, RecursionError) as error:
            self._refuse_line(raw, error)
            return
        if isinstance(message, list):
            if not message:
                self.out.emit(dumps(as_error(None, -32600, "An empty batch asks for nothing.")))
                return
            batch = Batch(self.out.emit)
            for part in message:
                self._route(part, dumps(part), batch.expect)
            batch.close()
        else:
            self._route(message, raw, lambda: self.out.emit)

    def _refuse_line(self, raw: bytes, error: Exception) -> None:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        request_id = None
        try:
            guess = json.loads(raw.decode("utf-8", "replace"))
            if isinstance(guess, dict) and valid_id(guess.get("id")):
                request_id = guess["id"]  # so that whoever asked does not wait for ever
        except (ValueError, RecursionError):
            pass
        self.out.log(f"a line of {len(raw)} bytes was refused: {reason}")
        self.out.emit(dumps(as_error(request_id, -32700, f"Parse error: {reason}")))

    def _route(self, message: Any, raw: bytes, replier: Callable[[], Callable[[bytes], None]]) -> None:
        if not isinstance(message, dict):
            replier()(dumps(as_error(None, -32600, "A message is a JSON object.")))
            return
        method = message.get("method")
        if method is None and ("result" in message or "error" in message):
            self.sessions.answer(message)
        elif not isinstance(method, str) or message.get("jsonrpc") != "2.0":
            known = message.get("id") if valid_id(message.get("id")) else None
            replier()(dumps(as_error(known, -32600, 'A message has "jsonrpc": "2.0" and a method.')))
        elif "id" not in message:
            self._notification(message, method, raw)
        elif not valid_id(message["id"]):
            replier()(dumps(as_error(None, -32600, "An id is a string or a whole number.")))
        else:
            self._request(Flight(message, raw, modern_version(message), replier()), message)

    def _request(self, flight: Flight, message: dict[str, Any]) -> None:
        try:
            self._answer(flight, message)
        except Exception as error:  # noqa: BLE001 - whoever asked must not wait for ever
            self.out.log(f"{flight.method} failed in the shim: {error!r}")
            flight.error(-32603, f"The stdio shim failed: {type(error).__name__}: {error}")

    def _answer(self, flight: Flight, message: dict[str, Any]) -> None:
        if flight.modern and not isinstance(flight.version, str):
            flight.error(-32602, f"{VERSION_KEY} is a string.")
        elif not flight.modern and flight.method == "initialize":
            self._initialize(flight, message)
        elif not flight.modern and flight.method == "ping":
            flight.result({})
        elif flight.method == "tools/call" and (
            flight.params.get("name") in ("list_instances", "select_instance")
            or (self.projects is not None and flight.params.get("name") == OPEN_TOOL["name"])
        ):
            self._call_own(flight)
        else:
            self.sessions.remember(flight, message)
            self._take_off(flight)

    def _take_off(self, flight: Flight) -> None:
        listens = flight.method == "subscriptions/listen" and flight.modern
        with self._idle:
            crowd = self.subscriptions.open if listens else self._flights
            twice = flight.key in self._flights or flight.key in self.subscriptions.open
            full = len(crowd) >= (MAX_LISTENS if listens else MAX_REQUESTS)
            if not twice and not full:
                crowd[flight.key] = flight
        if twice:
            flight.error(-32600, "A request of this id is still being answered.")
        elif full:
            self._refuse(
                flight,
                Refusal(
                    "busy",
                    f"{len(crowd)} requests of this client are still being answered.",
                    "Wait for some of them.",
                    retryable=True,
                ),
            )
        else:
            if listens:
                self._watch()  # the modern era has no handshake that would begin it
            start_thread(self._fly, "Answering a request", self.out.log, flight, listens)

    def _fly(self, flight: Flight, listens: bool) -> None:
        try:
            if listens:
                self.subscriptions.serve(flight)
            else:
                self._forward(flight)
        except Refusal as refusal:
            self._refuse(flight, refusal)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client must not wait for ever
            self.out.log(f"{flight.method} failed in the shim: {error!r}")
            if not flight.cancelled:
                flight.error(-32603, f"The stdio shim failed: {type(error).__name__}: {error}")
        finally:
            if not flight.answered and (flight.cancelled or not listens):
                flight.error(-32603, "The server ended its answer without a result.")
            with self._idle:
                self._flights.pop(flight.key, None)
                self.subscriptions.open.pop(flight.key, None)
                self._idle.notify_all()
            took = (time.monotonic() - flight.started) * 1000
            self.out.log(
                f"{flight.method} {flight.id!r} {took:.1f} ms{' cancelled' if flight.cancelled else ''}"
            )

    def _notification(self, message: dict[str, Any], method: str, raw: bytes) -> None:
        if method == "notifications/initialized":
            self.sessions.ready = True
            self._watch()
            self.servers.wake.set()
        elif method == "notifications/cancelled":
            self._cancel(params_of(message).get("requestId"), raw)
        elif modern_version(message) is None:
            # The modern era has no notifications from the client over HTTP.
            self.sessions.post_later(raw)

    def _cancel(self, request_id: Any, raw: bytes) -> None:
        key = (isinstance(request_id, str), request_id) if valid_id(request_id) else None
        with self._idle:
            flight = self._flights.get(key) or self.subscriptions.open.get(key) if key else None
        if flight is None:
            return  # answered already
        flight.cancelled = True
        if flight.modern:
            flight.abort()  # closing the stream is how the modern era cancels
            self.servers.wake.set()
        elif flight.sent:
            self.sessions.post_later(raw)

    def _initialize(self, flight: Flight, message: dict[str, Any]) -> None:
        """Answered from the server if that is quick, else from what is known: the client waits with everything."""
        try:
            result = announcing(self.sessions.begin(message))
        except (Refusal, OSError) as error:
            self.out.log(f"answering initialize from what is known: {error}")
            wanted = flight.params.get("protocolVersion")
            version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            result = {"protocolVersion": version, **self.known.introduction()}
        flight.result(result)
        self._watch()

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            start_thread(self._keep_watch, "The watch for servers", self.out.log)

    def _keep_watch(self) -> None:
        """Notice servers that come, go or change, and tell the client."""
        guarded(self._count_servers, "A look at the servers", self.out.log)
        while not self.servers.closing:
            # Without it no client would ever hear of a server again.
            guarded(self._look, "A look at the servers", self.out.log)
            self.servers.wake.wait(self._pause)
            self.servers.wake.clear()

    def _count_servers(self) -> None:
        self._several = self.servers.instances.several()

    def _look(self) -> None:
        try:
            target: Target | None = self.servers.target()
        except (Refusal, ValueError):
            target = None
        if not self.servers.instances.fixed_url:
            self.servers.pool.keep([one.url.text for one in self.servers.instances.running()])
        if self.servers.instances.several() != self._several:
            self._several = not self._several
            self._announce(["tools"])
        key = target.key if target else None
        if key != self._seen:
            self._seen = key
            self._pause = LOOK_EVERY
            self.subscriptions.move(key)
        try:
            self.sessions.tend(target)
            self._pause = LOOK_EVERY
        except (Refusal, OSError) as error:
            self.out.log(f"no session with {target}: {error}")
            self._pause = min(self._pause * 1.5, 5.0)

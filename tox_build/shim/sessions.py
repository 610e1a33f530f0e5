"""Sessions of the handshake era: opened, renewed, listened to, and ended."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.background import start_thread
from tox_build.shim.connections import Unresponsive, events
from tox_build.shim.constants import CONTRACT, GIVE_UP, HANDSHAKE, HANDSHAKE_LIMIT, PATIENCE
from tox_build.shim.flights import Flight, Outlet
from tox_build.shim.known import Known
from tox_build.shim.messages import Refusal, dumps, is_answer, params_of, said
from tox_build.shim.servers import Servers, Session
from tox_build.shim.targets import Target, lives

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Sessions:
    """The handshake era: one session with one server at a time, made anew with each server in the client's own words.

    `on_new` is called when the client knows neither the server nor its lists yet.
    """

    def __init__(self, servers: Servers, out: Outlet, known: Known, on_new: Callable[[], None]) -> None:
        self.servers = servers
        self.out = out
        self.known = known
        #: The client's `initialize`, and whether it has said that it is ready.
        self.hello: dict[str, Any] | None = None
        self.ready = False
        self.current: Session | None = None
        self._on_new = on_new
        self._lock = threading.RLock()
        self._count = 0
        self._told: Any = None  # the mark of the session whose lists the client knows
        # What the client told the last server, to be told the next one as well.
        self._level: dict[str, Any] | None = None
        self._subscribed: dict[str, dict[str, Any]] = {}
        # Requests of the server's: our id -> (number of the session, the server's own id).
        self._asked: dict[str, tuple[int, Any]] = {}
        self._asks = 0

    def begin(self, hello: dict[str, Any]) -> dict[str, Any]:
        """The answer to the client's `initialize`, from the server if that is quick. Raises Refusal, OSError."""
        self.hello = hello
        self.ready = False
        self._told = None
        with self._lock:
            self.current = None
        session = self.get(self.servers.target(), HANDSHAKE_LIMIT)
        self._told = session.mark
        return session.result

    def tend(self, target: Target | None) -> None:
        """Have a session with this server and listen to it, once the client is ready. Raises Refusal, OSError."""
        session = self.current
        if session is not None and session.target.pid and not lives(session.target):
            self.forget(session)
        if target is not None and self.ready and self.hello is not None:
            session = self.get(target)
            self._tell_of(session)
            self._open_stream(session)

    def close(self) -> None:
        """Say goodbye, briefly, so that the server need not keep the session."""
        session = self.current
        if session is None or not session.id:
            return
        end = time.monotonic() + 0.3
        try:
            connection = self.servers.connect(session.target, 0.3)
            headers = {**self.servers.common(session.target), **session.headers(), "Connection": "close"}
            connection.request("DELETE", headers, patience=lambda: _until(end), timeout=0.1, deadline=end)
            connection.close()
        except OSError:
            pass

    def get(self, target: Target, limit: float = 0.0) -> Session:
        """The session with this server; a new one with the client's own handshake if there is none.

        Raises Refusal, Unreachable, Dropped, Unresponsive.
        """
        with self._lock:
            session = self.current
            if session is not None:
                if (session.target.key, session.target.token) == (target.key, target.token):
                    return session
                self._end_session(session)
            session = self._open_session(target, limit)
            self.current = session
        self._tell_of(session)
        self.servers.wake.set()
        return session

    def forget(self, session: Session) -> None:
        with self._lock:
            if self.current is session:
                self._end_session(session)

    def remember(self, flight: Flight, message: dict[str, Any]) -> None:
        """What the next server will have to be told as well."""
        if flight.modern:
            return
        uri = flight.params.get("uri")
        if flight.method == "logging/setLevel":
            self._level = message
        elif flight.method == "resources/subscribe" and isinstance(uri, str):
            self._subscribed[uri] = message
        elif flight.method == "resources/unsubscribe" and isinstance(uri, str):
            self._subscribed.pop(uri, None)

    def answer(self, message: dict[str, Any]) -> None:
        asked = self._asked.pop(str(message.get("id")), None)
        session = self.current
        if asked is None or session is None or asked[0] != session.number:
            return  # the server that asked is gone
        self.post_later(dumps({**message, "id": asked[1]}))

    def withdraw(self, flight: Flight) -> None:
        """Nobody waits for this call any more: have it not begin when the server wakes up."""
        session = self.current
        if flight.modern or session is None:
            return
        params = {"requestId": flight.id, "reason": "the client does not wait any longer"}
        raw = dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        self.post_later(raw)

    def post_later(self, raw: bytes) -> None:
        """A notification, or an answer to the server: in order, and not in the way of what comes next."""
        self.out.later(lambda: self._post(raw))

    def from_server(self, raw: bytes, session: Session | None) -> None:
        """A notification or request of the server's. Requests get ids of our own: another server counts anew."""
        if session is None:
            self.out.emit(raw)
            return
        try:
            message = json.loads(raw)
        except (ValueError, RecursionError):
            self.out.log("the server sent something that is not JSON")
            return
        if not isinstance(message, dict):
            return
        if "method" in message and "id" in message:
            self._asks += 1
            ours = f"tdmcp-{session.number}-{self._asks}"
            while len(self._asked) >= 1000:
                self._asked.pop(next(iter(self._asked)), None)
            self._asked[ours] = (session.number, message["id"])
            raw = dumps({**message, "id": ours})
        elif message.get("method") == "notifications/cancelled":
            theirs = (session.number, params_of(message).get("requestId"))
            for ours, known in list(self._asked.items()):
                if known == theirs:
                    self._asked.pop(ours, None)
                    raw = dumps({**message, "params": {**params_of(message), "requestId": ours}})
        elif is_answer(raw):
            return
        self.out.emit(raw)

    def _open_session(self, target: Target, limit: float) -> Session:
        target.contract_notice()
        hello = self.hello or {
            "params": {
                "protocolVersion": HANDSHAKE[-1],
                "capabilities": {},
                "clientInfo": {"name": "tdmcp-shim", "version": str(CONTRACT)},
            }
        }
        self._count += 1
        number = self._count
        own_id = f"tdmcp-shim-{number}"
        message = {
            "jsonrpc": "2.0",
            "id": own_id,
            "method": "initialize",
            "params": hello.get("params") or {},
        }
        answer, headers = self._ask(target, message, {}, limit)
        if "error" in answer:
            raise Refusal("internal_error", f"{target} refuses the handshake: {said(dumps(answer))}")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise Refusal("internal_error", f"{target} answers the handshake with nonsense.")
        session = Session(target, headers.get("mcp-session-id", ""), result, number)
        self.known.keep_introduction(result, result.get("serverInfo"))
        self._ask(target, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session.headers(), limit)
        # What the client told the server before this one.
        again = [m for m in (self._level, *self._subscribed.values()) if m is not None]
        for index, old in enumerate(again[:100]):
            self._ask(target, {**old, "id": f"{own_id}-{index}"}, session.headers(), limit)
        self.out.log(f"session {number} with {target}")
        return session

    def _ask(
        self, target: Target, message: dict[str, Any], headers: dict[str, str], limit: float = 0.0
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """A message of our own, and the answer with its headers ({} for a notification)."""
        connection = self.servers.take(target, limit)
        end = time.monotonic() + (limit or GIVE_UP)
        try:
            connection.request(
                "POST",
                {**self.servers.post_headers(target), **headers},
                dumps(message),
                patience=lambda: _until(end),
                timeout=min(PATIENCE, limit or PATIENCE),
                deadline=end,
            )
            self.servers.heard(target)
            if connection.status == 401:
                connection.read()
                self.servers.instances.forget()
                raise self.servers.key_refused(target)
            if connection.headers.get("content-type", "").lower().startswith("text/event-stream"):
                answer: dict[str, Any] = {}
                for event in events(connection.body()):
                    if answer or not event.data:
                        continue
                    if is_answer(event.data):
                        answer = json.loads(event.data)
                    else:
                        self.from_server(event.data, None)
                return answer, connection.headers
            body = connection.read()
            if "id" not in message:
                return {}, connection.headers
            try:
                reply = json.loads(body)
            except (ValueError, RecursionError):
                reply = None
            if not isinstance(reply, dict) or ("result" not in reply and "error" not in reply):
                raise Refusal(
                    "internal_error",
                    f"{target} answered the handshake with HTTP status {connection.status}"
                    + (f": {said(body)}" if said(body) else "."),
                    retryable=connection.status >= 500 or connection.status == 429,
                )
            return reply, connection.headers
        finally:
            self.servers.pool.give_back(connection)

    def _end_session(self, session: Session) -> None:
        """Leave a session that is over; questions the server asked in it are withdrawn."""
        self.current = None
        if session.stream is not None:
            session.stream.abort()
        for ours in [ours for ours, (number, _) in list(self._asked.items()) if number == session.number]:
            self._asked.pop(ours, None)
            params = {"requestId": ours, "reason": "TouchDesigner's server has ended"}
            self.out.notify("cancelled", params)

    def _tell_of(self, session: Session) -> None:
        """Tell the client that its lists are out of date, if it does not know this server yet."""
        with self._lock:
            if not self.ready or self._told == session.mark:
                return
            self._told = session.mark
        self._on_new()

    def _post(self, raw: bytes) -> None:
        session = self.current
        if session is None:
            return  # nobody to tell, and the next server starts afresh
        connection = self.servers.idle_or_new(session.target)
        end = time.monotonic() + GIVE_UP
        try:
            headers = {**self.servers.post_headers(session.target), **session.headers()}
            connection.request("POST", headers, raw, patience=lambda: _until(end), deadline=end)
            connection.read()
        finally:
            self.servers.pool.give_back(connection)

    def _open_stream(self, session: Session) -> None:
        if session.streaming or session.no_stream or not session.id:
            return
        session.streaming = True
        start_thread(self._follow, "Following a session", self.out.log, session)

    def _follow(self, session: Session) -> None:
        """The stream on which a server of the handshake era speaks unasked."""
        began = time.monotonic()
        try:
            connection = session.stream = self.servers.connect(session.target)
            headers = {
                **self.servers.common(session.target),
                **session.headers(),
                "Accept": "text/event-stream",
            }
            connection.request(
                "GET", headers, patience=self.servers.patience(session.target, connection, None)
            )
            if connection.status == 404:
                self.forget(session)
            elif connection.status != 200:
                session.no_stream = connection.status in (405, 406, 501)
            else:
                session.failures = 0
                connection.patience = lambda: None  # silence is what this stream is for
                for event in events(connection.body()):
                    if event.data:
                        self.servers.heard(session.target)
                        self.from_server(event.data, session)
        except OSError:
            pass
        finally:
            if session.stream is not None:
                session.stream.close()
            if time.monotonic() - began < 1.0:
                # A server that hangs up at once is asked more and more rarely.
                session.failures = min(session.failures + 1, 5)
                time.sleep(0.25 * 2**session.failures)
            session.streaming = False
            self.servers.instances.forget()
            self.servers.wake.set()


def _until(end: float) -> None:
    if time.monotonic() >= end:
        raise Unresponsive(GIVE_UP)

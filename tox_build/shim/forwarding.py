"""Getting a request answered by the server that is there now."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tox_build.shim.answering import Answering
from tox_build.shim.connections import (
    Connection,
    Dropped,
    Impostor,
    TooMuch,
    Unreachable,
    Unresponsive,
    Untrusted,
    events,
)
from tox_build.shim.constants import CHANGES, INSTANCE_KEY, LISTS, PATIENCE, SERVER_KEY, TASKS_KEPT
from tox_build.shim.flights import Flight, Outlet
from tox_build.shim.known import Known, announcing
from tox_build.shim.messages import Refusal, dumps, header_value, is_answer, said
from tox_build.shim.projects import Projects
from tox_build.shim.servers import (
    Servers,
    Session,
    refuse_impostor,
    refuse_lost,
    refuse_silence,
    refuse_unreachable,
    refuse_untrusted,
)
from tox_build.shim.sessions import Sessions
from tox_build.shim.subscriptions import Subscriptions
from tox_build.shim.targets import Target, lives

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Forwarding(Answering):
    """The server's side of each request."""

    def __init__(
        self, out: Outlet, known: Known, servers: Servers, projects: Projects | None, notice: str
    ) -> None:
        super().__init__(out, known, servers, projects, notice)
        self.sessions = Sessions(self.servers, self.out, self.known, lambda: self._announce(CHANGES))
        self.subscriptions = Subscriptions(self.servers, self.out)
        #: Which tool a task is a call of.
        self._tasks: dict[Any, Any] = {}

    def _forward(self, flight: Flight) -> None:
        """Get the request answered by the server that is there now, through restarts as far as that is safe.

        A request goes out twice only when it certainly was not carried out the first time, or has no effect.
        """
        began = time.monotonic()
        again = 0
        while not flight.cancelled and not self.servers.closing:
            try:
                target = self.servers.target()
                target.contract_notice()
            except Refusal as refusal:
                if refusal.code == "not_started" and self._worth_waiting(flight, began):
                    continue
                raise
            try:
                self.servers.look_alive(target)
                session = None if flight.modern else self.sessions.get(target)
                connection = self.servers.take(target, flight.limit)
            except Untrusted as problem:
                refuse_untrusted(target, problem)
            except Unreachable as problem:
                if self._worth_waiting(flight, began):
                    continue
                again += 1
                if isinstance(problem, Impostor):
                    if again < 3:
                        continue  # the entry may be newer by now
                    refuse_impostor(target)
                if target.pid and not lives(target) and again < 3:
                    self.servers.instances.forget()  # the registry knows better by now: say what it says
                    continue
                refuse_unreachable(target)
            except Unresponsive as silence:
                refuse_silence(target, silence, sent=False)
            except Dropped:
                again += 1
                if again < 3:
                    continue
                refuse_unreachable(target)
            flight.connection = connection
            if flight.cancelled:
                connection.close()
                return
            try:
                connection.request(
                    "POST",
                    self.servers.headers(flight, target, session),
                    flight.raw,
                    patience=self.servers.patience(target, connection, flight),
                    timeout=min(PATIENCE, flight.limit or PATIENCE),
                    sent=lambda: self._sent(flight),
                )
                self.servers.heard(target)
                if self._take(flight, target, session, connection):
                    return
                again += 1
            except Unresponsive as silence:
                self.sessions.withdraw(flight)
                refuse_silence(target, silence, sent=True)
            except TooMuch as much:
                raise Refusal(
                    "too_large",
                    f"{target} sent {much}, which no client could read.",
                    "Ask for less: fewer operators or fields, a smaller limit, depth or range. "
                    "The call itself may have been carried out: get_status lists your last edits.",
                ) from None
            except Dropped:
                if flight.cancelled or flight.answered:
                    return
                self.servers.instances.forget()
                again += 1
                if again >= 3 or not self._may_repeat(flight, target):
                    refuse_lost(target)
            finally:
                flight.connection = None
                self.servers.pool.give_back(connection)
            if again >= 4:
                raise Refusal("internal_error", f"{target} refuses to keep a session.", retryable=True)

    def _worth_waiting(self, flight: Flight, began: float) -> bool:
        # A list is known from before, and a changed one will be announced: nobody need wait for it.
        return flight.method not in LISTS and self.servers.worth_waiting(began)

    def _may_repeat(self, flight: Flight, target: Target) -> bool:
        """Whether a request that went out may go out again: a call only if it but looks, and did not end its server."""
        if flight.method != "tools/call":
            return True
        name = flight.params.get("name")
        tool = next(
            (t for t in self.known.get("tools", []) if isinstance(t, dict) and t.get("name") == name), {}
        )
        hints = tool.get("annotations")
        looks = isinstance(hints, dict) and hints.get("readOnlyHint") is True
        return looks and lives(target)

    def _sent(self, flight: Flight) -> None:
        # The flag first, then the look: `_cancel` does it the other way round, so that one of the two notices.
        flight.sent = True
        if flight.cancelled and not flight.modern:
            self.sessions.withdraw(flight)

    def _take(self, flight: Flight, target: Target, session: Session | None, connection: Connection) -> bool:
        """Pass the server's answer on. False: it could not say yet, ask again. Raises Refusal, Dropped."""
        status = connection.status
        kind = connection.headers.get("content-type", "").lower()
        if status == 200 and kind.startswith("text/event-stream"):
            self._stream(flight, target, session, connection)
            return True
        body = connection.read()
        if flight.cancelled and flight.modern:
            return True
        if status == 404 and session is not None and session.id:
            self.sessions.forget(session)
            return False
        if status == 401:
            self.servers.instances.forget()
            try:
                if self.servers.instances.choose().token != target.token:
                    return False
            except Refusal:
                pass
            raise self.servers.key_refused(target)
        if status == 429 or status == 503:
            pause = connection.headers.get("retry-after", "")
            # Latin-1 has digits that are no figures.
            seconds = float(pause) if pause.isascii() and pause.isdigit() and len(pause) < 6 else 1.0
            if time.monotonic() + seconds - flight.started < 4.0:
                time.sleep(seconds)
                return False
            raise Refusal(
                "busy",
                said(body) or f"{target} has too many requests to answer.",
                f"Repeat the call in {seconds:.0f} s.",
                retryable=True,
            )
        if status == 413:
            raise Refusal(
                "too_large",
                said(body) or f"The request of {len(flight.raw)} bytes is larger than the server takes.",
                "Send less in one call, or raise the component's size limit on its Performance page.",
            )
        if status == 403:
            raise Refusal("access_denied", said(body) or f"{target} refuses this computer's requests.")
        if kind.startswith("application/json") and b'"jsonrpc"' in body:
            if status >= 400:
                message = json.loads(body)
                if isinstance(message, dict) and message.get("id") is None:
                    body = dumps({**message, "id": flight.id})
            flight.answer(self._finished(flight, target, body))
            return True
        if status == 404:
            raise Refusal(
                "precondition_failed",
                f"There is a web server at {target.url.authority}, but no MCP server at {target.url.path}.",
                "Check the URL: the component's Server page shows it.",
            )
        raise Refusal(
            "internal_error",
            f"{target} answered with HTTP status {status}" + (f": {said(body)}" if said(body) else "."),
            retryable=status >= 500,
        )

    def _stream(
        self, flight: Flight, target: Target, session: Session | None, connection: Connection
    ) -> None:
        """An answer as a stream of events; a stream that breaks off is taken up again if the server offers that."""
        last = ""
        pause = 1.0
        opened: Connection | None = None
        stream = connection
        try:
            for _ in range(4):
                try:
                    for event in events(stream.body()):
                        last = event.id or last
                        pause = pause if event.retry is None else event.retry
                        self.servers.heard(target)
                        if not event.data or flight.answered:
                            continue
                        if is_answer(event.data):
                            flight.answer(self._finished(flight, target, event.data))
                            # The stream ends with its answer; one that does not is not waited for.
                            stream.patience = give_up
                        else:
                            self.sessions.from_server(event.data, session)
                except (Dropped, Unresponsive):
                    if not flight.answered and not last:
                        raise
                if flight.answered or flight.cancelled or not last or session is None:
                    break
                time.sleep(min(pause, 5.0))
                if opened is not None:
                    opened.close()
                opened = stream = self.servers.connect(target)
                headers = {**self.servers.common(target), **session.headers(), "Accept": "text/event-stream"}
                headers["Last-Event-ID"] = header_value(last)
                flight.connection = stream
                stream.request("GET", headers, patience=self.servers.patience(target, stream, flight))
                if stream.status != 200:
                    break
        finally:
            if opened is not None:
                opened.close()
        if not flight.answered and not flight.cancelled:
            raise Dropped("the stream ended without an answer")

    def _finished(self, flight: Flight, target: Target, raw: bytes) -> bytes:
        """The server's answer as the client gets it: almost always the very bytes."""
        notice = " ".join(filter(None, (self.notice, target.contract_notice())))
        several = self.servers.instances.several()
        if flight.method == "tools/call" and self.servers.instances.reached(target):
            several = True  # no longer the one the client has been working with: say so
        listed = LISTS.get(flight.method)
        if not notice and not several and listed is None and flight.method != "server/discover":
            return raw
        try:
            message = json.loads(raw)
            result = message["result"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return raw
        if not isinstance(result, dict):
            return raw
        if listed is not None and isinstance(result.get(listed), list):
            if not flight.params.get("cursor") and not result.get("nextCursor"):
                self.known.keep(listed, result[listed])
            if listed == "tools":
                result["tools"] = self._tools(result["tools"], last_page=not result.get("nextCursor"))
        elif flight.method == "server/discover":
            self.known.keep_introduction(result, (result.get("_meta") or {}).get(SERVER_KEY))
            message["result"] = result = announcing(result)
        if several:
            result.setdefault("_meta", {})[INSTANCE_KEY] = str(target)
        tool = flight.params.get("name")
        if result.get("resultType") == "task":
            self._tasks[result.get("taskId")] = tool
            if len(self._tasks) > TASKS_KEPT:
                self._tasks.pop(next(iter(self._tasks)))
        if flight.method == "tasks/get":
            # The answer of a long call is in its task.
            tool = self._tasks.get(flight.params.get("taskId"))
            result = result.get("result") if isinstance(result.get("result"), dict) else {}
        if flight.method in ("tools/call", "tasks/get") and isinstance(result.get("content"), list):
            notes = {"instance": str(target)} if several else {}
            if notice:
                notes["notice"] = notice
            result["content"].append(
                {"type": "text", "text": "\n".join(f"{name}: {text}" for name, text in notes.items())}
            )
            if isinstance(result.get("structuredContent"), dict) and tool in self._roomy:
                result["structuredContent"] = {**notes, **result["structuredContent"]}
        return dumps(message)

    def _announce(self, kinds: Iterable[str]) -> None:
        kinds = list(kinds)
        if self.sessions.ready:
            for kind in kinds:
                self.out.notify(f"{kind}/list_changed")
        self.subscriptions.announce(kinds)


def give_up() -> None:
    raise Dropped("the stream goes on after its answer")

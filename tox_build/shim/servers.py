"""How to talk to whichever server is there, and how to tell that it does not answer."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.connections import Connection, Dropped, Impostor, Pool, Unresponsive, Untrusted, Url
from tox_build.shim.constants import CONNECT_TIMEOUT, CONTRACT, GIVE_UP, HANDSHAKE, NAMED, RESTART_GAP
from tox_build.shim.flights import Flight
from tox_build.shim.instances import Instances
from tox_build.shim.messages import Refusal, _object, header_value
from tox_build.shim.targets import Target, lives

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Session:
    """A session of the handshake era with one server."""

    def __init__(self, target: Target, session_id: str, result: dict[str, Any], number: int) -> None:
        self.target = target
        self.id = session_id
        self.result = result
        self.version = str(result.get("protocolVersion") or HANDSHAKE[-1])
        self.number = number
        self.stream: Connection | None = None
        self.streaming = False
        self.no_stream = False
        self.failures = 0

    @property
    def mark(self) -> Any:
        """Differs when the lists may differ; without a registry entry any new session may be with a new server."""
        return self.target.key if self.target.entry else (self.target.key, self.number)

    def headers(self) -> dict[str, str]:
        headers = {"MCP-Protocol-Version": header_value(self.version)}
        if self.id:
            headers["Mcp-Session-Id"] = header_value(self.id)
        return headers


class Life:
    """Signs of life of one server, shared by all who wait for it."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self.silent = False
        #: Which contract it says it keeps; None until it was asked.
        self.terms: dict[str, Any] | None = None
        self._lock = threading.Lock()

    def sign(self) -> None:
        self.heard = time.monotonic()
        self.silent = False

    def probe(self, url: Url) -> bool:
        """Whether anything at all answers, within a second: `/health` needs neither key nor main thread."""
        asked = time.monotonic()
        with self._lock:
            if self.heard > asked:
                return True  # somebody else has just found out
            end = asked + 1.0

            def hurry() -> None:
                if time.monotonic() > end:
                    raise Unresponsive(1.0)

            try:
                connection = Connection(url, 1.0)
            except OSError:
                self.silent = True
                return False
            try:
                connection.request(
                    "GET", {"Connection": "close"}, path="/health", patience=hurry, timeout=0.5, deadline=end
                )
                self.terms = _object(connection.read(1 << 16))
            except OSError:
                self.silent = True
                return False
            finally:
                connection.close()
            self.sign()
            return True


class Servers:
    """How to talk to whichever server is there, and how to tell that it does not answer."""

    def __init__(self, instances: Instances, problem: str = "") -> None:
        self.instances = instances
        self.problem = problem
        self.pool = Pool()
        self.closing = False
        #: Set when somebody should look at once whether the server is another one.
        self.wake = threading.Event()
        self._lives: dict[str, Life] = {}
        self._contact = -1e9  # when a server was last there

    def target(self) -> Target:
        if self.problem:
            raise Refusal(
                "precondition_failed", self.problem, "Mend the client's configuration and restart it."
            )
        return self.instances.choose()

    def take(self, target: Target, limit: float = 0.0) -> Connection:
        """A connection to the server, which has said which contract it keeps. Raises Refusal, Unreachable."""
        connection = self.idle_or_new(target, limit)
        if not target.entry:
            life = self.life(target)
            # One that has been started again may be another one; and has none of the old connections.
            if life.terms is None or not connection.reused:
                life.probe(target.url)
            target.terms = life.terms or {}
            try:
                target.contract_notice()
            except Refusal:
                self.pool.give_back(connection)
                raise
        return connection

    def idle_or_new(self, target: Target, limit: float = 0.0) -> Connection:
        """A connection to the server, used before or not. Raises as `connect`."""
        return self.pool.take(target.url, target.instance_id, lambda: self.connect(target, limit))

    def connect(self, target: Target, limit: float = 0.0) -> Connection:
        """A new connection, at whose other end the very instance of the registry entry has shown itself.

        After a crash another program may have its port, and must not be shown its key. Asked on the same connection, so
        that nobody can come in between.

        Args:
            limit: seconds it may take; by default as long as the server shows signs of life.

        Raises:
            Impostor: it is another.
            Unreachable, Dropped, Unresponsive: it cannot be told.
        """
        connection = Connection(target.url, min(limit or CONNECT_TIMEOUT, CONNECT_TIMEOUT))
        if not (target.instance_id or target.instance_secret):
            return connection
        end = time.monotonic() + (limit or GIVE_UP)
        life = self.life(target)

        def wait() -> None:
            if time.monotonic() >= end:
                life.silent = True
                raise Unresponsive(limit or GIVE_UP)

        try:
            nonce = os.urandom(16).hex()
            connection.request(
                "GET",
                {"TDMCP-Nonce": nonce} if target.instance_secret else {},
                path="/health",
                patience=wait,
                timeout=min(0.5, limit or 0.5),
                deadline=end,
            )
            facts = _object(connection.read(1 << 16))
            if connection.status in (429, 503):
                raise Dropped(f"HTTP status {connection.status}")
            if str(facts.get("instance_id") or "") != target.instance_id or not target.is_proven(
                facts, nonce
            ):
                self.instances.forget()
                raise Impostor(f"{target.url.text} is not {target}")
            if not connection.reusable():
                raise Dropped("the server closed the connection")
        except BaseException:
            connection.close()
            raise
        connection.instance_id = target.instance_id
        life.sign()
        return connection

    def common(self, target: Target) -> dict[str, str]:
        headers = {"User-Agent": f"tdmcp-shim/{CONTRACT}"}
        if target.token:
            headers["Authorization"] = "Bearer " + target.token
        return headers

    def post_headers(self, target: Target) -> dict[str, str]:
        return {
            **self.common(target),
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def headers(self, flight: Flight, target: Target, session: Session | None) -> dict[str, str]:
        headers = self.post_headers(target)
        if session is not None:
            headers.update(session.headers())
            return headers
        headers["MCP-Protocol-Version"] = header_value(flight.version)
        headers["Mcp-Method"] = header_value(flight.method)
        name = flight.params.get(NAMED.get(flight.method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = header_value(name)
        return headers

    def worth_waiting(self, began: float) -> bool:
        """Whether a server was there a moment ago, so that it is probably only restarting; waits a little if so."""
        now = time.monotonic()
        if self.closing or now - began > RESTART_GAP or now - self._contact > RESTART_GAP * 3:
            return False
        last = self.instances.last
        if last is not None and not lives(last):
            return False
        time.sleep(0.1)
        self.instances.forget()
        return True

    def life(self, target: Target) -> Life:
        life = self._lives.get(target.url.authority)
        if life is None:
            life = self._lives[target.url.authority] = Life()
        return life

    def heard(self, target: Target) -> None:
        self._contact = time.monotonic()
        self.life(target).sign()

    def patience(self, target: Target, connection: Connection, flight: Flight | None) -> Callable[[], None]:
        """Wait on while the server is alive: how long a call may take is the server's business, not ours."""
        life = self.life(target)
        asked = time.monotonic()

        def wait() -> None:
            if flight is not None and flight.limit and time.monotonic() - asked >= flight.limit:
                raise Unresponsive(time.monotonic() - asked)
            if life.probe(target.url):
                return
            if target.pid and not lives(target):
                raise Dropped("the process has ended")
            silent = time.monotonic() - max(life.heard, connection.heard, asked)
            if silent >= GIVE_UP:
                raise Unresponsive(silent)

        return wait

    def look_alive(self, target: Target) -> None:
        """Send nothing to a server that was silent a moment ago and still is."""
        life = self.life(target)
        if life.silent and not life.probe(target.url):
            raise Unresponsive(time.monotonic() - life.heard)

    def key_refused(self, target: Target) -> Refusal:
        if self.instances.fixed_token:
            hint = "Put the new key into this client's configuration (--token or TDMCP_TOKEN) and restart the client."
        elif target.entry:
            hint = "Repeat the call in a moment; if that does not help, pulse Restart on the component."
        else:
            hint = (
                "Give this client a key of that TouchDesigner (--token or TDMCP_TOKEN), from another machine one that was "
                "made with tdmcp key add NAME --anywhere, and restart the client."
            )
        why = "the access key was renewed" if target.token else "an access key is needed and none was given"
        return Refusal("access_denied", f"{target.called} refuses this client: {why}.", hint)


def refuse_silence(target: Target, silence: Unresponsive, sent: bool) -> NoReturn:
    began = "The call may or may not have been carried out: before you repeat it, get_status lists your last edits."
    raise Refusal(
        "main_thread_stalled",
        f"{target.called} is busy: it has not responded for {silence.seconds:.0f} s. "
        "Perhaps a dialog is open, a file is loading, or something cooks for long.",
        began if sent else "The call was not sent. Repeat it when TouchDesigner responds again.",
        retryable=not sent,
    )


def refuse_unreachable(target: Target) -> NoReturn:
    if target.pid and lives(target):
        message = f"TouchDesigner is running ({target}), but its server at {target.url.text} does not answer."
        hint = "It is restarting, or the component is off: repeat the call in a moment, else switch it on."
    else:
        message = (
            f"Nothing answers at {target.url.text}: TouchDesigner isn't running or its component is off."
        )
        hint = (
            "Open your project, or check the URL against the component's Server page; then repeat the call."
        )
    raise Refusal("not_started", message, hint, retryable=True)


def refuse_untrusted(target: Target, fault: Untrusted) -> NoReturn:
    raise Refusal(
        "not_started",
        f"{target.url.text} answers, but its certificate is not accepted here: {str(fault).rstrip('.')}. Nothing was sent.",
        "Use the name that the certificate is for in --url, and start the client with SSL_CERT_FILE set to the PEM file "
        "of its authority if that is a private one.",
    )


def refuse_impostor(target: Target) -> NoReturn:
    raise Refusal(
        "not_started",
        f"Another program answers at {target.url.text}, where {target} should be; it was shown no access key.",
        "Pulse Restart on the component's Server page, or open the project again; then repeat the call.",
        retryable=True,
    )


def refuse_lost(target: Target) -> NoReturn:
    ended = "closed the connection"
    for _ in range(10 if target.pid else 0):
        if not lives(target):
            ended = "ended"
            break
        time.sleep(0.02)  # a process lives a little longer than its sockets
    raise Refusal(
        "td_error",
        f"{target.called} {ended} in the middle of the call; whether it was carried out is not known.",
        "Before you repeat it call get_status: it lists your last edits and whether they stand. If TouchDesigner crashed, open "
        "the project again, and look at it.",
    )

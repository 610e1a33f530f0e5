"""One run of the server, from its start to its end, on its own thread; never used twice.

Importing this is cheap: everything heavy is imported on the server's thread. The main thread only looks (`phase`,
`sentence`, `url` …, plain values) and asks (`apply`, `end` …, which return at once).
"""

from __future__ import annotations

import json
import math
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tdmcp_embedded import file_modes, processes, threads
from tdmcp_embedded.checking import (
    CannotServe,
    check_tls,
    explained,
    exposure,
    listening_address,
    reachable_address,
    validated,
    whole,
)
from tdmcp_embedded.file_modes import NotPrivate
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.logs.log import Log

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp

    from tdmcp_embedded.discovery import Announcer
    from tdmcp_embedded.http.browser_codes import BrowserCodes
    from tdmcp_embedded.http.oauth.agents import Agents
    from tdmcp_embedded.http.oauth.desk import Desk
    from tdmcp_embedded.http.thread import ServerThread, State
    from tdmcp_embedded.protocol.server import McpServer
    from tdmcp_embedded.settings import Settings

#: Settings that take effect with a new server only.
RESTARTING = ("address", "port", "port_scan", "tls_certificate", "tls_key", "announce", "oauth")
#: Settings and facts that change which tools clients see.
LISTING = ("access_level", "perform_level", "toolset", "oauth_level")
#: Facts that stand in the registry of running servers.
REGISTERED = ("project", "project_folder", "component", "name", "build", "python")


#: Seconds without a frame after which the server sees whether its component is gone, and between two looks.
WATCH_PAUSE = 3.0

#: Seconds without a frame after which the server ends by itself, where the main thread cannot be asked whether the component
#: is still there, and where it was asked and has not answered: behind a dialog nothing answers either. With the next frame
#: of the component it starts again.
ASKING_IMPOSSIBLE = 50.0
ASKED_IN_VAIN = 900.0

#: Seconds between two checks of the public address.
PUBLIC_PAUSE = 300.0


class Phase(StrEnum):
    STARTING = "starting"
    SERVING = "serving"
    FAILED = "failed"
    ENDED = "ended"


@dataclass(frozen=True)
class Outcome:
    """What became of changed values: in force, or only after a restart, or not at all (`problem` says why)."""

    restart: bool = False
    problem: str = ""


class Serving:
    """One run of the server.

    `facts` is the live dictionary of `Embedded.facts`; `values` are custom parameter values by name, which become the
    `Settings` on the server's thread. `no_frames` is called on that thread while no frame comes. `version` counts up with every change of what the main thread looks at.
    """

    def __init__(
        self,
        td: Any,
        queue: FrameQueue,
        facts: dict[str, Any],
        values: dict[str, Any],
        log: Log | None = None,
        *,
        no_frames: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.phase = Phase.STARTING
        self.version = 0
        self.sentence = ""
        """Why it failed; one sentence for a person."""
        self.final = False
        """Whether starting again would fail in the same way."""
        self.warning = ""
        """What a person should know while it serves."""
        self.asked = ("", "")
        """The remote agent that waits to be let in: its id, and a sentence for the person; empty if there is none."""
        self.url = ""
        """For clients on other machines, where they reach it, else the local one."""
        self.local_url = ""
        """For this machine's own clients: plain HTTP at 127.0.0.1."""
        self.port = 0
        self.key = ""
        self.settings: Settings | None = None
        self._td, self._queue, self._facts, self._values = td, queue, facts, values
        self._thread: ServerThread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._public_changed: asyncio.Event | None = None
        self._mcp: McpServer | None = None
        self._codes: BrowserCodes | None = None
        self._agents: Agents | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Future[None]] = set()
        self._performing = bool(facts.get("perform_mode"))
        self._log = log or Log()
        self._no_frames = no_frames
        self._warnings: dict[str, str] = {}
        self._instance_id = secrets.token_urlsafe(16)
        self._instance_secret = secrets.token_urlsafe(32)

    # -- main thread -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread; returns at once."""
        from tdmcp_embedded.http.thread import ServerThread

        values = self._values
        try:
            # Before everything else, since the thread binds first and imports what validates settings later.
            port = whole("Port", values.get("Port", 9988), 65535)
            scan = whole("Portscan", values.get("Portscan", 10), 100)
        except CannotServe as refusal:
            self._fail(str(refusal), final=True)
            return
        self._thread = ServerThread(
            self._build,
            address=listening_address(str(values.get("Address", "127.0.0.1"))),
            port=port,
            scan=scan,
            on_state=self._on_state,
            certificate=str(values.get("Tlscertificate", "")),
            certificate_key=str(values.get("Tlskey", "")),
        )
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread still runs, and may hold its port."""
        return self._thread is not None and self._thread.alive

    def end(self) -> None:
        """Ask it to end; returns at once."""
        self._in_loop(self._leave)
        if self._thread is not None:
            self._thread.request_stop()

    def join(self, timeout: float) -> bool:
        """Wait for the end, at most `timeout` seconds; whether it came."""
        return self._thread is None or self._thread.stop(timeout)

    def _fail(self, sentence: str, *, final: bool) -> None:
        self.sentence, self.final, self.phase = sentence, final, Phase.FAILED
        # Last, since the main thread looks at the rest when this has changed.
        self.version += 1

    def apply(self, values: dict[str, Any]) -> Outcome:
        """Put changed values in force where that can be done live; only while it serves."""
        assert self.settings is not None
        try:
            settings = validated(values)
        except CannotServe as refusal:
            return Outcome(problem=f"{refusal} The former value stays in force.")
        former, self.settings, self._values = self.settings, settings, values
        changed = {
            name for name in type(settings).model_fields if getattr(former, name) != getattr(settings, name)
        }
        if changed.intersection(RESTARTING):
            return Outcome(restart=True)
        self._queue.budget_ms = settings.budget_ms
        self._queue.capacity = settings.queue_size
        if changed.intersection(LISTING):
            self._in_loop(self._announce)
        if "public_address" in changed:
            self._in_loop(self._public_address_changed)
        return Outcome()

    def facts_changed(self) -> None:
        """The facts were sampled anew: tell clients and the registry what matters to them."""
        performing = bool(self._facts.get("perform_mode"))
        if performing != self._performing:
            self._performing = performing
            settings = self.settings
            if settings is not None and settings.perform_level is not settings.access_level:
                self._in_loop(self._announce)
        self._in_loop(self._register)

    def renew_key(self) -> None:
        """Make a new access key; the old one stops working at once."""
        self._in_loop(self._renew)

    def decide(self, request_id: str, approve: bool) -> None:
        """Let a remote agent in that waits, or turn it away."""
        self._in_loop(lambda: self._with_agents(lambda agents: agents.decide(request_id, approve)))

    def forget_agents(self) -> None:
        """Turn out every remote agent; their tokens are dead at once."""
        self._in_loop(lambda: self._with_agents(lambda agents: agents.revoke_all()))

    def open_dashboard(self) -> None:
        """Show the dashboard in the browser of this machine; on a thread, since starting a program takes its time."""
        if self.phase is Phase.SERVING:
            threads.start(self._show_dashboard, "browser")

    def _show_dashboard(self) -> None:
        import webbrowser

        address = self.local_url.removesuffix("mcp")
        # No key: other users of this machine can read command lines. In the fragment, which browsers send to nobody.
        if self._codes is not None and webbrowser.open(f"{address}#code={self._codes.make()}"):
            self.warn("browser", "")
        else:
            self.warn("browser", f"No browser could be opened; the dashboard is at {address}.")

    @property
    def shown_url(self) -> str:
        """What clients are told: the public address where there is one."""
        public = self.settings.public_address if self.settings is not None else ""
        return f"{public}/mcp" if public else self.url

    def client_config(self) -> str:
        """A client configuration as JSON text, as most clients read it."""
        server: dict[str, Any] = {"type": "http", "url": self.shown_url}
        if self.settings is not None and self.settings.public_address:
            # The owner's key is for this machine only, and a client that signs in needs none.
            if not self.settings.oauth:
                key = "KEY of: tdmcp key add NAME --level edit --anywhere"
                server["headers"] = {"Authorization": f"Bearer {key}"}
        elif self.settings is not None and self.settings.require_key:
            server["headers"] = {"Authorization": f"Bearer {self.key}"}
        return json.dumps({"mcpServers": {"touchdesigner": server}}, indent=2)

    def warn(self, subject: str, sentence: str) -> None:
        """Say what a person should know while it serves, or with "" that there is nothing more to say. Any thread."""
        if self._warnings.get(subject, "") == sentence:
            return
        self._warnings[subject] = sentence
        self.warning = " ".join(text for text in list(self._warnings.values()) if text)
        self.version += 1

    def _in_loop(self, work: Callable[[], None]) -> None:
        """Have something done on the server's thread; not at all if that has ended meanwhile."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop was closed this moment
                loop.call_soon_threadsafe(work)

    # -- server thread ---------------------------------------------------------------------------------------

    def _on_state(self, state: State) -> None:
        """News of the thread, on the thread."""
        from tdmcp_embedded.http.thread import Phase as ThreadPhase

        if state.phase is ThreadPhase.SERVING:
            self.phase = Phase.SERVING
        elif state.phase is ThreadPhase.STOPPED:
            self.phase = Phase.ENDED
        elif state.phase is ThreadPhase.FAILED:
            sentence, final = explained(state)
            self._fail(sentence, final=final)
            return
        self.version += 1

    def _build(self, port: int) -> ASGIApp:
        """The application, once the port is known and the heavy imports are done."""
        from tdmcp_embedded.http.cryptography_stub import import_sdk

        import_sdk()  # before anything else of the SDK
        from tdmcp_embedded.files import home
        from tdmcp_embedded.http.app import build_app
        from tdmcp_embedded.http.browser_codes import BrowserCodes
        from tdmcp_embedded.http.certificate_names import names
        from tdmcp_embedded.http.dashboard import Dashboard
        from tdmcp_embedded.http.keys import Keys
        from tdmcp_embedded.instances import Entry
        from tdmcp_embedded.projects import History
        from tdmcp_embedded.protocol.server import Host, McpServer

        settings = self.settings = validated(self._values)
        scheme = "https" if settings.tls_certificate else "http"
        check_tls(settings.tls_certificate, settings.tls_key)
        self._queue.budget_ms = settings.budget_ms
        self._queue.capacity = settings.queue_size
        try:
            self._keys = Keys(home() / "keys.json")
            # For scripted set-ups: the key of this user, instead of a random one.
            self.key = self._keys.first(os.environ.get("TDMCP_TOKEN", "")).token
        except NotPrivate as error:
            raise CannotServe(str(error)) from None
        self.port = port
        self.url = f"{scheme}://{reachable_address(listening_address(settings.address))}:{port}/mcp"
        assert self._thread is not None
        self.local_url = f"http://127.0.0.1:{self._thread.local_port}/mcp"
        self._facts.update(url=self.shown_url, local_url=self.local_url, port=port)
        self.warn("port", self._thread.notice)
        self._look_at_exposure()
        self._look_at_rights()
        self._entry = Entry()
        self._history = History()
        host = Host(self._td, self._queue, self._current_settings, self._facts, self._log)
        self._mcp = McpServer(host)
        self._codes = BrowserCodes()
        self._dashboard = Dashboard(
            host,
            self._keys,
            sessions=self._mcp.session_count,
            is_open=self._mcp.is_open,
            warning=lambda: self.warning,
            renewed=self._register,
            consents=self._make_desk() if settings.oauth else None,
            codes=self._codes,
        )
        return build_app(
            self._mcp.asgi,
            lifespan=self._lifespan,
            queue=self._queue,
            keys=self._keys,
            settings=self._current_settings,
            sessions=self._mcp.session_count,
            log=self._log,
            agents=self._agents,
            certified=names(settings.tls_certificate) if settings.tls_certificate else (),
            extra=self._dashboard.endpoints(),
            instance_id=self._instance_id,
            instance_secret=self._instance_secret,
        )

    def _make_desk(self) -> Desk:
        from tdmcp_embedded.files import home
        from tdmcp_embedded.http.oauth.agents import Agents
        from tdmcp_embedded.http.oauth.consents import Consents
        from tdmcp_embedded.http.oauth.desk import Desk
        from tdmcp_embedded.http.oauth.store import Store, remove_old
        from tdmcp_embedded.projects import identity

        remove_old(home(), time.time())
        try:
            store = Store(home() / f"oauth-{identity(self._facts)}.json")
        except NotPrivate as error:
            raise CannotServe(str(error)) from None
        self._agents = Agents(
            store, Consents(self._look_at_consents), lambda: self._current_settings().oauth_level, self._log
        )
        return Desk(self._agents)

    def _look_at_consents(self) -> None:
        waiting = self._agents.consents.waiting() if self._agents is not None else []
        self.asked = (waiting[0].id, waiting[0].sentence()) if waiting else ("", "")
        self.warn("consent", _waiting_sentence([request.client_name for request in waiting]))
        if waiting and self._loop is not None and self._agents is not None:
            # Whoever waits may have closed the browser, and then nobody asks any more.
            left = min(self._agents.consents.left(request) for request in waiting)
            if self._expiry is not None:
                self._expiry.cancel()
            self._expiry = self._loop.call_later(left + 0.1, self._look_at_consents)

    def _with_agents(self, work: Callable[[Agents], object]) -> None:
        if self._agents is not None:
            work(self._agents)

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        """Entered once the port is bound, left when the server ends."""
        import asyncio

        from tdmcp_embedded import instances

        assert self._mcp is not None
        async with self._mcp.lifespan():
            self._loop = asyncio.get_running_loop()
            self._register()
            # Looking through the registry removes what crashed servers left there.
            instances.listing()
            announcer = self._announcer()
            watches = [
                asyncio.ensure_future(self._watch_frames()),
                asyncio.ensure_future(self._watch_public()),
            ]
            try:
                yield
            finally:
                for watch in watches:
                    watch.cancel()
                self._loop = None
                self._entry.remove()
                if announcer is not None:
                    announcer.end()

    async def _watch_frames(self) -> None:
        """Say so, again and again, while no frame comes: the component may be gone without a word (fact 59)."""
        import asyncio

        while True:
            await asyncio.sleep(WATCH_PAUSE)
            stalled = self._queue.stalled_for
            if stalled <= WATCH_PAUSE:
                continue
            waited = self._no_frames()
            # TouchDesigner's objects must not be asked from here, so it ends without knowing.
            if stalled > ASKING_IMPOSSIBLE and (waited == math.inf or waited > ASKED_IN_VAIN):
                self._end_alone(stalled)

    def _end_alone(self, stalled: float) -> None:
        """End on the server's own thread: nobody may come by any more."""
        self.sentence = (
            f"No frame came for {stalled:.0f} s, so the server ended; it starts again now that one has come."
        )
        self._log.event("warning", f"No frame came for {stalled:.0f} s: the server ends until one comes.")
        self._queue.close("The server ended, since TouchDesigner gave it no frames.")
        self._leave()
        if self._thread is not None:
            self._thread.request_stop()

    async def _watch_public(self) -> None:
        """Check the public address, on a thread: now, when it changes, and from time to time."""
        import asyncio

        self._public_changed = asyncio.Event()
        while True:
            self._public_changed.clear()
            public = self._current_settings().public_address
            if public:
                threads.start(self._check_public, "public-address", public)
            else:
                self.warn("public", "")
            with suppress(TimeoutError):
                async with asyncio.timeout(PUBLIC_PAUSE if public else None):
                    await self._public_changed.wait()

    def _check_public(self, public: str) -> None:
        from tdmcp_embedded.public_address import check

        sentence = check(public, self.local_url.removesuffix("/mcp"))
        if self._current_settings().public_address == public:
            self.warn("public", sentence)

    def _public_address_changed(self) -> None:
        self._register()
        if self._public_changed is not None:
            self._public_changed.set()

    def _announcer(self) -> Announcer | None:
        """Who announces this server on the local network, if that is wanted and of use."""
        from tdmcp_embedded.http.hosts import is_loopback

        settings = self._current_settings()
        if not settings.announce:
            return None
        address = listening_address(settings.address)
        if is_loopback(address):
            self.warn("announce", f"Announce has no effect while Address is {address}.")
            return None
        from tdmcp_embedded.discovery import Announcer

        shown = f"[{address}]" if ":" in address else address
        url = f"{self.url.partition('://')[0]}://{shown}:{self.port}/mcp"
        return Announcer(url, self._facts, lambda sentence: self.warn("announce", sentence))

    def _look_at_exposure(self) -> None:
        remote = any(not key.local_only for key in self._keys)
        self.warn("exposure", exposure(self._current_settings(), remote))

    def _look_at_rights(self) -> None:
        from tdmcp_embedded.files import home

        self.warn("profile", file_modes.outside_profile(str(home()), os.path.expanduser("~")))
        self.warn("modes", file_modes.warning())
        self.warn(
            "elevated",
            "TouchDesigner runs as administrator: programs started without that may not be able to read what it writes. "
            "Start it without."
            if processes.elevated()
            else "",
        )

    def _current_settings(self) -> Settings:
        assert self.settings is not None
        return self.settings

    def _register(self) -> None:
        """Enter, or update, the registry of running servers; also takes over a key that another server renewed."""
        if self._loop is None:
            return
        try:
            self.key = self._keys.first().token
            self._look_at_exposure()
            self._look_at_consents()
            facts = {name: self._facts.get(name, "") for name in REGISTERED}
            facts |= {
                "url": self.local_url,
                "token": self.key,
                "dashboard": self.local_url.removesuffix("mcp"),
            }
            facts["network_url"] = self.url if self.url != self.local_url else ""
            facts["instance_id"] = self._instance_id
            facts["instance_secret"] = self._instance_secret
            facts["public"] = self._current_settings().public_address
            if self._entry.path is None or not self._entry.path.exists():
                self._entry.write(**facts)
            else:
                self._entry.update(**facts)
            self._history.note(self._facts)
        except OSError as error:
            self.warn(
                "registry", f"Desktop clients cannot find it: the registry cannot be written ({error})."
            )
        else:
            self.warn("registry", "")
            self.warn("modes", file_modes.warning())

    def _leave(self) -> None:
        """About to end: clients must not find us any more, and open streams end in good order."""
        self._loop = None
        self._entry.remove()
        if self._mcp is not None:
            self._mcp.close_streams()
            self._dashboard.close()

    def _announce(self) -> None:
        import asyncio

        assert self._mcp is not None
        task = asyncio.ensure_future(self._mcp.announce_tools())
        # The loop itself keeps no reference to a task.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _renew(self) -> None:
        from tdmcp_embedded.http.keys import FIRST

        try:
            self._keys.renew()
        except OSError as error:
            self.warn("key", f"The access key could not be renewed: {error}.")
        else:
            self.warn("key", "")
            self._log.access("The access key was renewed at the component.", "ok", key=FIRST)
        self._register()


def _waiting_sentence(names: list[str]) -> str:
    """What Status says while agents wait for approval."""
    if not names:
        return ""
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    verb = "wait" if others else "waits"
    return f"{names[0]}{others} {verb} for your approval: compare the code, then pulse Approve or Deny (page Security)."

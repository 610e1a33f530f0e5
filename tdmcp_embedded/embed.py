"""Starting the server inside TouchDesigner: the one boot function, and the server object it gives.

    from tdmcp_embedded import embed
    import td
    server = embed.start(op('/project1'), td, {'Port': 9988})

That is all a person needs who manages TouchDesigner's Python themselves; the component does the same. `owner` is the
COMP the server belongs to: one server per owner, ended when it is deleted. Its custom parameters `Status`, `Url`,
`Version` and `Consent`, where it has them, show what goes on.

Everything here runs on the main thread and returns at once. Importing it is cheap, which an import on the main thread
must be; what else is needed is imported on a thread (`loading.py`), and the server starts on its own (`serving.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tdmcp_embedded import __version__, host_facts, lifeline, main_thread
from tdmcp_embedded.display import Display, Status
from tdmcp_embedded.loading import Loading
from tdmcp_embedded.pump import Follow, Pump
from tdmcp_embedded.touchdesigner.builds import run_later

if TYPE_CHECKING:
    from types import ModuleType

    from tdmcp_embedded.frame_queue import FrameQueue
    from tdmcp_embedded.logs.log import Log
    from tdmcp_embedded.serving import Serving

#: Pauses (seconds) before starting again after an unexpected failure; after the last one it stays down.
RETRY_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
#: A server that ran this long (seconds) had no failed start: the count of failures begins anew.
GOOD_RUN = 60.0
#: How long (seconds) a new server waits for one that is ending, so that it can have the same port.
ENDING_PATIENCE = 3.0

#: Frames between two looks at what the server's thread has to say and at whether the component still exists. Both cost
#: more than all the rest of a frame in which nothing happens.
EVERY_FRAMES = 4

_clock = time.monotonic
_loading = Loading()

_servers: dict[int, Embedded] = {}
#: Runs that were asked to end and may still hold a port, with the time they were asked.
_ending: list[tuple[float, Serving]] = []


def start(
    owner: Any, td: Any, values: dict[str, Any] | None = None, *, log: Any = None, notice: str = ""
) -> Embedded:
    """Start the server of a component, or give the one it has. Main thread; returns at once.

    Args:
        owner: the COMP it belongs to.
        td: TouchDesigner's module (`import td`).
        values: settings by custom parameter name (`{"Port": 9988}`); missing ones take their defaults.
        log: a table DAT (columns as in `display.COLUMNS`) that gets a row for each event, if wanted.
        notice: a sentence for its status, as long as it serves.
    """
    server = find(owner)
    if server is None:
        # One whose component was deleted in this very frame lets go of its port first.
        _sweep()
        server = Embedded(owner, td, dict(values or {}), log=log, notice=notice)
        _servers[server.owner_id] = server
        server.begin()
    return server


def find(owner: Any) -> Embedded | None:
    """The server of a component. It outlives the component's extension, which TouchDesigner builds anew at will.

    Whoever asks is a sign of life: if the server gets no frames meanwhile (see `pump.py`), it does from here on.
    """
    server = _servers.get(owner.id)
    # After another project was opened, the id may be that of an operator which is gone (fact 59).
    if server is None or server.end_if_gone():
        return None
    server.look_alive()
    return server


def lead_frames(owner: Any, follow: Follow) -> bool:
    """From onFrameStart of the component: have each frame told to its server.

    Args:
        owner: the component.
        follow: takes what to tell of each frame, None for nothing; called whenever that changes.

    Returns:
        Whether the component has a server.
    """
    server = _servers.get(owner.id)
    if server is None or server.end_if_gone():
        return False
    server.frames.lead(follow)
    return True


def released(td: Any) -> None:
    """An extension was torn down: see in two frames whether its component is gone, and end its server if so."""
    run_later(td, _sweep, delayFrames=2, delayRef=td.op.TDResources)


def play_changed() -> None:
    """From onPlayStateChange: the timeline was paused, or goes on."""
    for server in list(_servers.values()):
        server.play_changed()


def _look_from_afar() -> float:
    """No frame has come for a while; on the server's thread. See on the main thread whether the component is gone.

    Returns:
        Seconds for which the main thread has been waited for, infinite where it cannot be asked.
    """
    main_thread.call_soon(_sweep)
    return main_thread.unanswered()


def _drop_lifeline() -> None:
    """Unless a server still needs it."""
    if not any(server.frames.awake and server.facts.get("playing") is False for server in _servers.values()):
        lifeline.drop()


def _look_alive() -> None:
    for server in list(_servers.values()):
        server.look_alive()


def _sweep() -> None:
    """End the servers whose component is gone."""
    for server in list(_servers.values()):
        server.end_if_gone()


def _in_turn(*parts: Callable[[], object]) -> list[Exception]:
    """Do every part, whatever the others raise; what they raised."""
    raised = []
    for part in parts:
        try:
            part()
        except Exception as error:  # noqa: BLE001 - each is as important as the others
            raised.append(error)
    return raised


class Embedded:
    """The running server of one component. Make it with `start`. Main thread only, unless stated."""

    def __init__(
        self, owner: Any, td: Any, values: dict[str, Any], *, log: Any = None, notice: str = ""
    ) -> None:
        self.owner_id: int = owner.id
        self.status = Status()
        self.facts: dict[str, Any] = {}
        """Facts about TouchDesigner and this server; plain values, to be read from any thread."""
        self.queue: FrameQueue | None = None
        """The frame queue of the present run; none before the first."""
        self.log: Log | None = None
        """What happened, over all runs; none before the first. Any thread."""
        self._owner, self._td = owner, td
        self.frames = self._pump = Pump(td, self.pump, self._say_revived)
        """To be told of each frame of the timeline that begins."""
        self._display = Display(owner, log)
        self._values = values
        self._pending: dict[str, Any] = {}
        self._notice = notice
        self._problem = ""
        self._serving: Serving | None = None
        self._host_log: ModuleType | None = None
        self._seen = -1
        self._wanted = False
        self._start_at = 0.0
        self._served_since = 0.0
        self._failures = 0
        self._frames = 0
        self._gone = False
        self._asked = ("", "")
        self._unread: set[str] = set()
        """Facts that could not be read; each is logged once."""

    # -- what a person does --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Called by `start`: sample the facts, start the pump, and the server unless it is switched off."""
        self.sample()
        self._wanted = bool(self._values.get("Active", True))
        self._show(Status("starting", "Starting.") if self._wanted else Status())
        self._display.ask("")
        self._step()
        self._pump.arm()

    def apply(self, values: dict[str, Any]) -> None:
        """Parameters changed. Taken at the next frame: live where that can be, else by a restart.

        A value may be an exception (the parameter could not be evaluated): it is reported, and the old one kept.
        """
        self._pending.update(values)
        self._pump.arm()

    def restart(self) -> None:
        """End the server and start it again, also after it had given up."""
        self._failures, self._start_at = 0, 0.0
        self._wanted = True
        raised = _in_turn(
            lambda: self._end("The server is being restarted."),
            lambda: self._show(Status("starting", "Restarting.")),
            # A new chain in any case: somebody may have cancelled the old one while the timeline was paused.
            self._pump.rearm,
        )
        _in_turn(*(partial(self._note_failure, error) for error in raised))

    def stop(self, wait: float = 0.0) -> None:
        """End the server for good and free its port; afterwards `start` makes a new one.

        `wait` is how long (seconds) to wait for the thread: only when the process is about to end.
        """
        if self._gone:
            return
        ending = self._serving
        self._wanted, self._gone = False, True
        # First, so that nobody finds it any more, whatever one of the parts may raise.
        if _servers.get(self.owner_id) is self:
            del _servers[self.owner_id]
        raised = _in_turn(
            lambda: self._end("The server was stopped."),
            self._pump.end,
            _drop_lifeline,
            lambda: self._show(Status()),
        )
        raised += _in_turn(*(partial(self._note_failure, error) for error in raised), self._close_log)
        if ending is not None and wait > 0:
            ending.join(wait)
            if self.log is not None:
                self.log.join(wait)

    def _close_log(self) -> None:
        if self._host_log is not None and self.log is not None:
            self._host_log.detach(self.log)
            self.log.close()

    def _note_failure(self, error: Exception) -> None:
        self._note(f"A part of the end failed: {type(error).__name__}: {error}", "warning")

    def renew_key(self) -> None:
        """Make a new access key; the old one stops working at once."""
        if self._serving is not None:
            self._serving.renew_key()

    def open_dashboard(self) -> None:
        """Show the dashboard in the browser of this machine."""
        if self._serving is not None:
            self._serving.open_dashboard()

    def decide(self, approve: bool) -> None:
        """Let in, or turn away, the remote agent that the component shows at this moment."""
        if self._serving is not None and self._asked[0]:
            self._serving.decide(self._asked[0], approve)

    def forget_agents(self) -> None:
        """Turn out every remote agent that was let in; they have to ask again."""
        if self._serving is not None:
            self._serving.forget_agents()

    @property
    def key(self) -> str:
        """The access key, or nothing while it is not known."""
        return self._serving.key if self._serving is not None else ""

    def client_config(self) -> str:
        """A ready-made client configuration as JSON text, with address and access key."""
        return self._serving.client_config() if self._serving is not None else ""

    def stats(self) -> dict[str, Any]:
        """What the frame queue has counted, JSON-ready. Any thread."""
        return self.queue.stats() if self.queue is not None else {}

    # -- the pump ------------------------------------------------------------------------------------------

    def play_changed(self) -> None:
        """The timeline was paused, or goes on."""
        if self._pump.awake:
            self._pump.rearm()  # awake: whether frames are told of from now on is to be seen
            self.sample()

    def look_alive(self) -> None:
        """Whenever somebody comes by: if there were no frames for a while, somebody killed the chain; start it anew."""
        if not self.end_if_gone() and self._pump.silent():
            self._pump.revive()

    def _say_revived(self) -> None:
        self._note("The frame pump had been stopped by a script; it runs again.", "warning")

    def end_if_gone(self) -> bool:
        """Whether the component was deleted, perhaps by undo; then nothing of it may stay behind."""
        try:
            if self._owner.valid:
                return False
        except Exception:  # noqa: BLE001, S110 - of an operator that is gone, TouchDesigner may refuse even that
            pass
        self.stop()
        return True

    def pump(self) -> None:
        """The work of one frame."""
        if self.queue is not None:
            self.queue.pump()
        self._frames += 1
        if (self._pending or self._frames % EVERY_FRAMES == 0) and not self.end_if_gone():
            if self._frames % host_facts.EVERY_FRAMES == 0:
                self.sample()
            self._step()
            if self._is_idle():
                self._pump.sleep()
                _drop_lifeline()

    def _is_idle(self) -> bool:
        """Whether nothing can happen until somebody changes a parameter: switched off, or given up."""
        busy = self._wanted or self._serving is not None or self._pending
        return not busy and (self.log is None or self._display.is_current(self.log.ring))

    # -- one step of the life cycle, every frame -------------------------------------------------------------

    def _step(self) -> None:
        if self.log is not None:
            self._display.follow(self.log.ring)
        serving = self._serving
        asked = serving.asked if serving is not None else ("", "")
        if asked != self._asked:
            self._asked = asked
            self._display.ask(asked[1])
        if serving is not None and serving.version != self._seen:
            self._seen = serving.version
            self._follow(serving)
        if self._pending and not (serving is not None and serving.phase == "starting"):
            self._take_changes()
        waiting = self._wanted and self._serving is None and _clock() >= self._start_at
        if waiting and self._port_is_free() and _loading.done():
            self._launch()

    def _launch(self) -> None:
        global _loading
        if _loading.failure:
            self._wanted = False
            self._show(Status("failed", _loading.failure))
            # Whoever tries again may have installed what was missing.
            _loading = Loading()
            return
        from tdmcp_embedded import frame_queue, host_log, serving

        if self.log is None:
            self._open_log(host_log)
        # A queue that was closed stays closed: every run has its own.
        self.queue = frame_queue.FrameQueue(frame_end=lambda work: run_later(self._td, work, endFrame=True))
        self._serving = serving.Serving(
            self._td, self.queue, self.facts, dict(self._values), self.log, no_frames=_look_from_afar
        )
        self._seen = -1
        self._show(Status("starting", "Starting."))
        self._serving.start()

    def _open_log(self, host_log: ModuleType) -> None:
        from tdmcp_embedded.files import home
        from tdmcp_embedded.logs.log import Log

        self.log = Log(home() / "logs", self._log_trouble)
        self._host_log = host_log
        host_log.attach(self.log)

    def _log_trouble(self, sentence: str) -> None:
        """The log's files cannot be written, or can again; on the log's thread."""
        serving = self._serving
        if serving is not None:
            serving.warn("log", sentence)

    def _note(self, event: str, level: str = "info") -> None:
        if self.log is None:
            self._display.note(event, level)
        else:
            self.log.event(level, event)
            self._display.follow(self.log.ring)

    def _follow(self, serving: Serving) -> None:
        """The server thread has news."""
        if serving.phase == "serving":
            if self.status.state != "serving":
                self._served_since = _clock()
            self._show(self._serving_status(serving))
        elif serving.phase in ("failed", "ended"):
            self._fail(serving)

    def _fail(self, serving: Serving) -> None:
        if self.status.state == "serving" and _clock() - self._served_since > GOOD_RUN:
            self._failures = 0
        sentence = serving.sentence or "The server ended unexpectedly."
        self._end(sentence)
        if serving.final:
            self._wanted = False
            self._show(Status("failed", sentence))
        elif self._failures < len(RETRY_PAUSES):
            pause = RETRY_PAUSES[self._failures]
            self._failures += 1
            self._start_at = _clock() + pause
            self._show(Status("failed", f"{sentence} Trying again in {pause:.0f} s."))
        else:
            self._wanted = False
            self._show(
                Status(
                    "failed",
                    f"{sentence} Gave up after {len(RETRY_PAUSES)} new tries; pulse Restart to try again.",
                )
            )

    def _take_changes(self) -> None:
        pending, self._pending = self._pending, {}
        broken = {name: value for name, value in pending.items() if isinstance(value, Exception)}
        changed = {
            name: value
            for name, value in pending.items()
            if name not in broken and (name not in self._values or self._values[name] != value)
        }
        self._problem = " ".join(f"{name} cannot be evaluated: {error}" for name, error in broken.items())
        self._values.update(changed)
        if not self._values.get("Active", True):
            self._end("The server was switched off.")
            self._wanted = False
            self._show(Status())
        elif self._serving is None:
            if not changed:
                return
            # Off, or given up: whatever was changed may be the remedy.
            self._failures, self._start_at, self._wanted = 0, 0.0, True
        else:
            self._change_live(self._serving)

    def _change_live(self, serving: Serving) -> None:
        outcome = serving.apply(dict(self._values))
        if outcome.problem:
            self._problem = outcome.problem
        if outcome.restart:
            self.restart()
        else:
            self._show(self._serving_status(serving))

    def _end(self, reason: str) -> None:
        """Let go of the present run, which ends in the background."""
        serving, self._serving = self._serving, None
        queue = self.queue
        raised = []
        if queue is not None:
            raised = _in_turn(lambda: queue.close(reason), lambda: self._drain(queue))
        if serving is not None:
            _ending.append((_clock(), serving))
            serving.end()
        if raised:
            raise raised[0]

    def _drain(self, queue: FrameQueue) -> None:
        """Let a closed queue close its running jobs. One of them may be what ended us (a script that deletes the
        component), and can only be closed once its step is over."""
        queue.pump()
        if queue.stats()["depth"]:
            run_later(self._td, self._drain, queue, delayFrames=1, delayRef=self._td.op.TDResources)

    def _port_is_free(self) -> bool:
        """Whether no server of this process is still letting go of its port."""
        now = _clock()
        _ending[:] = [(asked, run) for asked, run in _ending if run.alive and now - asked < ENDING_PATIENCE]
        return not _ending

    # -- what TouchDesigner shows ----------------------------------------------------------------------------

    def _serving_status(self, serving: Serving) -> Status:
        here = f", for this machine at {serving.local_url}" if serving.local_url != serving.shown_url else ""
        sentence = " ".join(
            part
            for part in (
                f"Serving at {serving.shown_url}{here}.",
                self._notice,
                serving.warning,
                self._problem,
            )
            if part
        )
        return Status("serving", sentence, serving.shown_url, serving.port)

    def _show(self, status: Status) -> None:
        if status != self.status:
            self._note(status.sentence, "error" if status.state == "failed" else "info")
        self.status = status
        self.facts.update(state=status.state, url=status.url, port=status.port)
        self._display.show(status)

    def sample(self) -> None:
        """Read the facts that other threads may know of TouchDesigner."""
        facts, missing = host_facts.sample(self._td, self._owner)
        for name in missing.keys() - self._unread:
            self._unread.add(name)
            self._note(f"This build does not tell the fact {name} ({missing[name]}).", "warning")
        project = str(facts.get("project", ""))
        facts["name"] = str(self._values.get("Instancename") or "") or project.removesuffix(".toe")
        self.facts.update(facts, version=__version__, pid=os.getpid())
        if facts.get("playing", True) or not self._pump.awake:
            _drop_lifeline()
        else:
            lifeline.hold(self._td, _look_alive)
        if self._serving is not None:
            self._serving.facts_changed()

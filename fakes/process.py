"""The stand-in as a process: a world with the real component in it, its frame loop, and its control commands.

The main thread runs frames and everything that touches TouchDesigner. The control thread answers commands; what needs
the main thread it leaves in the mailbox, which is emptied between frames (also with the power off, when no frame
comes), and answers when it is done. A blocked main thread therefore delays `exec`, and nothing else.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import builds, serving
from fakes.builds import NEWEST
from fakes.commands import Commands
from fakes.control import Control, Later, Lines
from fakes.frames import Pacer, burn
from fakes.stats import FrameStats
from fakes.textport import StandardOutput

if TYPE_CHECKING:
    from fakes.life import Life

#: Seconds the main thread gets to end after SIGTERM before the process is ended without it.
GRACE = 5.0


@dataclass
class Options:
    """The command line."""

    port: int | None = None
    home: Path = field(default_factory=Path.home)
    scene: str = "demo"
    project: Path | None = None
    """A folder of the expanded form to open instead of a scene."""
    fps: float = 60.0
    frame_work: float = 0.0
    no_token: bool = False
    settings: list[tuple[str, str]] = field(default_factory=list)
    ready_file: Path | None = None
    component: Path | None = None
    """A build's .toc to drop in; a new slim build by default."""
    bare: bool = False
    """Without the component: TouchDesigner alone."""
    build: str = NEWEST
    """Which build of TouchDesigner to be."""


class Process:
    """One running stand-in. Made, and run, on the main thread."""

    def __init__(self, options: Options, lines: Lines) -> None:
        self.options = options
        self.lines = lines
        self.stats = FrameStats()
        self._mail: queue.SimpleQueue[tuple[Callable[[], Any], Later]] = queue.SimpleQueue()
        self.dialog_closed = threading.Event()
        self.dialog_closed.set()
        self.ending = threading.Event()
        self._ended = threading.Event()
        self._told_conflicts = 0
        self._told_errors: dict[int, int] = {}
        self._ready = False
        self.life, self.component_path = self._make_world()
        self.world = self.life.world
        self.loop = Pacer(self._frame, options.fps, self.stats, between=self._between_frames, held=self._hold)
        if options.frame_work:
            # A real project's scripts and expressions run after the callbacks of the frame's start, before its end.
            self.world.on_frame_start.append(self._do_the_projects_work)
        self.life.project.cook_rate_changed = self._change_rate
        dialogs = self.life.display.dialogs
        dialogs.step, dialogs.given_up = self.loop.frame, lambda: self.loop.stopping

    def on_main(self, work: Callable[[], Any]) -> Later:
        """Have the main thread do something between two frames; any thread. The answer comes later."""
        later = Later()
        self._mail.put((work, later))
        return later

    # Making and running

    def _make_world(self) -> tuple[Life, str]:
        import fakes
        from fakes import life, scenes

        builds.use(self.options.build)
        builds.hide_packages()
        world = fakes.install()
        world.rate = self.options.fps
        alive = life.of(world)
        sys.stdout = StandardOutput(alive.textport)
        alive.machine.home = alive.project.folder = self.options.home
        alive.project.cook_rate = self.options.fps
        alive.project.quit = self.end
        alive.clock.root.node.set("rate", self.options.fps)
        if self.options.project is not None:
            scenes.open_project(self.options.project, world)
        else:
            scenes.build(self.options.scene, world)
        path = ""
        if not self.options.bare:
            node = serving.drop(world, self.options.component)
            serving.link(alive, node)
            serving.configure(node, self.options)
            path = node.path
        alive.start()
        world.undo.clear()
        # TouchDesigner's operators are no Python objects: the interpreter's collector must not walk ours either.
        gc.collect()
        gc.freeze()
        return alive, path

    def run(self) -> None:
        """Run until the end: SIGTERM, `quit`, or project.quit()."""
        self._listen_for_signals()
        Control(0, self.lines, Commands(self).handle).start()
        if self.options.bare:
            self._announce({"url": None, "port": None, "token": None, "dashboard": None})
        self.loop.run()
        self.life.exit()
        self._ended.set()

    def _frame(self, periods: int) -> None:
        # Without real time, TouchDesigner plays every frame, late rather than never.
        self.life.step(periods if self.life.project.real_time else 1)
        self._tell_troubles()
        if not self._ready and self.component_path:
            self._look_for_server()

    def _do_the_projects_work(self) -> None:
        burn(self.options.frame_work)

    def _change_rate(self, rate: float) -> None:
        self.world.rate = rate
        self.loop.period = 1.0 / rate

    def _tell_troubles(self) -> None:
        """Show on standard error what TouchDesigner shows in its Textport: callbacks that failed, thread conflicts."""
        conflicts = self.world.conflicts
        for sentence in conflicts[self._told_conflicts :]:
            self.life.textport.write(sentence)
        self._told_conflicts = len(conflicts)
        for node in self.world.cooking.troubled:
            errors = node.script_errors or []
            for text in errors[self._told_errors.get(node.id, 0) :]:
                self.life.textport.write(f"{node.path}: {text}")
            self._told_errors[node.id] = len(errors)

    def _hold(self) -> None:
        """A dialog that was opened while the frame was waited for holds this one already."""
        if not self.dialog_closed.is_set():
            self._between_frames()

    def _between_frames(self) -> None:
        if not self.dialog_closed.is_set():
            self.dialog_closed.wait()
        while not self._mail.empty():
            work, later = self._mail.get()
            try:
                later.resolve(work())
            except (Exception, SystemExit, GeneratorExit) as problem:  # noqa: BLE001  Whatever went wrong is the answer.
                later.fail(problem)
            finally:
                self.world.undo.callback_returned()

    def _listen_for_signals(self) -> None:
        """Have SIGTERM and SIGINT end the process, by way of a thread.

        Python runs signal handlers on the main thread only, which may hang just then, or hold the very lock that a
        handler needs.
        """
        # Sockets, since a pipe cannot be made non-blocking on Windows before Python 3.12.
        told, tell = socket.socketpair()
        tell.setblocking(False)
        signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: None)

        def listen() -> None:
            told.recv(1)
            tell.fileno()  # kept open as long as this thread lives
            self.end()

        threading.Thread(target=listen, name="stand-in signals", daemon=True).start()

    def end(self) -> None:
        """End after the frame in progress; by force if that never comes. Any thread."""
        self.loop.stop()
        self.ending.set()
        self.dialog_closed.set()
        threading.Thread(target=self._end_by_force, name="stand-in end", daemon=True).start()

    def _end_by_force(self) -> None:
        if not self._ended.wait(GRACE):
            print("the main thread did not end in time; ending without it", file=sys.stderr, flush=True)
            os._exit(1)

    # The ready line

    def _look_for_server(self) -> None:
        """See whether the component says that it serves; ask it over HTTP from another thread."""
        node = self.world.node(self.component_path)
        url = serving.url_of(node) if node is not None else ""
        if url:
            self._ready = True
            threading.Thread(
                target=self._await_answer, args=(url,), name="stand-in ready", daemon=True
            ).start()

    def _await_answer(self, url: str) -> None:
        if serving.answers(url):
            connection = serving.connection(url, self.options.home)
            if self.options.no_token:
                connection["token"] = None  # There may be a key; nobody needs it.
            self._announce(connection)
        else:
            print(f"{url} does not answer", file=sys.stderr, flush=True)

    def _announce(self, connection: dict[str, Any]) -> None:
        message = {
            "event": "ready",
            **connection,
            "pid": os.getpid(),
            "component": self.component_path or None,
        }
        if self.options.ready_file is not None:
            serving.write_whole(self.options.ready_file, message)
        self.lines.write(message)

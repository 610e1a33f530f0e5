"""The stand-in as a process: a world with the real component in it, its frame loop, and its control commands.

The main thread runs frames and everything that touches TouchDesigner. The control thread answers commands; what needs
the main thread it leaves in the mailbox, which is emptied between frames (also with the power off, when no frame
comes), and answers when it is done. A blocked main thread therefore delays `exec`, and nothing else.
"""

from __future__ import annotations

import ast
import gc
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import serving
from fakes.control import Control, Later, Lines
from fakes.frames import Pacer
from fakes.stats import FrameStats, open_sockets

if TYPE_CHECKING:
    from fakes.life import Life
    from fakes.nodes import Node

#: Seconds the control thread waits for the main thread's figures before it gives those of the last time.
FIGURES_WAIT = 0.25
#: Seconds the main thread gets to end after SIGTERM before the process is ended without it.
GRACE = 5.0
#: Seconds that a save blocks the main thread unless the command says otherwise.
SAVE_SECONDS = 2.0


@dataclass
class Options:
    """The command line."""

    port: int | None = None
    home: Path = field(default_factory=Path.home)
    scene: str = "demo"
    fps: float = 60.0
    frame_work: float = 0.0
    no_token: bool = False
    settings: list[tuple[str, str]] = field(default_factory=list)
    ready_file: Path | None = None
    bare: bool = False
    """Without the component: TouchDesigner alone."""


class Process:
    """One running stand-in. Made, and run, on the main thread."""

    def __init__(self, options: Options, lines: Lines) -> None:
        self.options = options
        self.lines = lines
        self.stats = FrameStats()
        self._mail: queue.SimpleQueue[tuple[Callable[[], Any], Later]] = queue.SimpleQueue()
        self._dialog_closed = threading.Event()
        self._dialog_closed.set()
        self._ending = threading.Event()
        self._ended = threading.Event()
        self._figures: dict[str, Any] = {}
        self._namespace: dict[str, Any] | None = None
        self._told_conflicts = 0
        self._told_errors: dict[int, int] = {}
        self._ready = False
        self.life, self.component_path = self._make_world()
        self.world = self.life.world
        self.loop = Pacer(
            self._frame, options.fps, self.stats, between=self._between_frames, work_ms=options.frame_work
        )
        self.life.project.cook_rate_changed = self._change_rate
        self.commands: dict[str, Callable[[dict[str, Any]], Any]] = {
            "stats": self._stats,
            "reset_stats": self._reset_stats,
            "exec": self._exec,
            "block_main": self._block_main,
            "modal": self._modal,
            "timeline": self._timeline,
            "power": self._power,
            "perform": self._perform,
            "kill_runs": self._kill_runs,
            "reinit_component": self._reinit_component,
            "delete_component": self._delete_component,
            "drop_component": self._drop_component,
            "save": self._save,
            "quit": self._quit,
            "crash": self._crash,
        }

    # Making and running

    def _make_world(self) -> tuple[Life, str]:
        import fakes
        from fakes import life, scenes

        world = fakes.install()
        world.rate = self.options.fps
        alive = life.of(world)
        alive.machine.home = alive.project.folder = self.options.home
        alive.project.cook_rate = self.options.fps
        alive.project.quit = self._end
        alive.clock.root.node.set("rate", self.options.fps)
        scenes.build(self.options.scene, world)
        path = ""
        if not self.options.bare:
            node = serving.drop(world)
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
        Control(0, self.lines, self._handle).start()
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

    def _between_frames(self) -> None:
        if not self._dialog_closed.is_set():
            self._dialog_closed.wait()
        while not self._mail.empty():
            work, later = self._mail.get()
            try:
                later.resolve(work())
            except Exception as problem:  # noqa: BLE001  Whatever went wrong is the answer.
                later.fail(problem)
            finally:
                self.world.undo.callback_returned()

    def _listen_for_signals(self) -> None:
        """Have SIGTERM and SIGINT end the process, by way of a thread.

        Python runs signal handlers on the main thread only, which may hang just then, or hold the very lock that a
        handler needs.
        """
        told, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: None)

        def listen() -> None:
            os.read(told, 1)
            self._end()

        threading.Thread(target=listen, name="stand-in signals", daemon=True).start()

    def _end(self) -> None:
        """End after the frame in progress; by force if that never comes. Any thread."""
        self.loop.stop()
        self._ending.set()
        self._dialog_closed.set()
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

    # Commands: on the control thread

    def _handle(self, command: dict[str, Any]) -> Any:
        name = command.get("do")
        handler = self.commands.get(str(name))
        if handler is None:
            raise ValueError(f"unknown command {name!r}; there are {', '.join(self.commands)}")
        return handler(command)

    def _on_main(self, work: Callable[[], Any]) -> Later:
        later = Later()
        self._mail.put((work, later))
        return later

    def _stats(self, command: dict[str, Any]) -> dict[str, Any]:
        arrived = threading.Event()

        def read() -> None:
            self._figures = {
                "operators": len(self.world.nodes),
                "undo_depth": len(self.world.undo.done),
                "pump": self._pump_figures(),
            }
            arrived.set()

        self._on_main(read)
        fresh = arrived.wait(FIGURES_WAIT)
        figures = {"operators": 0, "undo_depth": 0, "pump": {}, **self._figures}
        return {
            **self.stats.report(),
            "thread_conflicts": len(self.world.conflicts),
            "editor_risks": len(self.life.risks),
            **figures,
            "threads": threading.active_count(),
            "open_sockets": open_sockets(),
            "main_thread": "running" if fresh else "blocked",
        }

    def _pump_figures(self) -> dict[str, Any]:
        node = self.world.node(self.component_path) if self.component_path else None
        if node is None:
            return {}
        figures = self.world.face(node).PumpStats()
        return dict(figures) if isinstance(figures, dict) else {}

    def _reset_stats(self, command: dict[str, Any]) -> None:
        self.stats.reset()
        self.world.conflicts.clear()
        self.life.risks.clear()

    def _exec(self, command: dict[str, Any]) -> Later:
        code = str(command["code"])
        return self._on_main(lambda: self._execute(code))

    def _execute(self, code: str) -> str:
        from fakes import scripts

        if self._namespace is None:
            self._namespace = scripts.scope(self.world, self.world.root)
        tree = ast.parse(code, "<exec>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        value = None
        with self.world.context(self.world.root):
            exec(compile(tree, "<exec>", "exec"), self._namespace)  # noqa: S102  What `exec` is for.
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<exec>", "eval"), self._namespace)
            return repr(value)

    def _block_main(self, command: dict[str, Any]) -> Any:
        seconds = float(command.get("seconds", 1))
        begun = threading.Event()

        def hang() -> None:
            begun.set()
            self._ending.wait(
                seconds
            )  # The main thread hangs in one call; only the end of the process cuts it short.

        def in_a_frame() -> None:
            self.world.at_next_frame(hang)

        self._on_main(in_a_frame)
        begun.wait(1.0)
        return {"seconds": seconds, "begun": begun.is_set()}

    def _modal(self, command: dict[str, Any]) -> dict[str, Any]:
        opened = bool(command.get("open", True))
        if opened:
            self._dialog_closed.clear()
        else:
            self._dialog_closed.set()
        return {"open": opened}

    def _timeline(self, command: dict[str, Any]) -> Later:
        play = bool(command.get("play", True))

        def switch() -> dict[str, Any]:
            self.life.clock.root.node.set("play", 1 if play else 0)
            return {"play": play}

        return self._on_main(switch)

    def _power(self, command: dict[str, Any]) -> Later:
        on = bool(command.get("on", True))

        def switch() -> dict[str, Any]:
            self.life.machine.power = on
            return {"on": on}

        return self._on_main(switch)

    def _perform(self, command: dict[str, Any]) -> Later:
        on = bool(command.get("on", True))

        def switch() -> dict[str, Any]:
            self.life.display.perform = on
            return {"on": on}

        return self._on_main(switch)

    def _kill_runs(self, command: dict[str, Any]) -> Later:
        return self._on_main(lambda: {"killed": self.life.schedule.kill_all()})

    def _reinit_component(self, command: dict[str, Any]) -> Later:
        def reinit() -> dict[str, Any]:
            self.life.extensions.initialize(self._component())
            return {"component": self.component_path}

        return self._on_main(reinit)

    def _delete_component(self, command: dict[str, Any]) -> Later:
        def delete() -> dict[str, Any]:
            self.world.destroy(self._component())
            return {"component": self.component_path}

        return self._on_main(delete)

    def _drop_component(self, command: dict[str, Any]) -> Later:
        def drop() -> dict[str, Any]:
            node = serving.drop(self.world)
            serving.configure(node, self.options)
            self.component_path = node.path
            return {"component": node.path}

        return self._on_main(drop)

    def _component(self) -> Node:
        node = self.world.node(self.component_path) if self.component_path else None
        if node is None:
            raise LookupError("there is no component in the project")
        return node

    def _save(self, command: dict[str, Any]) -> Later:
        seconds = float(command.get("seconds", SAVE_SECONDS))

        def save() -> dict[str, Any]:
            before = self.life.project.save_seconds
            self.life.project.save_seconds = seconds
            try:
                path = self.life.project.save(str(command.get("path", "")))
            finally:
                self.life.project.save_seconds = before
            if path is None:
                raise RuntimeError("onProjectPreSave failed: the project file is truncated")
            return {"path": path.as_posix(), "seconds": seconds}

        return self._on_main(save)

    def _quit(self, command: dict[str, Any]) -> Later:
        def leave() -> dict[str, Any]:
            self._end()
            return {"ending": True}

        later = self._on_main(leave)
        return later

    def _crash(self, command: dict[str, Any]) -> None:
        self.lines.write({"id": command.get("id"), "ok": True, "result": {"crashing": True}})
        os._exit(70)

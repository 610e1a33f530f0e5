"""The control commands of the stand-in's process. They run on the control thread and leave to the main thread what
touches TouchDesigner."""

from __future__ import annotations

import ast
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import serving
from fakes.control import Later
from fakes.stats import open_sockets

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.process import Process

#: Seconds to wait for the main thread's figures before giving those of the last time.
FIGURES_WAIT = 0.25
#: Seconds within which a hang notices that the process ends.
RELEASE_WAIT = 0.1
#: Seconds to wait for a hang to begin; frames may be far apart on a busy machine, or not come at all.
BEGIN_WAIT = 5.0
#: Seconds that a save blocks the main thread unless the command says otherwise.
SAVE_SECONDS = 2.0


class Commands:
    """What each command does to one process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._figures: dict[str, Any] = {}
        self._namespace: dict[str, Any] | None = None
        self._released = threading.Event()
        self._handlers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "stats": self._stats,
            "reset_stats": self._reset_stats,
            "exec": self._exec,
            "block_main": self._block_main,
            "modal": self._modal,
            "message_box": self._message_box,
            "timeline": self._timeline,
            "power": self._power,
            "perform": self._perform,
            "kill_runs": self._kill_runs,
            "reinit_component": self._reinit_component,
            "delete_component": self._delete_component,
            "drop_component": self._drop_component,
            "save": self._save,
            "open_project": self._open_project,
            "quit": self._quit,
            "crash": self._crash,
        }

    def handle(self, command: dict[str, Any]) -> Any:
        """Do `command["do"]`; the result, or a `Later`.

        Raises:
            ValueError: there is no such command.
        """
        name = command.get("do")
        handler = self._handlers.get(str(name))
        if handler is None:
            raise ValueError(f"unknown command {name!r}; there are {', '.join(self._handlers)}")
        return handler(command)

    def _stats(self, command: dict[str, Any]) -> dict[str, Any]:
        arrived = threading.Event()

        def read() -> None:
            self._figures = {
                "operators": len(self._process.world.nodes),
                "undo_depth": len(self._process.world.undo.done),
                "pump": self._pump_figures(),
            }
            arrived.set()

        self._process.on_main(read)
        fresh = arrived.wait(FIGURES_WAIT)
        figures = {"operators": 0, "undo_depth": 0, "pump": {}, **self._figures}
        return {
            **self._process.stats.report(),
            "thread_conflicts": len(self._process.world.conflicts),
            "editor_risks": len(self._process.life.risks),
            **figures,
            "threads": threading.active_count(),
            "open_sockets": open_sockets(),
            "main_thread": "running" if fresh else "blocked",
        }

    def _pump_figures(self) -> dict[str, Any]:
        node = (
            self._process.world.node(self._process.component_path) if self._process.component_path else None
        )
        if node is None:
            return {}
        figures = self._process.world.face(node).PumpStats()
        return dict(figures) if isinstance(figures, dict) else {}

    def _reset_stats(self, command: dict[str, Any]) -> None:
        self._process.stats.reset()
        self._process.world.conflicts.clear()
        self._process.life.risks.clear()

    def _exec(self, command: dict[str, Any]) -> Later:
        code = str(command["code"])
        return self._process.on_main(lambda: self._execute(code))

    def _execute(self, code: str) -> str:
        from fakes import scripts

        if self._namespace is None:
            self._namespace = scripts.scope(self._process.world, self._process.world.root)
        tree = ast.parse(code, "<exec>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        value = None
        with self._process.world.context(self._process.world.root):
            exec(compile(tree, "<exec>", "exec"), self._namespace)  # noqa: S102  What `exec` is for.
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<exec>", "eval"), self._namespace)
            return repr(value)

    def _block_main(self, command: dict[str, Any]) -> Any:
        if command.get("release"):
            self._released.set()
            return {"released": True}
        seconds = float(command.get("seconds", 1))
        begun = threading.Event()
        self._released.clear()

        def hang() -> None:
            """One call in which the main thread hangs; a release and the end of the process cut it short."""
            begun.set()
            end = time.monotonic() + seconds
            while not self._process.ending.is_set() and (left := end - time.monotonic()) > 0:
                if self._released.wait(min(left, RELEASE_WAIT)):
                    return

        def in_a_frame() -> None:
            self._process.world.at_next_frame(hang)

        self._process.on_main(in_a_frame)
        begun.wait(BEGIN_WAIT)
        return {"seconds": seconds, "begun": begun.is_set()}

    def _modal(self, command: dict[str, Any]) -> dict[str, Any]:
        opened = bool(command.get("open", True))
        if opened:
            self._process.dialog_closed.clear()
        else:
            self._process.dialog_closed.set()
        return {"open": opened}

    def _message_box(self, command: dict[str, Any]) -> Later:
        def settle() -> dict[str, Any]:
            dialogs = self._process.life.display.dialogs
            if "answer" not in command:
                dialogs.expect()
            elif dialogs.press(command["answer"]) is None:
                dialogs.allow(command["answer"])
            return {"open": dialogs.open}

        return self._process.on_main(settle)

    def _timeline(self, command: dict[str, Any]) -> Later:
        play = bool(command.get("play", True))

        def switch() -> dict[str, Any]:
            self._process.life.clock.root.node.set("play", 1 if play else 0)
            return {"play": play}

        return self._process.on_main(switch)

    def _power(self, command: dict[str, Any]) -> Later:
        on = bool(command.get("on", True))

        def switch() -> dict[str, Any]:
            self._process.life.machine.power = on
            return {"on": on}

        return self._process.on_main(switch)

    def _perform(self, command: dict[str, Any]) -> Later:
        on = bool(command.get("on", True))

        def switch() -> dict[str, Any]:
            self._process.life.display.perform = on
            return {"on": on}

        return self._process.on_main(switch)

    def _kill_runs(self, command: dict[str, Any]) -> Later:
        return self._process.on_main(lambda: {"killed": self._process.life.schedule.kill_all()})

    def _reinit_component(self, command: dict[str, Any]) -> Later:
        def reinit() -> dict[str, Any]:
            self._process.life.extensions.initialize(self._component())
            return {"component": self._process.component_path}

        return self._process.on_main(reinit)

    def _delete_component(self, command: dict[str, Any]) -> Later:
        def delete() -> dict[str, Any]:
            self._process.world.destroy(self._component())
            return {"component": self._process.component_path}

        return self._process.on_main(delete)

    def _drop_component(self, command: dict[str, Any]) -> Later:
        def drop() -> dict[str, Any]:
            given = command.get("component")
            toc = Path(str(given)) if given else self._process.options.component
            node = serving.drop(self._process.world, toc)
            serving.link(self._process.life, node)
            serving.configure(node, self._process.options)
            self._process.component_path = node.path
            return {"component": node.path}

        return self._process.on_main(drop)

    def _component(self) -> Node:
        node = (
            self._process.world.node(self._process.component_path) if self._process.component_path else None
        )
        if node is None:
            raise LookupError("there is no component in the project")
        return node

    def _save(self, command: dict[str, Any]) -> Later:
        seconds = float(command.get("seconds", SAVE_SECONDS))

        def save() -> dict[str, Any]:
            before = self._process.life.project.save_seconds
            self._process.life.project.save_seconds = seconds
            try:
                path = self._process.life.project.save(str(command.get("path", "")))
            finally:
                self._process.life.project.save_seconds = before
            if path is None:
                raise RuntimeError("onProjectPreSave failed: the project file is truncated")
            return {"path": path.as_posix(), "seconds": seconds}

        return self._process.on_main(save)

    def _open_project(self, command: dict[str, Any]) -> Later:
        path = str(command.get("path") or "")

        def load() -> dict[str, Any]:
            project = self._process.life.project
            if path:
                project.load(path)
            else:
                project.load_empty()
            return {"opening": path or project.name}

        return self._process.on_main(load)

    def _quit(self, command: dict[str, Any]) -> Later:
        def leave() -> dict[str, Any]:
            self._process.end()
            return {"ending": True}

        later = self._process.on_main(leave)
        return later

    def _crash(self, command: dict[str, Any]) -> None:
        self._process.lines.write({"id": command.get("id"), "ok": True, "result": {"crashing": True}})
        os._exit(70)

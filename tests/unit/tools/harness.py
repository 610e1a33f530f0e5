"""A stand-in TouchDesigner, a frame queue pumped by hand, and tools run through both as the server runs them."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import pkgutil
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import fakes
import fakes.life
import tdmcp_embedded.tools
from fakes.tops import saving
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue
from tdmcp_embedded.protocol import arguments
from tdmcp_embedded.protocol.runner import Done, run_steps
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.tool import Call, Output, Tool
from tdmcp_embedded.touchdesigner import undo
from tests.answers import check_result

#: Frames any call may take here; a tool that waits for ever must fail its test.
MOST_FRAMES = 100_000


class Bench:
    """One TouchDesigner in a test. `td` is its module, `world` what is behind it, `queue` the server's frame queue."""

    def __init__(self) -> None:
        self.world = fakes.install()
        self.td: ModuleType = importlib.import_module("td")
        self.life = fakes.life.of(self.world)
        self.unnoted: list[str] = []
        """Changes that an edit made before it had opened its undo block: TouchDesigner would not have recorded them."""
        self._watch_undo()
        self.queue = FrameQueue(watch=False)
        # Where the component's chain of run() pumps too: at the start of a frame.
        self.world.on_frame_start.append(lambda: self.queue.pump())
        self.settings = Settings()
        self.level = Level.FULL
        self.instance: dict[str, Any] = {"name": "bench", "version": "0", "component": ""}

    def _watch_undo(self) -> None:
        stack = self.world.undo
        record = stack.record

        def noted(label: str, *change: Any) -> None:
            late = undo.journal()
            if late.active and not late.begun and stack.enabled and not stack._replaying:
                self.unnoted.append(label)
            record(label, *change)

        stack.record = noted  # type: ignore[method-assign]  # of this one world

    def close(self) -> None:
        """Leave nothing behind; called by the fixture."""
        self.queue.close("the test is over")
        fakes.uninstall()

    # -- TouchDesigner -------------------------------------------------------------------------------------

    def op(self, path: str) -> Any:
        """The operator at a path, or None."""
        return self.td.op(path, includeUtility=True)

    def make(self, type_name: str, name: str, parent: str = "/project1", **params: Any) -> Any:
        """A new operator, by TD's own Python, with constant parameter values."""
        made = self.td.op(parent).create(type_name, name)
        for key, value in params.items():
            setattr(made.par, key, value)
        if type_name.startswith(("in", "out")) and type_name[-3:].isupper():
            # The connector around it comes with a cook (fact 69).
            made.parent().cook(force=True)
        return made

    def wire(self, *path: Any) -> None:
        """Wire operators into a chain, first output to first input."""
        for source, target in itertools.pairwise(path):
            target.inputConnectors[0].connect(source)

    def frame(self, count: int = 1) -> None:
        """Let frames pass, each with the queue pumped as the component pumps it."""
        for _ in range(count):
            saving.settle()
            self.life.step()

    # -- tools ---------------------------------------------------------------------------------------------

    def call(self, tool: Tool) -> Call:
        """A call of this tool as the server makes it."""
        return Call(
            td=self.td,
            settings=self.settings,
            queue=self.queue,
            level=self.level,
            session="bench",
            tool=tool.name,
            instance=dict(self.instance),
        )

    def run(self, name: str, /, **given: Any) -> Output:
        """Run a tool to its end, frame by frame, with arguments as a client sends them. Its answer, or its refusal,
        must fit the listed output schema.

        Raises:
            ToolFailure: what the tool refused.
        """
        try:
            output = self._run(name, given)
        except ToolFailure as refusal:
            check_result(name, {"structuredContent": refusal.structured()})
            raise
        check_result(name, {"structuredContent": output.structured()})
        return output

    def _run(self, name: str, given: dict[str, Any]) -> Output:
        row = tool(name)
        if row.answer is not None:
            return self.answer(row, given)
        parsed = arguments.parse(row, given)
        call = self.call(row)
        # A slow machine may have spent a second between two frames of a test: that is no stall.
        self.queue.pump()
        job = self.queue.submit(
            lambda: run_steps(call, row, parsed), session=call.session, label=name, deadline=1e6
        )
        for _ in range(MOST_FRAMES):
            self.frame()
            if job.future.done():
                done: Done = job.future.result()
                return done.output()
        raise AssertionError(f"{name} is not done after {MOST_FRAMES} frames")

    def json(self, name: str, /, **given: Any) -> dict[str, Any]:
        """The structured content of a tool's answer."""
        return self.run(name, **given).structured()

    def answer(self, row: Tool, given: dict[str, Any], frames: Callable[[], bool] = lambda: True) -> Output:
        """Run a tool of the server thread on one, while frames pass here as long as `frames` says so."""
        assert row.answer is not None
        outcome: list[Any] = []
        call, parsed = self.call(row), arguments.parse(row, given)
        answer = row.answer

        def serve() -> None:
            async def ask() -> Output:
                return await answer(call, parsed)

            try:
                outcome.append(asyncio.run(ask()))
            except BaseException as error:  # noqa: BLE001 - raised again on the test's own thread
                outcome.append(error)

        thread = threading.Thread(target=serve, name="server")
        thread.start()
        for _ in range(20 * MOST_FRAMES):
            if not thread.is_alive():
                break
            if frames():
                self.frame()
            else:
                self.queue.check()
            thread.join(0.001)
        thread.join(5)
        assert outcome, f"{row.name} gives no answer"
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        assert isinstance(outcome[0], Output)
        return outcome[0]

    def steps(self, name: str, /, **given: Any) -> list[Any]:
        """What a tool yields when it is driven without a queue: None offers the frame back, NEXT_FRAME waits."""
        row = tool(name)
        generator = run_steps(self.call(row), row, arguments.parse(row, given))
        signals: list[Any] = []
        for signal in generator:
            signals.append(signal)
            if signal is NEXT_FRAME:
                self.frame()
        return signals


def tool(name: str) -> Tool:
    """A row of the table by name, without needing every module of the table to be there."""
    for module in pkgutil.iter_modules(tdmcp_embedded.tools.__path__):
        if module.name == "table":
            continue
        for row in getattr(importlib.import_module(f"tdmcp_embedded.tools.{module.name}"), "TOOLS", []):
            if row.name == name:
                assert isinstance(row, Tool)
                return row
    raise KeyError(name)

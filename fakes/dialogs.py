"""Dialogs: what opened, and who answers (fact 9).

A dialog stops a script until somebody clicks. Nobody does in a test, so every dialog raises `DialogOpened` unless its
answer was allowed beforehand. A file dialog is native: nothing moves until it is closed, so it answers at once here. A
message box blocks its own script only: frames, callbacks and `run()` go on while it is open.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fakes.errors import NotFaked

if TYPE_CHECKING:
    from fakes.world import World


class DialogOpened(RuntimeError):
    """A script opened a dialog that would have stopped TouchDesigner until somebody answered."""


class Allowed(NamedTuple):
    """One dialog may open: after so many frames somebody answers; without a number, when `press` is called."""

    answer: Any
    frames: int | None


class Box:
    """A message box that is open."""

    def __init__(self, text: str, allowed: Allowed) -> None:
        self.text = text
        self.answer = allowed.answer
        self.frames_left = allowed.frames

    @property
    def pressed(self) -> bool:
        return self.frames_left is not None and self.frames_left <= 0


class Dialogs:
    """What opened, what is open, and the answers that stand ready."""

    def __init__(self, world: World, step: Callable[[], None]) -> None:
        self._world = world
        self.step = step
        """Runs the next frame; the process replaces it by one that waits for its time."""
        self.given_up: Callable[[], bool] = lambda: False
        """Whether TouchDesigner is ending: then no box stays open."""
        self.opened: list[tuple[str, str]] = []
        self._allowed: deque[Allowed] = deque()
        self._open: list[Box] = []

    def allow(self, answer: Any, frames: int = 1) -> None:
        """The next dialog is answered with `answer` (a button's index, a path), a message box after `frames` frames."""
        self._allowed.append(Allowed(answer, max(0, frames)))

    def expect(self) -> None:
        """The next message box may open and stays until `press`; without frames of its own, a test would hang there."""
        self._allowed.append(Allowed(0, None))

    def press(self, answer: Any) -> str | None:
        """Somebody answers the message box on top, and its script goes on; its text, or None if none is open."""
        waiting = [box for box in self._open if not box.pressed]
        if not waiting:
            return None
        waiting[-1].answer, waiting[-1].frames_left = answer, 0
        return waiting[-1].text

    @property
    def open(self) -> list[str]:
        """The texts of the message boxes that are open, the last one on top."""
        return [box.text for box in self._open]

    def ask(self, kind: str, text: str) -> Any:
        """The answer to a native dialog, during which nothing moves.

        Raises:
            DialogOpened: nobody allowed it.
        """
        return self._take(kind, text).answer

    def message(self, text: str) -> Any:
        """The answer to a message box; frames go by until it is there.

        Raises:
            DialogOpened: nobody allowed it.
            NotFaked: what an operator that is cooking does about it is not established.
        """
        allowed = self._take("ui.messageBox", text)
        if self._world.cooking.noting:
            raise NotFaked("ui.messageBox while an operator cooks or an expression is evaluated")
        box = Box(text, allowed)
        self._open.append(box)
        try:
            # The undo block of the script that waits is its own: what others do meanwhile is no part of it (fact 35).
            with self._world.undo.set_aside():
                while not box.pressed and not self.given_up():
                    self.step()
                    if box.frames_left is not None:
                        box.frames_left -= 1
        finally:
            self._open.remove(box)
        return box.answer

    def _take(self, kind: str, text: str) -> Allowed:
        self.opened.append((kind, text))
        if not self._allowed:
            raise DialogOpened(f"{kind} would wait for somebody to answer: {text}")
        return self._allowed.popleft()

"""What brings a server its frames: onFrameStart while the timeline plays, and a chain of `run()` where that does not come.

The chain is there all the time, asleep: a few times a second it looks whether frames were told of. They are not while
the timeline is paused, or where there is no Execute DAT; then it comes by in every frame itself. Doing both in every
frame would cost twice.

`for r in runs: r.kill()` cancels everybody's, the chain too. While the timeline plays, onFrameStart notices. While it is
paused it is noticed by `lifeline.py`, or as soon as anybody touches the component.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from tdmcp_embedded.touchdesigner.builds import run_later

#: Frames between two looks of the chain while it is not needed.
HEARTBEAT: Final = 10

#: Seconds without a frame after which whoever comes by starts the chain anew. Should only a long frame lie between, no
#: harm is done: the former chain ends by itself.
SILENCE = 1.0

_clock = time.monotonic

#: Takes what each frame is to be told to; None for nothing.
Follow = Callable[[Callable[[int], None] | None], None]


class Pump:
    """Calls `work` once a frame, from `arm` to `end`. Main thread only.

    Args:
        td: TouchDesigner's module.
        work: what to do in each frame.
        revived: told when the chain had been cut and was started anew.
    """

    def __init__(self, td: Any, work: Callable[[], None], revived: Callable[[], None]) -> None:
        # Looked up once, not in every frame. As delayRef: on any other clock, delays stand still while the timeline
        # is paused.
        self._td, self._reference = td, td.op.TDResources
        self._work, self._revived = work, revived
        self._chain = 0
        self._follow: Follow | None = None
        self.awake = False
        """Whether frames are wanted."""
        self.ended = False
        self._last = _clock()
        self._starts = self._starts_at_tick = 0
        self._next: Any = None
        """The pending run of the chain."""

    def lead(self, follow: Follow) -> None:
        """Tell this what each frame is to be told to, now and whenever it changes; nobody else from now on."""
        self._follow = follow
        self._tell()

    def _tell(self) -> None:
        if self._follow is not None:
            # The text it comes from may have been taken away by now.
            with suppress(Exception):
                self._follow(self.frame_started if self.awake else None)

    def arm(self) -> None:
        """Start the chain, unless it has been started."""
        if not self.awake:
            self.rearm()

    def rearm(self) -> None:
        """Start a new chain, awake, in any case; a former one ends by itself."""
        if self.ended:
            return
        self._cancel()
        self.awake = True
        self._starts_at_tick = self._starts
        self._last = _clock()
        self._come_again(1)
        self._tell()

    def sleep(self) -> None:
        """No more frames until `arm` or `rearm`: nothing of ours runs meanwhile."""
        self.awake = False
        self._cancel()
        self._tell()

    def end(self) -> None:
        """No more frames, for good."""
        self.ended, self.awake = True, False
        self._cancel()
        self._tell()

    def _cancel(self) -> None:
        self._chain += 1  # should it come all the same
        pending, self._next = self._next, None
        if pending is not None:
            # Asleep, it would be there for a while. One that is over raises when touched, even by this (fact 58).
            with suppress(Exception):
                pending.kill()

    def _come_again(self, frames: int) -> None:
        self._next = run_later(
            self._td, self._tick, self._chain, delayFrames=frames, delayRef=self._reference
        )

    def frame_started(self, _frame: int) -> None:
        """From onFrameStart, once a frame. The number of the frame says nothing: of a slow timeline, or one that loops
        in a single frame, it stays what it was for many."""
        if not self.awake:
            return
        self._starts += 1
        self._last = _clock()
        if self._starts - self._starts_at_tick > 3 * HEARTBEAT:
            self.revive()
        self._work()

    def silent(self) -> bool:
        """Whether no frame has come for `SILENCE`, though it should have."""
        return self.awake and _clock() - self._last > SILENCE

    def revive(self) -> None:
        """Start the chain anew and say so."""
        self.rearm()
        self._revived()

    def _tick(self, chain: int) -> None:
        if chain != self._chain or not self.awake:
            return
        # This one is over, and raises when touched from here on (fact 58).
        self._next = None
        told = self._starts != self._starts_at_tick
        self._starts_at_tick = self._starts
        self._last = _clock()
        # Before the work, so that nothing that goes wrong in there can break the chain.
        self._come_again(HEARTBEAT if told else 1)
        if not told:
            self._work()

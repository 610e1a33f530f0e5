"""What brings a server its frames: a chain of `run()`, and whoever sees that a script of the project has cut it.

`for r in runs: r.kill()` cancels everybody's. While the timeline plays, onFrameStart notices. While it is paused that
does not come; then it is noticed by `lifeline.py`, or as soon as anybody touches the component.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: Seconds without a frame after which whoever comes by starts the chain anew. Should only a long frame lie between, no
#: harm is done: the former chain ends by itself.
SILENCE = 1.0

_clock = time.monotonic


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
        self._run_later, self._reference = td.run, td.op.TDResources
        self._work, self._revived = work, revived
        self._chain = 0
        self._armed = self._ended = False
        self._last = _clock()
        self._starts_without_pump = 0
        self._frame_seen = -1

    def arm(self) -> None:
        """Start the chain, unless it has been started."""
        if not self._armed:
            self.rearm()

    def rearm(self) -> None:
        """Start a new chain in any case; a former one ends by itself."""
        if self._ended:
            return
        self._armed = True
        self._starts_without_pump = 0
        self._last = _clock()
        self._chain += 1
        self._run_later(self._tick, self._chain, delayFrames=1, delayRef=self._reference)

    def end(self) -> None:
        """No more frames, for good."""
        self._ended = True

    def missed(self, frame: int) -> bool:
        """From onFrameStart, any number of times a frame: whether two frames went by without the chain."""
        if frame == self._frame_seen:
            return False
        self._frame_seen = frame
        self._starts_without_pump += 1
        return self._armed and self._starts_without_pump > 2

    def silent(self) -> bool:
        """Whether the chain has not come by for `SILENCE`, though it should have."""
        return self._armed and not self._ended and _clock() - self._last > SILENCE

    def revive(self) -> None:
        """Start the chain anew and say so."""
        self.rearm()
        self._revived()

    def _tick(self, chain: int) -> None:
        if chain != self._chain or self._ended:
            return
        # First of all, so that nothing that goes wrong below can break the chain.
        self._run_later(self._tick, chain, delayFrames=1, delayRef=self._reference)
        self._starts_without_pump = 0
        self._last = _clock()
        self._work()

"""How callers get their answers without the frame paying for it.

To answer is to wake the server thread, which has work to do then: it makes JSON of the result, writes it and reads the
next request. Both threads share one interpreter. Whoever wants it from a thread that is busy with Python gets it after
5 ms and keeps it for as long, so a server thread that is woken at the beginning of a frame takes its time out of the
middle of it. Answers are therefore held until the frame's own Python is over, where the host can tell, and the waking,
a system call that would give the interpreter away by itself, is left to a thread that does nothing else.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

from tdmcp_embedded import threads


class Delivery:
    """Gives answers, in order, on a thread of its own.

    Args:
        enabled: without it there is no thread, and `release` gives the answers itself.
        frame_end: has a function called when the Python of the frame in progress is over; without it answers are given
            as soon as the queue has done its share of the frame.
    """

    def __init__(
        self, enabled: bool = True, frame_end: Callable[[Callable[[], None]], None] | None = None
    ) -> None:
        self._enabled = enabled
        self._frame_end = frame_end
        self.awaited = False
        """Whether the host was asked to tell of this frame's end. Read in every frame, as is `held`: no calls for that."""
        self.held: deque[Callable[[], None]] = deque()
        """Answers that wait for their release."""
        self._bell: SimpleQueue[bool] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Have the thread ready; for the thread that asks, so that the main thread need not start one."""
        if self._thread is None and self._enabled:
            self._thread = threads.start(self._carry, "answers")

    def hold(self, answer: Callable[[], None]) -> None:
        """Keep an answer until `release`. Any thread; costs next to nothing."""
        self.held.append(answer)

    def share_done(self) -> None:
        """Main thread: the queue has done its share of the frame; answers are due at the frame's end."""
        if self._frame_end is None:
            self.release()
        else:
            self.awaited = True
            if not threads.guarded(self._frame_end, "Asking for the end of the frame", self.frame_ended):
                self.frame_ended()

    def frame_ended(self) -> None:
        """Main thread: the end that was asked for has come, or the next frame has without it."""
        self.awaited = False
        self.release()

    def release(self) -> None:
        """Have all that is held given now. Any thread; gives the interpreter to nobody."""
        if self._thread is None:
            self._give()
        elif self.held:
            self._bell.put(True)

    def end(self) -> None:
        """Give what is held and let the thread end; what is held later is given by `release` itself. Any thread."""
        thread, self._thread, self._enabled = self._thread, None, False
        if thread is not None:
            self._bell.put(False)
        self._give()

    def _carry(self) -> None:
        while self._bell.get():
            self._give()

    def _give(self) -> None:
        while self.held:
            try:
                answer = self.held.popleft()
            except IndexError:
                return  # another thread was quicker
            # Whoever is told may raise; those behind it want their answers all the same.
            threads.guarded(answer, "Giving an answer")

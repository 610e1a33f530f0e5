"""What the component's buttons set going beside the server: a little each frame, told in one of its read-outs.

They need no running server, so that *Self Test* and *Install Client* help just when something is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from tdmcp_embedded import threads
from tdmcp_embedded.touchdesigner.builds import run_later

#: The work itself: each `yield` wants the next frame and may say how far it is; what it returns is shown at the end.
Steps = Generator[str, None, str]
Result = TypeVar("Result")

#: Seconds without a step after which somebody's script must have cancelled it.
_LOST = 5.0

_clock = time.monotonic
_under_way: dict[tuple[int, str], Errand] = {}


def start(owner: Any, td: Any, read_out: str, steps: Steps) -> Errand:
    """Start an errand, unless the one that this read-out tells of is still under way. Main thread; returns at once.

    Args:
        owner: the component.
        td: TouchDesigner's module.
        read_out: the custom parameter that says how it goes.
    """
    present = _under_way.get((owner.id, read_out))
    if present is not None and not present.lost():
        steps.close()
        return present
    if present is not None:
        present.clear_up()
    errand = _under_way[owner.id, read_out] = Errand(owner, td, read_out, steps)
    return errand


class Errand:
    """One piece of work. `sentence` is what was said last, `done` whether that was the end."""

    def __init__(self, owner: Any, td: Any, read_out: str, steps: Steps) -> None:
        self.done = False
        self.sentence = ""
        self._owner, self._td, self._read_out, self._steps = owner, td, read_out, steps
        self._key = (owner.id, read_out)
        self._last = _clock()
        self._step()

    def lost(self) -> bool:
        """Whether it is over, or will never go on."""
        return self.done or _clock() - self._last > _LOST

    def clear_up(self) -> None:
        """End it where it is; what is half done is cleared away."""
        self._steps.close()
        self.done = True
        if _under_way.get(self._key) is self:
            del _under_way[self._key]

    def _step(self) -> None:
        if self.done:
            return
        self._last = _clock()
        if not self._owner.valid:
            self.clear_up()
            return
        try:
            self._say(next(self._steps))
        except StopIteration as end:
            self._say(str(end.value))
            self.clear_up()
        except Exception as error:  # noqa: BLE001 - said where the person looks, instead of in the Textport
            self._say(f"It failed: {type(error).__name__}: {error}")
            self.clear_up()
        else:
            # delayRef: delays on any other clock stand still while the timeline is paused.
            run_later(self._td, self._step, delayFrames=1, delayRef=self._td.op.TDResources)

    def _say(self, sentence: str) -> None:
        if sentence and sentence != self.sentence:
            self.sentence = sentence
            par = self._owner.par[self._read_out]
            if par is not None:
                par.val = sentence


def apart(work: Callable[[], Result]) -> Generator[str, None, Result]:
    """Have work that touches no operator done on a thread, since files and programs take their time.

    Raises:
        Exception: whatever the work raised.
    """
    outcome: list[Result] = []
    failure: list[Exception] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001 - handed over to whoever waits
            failure.append(error)
        except BaseException as error:
            failure.append(RuntimeError(f"it was ended by {type(error).__name__}"))
            raise

    thread = threads.start(run, "errand")
    while thread.is_alive():
        yield ""
    if failure:
        raise failure[0]
    return outcome[0]

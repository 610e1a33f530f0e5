"""The last calls of each key that could change the project, so that a client that lost an answer can look it up."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

#: Calls kept of one key, and keys. The key that made no such call for the longest time makes room.
OF_ONE: Final = 32
_KEYS: Final = 64
#: Answers kept of one key, and the longest text of one; larger ones are left to the tools that read.
_ANSWERS: Final = 8
_LONGEST: Final = 32_000


@dataclass(frozen=True)
class Answer:
    """What a call was answered with: structured content, and the same as text."""

    structured: dict[str, Any] | None
    text: str
    failed: bool = False


@dataclass
class EditCall:
    """A call that can change the project. Any thread may read it.

    `about` says what it is about, like its undo step is called; `began` is seconds since 1970. `outcome` is empty until
    the call is answered, then "ok" or the code of its failure. `job` is its job in the frame queue. `stands` is set on
    the main thread the moment an edit is made and kept, whatever becomes of the call.
    """

    tool: str
    about: str
    client: str
    began: float
    outcome: str = ""
    job: str = ""
    stands: bool = False
    answer: Answer | None = None


class RecentEdits:
    """The last such calls by key. Any thread.

    Args:
        clock: seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._calls: OrderedDict[str, deque[EditCall]] = OrderedDict()

    def begin(self, key: str, tool: str, about: str, client: str = "") -> EditCall:
        """Note a call at its start; `key` is the name of the key it came with, empty where none is asked for."""
        call = EditCall(tool, about, client, self.clock())
        with self._lock:
            own = self._calls.pop(key, None)
            self._calls[key] = own = own if own is not None else deque(maxlen=OF_ONE)
            own.append(call)
            if len(own) > _ANSWERS:
                own[-1 - _ANSWERS].answer = None
            if len(self._calls) > _KEYS:
                self._calls.popitem(last=False)
        return call

    def of(self, key: str, limit: int) -> list[EditCall]:
        """The last calls of a key, the newest first."""
        with self._lock:
            return list(self._calls.get(key, ()))[::-1][:limit]

    def by_job(self, key: str, job: str) -> EditCall | None:
        """The call of a key that a job belongs to."""
        return next((call for call in self.of(key, OF_ONE) if call.job == job), None)


def end(call: EditCall, outcome: str, answer: Answer | None = None) -> None:
    """Note how a call was answered."""
    if answer is not None and len(answer.text) <= _LONGEST:
        call.answer = answer
    call.outcome = outcome

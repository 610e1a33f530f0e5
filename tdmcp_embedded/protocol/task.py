"""One task: what its client is told when it asks, and what happens when it answers or cancels."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

from mcp_types import CallToolResult, InputRequest, InputRequiredResult, InputResponse

#: Seconds a task can be asked for after its last change.
KEPT: Final = 600.0

#: Seconds a call may take that is a task; then it is one more job that `get_job` knows of.
LONGEST: Final = 3600.0

#: Milliseconds between two questions of a client, as we should like it.
_POLL_MS: Final = 500

Report = Callable[[float, float | None, str], None]


class Task:
    """A call that may become, and then is, a task. On the server's event loop, but for telling progress.

    Args:
        owner: the key it may be asked for with.
        clock: seconds since 1970.
    """

    def __init__(self, owner: str, clock: Callable[[], float]) -> None:
        self.id = secrets.token_urlsafe(24)
        self.owner = owner
        self.handed_over = False
        """Whether the client has been given the task, so that it hears nothing of the call in any other way."""
        self.work: asyncio.Task[CallToolResult | InputRequiredResult] | None = None
        """The call at work."""
        #: What it asks just now, by a key that is never used again.
        self.asks: dict[str, InputRequest] = {}
        self._clock = clock
        self._created = self._updated = clock()
        self._status = "working"
        self._message = ""
        self._payload: dict[str, Any] = {}
        self._rounds = 0
        self._answers: dict[str, InputResponse] = {}
        self._answered = asyncio.Event()

    # -- what the client sees ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The task without what belongs to its status."""
        since = self._clock() if self._status == "working" else self._updated
        shown = {
            "taskId": self.id,
            "status": self._status,
            "createdAt": _iso(self._created),
            "lastUpdatedAt": _iso(self._updated),
            # Counted from its creation, so it grows while the task lives.
            "ttlMs": int((since - self._created + KEPT) * 1000),
            "pollIntervalMs": _POLL_MS,
        }
        return {**shown, "statusMessage": self._message} if self._message else shown

    def details(self) -> dict[str, Any]:
        """The task with its questions, its result or its error."""
        if self._status == "input_required":
            asks = {
                key: request.model_dump(by_alias=True, mode="json", exclude_none=True)
                for key, request in self.asks.items()
            }
            return {**self.state(), "inputRequests": asks}
        return {**self.state(), **self._payload}

    @property
    def over(self) -> bool:
        return self._status in ("completed", "failed", "cancelled")

    @property
    def expired(self) -> bool:
        """Whether it has been over, or has waited for an answer, for so long that nobody can count on it any more."""
        return self._status != "working" and self._clock() - self._updated > KEPT

    @property
    def age_ms(self) -> float:
        """Milliseconds from its start to its last change."""
        return (self._updated - self._created) * 1000

    # -- what the client does ----------------------------------------------------------------------------------

    def answer(self, key: str, answer: InputResponse) -> None:
        """Take one answer; the last one that is due lets the call go on."""
        del self.asks[key]
        self._answers[key.partition("-")[2]] = answer
        if not self.asks:
            self._become("working")
            self._answered.set()

    def cancel(self, why: str = "") -> None:
        """End it, if it is not over."""
        if self.over or self.work is None:
            return
        self._message = why or self._message
        self.work.cancel()

    # -- what the call does ------------------------------------------------------------------------------------

    def follow(self, report: Report) -> Report:
        """How the call tells of its progress: by `report` as long as it is no task, and then in the task's state."""

        def tell(done: float, total: float | None, message: str) -> None:
            if self.over:
                return
            of = f" of {total:g}" if total else ""
            self._message = message or f"{done:g}{of}"
            if not self.handed_over:
                report(done, total, message)
            elif self._status == "working":
                self._updated = self._clock()

        return tell

    async def ask(self, requests: Mapping[str, InputRequest]) -> dict[str, InputResponse]:
        """Put questions to the client and wait until each has its answer."""
        self._rounds += 1
        self._answers = {}
        self._answered.clear()
        self.asks = {f"{self._rounds}-{key}": request for key, request in requests.items()}
        if self.asks:
            self._become("input_required")
            await self._answered.wait()
        return self._answers

    def completed(self, result: dict[str, Any]) -> None:
        self._message = ""
        self._become("completed", result=result)

    def failed(self, error: dict[str, Any]) -> None:
        """It ended in an error of the protocol; a tool's refusal is a result."""
        self._message = str(error.get("message", ""))
        self._become("failed", error=error)

    def cancelled(self) -> None:
        self.asks = {}
        self._become("cancelled")

    def _become(self, status: str, **payload: Any) -> None:
        self._status, self._payload, self._updated = status, payload, self._clock()


#: The task that the call at work may become; none for clients that know no tasks.
of_this_call: ContextVar[Task | None] = ContextVar("of_this_call", default=None)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

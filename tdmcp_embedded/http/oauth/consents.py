"""Agents that ask to be let in, and what the person at TouchDesigner decides."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from tdmcp_embedded.settings import Level

#: Requests that wait at once; a person can not tell more apart, and a flood of them must not hide the right one.
MAX_PENDING: Final = 5
#: Of these, how many may be of clients that were never approved, and how many of them from one address. Anybody can
#: register, so the other places stay free for clients that the person knows.
MAX_UNKNOWN: Final = 3
MAX_UNKNOWN_PER_ADDRESS: Final = 2
#: Seconds that a person has.
PATIENCE_S: Final = 300.0
#: Seconds for which the outcome is kept for the browser, which may be slow to ask.
_OUTCOME_S: Final = 600.0
#: Letters and digits that nobody mistakes for each other.
_ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


class Decision(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"


@dataclass
class Request:
    """One agent that waits. `code` is shown in its browser and on the component: they must be the same."""

    client_id: str
    client_name: str
    redirect_host: str
    level: Level
    params: Any
    expires: float
    known: bool = False
    """Whether the client was approved before."""
    address: str = ""
    """Where it asks from."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    code: str = field(default_factory=lambda: "-".join(_letters(4) for _ in range(2)))
    decision: Decision = Decision.PENDING

    def sentence(self) -> str:
        """What the person at TouchDesigner reads."""
        return f"{self.code}: {self.client_name} ({self.redirect_host}) asks for level {self.level.value}."


class TooManyRequests(Exception):
    """So many wait already that this one can not."""


class Consents:
    """The requests, oldest first. On the server's loop.

    Args:
        on_change: called after each change of what waits.
        clock: seconds.
    """

    def __init__(
        self, on_change: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._on_change = on_change
        self._clock = clock
        self._requests: dict[str, Request] = {}

    def ask(
        self,
        client_id: str,
        client_name: str,
        redirect_host: str,
        level: Level,
        params: Any,
        *,
        known: bool = False,
        address: str = "",
    ) -> Request:
        """A client asks; its former request, if one still waits, is dropped.

        Args:
            known: whether the client was approved before.
            address: where it asks from.

        Raises:
            TooManyRequests: when too many others wait.
        """
        self._prune()
        for other in [r for r in self._requests.values() if r.client_id == client_id]:
            del self._requests[other.id]
        waiting = self._waiting()
        unknown = [r for r in waiting if not r.known]
        here = [r for r in unknown if r.address == address]
        crowded = len(unknown) >= MAX_UNKNOWN or len(here) >= MAX_UNKNOWN_PER_ADDRESS
        if len(waiting) >= MAX_PENDING or (not known and crowded):
            raise TooManyRequests
        request = Request(
            client_id,
            client_name,
            redirect_host,
            level,
            params,
            self._clock() + PATIENCE_S,
            known,
            address,
        )
        self._requests[request.id] = request
        self._on_change()
        return request

    def find(self, request_id: str) -> Request | None:
        """A request, decided or not, until it is forgotten."""
        self._prune()
        return self._requests.get(request_id)

    def waiting(self) -> list[Request]:
        """Those that wait for a decision, oldest first."""
        self._prune()
        return self._waiting()

    def decide(self, request_id: str, approve: bool) -> Request | None:
        """The person's decision; the request, if it still waited."""
        request = self.find(request_id)
        if request is None or request.decision is not Decision.PENDING:
            return None
        self._end(request, Decision.APPROVED if approve else Decision.DENIED, 60.0)
        self._on_change()
        return request

    def lower(self, request_id: str, level: Level) -> None:
        """Ask for a lower level from now on. A higher one is not possible: the person may be about to approve."""
        request = self.find(request_id)
        if request is None or request.decision is not Decision.PENDING or level.rank >= request.level.rank:
            return
        request.level = level
        self._on_change()

    def left(self, request: Request) -> float:
        """Seconds until a request that waits expires."""
        return max(0.0, request.expires - self._clock())

    def take(self, request_id: str) -> Request | None:
        """A decided request, which is then forgotten: its outcome is told once."""
        request = self._requests.get(request_id)
        if request is None or request.decision is Decision.PENDING:
            return None
        return self._requests.pop(request_id)

    def _waiting(self) -> list[Request]:
        return [r for r in self._requests.values() if r.decision is Decision.PENDING]

    def _end(self, request: Request, decision: Decision, kept: float) -> None:
        request.decision = decision
        request.expires = self._clock() + kept

    def _prune(self) -> None:
        now = self._clock()
        late = [r for r in self._requests.values() if now >= r.expires]
        for request in late:
            if request.decision is Decision.PENDING:
                self._end(request, Decision.EXPIRED, _OUTCOME_S)
            else:
                del self._requests[request.id]
        if late:
            self._on_change()


def _letters(count: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(count))

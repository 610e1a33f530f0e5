"""The order in which ready jobs get their turn: keys take turns, and within a key its sessions do."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tdmcp_embedded.frame_queue.job import Job


class _Sessions:
    """The jobs of one key that could run now.

    Between sessions: round robin, so that a session with two hundred calls does not keep another's single one waiting.
    Within a session: first in, first out; a job that gives back the frame unfinished goes on first within that frame,
    and behind the others of its session from the next frame on, so that a long scan does not hold up a short read.
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[Job]] = {}
        self._turns: deque[str] = deque()

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __iter__(self) -> Iterator[Job]:
        for line in self._lines.values():
            yield from line

    def join(self, job: Job) -> None:
        """To the end of its session's line."""
        self._line(job.session).append(job)

    def resume(self, job: Job) -> None:
        """Back to the front of its session's line, after a turn that did not finish it."""
        self._line(job.session).appendleft(job)

    def peek(self) -> Job | None:
        return self._lines[self._turns[0]][0] if self._turns else None

    def take(self) -> Job:
        """The next job; its session's next turn comes after everybody else's."""
        session = self._turns.popleft()
        line = self._lines[session]
        job = line.popleft()
        if line:
            self._turns.append(session)
        else:
            del self._lines[session]
        job.stepped = True
        return job

    def remove(self, job: Job) -> bool:
        line = self._lines.get(job.session)
        if line is None or job not in line:
            return False
        line.remove(job)
        if not line:
            del self._lines[job.session]
            self._turns.remove(job.session)
        return True

    def new_frame(self) -> None:
        """A new frame: whoever had a turn lets the others of its session go first."""
        for line in self._lines.values():
            if line[0].stepped:
                line[0].stepped = False
                line.rotate(-1)

    def _line(self, session: str) -> deque[Job]:
        line = self._lines.get(session)
        if line is None:
            line = self._lines[session] = deque()
            self._turns.append(session)
        return line


class Lines:
    """Jobs that could run now. Holding the queue's lock.

    Between keys: round robin, so that a key gains nothing by opening further sessions. Within a key: see `_Sessions`.
    """

    def __init__(self) -> None:
        self._owners: dict[str, _Sessions] = {}
        self._turns: deque[str] = deque()

    def __len__(self) -> int:
        return sum(map(len, self._owners.values()))

    def __iter__(self) -> Iterator[Job]:
        for sessions in self._owners.values():
            yield from sessions

    def join(self, job: Job) -> None:
        """To the end of its session's line."""
        self._of(job).join(job)

    def resume(self, job: Job) -> None:
        """Back to the front of its session's line, after a turn that did not finish it."""
        self._of(job).resume(job)

    def peek(self) -> Job | None:
        return self._owners[self._turns[0]].peek() if self._turns else None

    def take(self) -> Job:
        """The next job; its key's next turn comes after everybody else's."""
        owner = self._turns.popleft()
        sessions = self._owners[owner]
        job = sessions.take()
        if len(sessions):
            self._turns.append(owner)
        else:
            del self._owners[owner]
        return job

    def remove(self, job: Job) -> bool:
        sessions = self._owners.get(job.owner)
        if sessions is None or not sessions.remove(job):
            return False
        if not len(sessions):
            del self._owners[job.owner]
            self._turns.remove(job.owner)
        return True

    def new_frame(self) -> None:
        """A new frame: whoever had a turn lets the others of its session go first."""
        for sessions in self._owners.values():
            sessions.new_frame()

    def _of(self, job: Job) -> _Sessions:
        sessions = self._owners.get(job.owner)
        if sessions is None:
            sessions = self._owners[job.owner] = _Sessions()
            self._turns.append(job.owner)
        return sessions

"""The log of one server: every record to memory, what matters to a file, every call to the audit file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tdmcp_embedded.logs.counting import Calls
from tdmcp_embedded.logs.files import RotatingFile, Writer
from tdmcp_embedded.logs.recent_edits import RecentEdits
from tdmcp_embedded.logs.records import Record, severity, stamp
from tdmcp_embedded.logs.ring import Ring

#: What stands in an audit line: who did what to which operator, and how it went. Never content, never a key.
AUDITED = ("key", "client", "address", "tool", "target", "outcome")


class Log:
    """Where everything that happens in a server is told. Any thread.

    Args:
        folder: where the files `server.log` and `audit.log` are written; None keeps everything in memory only.
        on_trouble: see `Writer`.
    """

    def __init__(
        self, folder: Path | None = None, on_trouble: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self.ring = Ring()
        self.calls = Calls()
        """How many calls there were, over all runs of the server."""
        self.ring.listen(self.calls.note)
        self.edits = RecentEdits()
        """The last calls of each key that could change the project, over all runs of the server."""
        self._writer = Writer(on_trouble)
        self._server = RotatingFile(folder / "server.log") if folder else None
        self._audit = RotatingFile(folder / "audit.log", keep=10) if folder else None

    def event(self, level: str, text: str, **facts: Any) -> Record:
        """Something happened that is no call."""
        record = self.ring.add(level, text, **facts)
        self._write(record)
        return record

    def call(self, *, edits: bool, outcome: str, tool: str, ms: float, **facts: Any) -> Record:
        """A call has ended.

        Args:
            edits: whether it could change the project. What only looks, and succeeds, is *debug*: it would drown the
                rest.
            outcome: "ok", or the code of its failure.
            ms: milliseconds from its arrival to its answer.
            facts: further fields of `Record`.
        """
        if outcome == "internal_error":
            level = "error"
        elif outcome != "ok":
            level = "notice"
        else:
            level = "info" if edits else "debug"
        text = f"{tool} {facts.get('target', '')}".strip() + ("" if outcome == "ok" else f": {outcome}")
        record = self.ring.add(level, text, tool=tool, outcome=outcome, ms=round(ms, 1), **facts)
        self._write(record)
        self._note(record)
        return record

    def access(self, event: str, outcome: str, **facts: Any) -> Record:
        """A key or a grant was made, used wrongly, renewed or revoked: in the audit file as well."""
        level = "info" if outcome == "ok" else "warning"
        record = self.ring.add(level, event, outcome=outcome, **facts)
        self._write(record)
        self._note(record)
        return record

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until all is on the disk; whether it is."""
        return self._writer.flush(timeout)

    def close(self) -> None:
        """Finish writing; returns at once. What comes later is kept in memory only."""
        self._writer.close()

    def join(self, timeout: float = 2.0) -> None:
        """Wait for the files to be finished, after `close`."""
        self._writer.join(timeout)

    def _write(self, record: Record) -> None:
        if self._server is not None and severity(record.level) >= severity("info"):
            self._writer.write(self._server, line(record))

    def _note(self, record: Record) -> None:
        if self._audit is not None:
            self._writer.write(self._audit, audit_line(record))


def line(record: Record) -> str:
    """A record as a line of JSON for the server's log."""
    facts = record.as_dict()
    facts["time"] = stamp(record.time)
    del facts["number"]
    return json.dumps(facts, ensure_ascii=False)


def audit_line(record: Record) -> str:
    """A record as a line of JSON for the audit log."""
    facts: dict[str, Any] = {"time": stamp(record.time)}
    facts |= {name: getattr(record, name) for name in AUDITED}
    if record.forwarded:
        facts["forwarded"] = record.forwarded
    if not record.tool:
        facts["event"] = record.event
    facts["ms"] = record.ms
    return json.dumps(facts, ensure_ascii=False)

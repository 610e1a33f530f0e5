"""What a component shows of its server: its read-outs and its log. Main thread only."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tdmcp_embedded import __version__

if TYPE_CHECKING:
    from tdmcp_embedded.logs.ring import Ring

_LOG_ROWS = 200
#: Rows written in one frame; a flood of calls must not make the log expensive.
_ROWS_A_FRAME = 3
COLUMNS = ("time", "event", "level", "client", "key", "tool", "ms")


class Status(NamedTuple):
    """What the server is doing: `state` is off, starting, serving or failed; `sentence` says it in words."""

    state: str = "off"
    sentence: str = "Off."
    url: str = ""
    port: int = 0

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


class Display:
    """Writes what changed to the component, where it has a place for it.

    Args:
        owner: the component; its custom parameters `Status`, `Url`, `Version` and `Consent` are written, if it has them.
        log: a table DAT with the columns `COLUMNS`, or None.
    """

    def __init__(self, owner: Any, log: Any) -> None:
        self._owner, self._log = owner, log
        self._shown = 0
        if log is not None:
            log.clear(keepFirstRow=True)

    def show(self, status: Status) -> None:
        """Write the read-outs that differ."""
        if not self._owner.valid:
            return
        self._write("Status", status.sentence)
        self._write("Url", status.url)
        self._write("Version", __version__)

    def ask(self, sentence: str) -> None:
        """Show who waits to be let in."""
        if self._owner.valid:
            self._write("Consent", sentence)

    def _write(self, name: str, text: str) -> None:
        par = self._owner.par[name]
        if par is not None and par.eval() != text:
            par.val = text

    def note(self, event: str, level: str = "info") -> None:
        """Add a row to the log; the oldest leave it."""
        self._row([_time(time.time()), event, level, "", "", "", ""])

    def is_current(self, ring: Ring) -> bool:
        """Whether the table shows all of a log's records that it ever will."""
        return self._log is None or ring.last == self._shown

    def follow(self, ring: Ring) -> None:
        """Add what is new among the records of a log, a few rows a frame; all but what only looked."""
        if ring.last == self._shown:
            return
        new = ring.since(self._shown, "info")
        if len(new) > _LOG_ROWS:
            del new[:-_LOG_ROWS]
        rows = new[:_ROWS_A_FRAME]
        self._shown = rows[-1].number if len(new) > len(rows) else ring.last
        for record in rows:
            ms = "" if record.ms is None else f"{record.ms:g}"
            self._row(
                [_time(record.time), record.event, record.level, record.client, record.key, record.tool, ms]
            )

    def _row(self, cells: list[str]) -> None:
        if self._log is not None and self._owner.valid and self._log.valid:
            self._log.appendRow(cells)
            if self._log.numRows > _LOG_ROWS:
                self._log.deleteRow(1)


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))

"""Who has called lately, put together from the log: clients of the sessionless era have nothing else to be seen by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tdmcp_embedded.logs.records import Record

#: Clients that are told of, the latest first.
_MOST = 50


def visitors(records: Iterable[Record], is_open: Callable[[str], bool]) -> list[dict[str, Any]]:
    """One row a client, key and address: number of calls and of failed ones, the last call, open sessions.

    Args:
        is_open: whether a session is open now. Ids of sessions stay in here: who knows one can use it.
    """
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    sessions: dict[tuple[str, str, str], set[str]] = {}
    for record in records:
        if not record.tool:
            continue
        who = (record.client, record.key, record.address)
        row = rows.setdefault(
            who, {"client": who[0], "key": who[1], "address": who[2], "calls": 0, "failed": 0}
        )
        row["calls"] += 1
        row["failed"] += record.outcome not in ("ok", "asked")
        row["last"] = record.time
        row["tool"] = record.tool
        sessions.setdefault(who, set()).add(record.session)
    for who, row in rows.items():
        row["sessions"] = sum(is_open(session) for session in sessions[who])
    return sorted(rows.values(), key=lambda row: -float(row["last"]))[:_MOST]

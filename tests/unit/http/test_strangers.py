"""Who tries keys is told to the log: who, and how often, but not a line for every try."""

from __future__ import annotations

from tdmcp_embedded.http.answers import Refusal
from tdmcp_embedded.http.strangers import QUIET_S, Strangers
from tdmcp_embedded.logs.log import Log
from tests.unit.http.site import Site

REFUSAL = Refusal(401, "unauthorized", "An access key is needed.")


def test_refused_keys_are_told_once_in_a_while_for_each_address() -> None:
    now, log = [100.0], Log()
    strangers = Strangers(log, lambda: now[0])

    def refused(address: str) -> None:
        strangers.refused({"type": "http", "path": "/mcp", "client": (address, 1)}, REFUSAL)

    for _ in range(5):
        refused("127.0.0.1")
    refused("10.0.0.7")
    now[0] += QUIET_S
    refused("127.0.0.1")
    told = [(r.address, r.outcome, r.level) for r in log.ring.newest(10)]
    assert told == [
        ("127.0.0.1", "unauthorized", "warning"),
        ("10.0.0.7", "unauthorized", "warning"),
        ("127.0.0.1", "unauthorized", "warning"),
    ]
    assert "(4 more before)" in log.ring.newest(1)[0].event


def test_a_wrong_key_is_told_without_the_key_itself() -> None:
    log = Log()
    assert Site(log=log).ask(key="a-wrong-key").status == 401
    (record,) = log.ring.newest(10)
    assert record.address == "127.0.0.1" and "a-wrong-key" not in str(record)


def test_the_right_key_is_nobodys_business() -> None:
    log = Log()
    Site(log=log).ask()
    assert log.ring.newest(10) == []

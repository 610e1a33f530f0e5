"""Thirty-two clients that ask again as soon as they are answered: nobody is lost, nothing is done twice."""

from __future__ import annotations

import concurrent.futures

from fakes.driver import StandIn
from tests.benchmarks.edit_log import EditLog
from tests.benchmarks.raw_client import RawClient, Refused
from tests.integration.clients import PATIENCE
from tests.integration.stress.wire import health

CLIENTS = 32
EDITS = 3


def test_every_edit_of_thirty_two_clients_is_done_once(td: StandIn) -> None:
    log = EditLog()
    log.watch(td)

    def work(number: int) -> None:
        with RawClient(td) as client:
            for turn in range(EDITS):
                name = f"edit_{number}_{turn}"
                try:
                    made = client.call(
                        "create_operator", {"parent": "/project1", "type": "nullTOP", "name": name}
                    )
                except Refused as refusal:
                    assert refusal.args[0] == 429
                    log.told(name, "refused")
                    continue
                log.told(name, "refused" if made["is_error"] else "done")
                assert not client.call("inspect_operator", {"paths": ["/project1"]})["is_error"]

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for one in [pool.submit(work, number) for number in range(CLIENTS)]:
            one.result(2 * PATIENCE)
    assert log.differences(td) == []
    assert log.counts()["done"] > 0
    queue = health(td)["queue"]
    assert queue["depth"] == 0 and not queue["running"]
    td.exec("[o.destroy() for o in op('/project1').children if o.name.startswith('edit_')]")


def test_a_flood_over_the_rate_is_sent_away_in_words_and_health_answers(td: StandIn) -> None:
    """Sixteen clients against a rate of two a second; each refusal says when to come again."""
    td.exec("op('/project1/tdmcp').par.Requestspersecond = 2\nop('/project1/tdmcp').par.Burst = 1")
    try:
        td.exec("1")
        td.exec("1")

        def ask(number: int) -> int:
            with RawClient(td) as client:
                try:
                    assert not client.call("get_status", {})["is_error"]
                except Refused as refusal:
                    assert "Too many requests; call again in" in refusal.args[1]
                    return int(refusal.args[0])
                return 200

        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            asked = [pool.submit(ask, number) for number in range(24)]
            assert health(td)["status"] == "ok", "it does not wait in the same line"
            told = [one.result(PATIENCE) for one in asked]
        assert set(told) == {200, 429}
    finally:
        td.exec("op('/project1/tdmcp').par.Requestspersecond = 120\nop('/project1/tdmcp').par.Burst = 4")
        td.exec("1")
        td.exec("1")

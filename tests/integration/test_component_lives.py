"""The component again and again, and TouchDesigner again and again: what each leaves behind is nothing.

A few rounds here; `python -m tests.benchmarks.lives` does a hundred, and looks at the memory as well.
"""

from __future__ import annotations

import pytest

from fakes.driver import StandIn
from tests.integration.component import COMPONENT, answers, entries, on_a_fixed_port, par, until
from tests.integration.lives import built_anew, deleted_and_dropped

pytestmark = pytest.mark.anyio
ROUNDS = 5


@pytest.fixture(scope="module")
def td():
    with on_a_fixed_port() as stand_in:
        yield stand_in
        if stand_in.process.poll() is None:
            assert stand_in.stats()["thread_conflicts"] == 0
        assert stand_in.strays == []


def served_elsewhere(stand_in, copy):
    """Wait until a copy of the component has an address of its own; at first it shows what was copied with it."""
    until(lambda: par(stand_in, "Url", copy), lambda url: url not in ("", stand_in.url))


async def test_building_the_extension_anew_leaves_one_server_and_its_client_alone(td):
    before, after = await built_anew(td, ROUNDS)
    assert after.threads <= before.threads and after.sockets <= before.sockets
    assert after.operators == before.operators
    # The chain alone, once the link to the dropped file has been looked at for the last time.
    until(lambda: td.exec("len(runs)"), "1")


async def test_deletions_and_drops_under_a_client_leave_nothing_and_it_comes_back_at_the_same_address(td):
    before, after = await deleted_and_dropped(td, ROUNDS)
    assert after.threads <= before.threads and after.sockets <= before.sockets
    assert after.operators == before.operators
    # The chain alone, once the link to the dropped file has been looked at for the last time.
    until(lambda: td.exec("len(runs)"), "1")
    assert "Traceback" not in td.stderr()


def test_two_touchdesigners_with_two_components_each_have_four_servers_and_none_after_the_end(td):
    first = {entry["token"] for entry in entries(td)}
    with StandIn("--scene", "empty", home=td.home) as two:
        for stand_in in (td, two):
            stand_in.exec(f"op('/project1').copy({COMPONENT}, name='second')")
            served_elsewhere(stand_in, "op('/project1/second')")
        until(lambda: two.exec("1") and len(entries(td)), 4)
        listed = entries(td)
        assert {(entry["pid"], entry["component"]) for entry in listed} == {
            (stand_in.ready["pid"], path)
            for stand_in in (td, two)
            for path in ("/project1/tdmcp", "/project1/second")
        }
        assert len({entry["url"] for entry in listed}) == 4 and all(answers(entry["url"]) for entry in listed)
        assert {entry["token"] for entry in listed} == first, "one user has one key"
        assert all(entry["project"] for entry in listed)
        # One ends without a word, and leaves its entries to the next one that comes.
        two.do("crash")
        two.process.wait(30)
    with StandIn("--scene", "empty", home=td.home) as three:
        assert {entry["pid"] for entry in entries(td)} == {td.ready["pid"], three.ready["pid"]}
        three.do("quit")
        assert three.process.wait(30) == 0
        assert not answers(three.url) and "Traceback" not in three.stderr()
    assert {entry["pid"] for entry in entries(td)} == {td.ready["pid"]}
    # And one by the signal with which a system ends programs.
    td.process.terminate()
    assert td.process.wait(30) == 0
    assert not any(answers(entry["url"]) for entry in listed)
    assert entries(td) == [] and "Traceback" not in td.stderr()

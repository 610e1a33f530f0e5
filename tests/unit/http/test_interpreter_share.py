"""What requests cost decides how many of them a second the frames can spare."""

from __future__ import annotations

import pytest

from fakes.coarse_clocks import STEP, in_steps
from tdmcp_embedded.http.interpreter_share import FLOOR, SHARE, InterpreterShare


class Machine:
    """Time that passes, and processor time that the server thread takes."""

    now = 100.0
    used = 3.0

    def __init__(self) -> None:
        self.share = InterpreterShare(lambda: self.now, lambda: self.used)

    def serve(self, requests: int, seconds: float, milliseconds_each: float) -> None:
        for _ in range(requests):
            self.share.admitted()
            self.now += seconds / requests
            self.used += milliseconds_each / 1000


def test_before_anything_is_known_one_client_that_asks_in_every_frame_is_not_held_up() -> None:
    assert Machine().share.spared(120) > 60


def test_cheap_requests_come_in_as_the_setting_says() -> None:
    machine = Machine()
    machine.serve(400, 4.0, milliseconds_each=1.0)
    assert machine.share.spared(120) == 120


def test_dear_requests_come_in_only_as_often_as_their_share_of_time_allows() -> None:
    machine = Machine()
    machine.serve(400, 4.0, milliseconds_each=5.0)
    assert machine.share.spared(120) == pytest.approx(SHARE / 0.005, rel=0.05)


def test_requests_of_any_cost_are_let_in_now_and_then() -> None:
    machine = Machine()
    machine.serve(60, 30.0, milliseconds_each=400.0)
    assert machine.share.spared(120) == FLOOR
    assert machine.share.spared(10) == 10, "a lower setting stays lower"


def test_when_requests_get_cheap_again_the_setting_counts_again() -> None:
    machine = Machine()
    machine.serve(100, 4.0, milliseconds_each=20.0)
    machine.serve(600, 6.0, milliseconds_each=1.0)
    assert machine.share.spared(120) == 120


def test_what_an_idle_server_does_by_itself_is_not_taken_for_the_cost_of_requests() -> None:
    machine = Machine()
    for _ in range(20):
        machine.now += 60.0
        machine.used += 2.0
        machine.share.admitted()
    assert machine.share.spared(120) == Machine().share.spared(120)


def test_work_that_a_coarse_clock_never_sees_costs_something_all_the_same() -> None:
    machine = Machine()
    machine.serve(2000 * 20, 2000.0, milliseconds_each=0.0)
    assert machine.share.spared(120) == 120
    # And what it sees at last, in steps of a tick, counts soon.
    for _ in range(40):
        machine.serve(25, 0.5, milliseconds_each=0.0)
        machine.used += 8 * STEP
    assert machine.share.spared(120) < 60


@pytest.mark.parametrize("each", [1.0, 5.0])
def test_a_clock_with_the_steps_of_windows_tells_the_cost_as_well_as_a_fine_one(each: float) -> None:
    fine, coarse = Machine(), Machine()
    coarse.share = InterpreterShare(
        lambda: in_steps(lambda: coarse.now, STEP), lambda: in_steps(lambda: coarse.used, STEP)
    )
    for machine in (fine, coarse):
        machine.serve(600, 6.0, milliseconds_each=each)
    assert coarse.share.spared(120) == pytest.approx(fine.share.spared(120), rel=0.15)

"""The schedule behind run(): order, clocks, killing, and code that schedules more code."""

import pytest

from fakes.runs import Schedule


class Ticks:
    def __init__(self):
        self.elapsed = 0


class Host:
    """Executes by calling; keeps one clock for the timeline and one that always runs."""

    def __init__(self):
        self.timeline, self.always = Ticks(), Ticks()

    def rate(self):
        return 60.0

    def ticks(self, reference):
        return self.always if reference == "always" else self.timeline

    def execute(self, pending):
        pending.source(*pending.args)

    def caller(self):
        return None


@pytest.fixture
def host():
    return Host()


@pytest.fixture
def schedule(host):
    return Schedule(host)


def test_what_is_due_together_runs_in_the_order_it_was_scheduled(host, schedule):
    seen = []
    for name in "abc":
        schedule.add(seen.append, (name,), frames=1)
    host.timeline.elapsed = 1
    assert schedule.fire(at_end=False) == 3
    assert seen == ["a", "b", "c"]


def test_each_delay_is_measured_on_its_own_clock(host, schedule):
    seen = []
    schedule.add(seen.append, ("timeline",), frames=1)
    schedule.add(seen.append, ("always",), frames=1, reference="always")
    host.always.elapsed = 5
    schedule.fire(at_end=False)
    assert seen == ["always"]


def test_a_run_may_kill_one_that_is_due_in_the_same_frame(host, schedule):
    seen = []
    victims = []
    schedule.add(lambda: schedule.drop(victims[0]), (), frames=1)
    victims.append(schedule.add(seen.append, ("victim",), frames=1))
    host.timeline.elapsed = 1
    schedule.fire(at_end=False)
    assert seen == []


def test_what_a_run_schedules_waits_for_its_own_frame(host, schedule):
    seen = []

    def again():
        seen.append(host.timeline.elapsed)
        schedule.add(again, (), frames=1)

    schedule.add(again, (), frames=1)
    for frame in (1, 2, 3):
        host.timeline.elapsed = frame
        schedule.fire(at_end=False)
    assert seen == [1, 2, 3]


def test_the_end_of_the_frame_has_its_own_turn(host, schedule):
    seen = []
    schedule.add(seen.append, ("end",), at_end=True)
    schedule.fire(at_end=False)
    assert seen == []
    schedule.fire(at_end=True)
    assert seen == ["end"]


@pytest.mark.parametrize(("what", "inside"), [("now", ["ran"]), ("end", [])])
def test_a_run_without_delay_is_a_switch_because_nobody_established_it(schedule, what, inside):
    seen = []
    schedule.without_delay = what
    schedule.add(seen.append, ("ran",))
    assert seen == inside
    schedule.fire(at_end=True)
    assert seen == ["ran"]


def test_killing_all_leaves_nothing(host, schedule):
    seen = []
    pending = [schedule.add(seen.append, (n,), frames=1) for n in range(3)]
    assert schedule.kill_all() == 3
    host.timeline.elapsed = 9
    assert schedule.fire(at_end=False) == 0
    assert seen == [] and not any(p.alive for p in pending)

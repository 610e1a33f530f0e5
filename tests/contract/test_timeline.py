"""The timeline: pausing it, and what goes on all the same."""

from .facts import disturbs, fact, send_to


@fact(10)
@disturbs("the timeline")
def test_the_timeline_stands_still_while_paused_and_goes_on_from_there(t):
    clock = t.td.root.time
    clock.play = False
    try:
        yield
        frame = clock.frame
        yield
        yield
        assert clock.frame == frame
    finally:
        clock.play = True
    yield
    yield
    assert clock.frame != frame


@fact(10)
@disturbs("the timeline")
def test_the_timeline_goes_back_to_the_start_of_its_range(t):
    clock = t.td.root.time
    was = clock.rangeEnd
    clock.rangeEnd = 10
    try:
        send_to(clock, 9)
        for _ in range(4):
            yield
        assert 1 <= clock.frame <= 10
    finally:
        clock.rangeEnd = was


@fact(10)
def test_an_operator_tells_the_time_component_that_governs_it(t):
    assert t.scratch.time.path == "/local/time"

"""Threads: every TouchDesigner object belongs to the main thread, reading included."""

import threading

from .facts import fact


def in_a_thread(work):
    """What `work()` gives or raises on another thread."""
    outcome = []

    def run():
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001  Whatever it is, the test looks at it.
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return outcome[0]


@fact(1)
def test_is_main_thread_tells_on_which_thread_one_is(t):
    assert t.td.isMainThread() is True
    assert in_a_thread(t.td.isMainThread) is False


@fact(3)
def test_plain_maths_of_tdu_is_fine_on_any_thread(t):
    assert in_a_thread(lambda: t.td.tdu.remap(5, 0, 10, 0, 100)) == 50
    assert in_a_thread(lambda: t.td.tdu.clamp(12, 0, 10)) == 10

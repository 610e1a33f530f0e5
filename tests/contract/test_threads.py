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
    assert in_a_thread(lambda: t.td.tdu.expand("led[1-3] t[xy]")) == ["led1", "led2", "led3", "tx", "ty"]


@fact(3)
def test_a_matrix_of_tdu_moves_positions_and_turns_vectors(t):
    tdu = t.td.tdu
    m = tdu.Matrix()
    m.scale(2, 2, 2)
    m.rotate(0, 0, 90)
    m.translate(1, 0, 0)
    assert [round(v, 6) for v in m * tdu.Position(1, 0, 0)] == [1, 2, 0]
    assert [round(v, 6) for v in m * tdu.Vector(1, 0, 0)] == [0, 2, 0]
    assert m.vals[12:15] == [1, 0, 0] and m[0, 3] == 1
    scale, turn, moved = m.decompose()
    assert [[round(v, 6) for v in part] for part in (scale, turn, moved)] == [
        [2, 2, 2],
        [0, 0, 90],
        [1, 0, 0],
    ]
    back = m.getInverse() * m
    assert [round(v, 6) + 0 for v in back.vals] == tdu.Matrix().vals


@fact(3)
def test_a_matrix_of_tdu_may_turn_about_a_pivot_and_from_the_right(t):
    tdu = t.td.tdu
    m = tdu.Matrix()
    m.rotate(0, 0, 180, pivot=[1, 0, 0])
    assert [round(v, 6) + 0 for v in m * tdu.Position(0, 0, 0)] == [2, 0, 0]
    m = tdu.Matrix([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 0, 0, 1])
    m.scale(2, 1, 1, fromRight=True)
    assert list(m * tdu.Position(1, 0, 0)) == [7, 0, 0]

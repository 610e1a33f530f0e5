"""Threads: every TouchDesigner object belongs to the main thread, reading included."""

import tempfile
import threading
from pathlib import Path

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
def test_words_of_a_text_are_split_at_spaces_but_not_between_quotes(t):
    split = t.td.tdu.split
    assert in_a_thread(lambda: split(" a  b\tc ")) == ["a", "b", "c"]
    assert split("") == []
    assert split("1 2.3 None fred \"one '2'\"") == ["1", "2.3", "None", "fred", "one '2'"]
    assert split('1 2.3 None fred "[1,2]" True', eval=True) == [1, 2.3, None, "fred", [1, 2], True]
    note = t.scratch.create(t.td.tableDAT, "cells")
    note.clear()
    note.appendRow(["x y"])
    assert split(note[0, 0]) == ["x", "y"]
    t.scratch.appendCustomPage("Words").appendStr("Words")
    t.scratch.par.Words = "p q"
    assert split(t.scratch.par.Words) == ["p", "q"]


@fact(3)
def test_a_path_of_tdu_is_a_text_that_tells_about_its_file(t):
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder).resolve().as_posix()
        (Path(folder) / "take.1.wav").write_bytes(b"")
        info = t.td.tdu.FileInfo(there + "/take.1.wav")
        assert isinstance(info, str) and info == there + "/take.1.wav" == info.path == info.absPath
        assert (info.ext, info.baseName, info.dir) == (".wav", "take.1.wav", there)
        assert info.exists and info.isFile and not info.isDir
        assert t.td.tdu.FileInfo(there).isDir
        assert not t.td.tdu.FileInfo(there + "/gone.wav").exists


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

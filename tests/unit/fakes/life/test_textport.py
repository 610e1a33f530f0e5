"""The Textport: it belongs to the main thread, and has less than a file has."""

import threading

import pytest

from fakes.errors import ThreadConflict
from fakes.textport import StandardOutput
from tests.contract.facts import fact


def on_a_thread(work):
    """What the work raised on another thread, or None."""
    raised = []

    def run():
        try:
            work()
        except BaseException as problem:  # noqa: BLE001  The test looks at it.
            raised.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


@fact(2)
def test_printing_from_another_thread_is_refused_and_counted(alive, world, monkeypatch):
    monkeypatch.setattr("sys.stdout", StandardOutput(alive.textport))
    print("from the main thread")
    assert list(alive.textport.lines) == ["from the main thread"]
    assert isinstance(on_a_thread(lambda: print("from another")), ThreadConflict)
    assert len(world.conflicts) == 1
    assert list(alive.textport.lines) == ["from the main thread"]
    world.conflicts.clear()


@fact(2)
def test_debug_from_another_thread_is_refused_and_counted(td, world):
    debug = td.debug
    assert isinstance(on_a_thread(lambda: debug("x")), ThreadConflict)
    assert len(world.conflicts) == 1
    world.conflicts.clear()


def test_debug_says_which_dat_function_and_line(td, alive, scratch):
    dat = scratch.create(td.textDAT, "script")
    dat.text = "def hello():\n    debug('volume', 3)\n\nhello()\n"
    dat.run()
    assert list(alive.textport.lines)[-2:] == [
        "volume 3 ",
        "  (Debug - DAT:/project1/scratch/script fn:hello line:2)",
    ]


@fact(47)
def test_a_line_is_shown_when_it_is_whole_and_a_file_is_not_to_be_expected(alive, monkeypatch):
    output = StandardOutput(alive.textport)
    monkeypatch.setattr("sys.stdout", output)
    print("half", end="")
    output.flush()
    assert list(alive.textport.lines) == []
    print(" and half\nnext")
    assert list(alive.textport.lines) == ["half and half", "next"]
    for name in ("isatty", "fileno", "encoding", "buffer"):
        with pytest.raises(AttributeError):
            getattr(output, name)

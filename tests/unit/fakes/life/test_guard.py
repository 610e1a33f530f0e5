"""Every public member of what the life-cycle parts put in scope refuses other threads, and is counted."""

import threading

import pytest

import fakes
from fakes import life
from fakes.errors import ThreadConflict
from tests.contract.facts import fact


@pytest.fixture
def objects():
    """What scripts can hold, made on the main thread; conflicts are meant to happen here."""
    world = fakes.install()
    import td

    life.of(world)
    comp = td.op("/project1").create(td.baseCOMP, "comp")
    held = {
        "absTime": td.absTime,
        "app": td.app,
        "sysinfo": td.sysinfo,
        "licenses": td.licenses,
        "project": td.project,
        "ui": td.ui,
        "panes": td.ui.panes,
        "pane": td.ui.panes.current,
        "runs": td.runs,
        "run": td.run("1", delayFrames=5),
        "time": td.root.time,
        "comp": comp,
        "ext": comp.ext,
    }
    yield world, held
    fakes.uninstall()


def off_main(function):
    """What a function raised on another thread, or None."""
    raised = []

    def work():
        try:
            function()
        except BaseException as problem:  # noqa: BLE001  Whatever it was is the answer.
            raised.append(problem)
        else:
            raised.append(None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    return raised[0]


@fact(1)
def test_reading_or_calling_any_member_off_the_main_thread_is_refused_and_counted(objects):
    world, held = objects
    for name, thing in held.items():
        members = [m for m in dir(thing) if not m.startswith("_")]
        assert members or name in ("ext", "runs")  # These are reached by other ways, tested below.
        for member in members:
            before = len(world.conflicts)

            def use(thing=thing, member=member):
                found = getattr(thing, member)
                found()

            assert isinstance(off_main(use), ThreadConflict), f"{name}.{member}"
            assert len(world.conflicts) == before + 1, f"{name}.{member}"


@pytest.mark.parametrize("what", [repr, str, hash, len, iter])
def test_the_operators_of_python_are_no_way_around(objects, what):
    world, held = objects
    assert isinstance(off_main(lambda: what(held["runs"])), ThreadConflict)
    assert world.conflicts


def test_promoted_members_and_assignments_are_no_way_around(objects):
    _, held = objects
    assert isinstance(off_main(lambda: held["comp"].Boot), ThreadConflict)
    assert isinstance(off_main(lambda: setattr(held["comp"], "Volume", 1)), ThreadConflict)
    assert isinstance(off_main(lambda: setattr(held["app"], "power", False)), ThreadConflict)
    assert isinstance(off_main(lambda: held["ext"].Player), ThreadConflict)


@fact(2)
def test_run_off_the_main_thread_is_refused_and_counted(objects):
    # In TD itself it does not raise but corrupts silently (fact 2); here it must not pass.
    world, _ = objects
    import td

    run = td.run
    before = len(world.conflicts)
    assert isinstance(off_main(lambda: run("1", delayFrames=1)), ThreadConflict)
    assert len(world.conflicts) == before + 1

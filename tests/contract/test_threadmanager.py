"""op.TDResources.ThreadManager: work on threads, hooks on the main thread."""

import threading
import time

from .facts import disturbs, fact, needs

#: Seconds to wait for a worker thread at the most. Not frames: where frames are made by hand they take no time.
PATIENCE = 30.0


def until(condition):
    """Frames until `condition` holds, bounded."""
    given_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < given_up, "the worker thread did not finish"
        yield


@fact(5)
@needs("op.TDResources.ThreadManager")
def test_the_result_comes_back_on_the_main_thread(t):
    seen = []
    manager = t.td.op.TDResources.ThreadManager
    is_main = t.td.isMainThread
    task = manager.TDTask(
        target=lambda a, b: (a + b, is_main()),
        SuccessHook=lambda result: seen.append((result, is_main())),
        args=(2,),
        kwargs={"b": 3},
    )
    manager.EnqueueTask(task)
    yield from until(lambda: seen)
    assert seen == [((5, False), True)]


@fact(5)
@needs("op.TDResources.ThreadManager")
def test_an_exception_goes_to_its_own_hook_on_the_main_thread(t):
    seen = []
    manager = t.td.op.TDResources.ThreadManager
    is_main = t.td.isMainThread
    task = manager.TDTask(
        target=lambda: 1 / 0,
        SuccessHook=lambda *result: seen.append("success"),
        ExceptHook=lambda problem: seen.append((type(problem).__name__, is_main())),
    )
    manager.EnqueueTask(task)
    yield from until(lambda: seen)
    assert seen == [("ZeroDivisionError", True)]


@fact(5)
@needs("op.TDResources.ThreadManager")
def test_the_refresh_hook_comes_every_frame_until_the_work_is_done(t):
    go, refreshed, done = threading.Event(), [], []
    manager = t.td.op.TDResources.ThreadManager
    task = manager.TDTask(
        target=lambda: go.wait(30),
        SuccessHook=lambda *result: done.append(True),
        RefreshHook=lambda: refreshed.append(t.td.isMainThread()),
    )
    manager.EnqueueTask(task, standalone=True)
    yield
    yield
    yield
    go.set()
    yield from until(lambda: done)
    assert len(refreshed) >= 2 and all(refreshed)


@fact(5)
@needs("op.TDResources.ThreadManager")
def test_the_pool_works_on_four_tasks_at_a_time(t):
    go, started, done = threading.Event(), [], []
    manager = t.td.op.TDResources.ThreadManager
    for number in range(5):
        task = manager.TDTask(
            target=lambda number: (started.append(number), go.wait(30)),
            SuccessHook=lambda *result: done.append(True),
            args=(number,),
        )
        manager.EnqueueTask(task)
    try:
        yield from until(lambda: len(started) == 4)
        yield
        yield
        assert len(started) == 4
    finally:
        go.set()
    yield from until(lambda: len(done) == 5)


@fact(5)
@disturbs("the timeline")
@needs("op.TDResources.ThreadManager")
def test_the_refresh_hook_comes_while_the_timeline_is_paused(t):
    # Not established. The server gets its frames back by it when a script has cancelled every run() in a pause; where it
    # does not come, a person has to touch the component.
    go, refreshed = threading.Event(), []
    manager = t.td.op.TDResources.ThreadManager
    task = manager.TDTask(target=lambda: go.wait(30), RefreshHook=lambda: refreshed.append(True))
    t.td.root.time.play = False
    try:
        yield
        manager.EnqueueTask(task, standalone=True)
        yield from until(lambda: refreshed)
    finally:
        go.set()
        t.td.root.time.play = True

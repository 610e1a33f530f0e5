"""op.TDResources.ThreadManager: work on threads, hooks on the main thread."""

import threading

from .facts import fact

#: Frames to wait for a worker thread at the most.
PATIENCE = 600


def until(condition):
    """Frames until `condition` holds, bounded."""
    for _ in range(PATIENCE):
        if condition():
            return
        yield
    raise AssertionError("the worker thread did not finish")


@fact(5)
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

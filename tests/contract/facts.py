"""What contract tests are made of. Plain Python: the same files run inside a real TouchDesigner, without pytest.

A contract test is a function of one argument `t` with `t.td` (the module) and `t.scratch` (an empty baseCOMP that is
removed afterwards). One that has to wait is a generator: each bare `yield` lets one frame pass. It holds whatever the
order and the build; what a stand-in may only be tested for itself belongs in `tests/unit/fakes`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Caught:
    """The exception that `raises` caught."""

    error: BaseException | None = None

    @property
    def text(self) -> str:
        return str(self.error)


def fact(*numbers: int) -> Callable[[F], F]:
    """Name the numbered facts that a test proves; `fact_list` says what they are."""

    def mark(test: F) -> F:
        test.__dict__["facts"] = numbers
        return test

    return mark


#: What a test disturbs that puts steps on the person's undo list or takes some off.
UNDO_STACK = "the undo stack"


def disturbs(what: str, unless: Callable[[Any], bool] | None = None) -> Callable[[F], F]:
    """A test that moves something of the user's for a moment (the timeline, the editor) and puts it back.

    Inside TouchDesigner such a test only runs when it is asked for, or where `unless(td)` says that it disturbs nothing
    there. What disturbs `UNDO_STACK` gets an empty one, which is emptied afterwards.
    """

    def mark(test: F) -> F:
        test.__dict__["disturbs"] = what
        test.__dict__["unless"] = unless
        return test

    return mark


def nothing_to_undo(td: Any) -> bool:
    """Whether nobody loses anything if the undo list is used and emptied."""
    return not td.ui.undo.undoStack and not td.ui.undo.redoStack


#: For what works on the undo list within one frame: it disturbs nobody who has nothing to undo.
uses_undo_stack = disturbs(UNDO_STACK, unless=nothing_to_undo)


def later(t: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`td.run` of a function, as text: older builds take nothing else (fact 63)."""
    return t.td.run("args[0](*args[1:])", function, *args, **options)


def send_to(clock: Any, frame: float) -> None:
    """Send a timeline to a frame, in a build in which `frame` can be set and in one in which it cannot (fact 89)."""
    try:
        clock.frame = frame
    except Exception:  # noqa: BLE001  Whatever it raises there.
        clock.seconds = (frame - 1) / clock.rate
    else:
        if clock.frame != frame:
            clock.seconds = (frame - 1) / clock.rate


def since(year: int) -> Callable[[F], F]:
    """A test of what builds of that year and newer do."""

    def mark(test: F) -> F:
        test.__dict__["since"] = year
        return test

    return mark


def needs(*names: str) -> Callable[[F], F]:
    """A test of what only builds have whose `td` has these names (`POP`, `op.TDResources.ThreadManager`)."""

    def mark(test: F) -> F:
        test.__dict__["needs"] = names
        return test

    return mark


def lacking(test: Callable[..., Any], td: Any) -> str:
    """The first thing that a test needs and this build lacks; empty if it has all."""
    year = getattr(test, "since", 0)
    if int(str(td.app.build).partition(".")[0]) < year:
        return f"what came in {year}"
    return next((name for name in getattr(test, "needs", ()) if not _has(td, name)), "")


def _has(td: Any, path: str) -> bool:
    for name in path.split("."):
        if not hasattr(td, name):
            return False
        td = getattr(td, name)
    return True


@contextmanager
def raises(*kinds: type[BaseException]) -> Iterator[Caught]:
    """Fail unless what is inside raises one of the exceptions."""
    caught = Caught()
    try:
        yield caught
    except kinds as error:
        caught.error = error
        return
    raise AssertionError(f"nothing was raised; expected {' or '.join(k.__name__ for k in kinds)}")

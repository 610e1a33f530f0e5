"""What contract tests are made of. Plain Python: the same files run inside a real TouchDesigner, without pytest.

A contract test is a function of one argument `t` with `t.td` (the module) and `t.scratch` (an empty baseCOMP that is
removed afterwards). One that has to wait is a generator: each bare `yield` lets one frame pass.
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
    """Name the numbered facts that a test proves."""

    def mark(test: F) -> F:
        test.__dict__["facts"] = numbers
        return test

    return mark


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

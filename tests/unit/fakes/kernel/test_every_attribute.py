"""Generated: on another thread, no member of any class that scripts can hold does anything but raise and be counted.

The objects are blank: a member that looked at one before the guard spoke would fail in another way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from fakes import catalogue, guard, module, operators
from fakes.errors import ThreadConflict
from fakes.guard import Guarded
from fakes.world import World
from tests.contract.facts import fact


def on_a_thread(work: Callable[[], None]) -> None:
    """Do the work on another thread; what it raises is raised here."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  It is raised again.
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


@pytest.fixture
def classes(td: ModuleType) -> list[type]:
    """Every class with guarded members: those of all operator types, and everything they hand out."""
    for name in catalogue.types():
        operators.face_class(name)

    def below(cls: type) -> Iterator[type]:
        yield cls
        for sub in cls.__subclasses__():
            yield from below(sub)

    # Classes that other tests made for themselves are not TouchDesigner's.
    found = {c for c in below(Guarded) if c.__module__ == "td" or c.__module__.startswith("fakes.")}
    assert len(found) > 700
    return sorted(found, key=lambda c: (c.__module__, c.__qualname__))


def members(cls: type) -> dict[str, Any]:
    """Public members by name, inherited ones too."""
    return {n: m for c in reversed(cls.__mro__) for n, m in vars(c).items() if not n.startswith("_")}


def refused(world: World, use: Callable[..., Any], *args: Any) -> bool:
    """Whether using something raises ThreadConflict, and once more is counted."""
    before = len(world.conflicts)
    try:
        use(*args)
    except ThreadConflict:
        return len(world.conflicts) == before + 1
    except BaseException:  # noqa: BLE001  Anything else means that the guard came too late.
        return False
    return False


@fact(1)
def test_no_attribute_of_any_class_can_be_read(world: World, classes: list[type]) -> None:
    leaks: list[str] = []

    def read() -> None:
        for cls in classes:
            blank = cls.__new__(cls)
            leaks.extend(
                f"{cls.__name__}.{name}" for name in members(cls) if not refused(world, getattr, blank, name)
            )

    on_a_thread(read)
    assert leaks == []
    assert len(world.conflicts) > 50_000


@fact(1)
def test_no_attribute_of_any_class_can_be_written(world: World, classes: list[type]) -> None:
    leaks: list[str] = []

    def write() -> None:
        for cls in classes:
            blank = cls.__new__(cls)
            leaks.extend(
                f"{cls.__name__}.{name}"
                for name, member in members(cls).items()
                if isinstance(member, property) and member.fset
                and not refused(world, setattr, blank, name, None)
            )  # fmt: skip

    on_a_thread(write)
    assert leaks == []
    assert len(world.conflicts) > 5_000


@fact(1)
def test_a_method_fetched_on_the_main_thread_cannot_be_called_on_another(
    world: World, classes: list[type]
) -> None:
    fetched = {
        f"{cls.__name__}.{name}": getattr(cls.__new__(cls), name)
        for cls in classes
        for name, member in vars(cls).items()
        if not name.startswith("_") and isinstance(member, guard._Method)
    }
    leaks: list[str] = []
    on_a_thread(lambda: leaks.extend(name for name, call in fetched.items() if not refused(world, call)))
    assert leaks == []
    assert len(fetched) > 150


@fact(1)
def test_no_operation_of_python_on_any_class_is_a_way_around(world: World, classes: list[type]) -> None:
    leaks: list[str] = []

    def operate() -> None:
        for cls in classes:
            blank = cls.__new__(cls)
            for name, member in vars(cls).items():
                special = name.startswith("__") and name.endswith("__") and callable(member)
                if not special or name in guard._EXEMPT or isinstance(member, type):
                    continue
                if not refused(world, member, blank):
                    leaks.append(f"{cls.__name__}.{name}")

    on_a_thread(operate)
    assert leaks == []


@fact(1)
def test_no_name_of_the_module_that_touches_touchdesigner_can_be_looked_up(
    world: World, td: ModuleType
) -> None:
    for name in module.changing_names():
        if name not in ("families",):
            getattr(td, name)  # Made already: that must not help another thread.
    leaks: list[str] = []
    on_a_thread(
        lambda: leaks.extend(n for n in module.changing_names() if not refused(world, getattr, td, n))
    )
    assert leaks == []

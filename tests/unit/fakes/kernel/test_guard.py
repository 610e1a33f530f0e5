"""Nothing public of any TouchDesigner object can be reached off the main thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from fakes import catalogue, guard, operators
from fakes.errors import ThreadConflict
from fakes.guard import Guarded
from fakes.world import World
from tests.contract.facts import fact


def on_a_thread(work: Callable[[], Any]) -> BaseException | None:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  The test looks at whatever it is.
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return caught[0] if caught else None


def subclasses(cls: type) -> Iterator[type]:
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def objects(td: ModuleType) -> list[Any]:
    """One object of every kind that scripts can hold."""
    scratch = td.op("/project1").create(td.baseCOMP, "scratch")
    page = scratch.appendCustomPage("Show")
    group = page.appendFloat("Speed")
    glsl = scratch.create(td.glslTOP)
    named = (td.op, td.opex, td.parent, td.iop, td.ui, td.ui.undo, td.project, td.app, td.absTime, td.runs)
    return [
        *(scratch.create(name) for name in catalogue.types()),
        page, group, group[0], scratch.par, scratch.parGroup, glsl.inputConnectors[0],
        glsl.seq, glsl.seq.vec, glsl.seq.vec.blocks[0], *named,
    ]  # fmt: skip


def test_every_public_member_of_every_class_is_guarded(td: ModuleType) -> None:
    for name in catalogue.types():
        operators.face_class(name)
    found = list(subclasses(Guarded))
    assert len(found) > 647
    for cls in found:
        for name, member in vars(cls).items():
            if name.startswith("_"):
                continue
            if isinstance(member, property):
                parts = [f for f in (member.fget, member.fset, member.fdel) if f is not None]
            else:
                parts = [getattr(member, "_function", member)]
            assert all("_guards" in getattr(f, "__dict__", {}) for f in parts), f"{cls.__name__}.{name}"


@fact(1)
def test_touching_any_public_attribute_off_the_main_thread_raises_and_counts(
    world: World, td: ModuleType
) -> None:
    for obj in objects(td):
        cls = type(obj)
        names = {n for c in cls.__mro__ for n in vars(c) if not n.startswith("_")}
        before = len(world.conflicts)

        def touch(obj: Any = obj, names: set[str] = names, cls: type = cls) -> None:
            for name in names:
                with pytest.raises(ThreadConflict):
                    getattr(obj, name)
                    pytest.fail(f"{cls.__name__}.{name} can be reached on another thread")

        assert on_a_thread(touch) is None
        assert len(world.conflicts) == before + len(names)


@pytest.mark.parametrize("use", [str, repr, hash, dir, bool, float, lambda p: p == 1, lambda p: p + 1])
def test_using_a_parameter_as_a_value_is_touching_it(
    world: World, td: ModuleType, use: Callable[..., Any]
) -> None:
    par = td.op("/project1").create(td.noiseTOP).par.period
    assert isinstance(on_a_thread(lambda: use(par)), ThreadConflict)
    assert len(world.conflicts) == 1


def test_formatting_an_operator_or_asking_for_an_unknown_name_is_touching_it(
    world: World, td: ModuleType
) -> None:
    project = td.op("/project1")
    assert isinstance(on_a_thread(lambda: f"{project}"), ThreadConflict)
    assert isinstance(on_a_thread(lambda: project.nosuch), ThreadConflict)
    assert isinstance(on_a_thread(lambda: setattr(project, "name", "x")), ThreadConflict)
    assert isinstance(on_a_thread(lambda: setattr(project.par, "w", 1)), ThreadConflict)


def test_a_method_fetched_on_the_main_thread_still_refuses_another(world: World, td: ModuleType) -> None:
    cook = td.op("/project1").cook
    assert isinstance(on_a_thread(cook), ThreadConflict)


def test_names_of_the_module_are_touched_on_the_main_thread_only(world: World, td: ModuleType) -> None:
    for name in ("op", "ops", "me", "root", "project", "app", "ui", "absTime", "run"):
        assert isinstance(on_a_thread(lambda n=name: getattr(td, n)), ThreadConflict), name
    assert on_a_thread(td.isMainThread) is None


def test_a_public_member_that_cannot_be_guarded_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match=r"Leaky\.value is a plain attribute"):
        type("Leaky", (Guarded,), {"value": 3})
    with pytest.raises(TypeError, match=r"Leaky\.value is a slot"):
        type("Leaky", (Guarded,), {"__slots__": ("value",)})


def test_the_sentence_names_what_was_touched_and_the_thread(world: World, td: ModuleType) -> None:
    project = td.op("/project1")
    error = on_a_thread(lambda: project.path)
    assert "OP.path" in str(error)
    assert str(error) == world.conflicts[0]
    assert guard.is_main_thread()

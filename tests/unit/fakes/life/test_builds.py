"""What differs between builds, and what happens when files are dropped and projects opened (facts 54, 58 to 63)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import fakes
from fakes import builds, life
from fakes.errors import tdError
from fakes.life import Life
from fakes.world import World
from tests.contract.facts import fact


class Td(NamedTuple):
    td: ModuleType
    world: World
    life: Life


@pytest.fixture(params=[builds.OLDEST])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Td]:
    """A stand-in of the oldest build."""
    builds.use(request.param)
    yield from _made(tmp_path)
    builds.use(builds.NEWEST)


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Td]:
    yield from _made(tmp_path)


def _made(folder: Path) -> Iterator[Td]:
    world = fakes.install()
    import td

    life.of(world).project.folder = folder
    yield Td(td, world, life.of(world))
    fakes.uninstall()


@fact(54)
def test_builds_but_the_newest_know_no_op_type_in_small_letters(old: Td) -> None:
    noise = old.td.op("/project1").create("noiseTOP")
    assert noise.OPType == "noiseTOP"
    assert not any(hasattr(noise, name) for name in ("opType", "isPOP", "isCustom"))


@fact(54)
def test_a_build_of_2023_has_no_pops(old: Td) -> None:
    assert not hasattr(old.td, "POP") and not hasattr(old.td, "gridPOP") and "POP" not in old.td.families
    with pytest.raises(tdError, match="Unknown operator type"):
        old.td.op("/project1").create("gridPOP")
    assert old.td.op("/project1").create("geometryCOMP").op("torus1").family == "SOP"


@fact(62)
def test_only_the_newest_build_tells_whether_the_project_was_modified(old: Td) -> None:
    assert getattr(old.td.project, "modified", None) is None


@fact(63)
def test_a_build_of_2023_runs_text_only(old: Td) -> None:
    seen: list[int] = []
    with pytest.raises(tdError, match="a string is needed"):
        old.td.run(seen.append, 1, delayFrames=1)
    old.td.run("args[0](*args[1:])", seen.append, 1, delayFrames=1)
    old.life.step()
    assert seen == [1]


@fact(61)
def test_what_a_build_does_not_bring_cannot_be_imported(old: Td) -> None:
    finder = builds._Hiding(builds.current().packages_absent)
    with pytest.raises(ModuleNotFoundError):
        finder.find_spec("cryptography.hazmat")
    assert finder.find_spec("numpy") is None


@fact(58)
def test_a_run_that_is_over_raises_when_touched(new: Td) -> None:
    pending = new.td.run("pass", delayFrames=1)
    assert pending.active
    new.life.step()
    for touch in (pending.kill, lambda: pending.active):
        with pytest.raises(tdError):
            touch()


def dropped(new: Td) -> tuple[object, Path]:
    """A component as it is after its .tox was dropped in."""
    made = new.td.op("/project1").create("baseCOMP", "dropped")
    made.appendCustomPage("Own").appendInt("Level")
    made.par.Level = 1
    made.create("textDAT", "inside").text = "as in the file"
    file = Path(made.save(str(new.life.project.folder / "dropped.tox")))
    new.life.files.link(made._node, file)
    return made, file


@fact(60)
def test_dropping_a_file_links_the_component_to_it(new: Td) -> None:
    made, file = dropped(new)
    assert made.par.externaltox.expr and Path(made.par.externaltox.eval()) == file
    assert made.par.enableexternaltox.eval() and made.par.reloadcustom.eval()


def reopened(new: Td) -> None:
    new.td.project.save(os.fspath(new.life.project.folder / "show.toe"))
    new.td.project.load(os.fspath(new.life.project.folder / "show.toe"))
    new.life.step()


@fact(60)
def test_opening_a_project_brings_back_what_is_in_the_file(new: Td) -> None:
    made, _ = dropped(new)
    made.par.Level = 5
    made.op("inside").text = "changed"
    reopened(new)
    again = new.td.op("/project1/dropped")
    assert again.par.Level == 1 and again.op("inside").text == "as in the file"


@fact(60)
def test_without_the_link_a_project_keeps_its_own(new: Td) -> None:
    made, _ = dropped(new)
    made.par.externaltox.expr = ""
    made.par.externaltox.val = ""
    made.par.Level = 5
    reopened(new)
    assert new.td.op("/project1/dropped").par.Level == 5


@fact(59)
def test_opening_a_project_gives_ids_anew_which_repeat(new: Td) -> None:
    former = new.td.op("/project1")
    ids = {new.td.op("/project1").create("noiseTOP").id for _ in range(3)}
    reopened(new)
    assert not former.valid
    assert {o.id for o in new.td.op("/project1").children} & ids


@fact(59)
def test_opening_a_project_ends_pending_runs(new: Td) -> None:
    new.td.run("pass", delayFrames=100)
    reopened(new)
    assert len(new.td.runs) == 0


@fact(59)
def test_opening_a_project_tells_nobody(new: Td) -> None:
    told: list[str] = []
    comp = new.td.op("/project1").create("baseCOMP", "comp")
    comp.create("textDAT", "Ext").text = (
        "class Ext:\n    told = None\n    def __init__(self, o): pass\n"
        "    def onDestroyTD(self): self.told.append('destroyed')\n"
    )
    comp.par.ext0object, comp.par.ext0name, comp.par.ext0promote = "op('./Ext').module.Ext(me)", "Ext", True
    type(comp.ext.Ext).told = told
    watch = comp.create("executeDAT", "watch")
    watch.text = "def onExit():\n    parent().ext.Ext.told.append('exit')\n"
    watch.par.active = watch.par.exit = True
    new.life.project.load_empty()
    new.life.step()
    assert told == [] and new.td.op("/project1").children == []

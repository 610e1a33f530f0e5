"""The project: where it lives, what saving does, and how it ends."""

import threading

import pytest

from fakes import toe
from fakes.errors import tdError
from fakes.project import next_name
from tests.contract.facts import fact

HEARS_SAVES = """
def onProjectPreSave():
    me.parent().store('saves', me.parent().fetch('saves', []) + ['before'])

def onProjectPostSave():
    me.parent().store('saves', me.parent().fetch('saves', []) + ['after'])
"""


def listener(td, scratch, text=HEARS_SAVES):
    dat = scratch.create(td.executeDAT, "listener")
    dat.text = text
    dat.par.projectpresave = True
    dat.par.projectpostsave = True
    dat.par.active = True
    return dat


@fact(36)
def test_a_save_writes_a_marked_file_in_the_projects_folder(td, tmp_path):
    assert td.project.save() is True
    (file,) = tmp_path.glob("*.toe")
    assert file.read_bytes().startswith(b"FAKE-TOX")
    assert td.project.folder == tmp_path.as_posix()


@fact(36)
def test_after_a_save_the_name_may_be_that_of_the_next_one(td, alive, tmp_path):
    name = td.project.name
    td.project.save()
    assert (tmp_path / name).is_file()
    assert td.project.name == next_name(name) != name
    alive.project.name_is_next = False
    name = td.project.name
    td.project.save()
    assert td.project.name == name


@pytest.mark.parametrize(("name", "following"), [("show.3.toe", "show.4.toe"), ("show.toe", "show.2.toe")])
def test_the_next_name_counts_up(name, following):
    assert next_name(name) == following


@fact(6, 36)
def test_callbacks_come_before_and_after(td, scratch):
    listener(td, scratch)
    td.project.save()
    assert scratch.fetch("saves") == ["before", "after"]


@fact(36)
def test_an_exception_before_the_save_truncates_the_file(td, scratch, tmp_path):
    dat = listener(td, scratch, "def onProjectPreSave():\n    raise ValueError('stop')\n")
    assert td.project.save("broken.toe") is False
    assert "stop" in dat.scriptErrors()
    with pytest.raises(tdError, match="truncated"):
        toe.unpack((tmp_path / "broken.toe").read_bytes())


@fact(36)
def test_storage_that_cannot_be_pickled_stops_the_save(td, scratch):
    scratch.store("lock", threading.Lock())
    with pytest.raises(tdError, match="/project1/scratch"):
        td.project.save()


def test_the_whole_project_is_in_the_file(td, scratch, tmp_path):
    scratch.create(td.noiseTOP, "noise1").par.period = 3
    td.project.save("whole.toe")
    content = toe.unpack((tmp_path / "whole.toe").read_bytes())
    project1 = next(c for c in content["operator"]["children"] if c["name"] == "project1")
    (saved,) = project1["children"]
    assert saved["children"][0]["pars"]["period"]["value"] == 3


def test_changing_something_makes_it_modified_until_it_is_saved(td, scratch):
    td.project.save()
    assert not td.project.modified
    scratch.create(td.noiseTOP)
    assert td.project.modified
    td.project.save()
    assert not td.project.modified


@fact(38)
def test_extensions_are_built_anew_after_a_save(td, scratch, frames):
    scratch.create(
        td.textDAT, "Ext"
    ).text = "class Ext:\n    def __init__(self, comp):\n        self.comp = comp\n"
    scratch.par.ext0object = "op('./Ext').module.Ext(me)"
    scratch.par.ext0name = "Ext"
    frames()
    before = scratch.ext.Ext
    td.project.save()
    assert scratch.ext.Ext is not before


@fact(36)
def test_quitting_a_modified_project_asks_unless_forced(td, alive, scratch):
    ended = []
    alive.project.quit = lambda: ended.append(True)
    td.project.quit()
    assert ended == []
    td.project.quit(force=True)
    assert ended == [True]


def test_a_saved_project_can_be_opened_again_in_place_of_another(td, alive, scratch, frames, tmp_path):
    noise = scratch.create(td.noiseTOP, "noise1")
    noise.par.period = 3
    dat = scratch.create(td.executeDAT, "life")
    dat.text = "def onStart():\n    me.parent().store('started', True)\n"
    dat.par.start = True
    dat.par.active = True
    td.root.time.rate = 30
    td.project.save("whole.toe")
    scratch.destroy()
    td.root.time.rate = 60
    td.op("/project1").create(td.baseCOMP, "later")
    td.project.load("whole.toe")
    frames(2)
    assert td.op("/project1/later") is None
    assert td.op("/project1/scratch/noise1").par.period == 3
    assert td.op("/project1/scratch").fetch("started") is True
    assert td.root.time.rate == 30
    assert (td.project.name, td.project.modified) == ("whole.toe", False)


@pytest.mark.parametrize("content", [None, b"FAKE-TOX 1\nrubbish", b"\x00"])
def test_what_is_no_project_is_not_opened(td, content, tmp_path):
    if content is not None:
        (tmp_path / "wrong.toe").write_bytes(content)
    with pytest.raises(tdError, match="Failed to load"):
        td.project.load("wrong.toe")

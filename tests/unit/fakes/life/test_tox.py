"""Loading components from the expanded form, and the stand-in's own containers."""

import subprocess
import sys

import pytest

from fakes import toe, toecollapse, tox
from fakes.errors import tdError
from fakes.expanded_lines import ExpandedError
from tox_build.expanded import write_expanded

BUILD = "version 099\nbuild 2025.32460\ntime Thu Jan 1 00:00:00 2025\nosname Windows\nosversion 10\n"
FLAGS = "tile {} 0 130 90\nflags =  viewer 1 parlanguage 0\n"
COMPONENT = {
    ".build": BUILD,
    "synth.n": "COMP:base\n" + FLAGS.format(0) + "color 0.5 0.25 1 \nend\n",
    "synth.cparm": (
        "?\npages 1 Knobs\n"
        '772804866 Voices Voices 1 3 1 1 3 16 16 2 4 "" "" Knobs 0\n'
        '772804879 Wave Wave 1 1 0 0 1 1 1 2 0 saw "" Knobs 4097 2 sine Sine saw "Saw Tooth" 1\n?\n'
    ),
    "synth.parm": "?\nVoices 67108928 7\nparentshortcut 0 Synth\n?\n",
    "synth/noise1.n": "TOP:noise\n" + FLAGS.format(0) + "end\n",
    "synth/noise1.parm": "?\nperiod 17 1 parent().par.Voices\n?\n",
    "synth/blur1.n": "TOP:blur\n" + FLAGS.format(200) + "inputs\n{\n0 \tnoise1\n}\nend\n",
    "synth/watch.n": "DAT:parexec\n" + FLAGS.format(400) + "dock blur1\nend\n",
}


def write(folder, files):
    tree = folder / "synth.tox.dir"
    for name, content in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    toc = folder / "synth.tox.toc"
    toc.write_text("\n".join(["# 4 0 0 0 1", *files]) + "\n", encoding="utf-8", newline="\n")
    return toc


@pytest.fixture
def load(world, alive, tmp_path):
    def into_project(files):
        return world.face(tox.load_expanded(world, world.node("/project1"), write(tmp_path, files)))

    return into_project


def test_the_loaded_component_is_what_was_described(load):
    synth = load(COMPONENT)
    assert (synth.path, synth.opType) == ("/project1/synth", "baseCOMP")
    assert synth.color == (0.5, 0.25, 1.0)
    assert synth.par.Voices.eval() == 7 and synth.par.Voices.default == 4
    assert synth.par.Wave.eval() == "saw" and synth.par.Wave.menuLabels == ["Sine", "Saw Tooth"]
    assert synth.par.Voices.max == 16 and synth.par.Voices.clampMax
    assert synth.par.parentshortcut.eval() == "Synth"
    assert synth.op("noise1").par.period.eval() == 7
    assert [o.name for o in synth.op("blur1").inputs] == ["noise1"]
    assert synth.op("watch").opType == "parameterexecuteDAT"
    assert synth.op("watch").dock == synth.op("blur1")


def test_a_second_one_gets_the_next_number(load):
    load(COMPONENT)
    assert load(COMPONENT).name == "synth1"


def test_loading_is_one_undo_step_that_takes_all_away(td, load):
    td.ui.undo.startBlock("drop")
    synth = load(COMPONENT)
    td.ui.undo.endBlock()
    td.ui.undo.undo()
    assert not synth.valid and td.op("/project1/synth") is None
    td.ui.undo.redo()
    assert td.op("/project1/synth/blur1").inputs[0].name == "noise1"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("synth/noise1.n", "TOP:nois\n" + FLAGS.format(0) + "end\n", "TOP:nois"),
        ("synth/noise1.parm", "?\nperoid 0 1\n?\n", "peroid"),
        ("synth/noise1.parm", "?\ntype 0 nosuchnoise\n?\n", "nosuchnoise"),
        ("synth/noise1.parm", "?\nmono 0 maybe\n?\n", "maybe"),
        ("synth/noise1.parm", "?\nperiod 67108928 1\n?\n", "custom"),
        ("synth/blur1.n", "TOP:blur\n" + FLAGS.format(0) + "inputs\n{\n0 \tnoise9\n}\nend\n", "noise9"),
    ],
)
def test_what_touchdesigner_would_swallow_silently_is_refused(load, name, content, words):
    with pytest.raises(ExpandedError, match=words):
        load({**COMPONENT, name: content})


def test_what_tox_build_writes_is_loaded_whole(world, alive, tmp_path):
    node = tox.load_expanded(world, world.node("/project1"), write_expanded(tmp_path))
    component = world.face(node)
    assert component.par.Port.eval() == 9988
    assert component.par.ext0promote.eval()
    assert {"executeDAT", "parameterexecuteDAT"} <= {child.opType for child in component.children}


# The stand-in's containers


def test_a_container_is_marked_and_comes_back(world, alive, load):
    synth = load(COMPONENT)
    data = synth.saveByteArray()
    assert data.startswith(b"FAKE-TOX")
    again = world.face(world.node("/project1")).loadByteArray(data)
    assert again.name == "synth1"
    assert again.par.Voices.eval() == 7 and again.customPages[0].name == "Knobs"
    assert again.op("watch").dock == again.op("blur1")
    assert again.op("blur1").inputs == [again.op("noise1")]


def test_wires_to_the_outside_are_lost(td, scratch):
    outside = scratch.create(td.noiseTOP, "outside")
    inner = scratch.create(td.baseCOMP, "inner")
    inner.create(td.inTOP, "in1")
    inner.cook(force=True)
    inner.inputConnectors[0].connect(outside)
    loaded = scratch.loadByteArray(inner.saveByteArray())
    assert loaded.inputs == []


@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"FAKE-TOX 1\n", b"FAKE-TOX 1\nrubbish"])
def test_a_foreign_or_truncated_file_is_refused(data):
    with pytest.raises(tdError, match="Failed to load file"):
        toe.unpack(data)


# toecollapse and toeexpand


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, COMPONENT)
    return tmp_path


def test_collapse_exits_zero_and_expand_exits_one_and_gives_the_tree_back(folder, tmp_path_factory):
    target = folder / "synth.tox"
    assert toecollapse.collapse(target) == 0
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "synth.tox"
    elsewhere.write_bytes(target.read_bytes())
    assert toecollapse.expand(elsewhere) == 1
    for name in COMPONENT:
        before, after = (p / "synth.tox.dir" / name for p in (folder, elsewhere.parent))
        assert before.read_bytes() == after.read_bytes()
    assert (folder / "synth.tox.toc").read_bytes() == elsewhere.with_name("synth.tox.toc").read_bytes()


def test_collapsing_twice_gives_the_same_bytes_and_keeps_the_first(folder):
    target = folder / "synth.tox"
    toecollapse.collapse(target)
    first = target.read_bytes()
    toecollapse.collapse(target)
    assert target.read_bytes() == first == (folder / "synth.tox.bkp1").read_bytes()


def test_without_build_the_file_has_four_bytes_and_no_error(folder):
    (folder / "synth.tox.dir" / ".build").unlink()
    assert toecollapse.collapse(folder / "synth.tox") == 0
    assert (folder / "synth.tox").stat().st_size == 4


def test_without_a_table_of_contents_it_fails(folder):
    (folder / "synth.tox.toc").unlink()
    ran = subprocess.run(
        [sys.executable, "-m", "fakes.toecollapse", "toecollapse", str(folder / "synth.tox")], check=False
    )
    assert ran.returncode not in (0, 1)


def test_a_collapsed_component_can_be_loaded(td, scratch, folder):
    toecollapse.collapse(folder / "synth.tox")
    assert scratch.loadTox(str(folder / "synth.tox")).par.Voices.eval() == 7

"""Expanded components that TouchDesigner made open as far as they are known; the rest is listed and kept."""

import struct

import pytest

from fakes import project_folder
from fakes.expanded_lines import ExpandedError
from fakes.expanded_tree import find_toc, read_tree, write_tree
from tests.unit.fakes.life.test_expanded import BUILD, table_file, text_file

FLAGS = "flags =  viewer 1 parlanguage 0\n"
GOLDEN_CUSTOM = (
    '?\npages 2 "UI Fixes" Knot\n'
    '772804867 Enable Enable 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 0\n'
    '772804866 Numpoints "Num Points" 1 3 16 16 3 2000 2000 2 200 "" "" Knot 0\n'
    '772804879 Knottype "Knot Type" 1 1 0 0 1 1 1 2 0 trefoil "" Knot 4097 4 trefoil Trefoil '
    'figure8 Figure-Eight torus "Torus (2,3)" circle Circle 2\n'
    '772804869 Fixnow "Fix Now" 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 1\n?\n'
)
GOLDEN_VALUES = "?\nenableexternaltox 0 off\nEnable 67108928 on\nNumpoints 67108945 40 parent().par.w\n?\n"
KNOWN = {
    ".build": BUILD,
    "x.n": "COMP:base\ntile 0 0 160 130\n" + FLAGS + "color 0.5 0.25 1 \nend\n",
    "x.cparm": GOLDEN_CUSTOM,
    "x.parm": GOLDEN_VALUES,
    "x/noise1.n": "TOP:noise\ntile 249.25 238.492 130 90\n" + FLAGS + "end\n",
    "x/blur1.n": "TOP:blur\n" + FLAGS + "inputs\n{\n0 \tnoise1\n}\nend\n",
    "x/note.n": "DAT:text\ntile 0 0 130 90\n" + FLAGS + "dock blur1\nend\n",
    "x/note.text": text_file("Grüße\n"),
    "x/cells.n": "DAT:table\ntile 0 0 130 90\n" + FLAGS + "end\n",
    "x/cells.table": table_file([["a", ""], ["ü", "b"]]),
}
#: What stands for everything that nobody established, and what the list names it by.
UNKNOWN = {
    "x/odd.n": "TOP:marvel\ntile 0 0 130 90\n" + FLAGS + "end\n",
    "x/blur1.n": KNOWN["x/blur1.n"].replace("end\n", "view 8 0 1\nend\n"),
    "x/blur1.parm": "?\nsize 0 7\nsparkle 0 3\nname 4096 1\n?\n",
    "x/note.lod": b"\0\1\2",
    "x.network": "1 2 3\n",
    "x/note.text": b"7\n?",
    "x.cparm": GOLDEN_CUSTOM.replace("772804867 Enable", "772804873 Enable"),
}
NAMED = (
    "TOP:marvel",
    "view 8 0 1",
    "sparkle",
    "flags 4096",
    "note.lod",
    "x.network",
    "note.text",
    "style 0x9",
    "'Enable'",
)


def write(place, files, name="x.tox"):
    for entry, content in files.items():
        path = place / f"{name}.dir" / entry
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    toc = place / f"{name}.toc"
    toc.write_bytes("".join(f"{line}\n" for line in ("# 4 0 0 0 1", *files)).encode())
    return toc


def held(place):
    return {p.relative_to(place).as_posix(): p.read_bytes() for p in place.rglob("*") if p.is_file()}


@pytest.mark.parametrize("files", [KNOWN, {**KNOWN, **UNKNOWN}], ids=["known", "unknown"])
def test_what_is_read_and_written_is_the_same_byte_for_byte(tmp_path, files):
    tree = read_tree(write(tmp_path / "a", files))
    (tmp_path / "b").mkdir()
    write_tree(tree, tmp_path / "b" / "x.tox.toc")
    assert held(tmp_path / "b") == held(tmp_path / "a")
    assert read_tree(tmp_path / "b" / "x.tox.toc") == tree


def test_the_golden_lines_are_known(tmp_path):
    tree = read_tree(write(tmp_path, KNOWN))
    assert tree.unknown == [] and tree.kept == {} and list(tree.raw) == [".build"]


def test_a_known_component_opens_whole(td, world, alive, tmp_path):
    assert project_folder.open_folder(world, write(tmp_path, KNOWN)) == []
    x = td.op("/project1/x")
    assert x.par.Enable.eval() is True and x.par.Knottype.menuNames[1] == "figure8"
    assert [o.name for o in x.op("blur1").inputs] == ["noise1"]
    assert (x.op("note").text, x.op("note").dock.name) == ("Grüße\n", "blur1")
    assert x.op("cells")[1, 0].val == "ü"


def test_what_is_not_known_is_listed_and_the_rest_opens(td, world, alive, tmp_path):
    unknown = "\n".join(project_folder.open_folder(world, write(tmp_path, {**KNOWN, **UNKNOWN})))
    assert [name for name in NAMED if name not in unknown] == []
    x = td.op("/project1/x")
    assert td.op("/project1/x/odd") is None
    assert x.op("blur1").par.size.eval() == 7 and [o.name for o in x.op("blur1").inputs] == ["noise1"]
    assert x.par.Numpoints.default == 200


def test_operators_in_use_have_more_flags_and_some_types_shorter_names(td, world, alive, tmp_path):
    line = "flags =  current on viewer 1 render on pickable off parlanguage 0\n"
    files = {**KNOWN, "x/geo1.n": "COMP:geo\ntile 0 0 160 130\n" + line + "end\n"}
    toc = write(tmp_path / "a", files)
    assert project_folder.open_folder(world, toc) == []
    geo = td.op("/project1/x/geo1")
    assert (geo.OPType, geo.current, geo.viewer, geo.render, geo.pickable) == (
        "geometryCOMP", True, True, True, False,
    )  # fmt: skip
    (tmp_path / "b").mkdir()
    write_tree(read_tree(toc), tmp_path / "b" / "x.tox.toc")
    assert held(tmp_path / "b") == held(tmp_path / "a")


@pytest.mark.parametrize(
    "flags", ["sparkle on", "utility on", "viewer perhaps", "viewer on parlanguage 1", "viewer"]
)
def test_flags_that_are_not_known_are_listed(tmp_path, flags):
    files = {**KNOWN, "x/noise1.n": KNOWN["x/noise1.n"].replace("viewer 1 parlanguage 0", flags)}
    (unknown,) = read_tree(write(tmp_path, files)).unknown
    assert flags in unknown.line


@pytest.mark.parametrize(
    ("entry", "content"),
    [
        ("x/cells.table", b"1\n*" + struct.pack(">4I", 1, 2**32 - 1, 0, 0)),
        ("x/cells.table", b"1\n*" + struct.pack(">4I", 1, 0, 3, 0)),
        ("x/cells.table", b"1\n*" + struct.pack(">4I", 1, 2**31, 2**31, 0)),
        ("x/note.n", "DAT:text\ntile inf 0 130 90\nend\n"),
        ("x.cparm", GOLDEN_CUSTOM.replace("Knot 0\n", "Knot inf\n")),
        ("x/note.n", b"\xff\n"),
        ("x/note.n", b""),
    ],
)
def test_damaged_files_are_listed_and_kept(tmp_path, entry, content):
    tree = read_tree(write(tmp_path / "a", {**KNOWN, entry: content}))
    assert any(unknown.entry == entry for unknown in tree.unknown)
    (tmp_path / "b").mkdir()
    write_tree(tree, tmp_path / "b" / "x.tox.toc")
    assert held(tmp_path / "b") == held(tmp_path / "a")


def test_a_project_takes_the_place_of_the_networks_at_the_root(td, world, alive, tmp_path):
    files = {
        ".build": BUILD,
        ".start": "cookrate 60\n",
        "project1.n": "COMP:container\ntile 0 0 160 130\n" + FLAGS + "end\n",
        "project1/noise1.n": KNOWN["x/noise1.n"],
        "perform.n": "COMP:window\ntile 0 0 160 130\n" + FLAGS + "end\n",
    }
    td.op("/project1").create(td.textDAT, "old")
    unknown = project_folder.open_folder(world, write(tmp_path, files, "show.toe"))
    assert [o.name for o in td.op("/project1").children] == ["noise1"]
    assert any(".start" in sentence for sentence in unknown)
    assert any("/perform" in sentence for sentence in unknown)


@pytest.mark.parametrize("entry", ["../x.n", "/x.n", "a\\b.n", "c:x.n"])
def test_a_table_of_contents_that_leads_outside_is_refused(tmp_path, entry):
    toc = write(tmp_path, KNOWN)
    toc.write_text(f"# 4 0 0 0 1\n{entry}\n", encoding="utf-8", newline="\n")
    with pytest.raises(ExpandedError, match="outside"):
        read_tree(toc)


def test_the_folder_the_table_and_what_holds_them_name_the_same(tmp_path):
    toc = write(tmp_path, KNOWN)
    assert find_toc(tmp_path) == find_toc(toc) == find_toc(tmp_path / "x.tox.dir") == toc
    with pytest.raises(ExpandedError, match="found 0"):
        find_toc(tmp_path / "x.tox.dir" / "x")

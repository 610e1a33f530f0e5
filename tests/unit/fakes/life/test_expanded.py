"""The expanded form is read strictly: what nobody established is refused, by file and line."""

import struct

import pytest

from fakes.expanded import read
from fakes.expanded_lines import ExpandedError

BUILD = "version 099\nbuild 2025.32460\ntime Thu Jan 1 00:00:00 2025\nosname Windows\nosversion 10\n"
NODE = "COMP:base\ntile 0 0 160 130\nflags =  viewer 1 parlanguage 0\ncolor 0.5 0.25 1 \nend\n"
DAT = "DAT:text\ntile 10 -20 130 90\nflags =  viewer 1 parlanguage 0\ninputs\n{\n0 \tsource\n}\ndock host\nend\n"


def text_file(text):
    body = text.encode()
    return b"2\n*" + struct.pack(">6I", 1, 1, 1, 1, 2, len(body)) + body


def table_file(rows):
    cells = b"".join(struct.pack(">2I", 2, len(c.encode())) + c.encode() for row in rows for c in row)
    return b"1\n*" + struct.pack(">4I", 1, len(rows), len(rows[0]), 0) + cells


@pytest.fixture
def tree(tmp_path):
    """Writes an expanded component; files in the order of the table of contents."""

    def write(files, toc=None):
        folder = tmp_path / "x.tox.dir"
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        listing = tmp_path / "x.tox.toc"
        lines = ["# 4 0 0 0 1", *files] if toc is None else toc
        listing.write_bytes(("\n".join(lines) + "\n").encode())
        return listing

    return write


def test_an_operator_with_its_place_colour_wires_dock_and_text(tree):
    top = read(
        tree({".build": BUILD, "x.n": NODE, "x/note.n": DAT, "x/note.text": text_file("Grüße\nzwei\n")})
    )
    assert (top.family, top.kind, top.name, top.color) == ("COMP", "base", "x", (0.5, 0.25, 1.0))
    (note,) = top.children
    assert note.tile == (10, -20, 130, 90)
    assert note.inputs == {0: "source"} and note.dock == "host"
    assert note.text == "Grüße\nzwei\n"


def test_a_table(tree):
    rows = [["a", "b"], ["", "ü"]]
    table = DAT.replace("DAT:text", "DAT:table")
    top = read(tree({".build": BUILD, "x.n": NODE, "x/t.n": table, "x/t.table": table_file(rows)}))
    assert top.children[0].table == rows


def test_parameters_in_every_mode(tree):
    parm = (
        "?\nenableexternaltox 0 off\ndivs 17 40 parent().par.Numpoints\nEnable 67108928 on\n"
        'name 0 ""\nlabel 0 "two words"\n?\n'
    )
    settings = {s.name: s for s in read(tree({".build": BUILD, "x.n": NODE, "x.parm": parm})).settings}
    assert (settings["enableexternaltox"].mode, settings["enableexternaltox"].value) == ("CONSTANT", "off")
    assert settings["divs"].mode == "EXPRESSION"
    assert (settings["divs"].value, settings["divs"].expression) == ("40", "parent().par.Numpoints")
    assert settings["Enable"].custom
    assert settings["name"].value == "" and settings["label"].value == "two words"


def test_custom_parameters_as_touchdesigner_wrote_them(tree):
    cparm = (
        '?\npages 2 "UI Fixes" Knot\n'
        '772804867 Enable Enable 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 0\n'
        '772804866 Numpoints "Num Points" 1 3 16 16 3 2000 2000 2 200 "" "" Knot 0\n'
        '772804879 Knottype "Knot Type" 1 1 0 0 1 1 1 2 0 trefoil "" Knot 4097 4 trefoil Trefoil '
        'figure8 Figure-Eight torus "Torus (2,3)" circle Circle 2\n'
        '772804869 Fixnow "Fix Now" 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 1\n?\n'
    )
    top = read(tree({".build": BUILD, "x.n": NODE, "x.cparm": cparm}))
    assert top.pages == ["UI Fixes", "Knot"]
    enable, points, knot, fix = top.custom
    assert [p.style for p in top.custom] == ["Toggle", "Int", "Menu", "Pulse"]
    assert points.ranges[0].clamp_minimum and points.ranges[0].maximum == 2000
    assert points.defaults == [("200", "")]
    assert knot.menu[2] == ("torus", "Torus (2,3)") and knot.defaults[0][1] == "trefoil"
    assert (enable.order, fix.order, fix.page) == (0, 1, "UI Fixes")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"x.n": NODE.replace("end\n", "secret 1\nend\n")}, "secret"),
        ({"x.n": NODE.replace("=  ", "= ")}, "two spaces"),
        ({"x.n": NODE.replace("viewer", "sparkle")}, "sparkle"),
        ({"x.n": NODE.replace("parlanguage 0", "parlanguage 1")}, "Python"),
        ({"x.n": NODE.replace("1 \n", "1\n")}, "trailing space"),
        ({"x.n": NODE.replace("\n", "\r\n")}, "carriage"),
        ({"x.n": NODE, "x.parm": "?\nname 4096 1\n?\n"}, "flags 4096"),
        ({"x.n": NODE, "x.parm": "name 0 1\n"}, "'?'"),
        ({"x.n": NODE, "x.parm": '?\nname 0 a"b\n?\n'}, "quotes"),
        ({"x.n": NODE, "x.parm": "?\nname 17 1\n?\n"}, "flags"),
        ({"x.n": NODE, "x.text": b"2\n*" + struct.pack(">6I", 1, 1, 1, 1, 2, 9) + b"short"}, "text"),
        ({"x.n": NODE, "x.network": "1 2 3\n"}, "not established"),
        ({"x.n": NODE, "y/z.n": DAT}, "before its parent"),
        ({"x.n": NODE, "x.cparm": '?\npages 1 A\n1 B B 1 1 0 0 1 1 1 2 0 "" "" A 0\n?\n'}, "leading number"),
        ({"x.n": NODE, "x.cparm": '?\npages 1 A\n772804867 B B 1 1 0 0 1 1 1 2 0 "" "" C 0\n?\n'}, "'C'"),
    ],
)
def test_what_is_not_established_is_refused(tree, files, words):
    with pytest.raises(ExpandedError, match=words):
        read(tree({".build": BUILD, **files}))


def test_a_file_that_is_not_listed_is_refused(tree):
    files = {".build": BUILD, "x.n": NODE, "x/note.n": DAT}
    with pytest.raises(ExpandedError, match="x/note.n"):
        read(tree(files, toc=["# 4 0 0 0 1", ".build", "x.n"]))


def test_a_listed_file_that_is_missing_is_refused(tree):
    with pytest.raises(ExpandedError, match=r"x\.parm"):
        read(tree({".build": BUILD, "x.n": NODE}, toc=["# 4 0 0 0 1", ".build", "x.n", "x.parm"]))


def test_names_that_differ_only_in_letter_case_are_refused(tree):
    files = {".build": BUILD, "x.n": NODE, "x/a.n": DAT, "x/A.n": DAT}
    with pytest.raises(ExpandedError, match="same file"):
        read(tree(files))

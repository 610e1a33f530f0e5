"""`tdmcp pack` makes a .tox with TouchDesigner's own tool, believes only what it sees, and says what is wrong in words."""

import os
import plistlib
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tdmcp_embedded.cli import main
from tdmcp_embedded.clients.machine import Machine
from tox_build import pack
from tox_build.build import build

ROOT = Path(__file__).parents[3]


def tool(path, code):
    """A program of that name which runs this Python code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}\n")
    path.chmod(0o755)


def stand_in(folder, suffix=""):
    """TouchDesigner's two tools, as the stand-in has them."""
    for name in ("toecollapse", "toeexpand"):
        tool(
            folder / f"{name}{suffix}",
            f"from fakes import toecollapse\nsys.exit(toecollapse.main({name!r}, sys.argv[1:]))",
        )
    return folder


@pytest.fixture
def out(tmp_path):
    build(tmp_path / "build")
    return tmp_path / "build"


@pytest.fixture
def tools(tmp_path):
    return stand_in(tmp_path / "td" / "bin").parent


def windows(tmp_path, *builds):
    """A Windows machine with these builds of TouchDesigner."""
    for number in builds:
        bin_folder = tmp_path / "Program Files" / "Derivative" / f"TouchDesigner.{number}" / "bin"
        stand_in(bin_folder, ".exe")
        for name in ("TouchDesigner.exe", "python.exe"):
            (bin_folder / name).write_text("")
    return Machine("win32", tmp_path, {"ProgramFiles": str(tmp_path / "Program Files")})


def test_a_tox_is_made_checked_and_put_in_place(out, tools, tmp_path):
    packed = pack.pack(out, tools, tmp_path / "release", allow_stand_in=True)
    assert packed.path == tmp_path / "release" / "tdmcp.tox"
    assert packed.path.read_bytes().startswith(b"FAKE-TOX") and packed.size == packed.path.stat().st_size
    assert packed.sha256 in packed.text() and "expanded again, it is what was built" in packed.text()
    assert [path.name for path in packed.path.parent.iterdir()] == ["tdmcp.tox"]


def test_the_same_build_packs_to_the_same_bytes_and_what_was_built_stays_as_it_is(out, tools):
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    first = pack.pack(out, tools, allow_stand_in=True)
    second = pack.pack(out, tools, allow_stand_in=True)
    assert first.sha256 == second.sha256
    assert {path: path.read_bytes() for path in before} == before


def test_outside_tests_what_the_stand_in_made_is_refused(out, tools):
    result = CliRunner().invoke(main, ["pack", str(out), "--td", str(tools)])
    assert result.exit_code == 1 and "cannot be opened by TouchDesigner" in result.output
    assert not (out / "tdmcp.tox").exists()


def test_without_touchdesigner_the_other_way_is_named(out, tmp_path):
    with pytest.raises(pack.CannotPack, match="No TouchDesigner was found .* bootstrap script"):
        pack.find(None, Machine("win32", tmp_path, {}))


def test_of_several_the_newest_is_taken_and_the_others_are_named(tmp_path):
    tools = pack.find(None, windows(tmp_path, "2025.32280", "2025.33070", "2023.12000"))
    assert tools.build == "2025.33070" and tools.others == ("2025.32280", "2023.12000")
    assert tools.collapse.name == "toecollapse.exe" and "2025.33070" in str(tools.collapse)


def test_a_mac_has_its_tools_inside_the_application(tmp_path):
    app = tmp_path / "Applications" / "TouchDesigner.app"
    stand_in(app / "Contents" / "MacOS")
    (app / "Contents" / "MacOS" / "TouchDesigner").write_text("")
    (app / "Contents" / "Frameworks" / "Python.framework" / "Versions" / "3.11" / "bin").mkdir(parents=True)
    (app / "Contents/Frameworks/Python.framework/Versions/3.11/bin/python3.11").write_text("")
    (app / "Contents" / "Info.plist").write_bytes(plistlib.dumps({"CFBundleVersion": "2025.33070"}))
    machine = Machine("darwin", tmp_path, {"TDMCP_APPLICATIONS": str(tmp_path / "nowhere")})
    assert pack.find(None, machine).collapse == app / "Contents" / "MacOS" / "toecollapse"
    assert pack.find(app).collapse == app / "Contents" / "MacOS" / "toecollapse"


def test_an_installation_without_the_tool_is_named(tmp_path):
    machine = windows(tmp_path, "2025.33070")
    for path in tmp_path.rglob("toecollapse.exe"):
        path.unlink()
    with pytest.raises(pack.CannotPack, match="has no toecollapse beside"):
        pack.find(None, machine)


def test_a_path_without_the_tools_is_named(tmp_path):
    with pytest.raises(pack.CannotPack, match="holds no toecollapse"):
        pack.find(tmp_path)


def test_nothing_built_says_what_to_run_first(tmp_path, tools):
    with pytest.raises(pack.CannotPack, match="run `tdmcp build"):
        pack.pack(tmp_path, tools)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "print('licence expired', file=sys.stderr); sys.exit(3)",
            "no file and ended with 3. It said: licence expired",
        ),
        ("open(sys.argv[1], 'wb').write(bytes(4))", "a file of 4 bytes"),
        ("pass", "made no file and ended with 0"),
    ],
)
def test_a_tool_that_fails_is_quoted(out, tools, code, words):
    tool(tools / "bin" / "toecollapse", code)
    with pytest.raises(pack.CannotPack, match=words):
        pack.pack(out, tools, allow_stand_in=True)


def test_a_tool_that_cannot_be_started_is_named(out, tools):
    (tools / "bin" / "toecollapse").write_bytes(b"\x7fELF nonsense")
    with pytest.raises(pack.CannotPack, match="cannot be started"):
        pack.pack(out, tools, allow_stand_in=True)


def test_a_tool_that_never_ends_is_broken_off(out, tools, monkeypatch):
    tool(tools / "bin" / "toecollapse", "import threading; threading.Event().wait()")
    monkeypatch.setattr(pack, "PATIENCE", 0.5)
    with pytest.raises(pack.CannotPack, match="did not end within"):
        pack.pack(out, tools, allow_stand_in=True)


def test_a_tox_that_holds_something_else_is_not_put_in_place(out, tools):
    code = """
from pathlib import Path
from fakes import toecollapse
text = Path("tdmcp.tox.dir/tdmcp/bootstrap.text")
text.write_bytes(text.read_bytes() + b"#")
sys.exit(toecollapse.main("toecollapse", sys.argv[1:]))
"""
    tool(tools / "bin" / "toecollapse", code)
    (out / "tdmcp.tox").write_bytes(b"the former one")
    with pytest.raises(pack.CannotPack, match=r"these differ: tdmcp.tox.dir/tdmcp/bootstrap.text"):
        pack.pack(out, tools, allow_stand_in=True)
    assert (out / "tdmcp.tox").read_bytes() == b"the former one"


def test_a_tox_that_cannot_be_expanded_is_not_put_in_place(out, tools):
    tool(tools / "bin" / "toeexpand", "print('damaged'); sys.exit(2)")
    with pytest.raises(pack.CannotPack, match="cannot expand the .tox .* It said: damaged"):
        pack.pack(out, tools, allow_stand_in=True)
    assert not os.path.exists(out / "tdmcp.tox")


def test_the_command_builds_slim_and_says_what_it_made(tmp_path):
    result = CliRunner().invoke(main, ["build", str(tmp_path / "b"), "--slim"])
    assert result.exit_code == 0 and "slim" in result.output and "tdmcp.tox.toc" in result.output
    refused = CliRunner().invoke(main, ["build", str(tmp_path / "b"), "--slim", "--for", "windows"])
    assert refused.exit_code == 2 and "--for has no meaning" in refused.output

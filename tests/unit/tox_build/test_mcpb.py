"""The bundle for Claude Desktop holds what its manifest says, and its launcher starts the shim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tox_build.mcpb import manifest, write_bundle

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def unpacked(folder: Path) -> Path:
    with zipfile.ZipFile(write_bundle(folder)) as archive:
        archive.extractall(folder / "it")
    return folder / "it"


def test_the_manifest_has_what_the_format_asks_for_and_names_files_that_are_there(tmp_path: Path) -> None:
    folder = unpacked(tmp_path)
    read = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert {"manifest_version", "name", "version", "description", "author", "server"} <= set(read)
    assert (folder / read["server"]["entry_point"]).is_file()
    [script] = read["server"]["mcp_config"]["args"]
    assert (folder / script.removeprefix("${__dirname}/")).is_file()
    for value in read["server"]["mcp_config"]["env"].values():
        assert value.removeprefix("${user_config.").removesuffix("}") in read["user_config"]
    assert {"create_operator", "get_status"} <= {tool["name"] for tool in read["tools"]}


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = write_bundle(tmp_path / "a").read_bytes(), write_bundle(tmp_path / "b").read_bytes()
    assert one == two


def test_no_path_of_this_computer_is_in_it(tmp_path: Path) -> None:
    folder = unpacked(tmp_path)
    for path in folder.rglob("*"):
        if path.is_file():
            assert str(Path(__file__).parents[3]) not in path.read_text("utf-8")
    assert "touchdesigner" in manifest()["keywords"]


@pytest.mark.parametrize("how", ["setting", "registry", "gone"])
def test_the_launcher_finds_a_python_and_passes_everything_through(how: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip(
            "The launcher runs in Node, which is not on this machine's PATH; Claude Desktop brings its own."
        )
    folder, home = unpacked(tmp_path), tmp_path / "home"
    (home / "instances").mkdir(parents=True)
    env = {
        "HOME": str(tmp_path),
        "TDMCP_HOME": str(home),
        "PATH": "",
        "TDMCP_INSTANCE": "${user_config.instance}",
    }
    env["TDMCP_PYTHON"] = sys.executable if how == "setting" else "${user_config.python}"
    if how == "gone":
        env["TDMCP_PYTHON"] = str(tmp_path / "gone")
    if how != "setting":
        (home / "instances" / "1-2.json").write_text(json.dumps({"python": sys.executable}), encoding="utf-8")
    if sys.platform == "win32":
        env["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    done = subprocess.run(
        [node, str(folder / "server" / "launch.js")],
        input=json.dumps(HELLO) + "\n",
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["id"] == 1 and "serverInfo" in answer["result"]


def started(folder: Path, home: Path) -> dict[str, str]:
    """What the launcher starts: a Python that says which folder it was given, and the home it was told."""
    node = shutil.which("node")
    if node is None or sys.platform == "win32":
        pytest.skip("needs Node and a script that can be started")
    python = folder.parent / "python"
    python.write_text('#!/bin/sh\nprintf \'{"shim": "%s", "home": "%s"}\' "$3" "$TDMCP_HOME"\n')
    python.chmod(0o700)
    done = subprocess.run(
        [node, str(folder / "server" / "launch.js")],
        env={"HOME": str(home.parent), "TDMCP_HOME": str(home), "TDMCP_PYTHON": str(python), "PATH": "/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    said: dict[str, str] = json.loads(done.stdout)
    return said


def test_the_shim_is_started_from_a_copy_in_the_home_which_every_program_sees(tmp_path: Path) -> None:
    folder, home = unpacked(tmp_path), tmp_path / "home"
    own = (folder / "server/stdio_shim/__main__.py").read_bytes()
    for _ in range(2):
        said = started(folder, home)
        copy = Path(said["shim"])
        assert copy.is_relative_to(home) and said["home"] == str(home)
        assert [path.name for path in copy.iterdir()] == ["__main__.py"]
        assert (copy / "__main__.py").read_bytes() == own
        # As a version before has left it.
        (copy / "__main__.py").write_bytes(b"older")


@pytest.mark.parametrize("why", ["a file stands there", "others can change it"])
def test_the_bundles_own_serves_where_no_copy_can_be_kept(tmp_path: Path, why: str) -> None:
    folder, home = unpacked(tmp_path), tmp_path / "home"
    home.mkdir(mode=0o700)
    if why == "a file stands there":
        (home / "shim").write_text("")
    else:
        (home / "shim").mkdir()
        (home / "shim").chmod(0o777)
    assert Path(started(folder, home)["shim"]) == folder / "server" / "stdio_shim"

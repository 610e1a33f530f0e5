"""Where clients, TouchDesigner and its Python are on each system."""

from __future__ import annotations

import json
import os
import plistlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tdmcp_embedded import CONTRACT
from tdmcp_embedded.clients import installations, launch, pulses, setup
from tdmcp_embedded.clients.catalogue import CLIENTS
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.clients.setup import Choice


def place(machine: Machine, name: str) -> str:
    return CLIENTS[name].file(machine, "user", Path()).relative_to(machine.home).as_posix()


def test_user_files_on_windows(windows: Machine) -> None:
    assert {name: place(windows, name) for name in CLIENTS} == {
        "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
        "claude-code": ".claude.json",
        "cursor": ".cursor/mcp.json",
        "vscode": "AppData/Roaming/Code/User/mcp.json",
        "codex": ".codex/config.toml",
        "windsurf": ".codeium/windsurf/mcp_config.json",
        "gemini": ".gemini/settings.json",
        "opencode": ".config/opencode/opencode.jsonc",
    }


def test_user_files_on_a_mac(mac: Machine) -> None:
    assert place(mac, "claude-desktop") == "Library/Application Support/Claude/claude_desktop_config.json"
    assert place(mac, "vscode") == "Library/Application Support/Code/User/mcp.json"


def test_a_packaged_claude_desktop_reads_its_own_copy_of_the_roaming_folder(windows: Machine) -> None:
    package = windows.local / "Packages" / "Claude_abc123" / "LocalCache" / "Roaming"
    package.mkdir(parents=True)
    assert place(windows, "claude-desktop").startswith(
        "AppData/Local/Packages/Claude_abc123/LocalCache/Roaming/Claude/"
    )


def test_variables_move_the_files_of_clients_that_heed_them(machine: Machine, tmp_path: Path) -> None:
    env = {
        "CODEX_HOME": str(tmp_path / "c"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "d"),
        "XDG_CONFIG_HOME": str(tmp_path / "x"),
    }
    moved = Machine("linux", machine.home, env)
    files = [CLIENTS[name].file(moved, "user", Path()) for name in ("codex", "claude-code", "opencode")]
    assert files == [
        tmp_path / "c/config.toml",
        tmp_path / "d/.claude.json",
        tmp_path / "x/opencode/opencode.jsonc",
    ]


def test_the_newest_touchdesigner_on_windows_gives_its_python(windows: Machine, tmp_path: Path) -> None:
    for name in ("TouchDesigner.2023.12480", "TouchDesigner.2025.33070", "TouchDesigner.2099.1"):
        folder = tmp_path / "Program Files" / "Derivative" / name / "bin"
        folder.mkdir(parents=True)
        (folder / "TouchDesigner.exe").touch()
        if "2099" not in name:
            (folder / "python.exe").touch()
    found = installations.find(windows)
    assert [one.build for one in found] == ["2025.33070", "2023.12480"]
    command = launch.command(windows)
    assert command.command == str(
        tmp_path / "Program Files/Derivative/TouchDesigner.2025.33070/bin/python.exe"
    )
    assert installations.beside(command.command) == found[0].executable


def test_touchdesigner_itself_is_no_python_for_the_shim(
    windows: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "TouchDesigner.exe"))
    with pytest.raises(Refused, match="No Python is found"):
        launch.python(windows)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python.exe"))
    assert launch.python(windows) == str(tmp_path / "bin" / "python.exe")


@pytest.mark.parametrize("there", [True, False])
def test_the_pulse_takes_touchdesigners_python_only_if_it_is_there(
    windows: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    python, choices = tmp_path / "python.exe", []
    if there:
        python.touch()

    def add(client: str, choice: Choice, machine: Machine) -> setup.Outcome:
        choices.append(choice.python)
        raise Refused("enough")

    monkeypatch.setattr(setup, "add", add)
    assert pulses._change("add", "cursor", str(tmp_path), str(python)) == "enough"
    assert choices == [str(python) if there else ""]


def test_touchdesigner_on_a_mac_gives_the_python_inside_the_application(mac: Machine, tmp_path: Path) -> None:
    contents = tmp_path / "Applications" / "TouchDesigner.app" / "Contents"
    python = contents / "Frameworks/Python.framework/Versions/3.11/bin/python3.11"
    python.parent.mkdir(parents=True)
    python.touch()
    (contents / "MacOS").mkdir()
    (contents / "MacOS" / "TouchDesigner").touch()
    (contents / "Info.plist").write_bytes(plistlib.dumps({"CFBundleVersion": "2025.33070"}))
    [found] = installations.find(mac)
    assert (found.build, found.python) == ("2025.33070", python)
    assert installations.beside(str(python)) == contents / "MacOS" / "TouchDesigner"
    assert launch.command(mac).command == str(python)


def test_a_copy_that_a_later_version_made_stays(machine: Machine) -> None:
    path = launch.install_shim(machine)
    path.write_text(f"CONTRACT = {CONTRACT + 1}\n", encoding="utf-8")
    launch.install_shim(machine)
    assert launch.contract_of(path) == CONTRACT + 1


def test_a_renewed_shim_is_newer_by_a_second_so_that_no_stale_bytecode_runs(machine: Machine) -> None:
    path = launch.install_shim(machine)
    changed = path.read_text("utf-8").replace("import", "IMPORT", 1)
    path.write_text(changed, "utf-8")
    in_an_hour = path.stat().st_mtime + 3600
    os.utime(path, (in_an_hour, in_an_hour))
    launch.install_shim(machine)
    assert path.read_bytes() == launch.shim_source()
    assert int(path.stat().st_mtime) > int(in_an_hour)


def test_the_copy_of_the_shim_is_renewed_when_another_version_made_it(machine: Machine) -> None:
    assert launch.shim_is_current(machine) is None
    path = launch.install_shim(machine)
    assert launch.shim_is_current(machine)
    path.write_text("an older one", encoding="utf-8")
    assert launch.shim_is_current(machine) is False
    assert launch.install_shim(machine) == path
    assert launch.shim_is_current(machine)


def test_writing_into_the_private_copy_of_a_package_is_said(windows: Machine) -> None:
    package = windows.local / "Packages" / "Claude_pzs8sxrjxfjjc" / "LocalCache" / "Roaming"
    package.mkdir(parents=True)
    outcome = setup.add("claude-desktop", Choice(), windows)
    assert any(
        "private copy of the packaged program Claude_pzs8sxrjxfjjc" in one for one in outcome.sentences
    )
    assert not any("private copy" in one for one in setup.add("cursor", Choice(), windows).sentences)


@pytest.mark.parametrize(("client", "said"), [("vscode", True), ("cursor", False)])
def test_a_command_run_inside_a_package_says_where_windows_writes(
    windows: Machine, client: str, said: bool
) -> None:
    inside = replace(windows, in_package=True)
    sentences = setup.add(client, Choice(), inside).sentences
    assert any("inside a packaged program" in one for one in sentences) is said, "only AppData is redirected"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are for POSIX; Windows has profiles")
def test_nobody_else_can_change_what_clients_start(machine: Machine) -> None:
    path = launch.install_shim(machine)
    assert path.stat().st_mode & 0o777 == 0o600
    # As a version before may have left it; the copy itself is current.
    path.chmod(0o666)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o777)
    launch.install_shim(machine)
    assert path.stat().st_mode & 0o777 == 0o600
    assert all(not folder.stat().st_mode & 0o022 for folder in (path.parent, path.parent.parent))


def packaged(windows: Machine, package: str | None, usual: str | None) -> tuple[Path, Path]:
    """Claude Desktop as a package, with these texts in its own file and in the usual one; None for no file."""
    found = []
    name = "claude_desktop_config.json"
    for folder, text in (
        (windows.local / "Packages" / "Claude_abc" / "LocalCache" / "Roaming" / "Claude", package),
        (windows.roaming / "Claude", usual),
    ):
        folder.mkdir(parents=True)
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
        found.append(folder / name)
    return found[0], found[1]


OTHERS = '{"mcpServers": {"mine": {"command": "mine"}}}'


@pytest.mark.parametrize(
    ("package", "usual", "own", "other"),
    [
        (None, None, ["touchdesigner"], None),
        (OTHERS, None, ["mine", "touchdesigner"], None),
        (OTHERS, "{}", ["mine", "touchdesigner"], ["touchdesigner"]),
        # The package reads the usual file for as long as it has none of its own.
        (None, OTHERS, ["mine", "touchdesigner"], ["mine", "touchdesigner"]),
    ],
    ids=["neither", "the package's", "both", "the usual one"],
)
def test_an_entry_for_a_package_is_wherever_it_may_look_and_hides_nothing(
    windows: Machine, package: str | None, usual: str | None, own: list[str], other: list[str] | None
) -> None:
    first, second = packaged(windows, package, usual)
    outcome = setup.add("claude-desktop", Choice(), windows)
    assert outcome.changed and str(first) in outcome.sentences[0]
    assert (str(second) in outcome.sentences[0]) is (other is not None)

    def servers(path: Path) -> list[str] | None:
        return list(json.loads(path.read_text("utf-8"))["mcpServers"]) if path.exists() else None

    assert (servers(first), servers(second)) == (own, other)
    assert setup.status("claude-desktop", Choice(), windows).state == "current"
    assert not setup.add("claude-desktop", Choice(), windows).changed
    assert setup.remove("claude-desktop", Choice(), windows).changed
    for path, text in ((first, package), (second, usual)):
        assert (path.read_text("utf-8") if path.exists() else None) == text


def test_an_entry_in_one_of_two_places_is_not_enough(windows: Machine) -> None:
    first, second = packaged(windows, "{}", None)
    setup.add("claude-desktop", Choice(), windows)
    second.write_text("{}", encoding="utf-8")
    state = setup.status("claude-desktop", Choice(), windows)
    assert state.state == "absent" and state.path == second
    assert setup.add("claude-desktop", Choice(), windows).changed
    assert first.read_text("utf-8") == second.read_text("utf-8")


def test_nothing_is_written_where_one_of_two_places_is_broken(windows: Machine) -> None:
    first, _ = packaged(windows, "{}", "{broken")
    with pytest.raises(Refused, match="broken at line 1"):
        setup.add("claude-desktop", Choice(), windows)
    assert first.read_text("utf-8") == "{}"


#: (where the Python of TouchDesigner is, below the home where it begins with ~; whether clients may name it)
MAC_PLACES = [
    ("/Applications/TouchDesigner.app/Contents/bin/python3.11", True),
    ("~/Applications/TouchDesigner.app/Contents/bin/python3.11", True),
    (
        "/private/var/folders/zy/T/AppTranslocation/613DF902/d/TouchDesigner.app/Contents/bin/python3.11",
        False,
    ),
    ("/Volumes/TouchDesigner 2025/TouchDesigner.app/Contents/bin/python3.11", False),
    ("/volumes/TouchDesigner 2025/TouchDesigner.app/Contents/bin/python3.11", False),
    ("~/Downloads/TouchDesigner.app/Contents/bin/python3.11", False),
    ("~/downloads/TD/TouchDesigner.app/Contents/bin/python3.11", False),
    ("/Volumes/Tools/venv/bin/python3.11", True),
    ("~/Downloads.old/TouchDesigner.app/Contents/bin/python3.11", True),
]


@pytest.mark.parametrize(("path", "stays"), MAC_PLACES, ids=[one[0] for one in MAC_PLACES])
def test_no_client_is_told_of_a_touchdesigner_that_a_mac_is_about_to_move(
    mac: Machine, path: str, stays: bool
) -> None:
    given = path.replace("~", mac.home.as_posix())
    if stays:
        assert launch.python(mac, given) == given
        return
    with pytest.raises(Refused, match="does not stay where it is") as refused:
        launch.python(mac, given)
    assert "move it to Applications" in refused.value.hint
    assert launch.python(replace(mac, system="linux"), given) == given


def test_a_home_with_letters_that_a_mac_writes_in_two_ways_is_one_home(mac: Machine) -> None:
    composed, apart = "/Users/Ren\u00e9", "/Users/Rene\u0301"
    there = replace(mac, home=Path(composed))
    assert installations.moves_away(f"{apart}/Downloads/TouchDesigner.app/Contents/bin/python3.11", there)


def test_an_installed_touchdesigner_is_preferred_to_a_running_one_that_does_not_stay(
    mac: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = mac.home / "Downloads/TouchDesigner.app/Contents/bin/python3.11"
    stays = tmp_path / "Applications/TouchDesigner.app/Contents/bin/python3.11"
    for one in (passing, stays):
        one.parent.mkdir(parents=True)
        one.touch()
    monkeypatch.setattr(launch.instances, "listing", lambda folder: [{"python": str(passing)}])
    found = [installations.Installation(stays.parent, stays, stays)]
    monkeypatch.setattr(installations, "find", lambda machine: found)
    assert launch.python(mac) == str(stays)
    found.clear()
    with pytest.raises(Refused, match="does not stay"):
        launch.python(mac)

"""Finding TouchDesigner on this computer, and the Python that comes with it."""

from __future__ import annotations

import plistlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from tdmcp_embedded.clients.machine import Machine


@dataclass(frozen=True)
class Installation:
    """One installed TouchDesigner; `build` as in `2025.33070`, or empty where the files do not tell."""

    path: Path
    executable: Path
    python: Path
    build: str = ""


def find(machine: Machine) -> list[Installation]:
    """The installations in the usual places, newest first."""
    if machine.system == "win32":
        found = _windows(machine)
    elif machine.system == "darwin":
        found = _mac(machine)
    else:
        found = []
    return sorted(found, key=lambda one: (_order(one.build), str(one.path)), reverse=True)


def beside(python: str) -> Path | None:
    """TouchDesigner itself, from the path of its Python; None if that is another Python."""
    path = Path(python)
    for folder in path.parents:
        if folder.suffix == ".app":
            return folder / "Contents" / "MacOS" / folder.stem.split(".")[0]
    program = path.with_name("TouchDesigner.exe")
    return program if program.is_file() else None


def moves_away(python: str, machine: Machine) -> bool:
    """Whether a TouchDesigner of a Mac lies where it does not stay, given its Python: macOS runs a downloaded program from a
    folder that it makes for this one start (App Translocation), disk images go, and downloads are cleared away."""
    if machine.system != "darwin":
        return False
    path = mac_form(python)
    downloads = mac_form(f"{(machine.home / 'Downloads').as_posix()}/")
    return "/apptranslocation/" in path or (".app/" in path and path.startswith(("/volumes/", downloads)))


def mac_form(path: str) -> str:
    """A path as a Mac compares it: letter case and the Unicode form make no difference."""
    return unicodedata.normalize("NFC", path).casefold()


def _windows(machine: Machine) -> list[Installation]:
    roots = {machine.env.get(name, "") for name in ("ProgramFiles", "ProgramW6432", "PROGRAMFILES")}
    found = {}
    for root in sorted(filter(None, roots)):
        for folder in Path(root, "Derivative").glob("TouchDesigner*"):
            program, python = folder / "bin" / "TouchDesigner.exe", folder / "bin" / "python.exe"
            if program.is_file() and python.is_file():
                numbers = re.search(r"(20\d\d\.\d+)", folder.name)
                found[str(folder).casefold()] = Installation(
                    folder, program, python, numbers[1] if numbers else ""
                )
    return list(found.values())


def _mac(machine: Machine) -> list[Installation]:
    found = []
    for root in (
        Path(machine.env.get("TDMCP_APPLICATIONS") or "/Applications"),
        machine.home / "Applications",
    ):
        for app in root.glob("TouchDesigner*.app"):
            pythons = sorted(app.glob("Contents/Frameworks/Python.framework/Versions/3.*/bin/python3.*"))
            pythons = [p for p in pythons if re.fullmatch(r"python3\.\d+", p.name)]
            programs = sorted((app / "Contents" / "MacOS").glob("TouchDesigner*"))
            if pythons and programs:
                found.append(Installation(app, programs[0], pythons[-1], _bundle_build(app)))
    return found


def _bundle_build(app: Path) -> str:
    try:
        facts = plistlib.loads((app / "Contents" / "Info.plist").read_bytes())
    except (OSError, ValueError, plistlib.InvalidFileException):
        return ""
    text = " ".join(str(facts.get(key, "")) for key in ("CFBundleVersion", "CFBundleShortVersionString"))
    numbers = re.search(r"(20\d\d\.\d+)", text)
    return numbers[1] if numbers else ""


def _order(build: str) -> tuple[int, ...]:
    return tuple(int(part) for part in build.split(".")) if build else ()

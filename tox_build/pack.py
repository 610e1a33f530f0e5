"""Making a .tox: TouchDesigner's own `toecollapse` does it, on a copy, and what it made is expanded again and compared.

Others report of the tools: `toecollapse` exits 0 on success and `toeexpand` exits 1 on success, so their output is what
counts; a tree without its `.build` gives a file of four bytes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from td_component.description import TDMCP
from tdmcp_embedded.clients import installations
from tdmcp_embedded.clients.machine import Machine

#: Seconds a tool may take; it needs no window and a few seconds.
PATIENCE = 300.0
#: Smaller than any component: what the tool leaves when it made nothing.
_NOTHING = 256
#: How a container begins that the stand-in made and TouchDesigner cannot open.
_STAND_IN = b"FAKE-TOX"


class CannotPack(Exception):
    """Why there is no .tox, in words for whoever asked for it."""


@dataclass(frozen=True)
class Tools:
    """`toecollapse` and `toeexpand` of one TouchDesigner; `others` are the builds that were not taken."""

    collapse: Path
    expand: Path
    build: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Packed:
    """A .tox that was checked."""

    path: Path
    size: int
    sha256: str
    tools: Tools

    def text(self) -> str:
        """The report for a person."""
        with_build = f" of TouchDesigner {self.tools.build}" if self.tools.build else ""
        others = (
            f" (also there: {', '.join(self.tools.others)}; choose with --td)" if self.tools.others else ""
        )
        return (
            f"{self.path}: {self.size:,} bytes, sha256 {self.sha256}\n"
            f"made with {self.tools.collapse}{with_build}{others}; expanded again, it is what was built"
        )


def find(given: Path | None, machine: Machine | None = None) -> Tools:
    """TouchDesigner's tools: those of the path that was given, else of the newest installation.

    Raises:
        CannotPack: there are none.
    """
    if given is not None:
        return _inside(given)
    found = installations.find(machine or Machine())
    for number, one in enumerate(found):
        tools = _beside(one.executable.parent)
        if tools is not None:
            others = tuple(other.build or str(other.path) for other in found[number + 1 :])
            return Tools(*tools, one.build, others)
    if found:
        raise CannotPack(
            f"{found[0].path} has no toecollapse beside {found[0].executable.name}: repair the installation, or give "
            "the tool with --td."
        )
    raise CannotPack(
        "No TouchDesigner was found in the usual places. It is needed to make a .tox: give its folder with --td, or run "
        "the bootstrap script inside TouchDesigner instead."
    )


def pack(
    out: Path, given: Path | None = None, target: Path | None = None, *, allow_stand_in: bool = False
) -> Packed:
    """Make `NAME.tox` of what was built into `out`.

    Args:
        given: TouchDesigner's folder or app, or its toecollapse; else the newest is found.
        target: folder for the .tox; `out` by default. One that is there is replaced, once the new one is checked.
        allow_stand_in: for tests: take a container that only the stand-in can open.

    Raises:
        CannotPack: nothing was built, there is no TouchDesigner, or its tool did not do as expected.
        OSError: the .tox cannot be put in place.
    """
    name = f"{TDMCP.name}.tox"
    if not (out / f"{name}.toc").is_file() or not (out / f"{name}.dir").is_dir():
        raise CannotPack(f"{out} holds no build: run `tdmcp build {out}` first.")
    tools = find(given)
    with tempfile.TemporaryDirectory(prefix="tdmcp-pack-") as temporary:
        made = _collapse(tools, out, name, Path(temporary) / "collapse")
        data = made.read_bytes()
        if data.startswith(_STAND_IN) and not allow_stand_in:
            raise CannotPack(
                f"{tools.collapse} is the stand-in's: what it makes cannot be opened by TouchDesigner."
            )
        _compare(_expand(tools, made, Path(temporary) / "expand"), out, name)
    path = (target or out) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{name}.part")
    part.write_bytes(data)
    os.replace(part, path)
    return Packed(path, len(data), hashlib.sha256(data).hexdigest(), tools)


def _inside(given: Path) -> Tools:
    if given.is_file():
        places = [given.parent]
    else:
        places = [given, given / "bin", given / "Contents" / "MacOS"]
    for place in places:
        tools = _beside(place)
        if tools is not None:
            return Tools(*tools)
    raise CannotPack(f"{given} holds no toecollapse and toeexpand of a TouchDesigner.")


def _beside(folder: Path) -> tuple[Path, Path] | None:
    for suffix in (".exe", ""):
        tools = folder / f"toecollapse{suffix}", folder / f"toeexpand{suffix}"
        if all(tool.is_file() for tool in tools):
            return tools
    return None


def _collapse(tools: Tools, out: Path, name: str, work: Path) -> Path:
    # On a copy: the tool renames and rewrites what it finds.
    work.mkdir()
    shutil.copy(out / f"{name}.toc", work)
    shutil.copytree(out / f"{name}.dir", work / f"{name}.dir")
    code, words = _run(tools.collapse, name, work)
    made = work / name
    size = made.stat().st_size if made.is_file() else 0
    if code != 0 or size < _NOTHING:
        result = f"a file of {size} bytes" if made.is_file() else "no file"
        raise CannotPack(f"{tools.collapse} made {result} and ended with {code}.{words}")
    return made


def _expand(tools: Tools, made: Path, work: Path) -> Path:
    work.mkdir()
    shutil.copy(made, work)
    code, words = _run(tools.expand, made.name, work)
    if not (work / f"{made.name}.toc").is_file() or not (work / f"{made.name}.dir").is_dir():
        raise CannotPack(
            f"{tools.expand} cannot expand the .tox that was just made; it ended with {code}.{words}"
        )
    return work


def _compare(expanded: Path, out: Path, name: str) -> None:
    meant, found = _tree(out, name), _tree(expanded, name)
    # The stamp may become that of the build whose tool it was.
    differing = sorted(
        path
        for path in meant.keys() | found.keys()
        if meant.get(path) != found.get(path) and path != f"{name}.dir/.build"
    )
    if differing:
        shown = ", ".join(differing[:5]) + (" …" if len(differing) > 5 else "")
        raise CannotPack(f"The .tox does not hold what was built; expanded again, these differ: {shown}")


def _tree(folder: Path, name: str) -> dict[str, bytes]:
    files = [folder / f"{name}.toc", *(p for p in (folder / f"{name}.dir").rglob("*") if p.is_file())]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _run(tool: Path, name: str, work: Path) -> tuple[int, str]:
    """The exit code of a tool, and what it said."""
    try:
        done = subprocess.run(
            [str(tool.resolve()), name],
            check=False,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired:
        raise CannotPack(f"{tool} did not end within {PATIENCE:.0f} s.") from None
    except OSError as error:
        raise CannotPack(f"{tool} cannot be started: {error.strerror or error}.") from None
    said = (done.stderr.strip() or done.stdout.strip())[-500:]
    return done.returncode, f" It said: {said}" if said else ""

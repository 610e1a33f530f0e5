"""A stand-in that has nothing on its import path but what TouchDesigner ships, and the builds it loads.

The packages are in versions of 2024 (`requirements/touchdesigner.txt`); like the wheels of the payload they are fetched
once and kept with the environment, so the tests work offline afterwards.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy

from fakes.driver import StandIn
from td_component.description import TDMCP
from td_component.model import SCRIPTS
from tox_build.build import BuildReport, build
from tox_build.command import wheel_folder
from tox_build.payload import Payload, payload

ROOT = Path(__file__).resolve().parents[2]
#: What this machine's stand-in is, as archives are called.
SYSTEM = {
    ("win32", "AMD64"): "win_amd64",
    ("darwin", "arm64"): "macosx_arm64",
    ("darwin", "x86_64"): "macosx_x86_64",
}.get((sys.platform, platform.machine()), f"linux_{platform.machine()}")


@functools.cache
def packages(name: str = "touchdesigner") -> Path:
    """The folder of the packages listed in `requirements/NAME.txt`: `touchdesigner` are those it ships itself,
    `neighbours` what another component may have brought."""
    listed = ROOT / "requirements" / f"{name}.txt"
    folder = Path(sys.prefix) / f"tdmcp-{name}-{hashlib.sha256(listed.read_bytes()).hexdigest()[:12]}"
    if not folder.is_dir():
        # Two sides of a test run may be at it at once: each installs for itself, and the first one is kept, whole.
        with tempfile.TemporaryDirectory(dir=sys.prefix, prefix=f"tdmcp-{name}-") as temporary:
            mine = Path(temporary) / "packages"
            command = [
                sys.executable,
                "-m",
                "pip",
                "--disable-pip-version-check",
                "install",
                "--quiet",
                "--no-deps",
            ]
            command += [
                "--require-hashes",
                "--only-binary",
                ":all:",
                "--target",
                str(mine),
                "-r",
                str(listed),
            ]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            try:
                mine.rename(folder)
            except OSError:
                if not folder.is_dir():
                    raise
    return folder


def import_path(folder: Path) -> Path:
    """A folder with those packages, numpy, cv2 and the stand-in, and nothing else: not the repository."""
    path = folder / "site"
    path.mkdir()
    for entry in packages().iterdir():
        (path / entry.name).symlink_to(entry)
    for module in (numpy, cv2):
        place = Path(module.__file__ or "").parent
        for entry in place.parent.glob(f"*{place.name}*.libs"):
            (path / entry.name).symlink_to(entry)
        for entry in place.parent.glob("opencv*.libs"):
            (path / entry.name).exists() or (path / entry.name).symlink_to(entry)
        (path / place.name).symlink_to(place)
    (path / "fakes").symlink_to(ROOT / "fakes")
    return path


@functools.cache
def carried(*systems: str) -> Payload:
    """A payload, for this machine by default; packed in half the time for a percent more, and once for all tests."""
    return payload(systems or (SYSTEM,), wheel_folder(), level=6)


def built(folder: Path) -> BuildReport:
    """A full build for this machine."""
    return build(folder, TDMCP, carried())


def bare_td(
    folder: Path, toc: Path, *arguments: str, home: Path | None = None, site: Path | None = None
) -> StandIn:
    """Start a stand-in that loads a build, in a folder of its own, without this repository in reach."""
    path = site or import_path(folder)
    empty = folder / "cwd"
    empty.mkdir(exist_ok=True)
    # Bytecode is kept beside the sources, where the component puts that of its payload.
    environment = {"PYTHONPATH": str(path), "PYTHONNOUSERSITE": "1", "PYTHONPYCACHEPREFIX": ""}
    return StandIn(
        "--component",
        str(toc),
        *arguments,
        home=home,
        timeout=180,
        environment={**environment, "TMPDIR": str(empty)},
        command=(sys.executable, "-S", "-m", "fakes"),
        cwd=empty,
    )


def unpacked(place: Path) -> Path:
    """The payload for this machine as the component unpacks it, below `place`."""
    spec = importlib.util.spec_from_file_location("unpacking_for_tests", SCRIPTS / "unpacking.py")
    assert spec is not None and spec.loader is not None
    unpacking = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(unpacking)
    packed = carried()
    texts = {name: list(one.parts) for name, one in packed.archives.items()}
    unpacking.unpack(packed.manifest(), texts, place)
    folder = place / unpacking.identity(packed.manifest())
    # Every test is a process of its own and would compile it all.
    unpacking.compile_all(folder, sys.executable)
    return folder

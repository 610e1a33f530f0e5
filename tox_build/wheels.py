"""Getting the wheels of the libraries, by name, for every system the component is built for.

The versions and their hashes are those of `requirements/locked.txt`, which everything else is tested with. Wheels that
were fetched before and still have the right hash are not fetched again, so a second build works offline.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

LOCKED = Path(__file__).resolve().parent.parent / "requirements" / "locked.txt"
#: TouchDesigner's Python.
PYTHON = "3.11"
#: Systems by the name of their archive, with the tags that their wheels may carry.
SYSTEMS = {
    "win_amd64": frozenset({"win_amd64"}),
    "macosx_arm64": frozenset(f"macosx_{n}_0_arm64" for n in (11, 12)),
    "macosx_x86_64": frozenset(f"macosx_10_{n}_x86_64" for n in (9, 10, 12, 13)),
    # TouchDesigner does not run on these; the stand-in does.
    "linux_x86_64": frozenset(f"manylinux{n}_x86_64" for n in ("2014", "_2_17", "_2_28")),
    "linux_aarch64": frozenset(f"manylinux{n}_aarch64" for n in ("2014", "_2_17", "_2_28")),
}
#: What a build is for unless it is told otherwise.
TOUCHDESIGNER = ("win_amd64", "macosx_arm64", "macosx_x86_64")


class CannotFetch(Exception):
    """Wheels are missing and cannot be had; the text says which, and why."""


@dataclass(frozen=True)
class Pinned:
    """One line of the lock: a distribution, its version, and the hashes its files may have."""

    name: str
    version: str
    hashes: frozenset[str]


def pinned(locked: Path = LOCKED) -> dict[str, Pinned]:
    """What the lock says, by normalised name. Of several lines for one name, the one for our Python counts.

    Raises:
        CannotFetch: there is no lock, as in an installed package.
    """
    found: dict[str, Pinned] = {}
    if not locked.is_file():
        raise CannotFetch("The list of versions is missing: build from a checkout of the sources.")
    text = locked.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        match = re.match(r"([A-Za-z0-9._-]+)==(\S+)", line)
        if match and not re.search(r"python_full_version >= '3\.(1[2-9]|[2-9]\d)'", line):
            hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
            found[normal(match[1])] = Pinned(normal(match[1]), match[2], hashes)
    return found


def normal(name: str) -> str:
    """A distribution's name as it is compared: `typing_extensions` and `typing-extensions` are one."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fetch(names: Sequence[str], system: str, folder: Path, locked: Path = LOCKED) -> list[Path]:
    """The wheels of these distributions for a system, in the order of the names; fetched if need be.

    Args:
        folder: where wheels are kept between builds.

    Raises:
        CannotFetch: one is not in the lock, or pip cannot get it.
    """
    lock = pinned(locked)
    unknown = [name for name in names if normal(name) not in lock]
    if unknown:
        raise CannotFetch(f"{', '.join(unknown)}: not in {locked.name}")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [lock[normal(name)] for name in names]
    missing = [one for one in wanted if _kept(one, system, folder) is None]
    if missing:
        _download(missing, system, folder)
    wheels = [_kept(one, system, folder) for one in wanted]
    lost = [one.name for one, wheel in zip(wanted, wheels, strict=True) if wheel is None]
    if lost:
        raise CannotFetch(f"{', '.join(lost)}: there is no wheel for {system} among those that were fetched")
    return [wheel for wheel in wheels if wheel is not None]


def _kept(one: Pinned, system: str, folder: Path) -> Path | None:
    """A kept wheel that fits the system and has a hash of the lock."""
    for wheel in sorted(folder.glob("*.whl")):
        name, version, *_, abi, platform = wheel.stem.split("-")
        for_system = platform == "any" or not SYSTEMS[system].isdisjoint(platform.split("."))
        fits = for_system and abi in ("none", "abi3", "cp311")
        same = normal(name) == one.name and version == one.version
        if same and fits and hashlib.sha256(wheel.read_bytes()).hexdigest() in one.hashes:
            return wheel
    return None


def _download(wanted: Iterable[Pinned], system: str, folder: Path) -> None:
    lines = [
        " ".join([f"{one.name}=={one.version}", *(f"--hash=sha256:{h}" for h in sorted(one.hashes))])
        for one in wanted
    ]
    # Beside those that are kept: another build may fetch at the same time, and must find each wheel whole.
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as temporary:
        listing = Path(temporary) / "requirements.txt"
        listing.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "download",
            "--quiet",
            "--no-deps",
        ]
        command += ["--require-hashes", "--only-binary", ":all:", "--python-version", PYTHON]
        command += ["--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--abi", "none"]
        command += [word for tag in sorted(SYSTEMS[system]) for word in ("--platform", tag)]
        done = subprocess.run(
            [*command, "-d", temporary, "-r", str(listing)],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
        for wheel in Path(temporary).glob("*.whl"):
            kept = folder / wheel.name
            try:
                wheel.replace(kept)
            except OSError:
                # On Windows, where the other one reads its own; the hash is looked at by whoever uses it.
                if not kept.is_file():
                    raise
    if done.returncode:
        reason = done.stderr.strip().splitlines()
        raise CannotFetch(
            f"pip cannot fetch the wheels for {system}; the first build needs the network.\n"
            + "\n".join(reason[-5:])
        )

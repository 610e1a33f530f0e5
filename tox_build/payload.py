"""The full component: the description, and the server's code and libraries in DATs beside the others."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from td_component import private_imports
from td_component.description import TDMCP
from td_component.model import SCRIPTS, Component, Dat
from tdmcp_embedded import __version__
from tox_build import archive, libraries, lint, wheels

SOURCES = Path(__file__).resolve().parent.parent
#: The packages of ours that travel.
OURS = ("tdmcp_embedded", "stdio_shim")
#: Where the contract tests go, which *Self Test* runs.
CONTRACT = "tdmcp_embedded/contract"
_PYTHON_TEXT = (("language", "python"),)
_PLAIN_TEXT = (("language", "text"),)


@dataclasses.dataclass(frozen=True)
class Payload:
    """What travels in one component: archives by name, and a digest over our own code as it lies in the sources."""

    archives: Mapping[str, archive.Packed]
    source: str
    longest: int
    version: str = __version__

    def manifest(self) -> dict[str, object]:
        """What the component knows of it before it reads it."""
        return {
            "version": self.version,
            "python": wheels.PYTHON,
            "source": self.source,
            "longest": self.longest,
            "archives": {name: packed.facts() for name, packed in self.archives.items()},
        }


def payload(systems: Sequence[str], wheel_folder: Path, level: int = 9) -> Payload:
    """Collect and pack everything for these systems; `level` as in `archive.pack`.

    Raises:
        wheels.CannotFetch: a library cannot be had.
        lint.LintError: a file names the machine that builds.
    """
    code = own_files()
    pure = libraries.pure_files(wheels.fetch(libraries.PURE, systems[0], wheel_folder))
    files = {f"code/{path}": data for path, data in code.items()}
    files |= {f"libraries/{path}": data for path, data in pure.items()}
    files["private_imports.py"] = Path(private_imports.__file__).read_bytes()
    named = [path for path, data in files.items() if lint.holds_machine_path(data)]
    if named:
        raise lint.LintError([f"{path}: holds a path of the machine that built it" for path in named])
    packed = {"code": archive.pack(files, level)}
    for system in systems:
        native: dict[str, bytes] = {}
        for wheel in wheels.fetch(libraries.NATIVE, system, wheel_folder):
            native |= {f"libraries/{path}": data for path, data in libraries.taken(wheel).items()}
        packed[system] = archive.pack(native, level)
        files |= native
    return Payload(packed, digest(code), max(map(len, files)))


def own_files(sources: Path = SOURCES) -> dict[str, bytes]:
    """Our own code, its data files and the contract tests, by path, as they lie in the sources."""
    found: dict[str, bytes] = {}
    for package in OURS:
        found |= {f"{package}/{path}": data for path, data in _files(sources / package).items()}
    for path, data in _files(sources / "tests" / "contract").items():
        # Its pytest machinery drives the stand-in.
        if path != "conftest.py":
            found[f"{CONTRACT}/{path}"] = data
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


def digest(files: Mapping[str, bytes]) -> str:
    """One sha256 over paths and contents."""
    whole = hashlib.sha256()
    for path, data in sorted(files.items()):
        whole.update(f"{path}\0{len(data)}\0".encode() + data)
    return whole.hexdigest()


def full(packed: Payload, component: Component = TDMCP) -> Component:
    """The component with a payload inside: two more scripts, and a block of texts to their right."""
    manifest = json.dumps(packed.manifest(), sort_keys=True)
    script = (SCRIPTS / "payload.py").read_text(encoding="utf-8")
    if '"@MANIFEST@"' not in script:
        raise ValueError("scripts/payload.py has no place for the manifest")
    script = script.replace('"@MANIFEST@"', f"'{manifest}'")
    dats = [
        Dat("payload", "textDAT", 0, -260, body=script, parameters=_PYTHON_TEXT, dock="Tdmcp"),
        Dat("unpacking", "textDAT", 160, -260, script="unpacking.py", parameters=_PYTHON_TEXT, dock="Tdmcp"),
    ]
    for row, (name, one) in enumerate(packed.archives.items()):
        for number, text in enumerate(one.parts):
            x, y = 600 + 160 * number, -130 * row
            dats.append(
                Dat(f"payload_{name}_{number + 1}", "textDAT", x, y, body=text, parameters=_PLAIN_TEXT)
            )
    return dataclasses.replace(component, dats=(*component.dats, *dats))

"""One build of the component: everything TouchDesigner can load, in one folder, and what was made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from td_component.description import TDMCP
from td_component.model import Component
from tdmcp_embedded import __version__
from tox_build.bootstrap import write_bootstrap
from tox_build.expanded import write_expanded


@dataclass(frozen=True)
class BuildReport:
    """What a build made. `size` counts bytes, `sha256` is over every file's path and content."""

    version: str
    toc: Path
    folder: Path
    bootstrap: Path
    files: int
    size: int
    sha256: str

    def text(self) -> str:
        """The report for a person."""
        return (
            f"tdmcp {self.version}: {self.files} files, {self.size:,} bytes, sha256 {self.sha256[:16]}\n"
            f"expanded form: {self.toc} (make a .tox of it with TouchDesigner's toecollapse)\n"
            f"bootstrap script: {self.bootstrap} (run it once inside TouchDesigner)"
        )


def build(out_dir: Path, component: Component = TDMCP) -> BuildReport:
    """Build the slim component into `out_dir`, replacing a former build there.

    The slim component needs `tdmcp-embedded` in the Python that TouchDesigner uses. The same sources give the same
    bytes.

    Raises:
        lint.LintError: the expanded form breaks a rule; nothing is written.
        OSError: the folder cannot be written.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    toc = write_expanded(out_dir, component)
    bootstrap = write_bootstrap(out_dir, component)
    folder = toc.with_suffix(".dir")
    made = [toc, bootstrap, *(path for path in folder.rglob("*") if path.is_file())]
    digest = hashlib.sha256()
    size = 0
    for name, path in sorted((path.relative_to(out_dir).as_posix(), path) for path in made):
        data = path.read_bytes()
        size += len(data)
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return BuildReport(__version__, toc, folder, bootstrap, len(made), size, digest.hexdigest())

"""One build of the component: everything TouchDesigner can load, in one folder, and what was made."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from td_component.description import TDMCP
from td_component.model import Component
from tdmcp_embedded import __version__
from tox_build.bootstrap import write_bootstrap
from tox_build.expanded import write_expanded
from tox_build.payload import Payload, digest, full


class BadBuild(Exception):
    """What was written is not what was meant; the text says how."""


@dataclass(frozen=True)
class BuildReport:
    """What a build made. `size` counts bytes, `sha256` is over every file's path and content.

    `source` is the digest over our own code inside it, `systems` are those it carries libraries for; both are empty
    for a slim build.
    """

    version: str
    toc: Path
    folder: Path
    bootstrap: Path
    files: int
    size: int
    sha256: str
    source: str = ""
    systems: tuple[str, ...] = ()
    carried: int = 0
    """Bytes that every save of a project with it carries."""

    def text(self) -> str:
        """The report for a person."""
        kind = (
            f"for {', '.join(self.systems)}"
            if self.systems
            else "slim: needs tdmcp-embedded in TouchDesigner"
        )
        code = f"code inside: the same as the sources, sha256 {self.source[:16]}\n" if self.source else ""
        return (
            f"tdmcp {self.version} ({kind})\n"
            f"the component: {self.carried:,} bytes; {self.files} files made, sha256 {self.sha256[:16]}\n{code}"
            f"expanded form: {self.toc} (make a .tox of it with `tdmcp pack`)\n"
            f"bootstrap script: {self.bootstrap} (paste this line into TouchDesigner's Textport, once):\n"
            f"  exec(open({self.bootstrap.resolve().as_posix()!r}, encoding='utf-8').read())"
        )


def build(out_dir: Path, component: Component = TDMCP, carried: Payload | None = None) -> BuildReport:
    """Build the component into `out_dir`, replacing a former build there, and removing a .tox that was made of it.

    Without a payload it is the slim component, which needs `tdmcp-embedded` in the Python that TouchDesigner uses. The
    same input gives the same bytes.

    Raises:
        lint.LintError: the expanded form breaks a rule; nothing is written.
        BadBuild: what was written does not hold the sources as they are.
        OSError: the folder cannot be written.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    whole = component if carried is None else full(carried, component)
    toc = write_expanded(out_dir, whole)
    # One that `pack` made of a former build would be taken for one of this.
    (out_dir / f"{component.name}.tox").unlink(missing_ok=True)
    bootstrap = write_bootstrap(out_dir, whole)
    folder = toc.with_suffix(".dir")
    inside = [path for path in folder.rglob("*") if path.is_file()]
    if carried is not None:
        check(folder / component.name, carried)
    whole_digest = hashlib.sha256()
    for name, path in sorted(
        (path.relative_to(out_dir).as_posix(), path) for path in [toc, bootstrap, *inside]
    ):
        data = path.read_bytes()
        whole_digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return BuildReport(
        version=__version__,
        toc=toc,
        folder=folder,
        bootstrap=bootstrap,
        files=len(inside) + 2,
        size=sum(path.stat().st_size for path in [toc, bootstrap, *inside]),
        sha256=whole_digest.hexdigest(),
        source=carried.source if carried else "",
        systems=tuple(name for name in carried.archives if name != "code") if carried else (),
        carried=sum(path.stat().st_size for path in inside),
    )


def check(inside: Path, carried: Payload) -> None:
    """Read back what was written: the texts of the DATs give the very files of the sources.

    Raises:
        BadBuild: they do not.
    """
    texts = [
        (inside / f"payload_code_{number + 1}.text").read_bytes()[27:]
        for number in range(len(carried.archives["code"].parts))
    ]
    packed = b"".join(base64.b64decode(text) for text in texts)
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(packed)), mode="r:") as tar:
        files = {
            entry.name.removeprefix("code/"): file.read()
            for entry in tar
            if entry.name.startswith("code/") and (file := tar.extractfile(entry)) is not None
        }
    if digest(files) != carried.source:
        raise BadBuild("the code inside the component is not the code of the sources")

"""Stand-ins for `toecollapse` and `toeexpand`, for tests of whatever calls them.

They keep the conventions that others report of the real ones: the working folder holds `NAME.tox.dir/` and
`NAME.tox.toc`; `toecollapse NAME.tox` exits 0 on success and `toeexpand NAME.tox` exits 1 on success; an existing
target is renamed `.bkp1`; a tree without `.build` collapses to a file of four bytes. The container is the stand-in's.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
import zlib
from pathlib import Path

from fakes import toe
from fakes.errors import tdError

#: What `toeexpand` exits with when all went well.
EXPANDED = 1


def collapse(target: Path) -> int:
    """Make `NAME.tox` from `NAME.tox.dir` and `NAME.tox.toc`; the exit code."""
    toc = target.with_name(target.name + ".toc")
    folder = target.with_name(target.name + ".dir")
    if not toc.is_file() or not folder.is_dir():
        print(f"Could not open {toc.name}", file=sys.stderr)
        return 2
    if target.exists():
        os.replace(target, target.with_name(target.name + ".bkp1"))
    listing = toc.read_bytes()
    names = listing.decode("utf-8").splitlines()[1:]
    if ".build" not in names or not (folder / ".build").is_file():
        target.write_bytes(b"\0\0\0\0")
        return 0
    files = {name: base64.b64encode((folder / name).read_bytes()).decode("ascii") for name in names}
    content = {"kind": "collapsed", "toc": listing.decode("utf-8"), "files": files}
    target.write_bytes(toe.HEAD + zlib.compress(json.dumps(content).encode(), 6))
    return 0


def expand(source: Path) -> int:
    """Make `NAME.tox.dir` and `NAME.tox.toc` from `NAME.tox`; the exit code."""
    try:
        content = toe.unpack(source.read_bytes())
    except (OSError, tdError) as problem:
        print(f"Could not open {source.name}: {problem}", file=sys.stderr)
        return 2
    if content.get("kind") != "collapsed":
        print(f"{source.name} was saved by the stand-in itself and has no expanded form", file=sys.stderr)
        return 2
    write_tree(content, source)
    return EXPANDED


def write_tree(content: dict[str, object], target: Path) -> Path:
    """Write the expanded form of a collapsed container beside `target`; the table of contents."""
    toc = target.with_name(target.name + ".toc")
    folder = target.with_name(target.name + ".dir")
    files = content["files"]
    assert isinstance(files, dict)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))
    toc.write_bytes(str(content["toc"]).encode())
    return toc


def unpacked(content: dict[str, object]) -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """The expanded form in a temporary folder, and its table of contents; the caller cleans up."""
    folder = tempfile.TemporaryDirectory(prefix="fake-td-")
    return folder, write_tree(content, Path(folder.name) / "component.tox")


def main(tool: str, arguments: list[str]) -> int:
    """`toecollapse NAME.tox` or `toeexpand NAME.tox`."""
    if len(arguments) != 1:
        print(f"usage: {tool} file", file=sys.stderr)
        return 2
    return (expand if tool == "toeexpand" else collapse)(Path(arguments[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "toecollapse", sys.argv[2:]))

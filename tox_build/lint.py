"""Rules that files of the expanded form must keep, checked before anything is written."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

_PARTS = (".n", ".cparm", ".parm", ".panel", ".network", ".text", ".table")
_CUSTOM_NAME = re.compile(r"[A-Z][a-z0-9]*")
_TEXT_HEAD = 3 + 6 * 4


class LintError(ValueError):
    """What was built would not load, or not everywhere. One line for each finding."""

    def __init__(self, findings: list[str]) -> None:
        super().__init__("\n".join(findings))
        self.findings = findings


def check(made: Mapping[str, bytes]) -> None:
    """Check the files of one expanded component, by path in the order of the table of contents.

    Raises:
        LintError: with every finding.
    """
    found = findings(made)
    if found:
        raise LintError(found)


def findings(made: Mapping[str, bytes]) -> list[str]:
    """What is wrong, one sentence each; empty when all is well."""
    found = [*_paths(made), *_order(made)]
    for path, data in made.items():
        suffix = PurePosixPath(path).suffix
        if suffix in (".n", ".parm", ".cparm") or path == ".build":
            found += _lines(path, data)
        if suffix == ".cparm":
            found += _custom_names(path, data)
        if suffix == ".text" and not _is_plain(made.get(f"{path.removesuffix('.text')}.parm", b"")):
            found += _script(path, data)
        found += _machine(path, data)
    return found


def _paths(made: Mapping[str, bytes]) -> list[str]:
    found, seen = [], dict[str, str]()
    for path in made:
        if "\\" in path or path.startswith("/") or ".." in path.split("/"):
            found.append(f"{path}: paths are relative and separated by '/'")
        twin = seen.setdefault(path.lower(), path)
        if twin != path:
            found.append(f"{path}: differs from {twin} in letter case only")
        name = PurePosixPath(path).stem
        if path.endswith(".n") and "/" in path and name in sys.stdlib_module_names:
            # A DAT named like a module shadows it for every script beside it.
            found.append(f"{path}: a DAT called {name} would shadow Python's module of that name")
    return found


def _order(made: Mapping[str, bytes]) -> list[str]:
    paths = list(made)
    if not paths or paths[0] != ".build":
        return [".build: must be there and come first, else toecollapse makes an empty file"]
    found, listed, at = [], set[str](), -1
    for path in paths[1:]:
        stem, dot, suffix = path.rpartition(".")
        part = dot + suffix
        if part not in _PARTS:
            found.append(f"{path}: {part!r} is no part of an operator")
        elif part == ".n":
            parent = stem.rpartition("/")[0]
            if parent and parent not in listed:
                found.append(f"{path}: comes before its parent")
            listed.add(stem)
            current, at = stem, 0
        elif not listed or stem != current or _PARTS.index(part) <= at:
            found.append(f"{path}: out of order")
        else:
            at = _PARTS.index(part)
    return found


def _lines(path: str, data: bytes) -> list[str]:
    found = []
    if b"\r" in data or not data.endswith(b"\n"):
        found.append(f"{path}: lines end with a line feed alone, the last one too")
    lines = data.decode("utf-8").split("\n")[:-1]
    if path.endswith(".n") and lines[-1:] != ["end"]:
        found.append(f"{path}: must end with 'end'")
    if path.endswith("parm"):
        if lines[:1] != ["?"] or lines[-1:] != ["?"] or len(lines) < 2:
            found.append(f"{path}: stands between two '?' lines")
        found += [f"{path}: odd number of quotes in {line!r}" for line in lines if line.count('"') % 2]
    return found


def _custom_names(path: str, data: bytes) -> list[str]:
    names = [line.split(" ")[1] for line in data.decode("utf-8").split("\n")[2:-2]]
    found = [
        f"{path}: {name!r} is no custom name (a capital, then lower-case letters and digits)"
        for name in names
        if not _CUSTOM_NAME.fullmatch(name)
    ]
    return found + [f"{path}: {name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]


def _script(path: str, data: bytes) -> list[str]:
    try:
        ast.parse(data[_TEXT_HEAD:].decode("utf-8"))
    except SyntaxError as error:
        return [f"{path}: line {error.lineno}: {error.msg}"]
    return []


def _is_plain(parameters: bytes) -> bool:
    """Whether a DAT says of its text that it is no program."""
    return b"\nlanguage 0 text\n" in parameters


def _machine(path: str, data: bytes) -> list[str]:
    return [f"{path}: holds a path of the machine that built it"] if holds_machine_path(data) else []


def holds_machine_path(data: bytes) -> bool:
    """Whether something names the building machine: its home, or the folder of the sources."""
    places = {str(Path.home()), str(Path(__file__).resolve().parent.parent)} - {"/"}
    # As a path, not as part of a longer word: the home may be as short as /root.
    return any(re.search(re.escape(place.encode()) + rb"(?![\w.-])", data) for place in places)

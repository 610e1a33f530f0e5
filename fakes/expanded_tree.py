"""Reading and writing expanded components and projects that TouchDesigner made.

`expanded.py` is strict, for what a builder writes. Here, what nobody established is listed and kept as it is: reading,
writing and reading again gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fakes import expanded, expanded_parameters, expanded_writer
from fakes.expanded import Expanded
from fakes.expanded_lines import ExpandedError, between_marks, lines

HEAD = "# 4 0 0 0 1"
#: Flags in public files that TouchDesigner wrote.
_SEEN_FLAGS = ("viewer", "current", "render", "pickable")
_SWITCHES = {"0": False, "1": True, "off": False, "on": True}


@dataclass(frozen=True)
class Unknown:
    """Something in a file that is not established; `line` is empty where it is the whole file."""

    entry: str
    line: str
    reason: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.reason}"


@dataclass
class Tree:
    """An expanded component (`.tox`) or project (`.toe`)."""

    entries: list[str] = field(default_factory=list)
    """The files, in the order of the table of contents."""
    nodes: dict[str, Expanded] = field(default_factory=dict)
    """Operators by their path inside the folder."""
    tops: list[Expanded] = field(default_factory=list)
    flags: dict[str, dict[str, bool]] = field(default_factory=dict)
    """For operators with more flags than a builder writes: all of them, by the path inside the folder."""
    raw: dict[str, bytes] = field(default_factory=dict)
    """Files that are kept as they are."""
    kept: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """For each file that is read, the lines that are kept as they are, with their index."""
    unknown: list[Unknown] = field(default_factory=list)


def find_toc(place: Path) -> Path:
    """The table of contents of a folder `NAME.tox.dir` or `NAME.toe.dir`, or the only one inside a folder.

    Raises:
        ExpandedError: there is none, or more than one.
    """
    place = Path(place)
    if place.suffix == ".toc":
        return place
    if place.suffix == ".dir":
        return place.with_suffix(".toc")
    found = sorted(place.glob("*.toc"))
    if len(found) != 1:
        raise ExpandedError(
            f"{place}: expected a folder NAME.tox.dir, or one .toc inside; found {len(found)}"
        )
    return found[0]


def read_tree(toc: Path) -> Tree:
    """Everything a table of contents and the folder beside it hold.

    Raises:
        ExpandedError: they are no expanded component at all, or lead outside the folder.
    """
    folder = toc.with_suffix(".dir")
    if not toc.is_file() or not folder.is_dir():
        raise ExpandedError(f"{toc}: the table of contents or the folder {folder.name} is missing")
    listing = lines(toc)
    if not listing or listing[0] != HEAD:
        raise ExpandedError(f"{toc.name}: the first line is not {HEAD!r}")
    tree = Tree()
    for entry in listing[1:]:
        path = PurePosixPath(entry)
        if path.is_absolute() or ".." in path.parts or "\\" in entry or ":" in entry:
            raise ExpandedError(f"{toc.name}: {entry!r} leads outside the folder")
        if not (folder / entry).is_file():
            tree.unknown.append(Unknown(entry, "", "listed, but the file is missing"))
        elif entry not in tree.raw and entry not in tree.entries:
            tree.entries.append(entry)
            _read_entry(tree, folder, entry)
    return tree


def write_tree(tree: Tree, toc: Path) -> None:
    """Write a tree as `toc` and the folder beside it."""
    folder = toc.with_suffix(".dir")
    for entry in tree.entries:
        path = folder / entry
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tree.raw[entry] if entry in tree.raw else _content(tree, entry))
    toc.write_bytes("".join(f"{line}\n" for line in (HEAD, *tree.entries)).encode())


def _read_entry(tree: Tree, folder: Path, entry: str) -> None:
    if entry == ".build":
        tree.raw[entry] = (folder / entry).read_bytes()
        return
    stem, _, suffix = entry.rpartition(".")
    try:
        if suffix == "n":
            _read_node(tree, folder / entry, entry, stem)
            return
        node = tree.nodes.get(stem)
        if node is None:
            raise ExpandedError("belongs to no operator that is known")
        if suffix == "parm":
            _read_settings(tree, folder / entry, entry, node)
        elif suffix == "cparm":
            _read_custom(tree, folder / entry, entry, node)
        elif suffix == "text":
            node.text = expanded.read_text(folder / entry)
        elif suffix == "table":
            node.table = expanded.read_table(folder / entry)
        else:
            raise ExpandedError(f"the content of .{suffix} files is not established")
    except ValueError as problem:  # Also text that is no UTF-8.
        tree.raw[entry] = (folder / entry).read_bytes()
        if suffix == "n" or tree.raw[entry].strip():
            tree.unknown.append(Unknown(entry, "", str(problem)))


def _keep(tree: Tree, entry: str, index: int, line: str, reason: Exception) -> None:
    tree.kept.setdefault(entry, []).append((index, line))
    tree.unknown.append(Unknown(entry, line, str(reason)))


def _read_node(tree: Tree, path: Path, entry: str, stem: str) -> None:
    text = lines(path)
    family, colon, kind = text[0].partition(":")
    if not colon or not family or not kind or text[-1] != "end":
        raise ExpandedError("is not FAMILY:type ... end")
    parent, _, name = stem.rpartition("/")
    if parent and parent not in tree.nodes:
        raise ExpandedError("its parent is not known")
    node = Expanded(family=family, kind=kind, name=name, tile=None)
    body = text[1:-1]
    index = 0
    while index < len(body):
        rest = iter(body[index + 1 :])
        try:
            expanded.read_line(path, node, body[index], rest)
        except ExpandedError as problem:
            flags = _flags(body[index])
            if flags:
                tree.flags[stem] = flags
                tree.kept.setdefault(entry, []).append((index, body[index]))
            else:
                _keep(tree, entry, index, body[index], problem)
            index += 1
        else:
            index = len(body) - len(list(rest))
    tree.nodes[stem] = node
    (tree.nodes[parent].children if parent else tree.tops).append(node)


def _flags(line: str) -> dict[str, bool]:
    """The flags of a line as TouchDesigner writes it for operators in use; empty if it is none, or one is unknown."""
    if not line.startswith("flags =  "):
        return {}
    words = line[len("flags =  ") :].split(" ")
    flags = dict(zip(words[::2], words[1::2], strict=False))
    known = {*_SEEN_FLAGS, "parlanguage"}
    if len(words) % 2 or not known.issuperset(flags) or not _SWITCHES.keys() >= set(flags.values()):
        return {}
    if _SWITCHES[flags.pop("parlanguage", "0")]:  # Parameters in another language than Python.
        return {}
    return {name: _SWITCHES[value] for name, value in flags.items()}


def _read_settings(tree: Tree, path: Path, entry: str, node: Expanded) -> None:
    for index, line in enumerate(between_marks(path)):
        try:
            node.settings.append(expanded_parameters.read_setting(path, line))
        except ExpandedError as problem:
            _keep(tree, entry, index, line, problem)


def _read_custom(tree: Tree, path: Path, entry: str, node: Expanded) -> None:
    body = between_marks(path)
    if not body:
        raise ExpandedError("has no 'pages' line")
    node.pages = expanded_parameters.read_pages(path, body[0])
    for index, line in enumerate(body[1:], 1):
        try:
            parameter = expanded_parameters.read_definition(path, line)
            if parameter.page not in node.pages:
                raise ExpandedError(f"{path.name}: {parameter.name} is on no page of the file")
            node.custom.append(parameter)
        except ExpandedError as problem:
            _keep(tree, entry, index, line, problem)


def _content(tree: Tree, entry: str) -> bytes:
    stem, _, suffix = entry.rpartition(".")
    node = tree.nodes[stem]
    if suffix == "text":
        return expanded_writer.text_bytes(node.text or "")
    if suffix == "table":
        return expanded_writer.table_bytes(node.table or [])
    first = last = expanded_writer.MARK
    if suffix == "n":
        first, last, body = f"{node.family}:{node.kind}", "end", expanded_writer.node_lines(node)
    elif suffix == "parm":
        body = [expanded_writer.setting_line(setting) for setting in node.settings]
    else:
        body = [expanded_writer.pages_line(node.pages)]
        body += [expanded_writer.definition_line(parameter) for parameter in node.custom]
    for index, line in tree.kept.get(entry, ()):
        body.insert(index, line)
    return "".join(f"{line}\n" for line in (first, *body, last)).encode()

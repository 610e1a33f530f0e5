"""Named states of networks, kept in the root operator's storage: outside the user's operators, saved with the project.

A state is kept as lines of text, one an operator, in pages of moderate size: written, read and compared a little in
each frame, without ever holding ten thousand operators as one structure. Text, not objects: storage is pickled into the
project's file (fact 36).
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner.network import Entry
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import Json

_KEY = "tdmcp_checkpoints"
#: Most characters of JSON all checkpoints together may take: they travel in the project's file.
MOST_CHARACTERS = 20_000_000

#: Characters of a page.
_PAGE = 32_000
#: Rows of a table and characters of a text that stand in one line; longer ones have further lines.
_LINE_ROWS = 200
_LINE_CHARACTERS = 20_000

_KINDS = {"operator": "o", "component": "c", "annotation": "a", "own": "s"}
_MORE = "+"


def save(
    td: ModuleType, path: str, name: str, entries: Iterator[Entry | None]
) -> Generator[None, None, None]:
    """Keep a state (what `network.run` gives); one of the same network and name is replaced.

    Raises:
        ToolFailure: `too_large`.
    """
    others = sum(each["size"] for key, each in _all(td).items() if key != _slot(path, name))
    pages: list[str] = []
    lines: list[str] = []
    operators = size = open_page = 0
    for entry in entries:
        if entry is None:
            yield
            continue
        operators += entry.kind in ("operator", "component")
        for line in _lines(entry):
            lines.append(line)
            size += len(line) + 1
            open_page += len(line) + 1
            if open_page >= _PAGE:
                pages.append("\n".join(lines))
                lines, open_page = [], 0
                yield
        if others + size > MOST_CHARACTERS:
            raise ToolFailure(
                Code.TOO_LARGE,
                f"The checkpoint takes more than {size} characters, beside {others} of others "
                f"(at most {MOST_CHARACTERS}).",
                hint="Drop older checkpoints, or save a smaller network.",
            )
    if lines:
        pages.append("\n".join(lines))
    kept = {key: each for key, each in _all(td).items() if key != _slot(path, name)}
    td.root.store(
        _KEY,
        kept
        | {
            _slot(path, name): {
                "path": path,
                "name": name,
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "operators": operators,
                "size": size,
                "state": pages,
            }
        },
    )


def _lines(entry: Entry) -> Iterator[str]:
    row = entry.row
    table: list[Json] = row.get("table", [])
    text: str = row.get("text", "") if entry.kind != "annotation" else ""
    if len(table) > _LINE_ROWS:
        row = row | {"table": table[:_LINE_ROWS]}
    if len(text) > _LINE_CHARACTERS:
        row = row | {"text": text[:_LINE_CHARACTERS]}
    yield f"{entry.path}\t{_KINDS[entry.kind]}\t{_json(row)}"
    for at in range(_LINE_ROWS, len(table), _LINE_ROWS):
        yield f"{entry.path}\t{_MORE}\t{_json({'table': table[at : at + _LINE_ROWS]})}"
    for at in range(_LINE_CHARACTERS, len(text), _LINE_CHARACTERS):
        yield f"{entry.path}\t{_MORE}\t{_json({'text': text[at : at + _LINE_CHARACTERS]})}"


def _json(value: Any) -> str:
    # Line breaks and tabs come out escaped, so that lines and their parts can be told apart.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Kept:
    """A state opened for reading, row by row; paths are relative to its network, which is ""."""

    def __init__(self) -> None:
        self._rows: dict[str, str] = {}
        self._more: dict[str, list[str]] = {}
        self._inside: dict[str, tuple[list[str], list[str]]] = {"": ([], [])}

    def own(self) -> dict[str, Json] | None:
        """What belongs to the network itself; None in a state that was kept before that was."""
        row: dict[str, Json] | None = json.loads(self._rows[""]) if "" in self._rows else None
        return row

    def operators(self, path: str) -> list[str]:
        """Paths of the operators in a network."""
        return self._inside.get(path, ([], []))[0]

    def annotations(self, path: str) -> list[str]:
        """Paths of the annotations in a network."""
        return self._inside.get(path, ([], []))[1]

    def is_component(self, path: str) -> bool:
        """Whether it is a COMP, whose inside was read."""
        return path in self._inside

    def type(self, path: str) -> str:
        """The type of an operator."""
        return str(json.loads(self._rows[path]).get("type", ""))

    def row(self, path: str) -> Generator[None, None, dict[str, Json]]:
        """One row; offers the frame back within long tables and texts."""
        row: dict[str, Json] = json.loads(self._rows[path])
        for line in self._more.get(path, ()):
            yield
            for field, rest in json.loads(line).items():
                row[field] = row[field] + rest
        return row

    def take(self, line: str) -> None:
        """One line, as it is kept; components come before what is inside."""
        path, kind, row = line.split("\t", 2)
        if kind == _MORE:
            self._more.setdefault(path, []).append(row)
            return
        self._rows[path] = row
        if kind == _KINDS["own"]:
            return
        if kind == _KINDS["component"]:
            self._inside[path] = ([], [])
        self._inside[path.rpartition("/")[0]][kind == _KINDS["annotation"]].append(path)


def opened(td: ModuleType, path: str, name: str) -> Generator[None, None, Kept]:
    """The state kept of a network under a name.

    Raises:
        ToolFailure: `precondition_failed`, with the names there are.
    """
    kept = Kept()
    pace = Pace(every=32)
    for page in list(_one(td, path, name)["state"]):
        for line in page.split("\n"):
            kept.take(line)
            if pace.due():
                yield
    return kept


def drop(td: ModuleType, path: str, name: str) -> None:
    """Forget a state.

    Raises:
        ToolFailure: `precondition_failed`, when there is none.
    """
    _one(td, path, name)
    kept = _all(td)
    del kept[_slot(path, name)]
    if kept:
        td.root.store(_KEY, kept)
    else:
        td.root.unstore(_KEY)


def listed(td: ModuleType, path: str | None = None) -> list[dict[str, Any]]:
    """What is kept (of one network): path, name, time, number of operators; newest first."""
    shown = ("path", "name", "time", "operators")
    rows = [{key: each[key] for key in shown} for each in _all(td).values()]
    # The last saved stands last; of those saved within one second, too.
    return [row for row in rows if path is None or row["path"] == path][::-1]


def _one(td: ModuleType, path: str, name: str) -> dict[str, Any]:
    kept = _all(td)
    found = kept.get(_slot(path, name))
    if found is None:
        names = [str(each["name"]) for each in kept.values() if each["path"] == path]
        raise ToolFailure(
            Code.PRECONDITION_FAILED,
            f"There is no checkpoint {name!r} of {path}.",
            hint="checkpoint with action save makes one; list shows them." if not names else "",
            suggestions=near(name, names) or names[:10],
        )
    return found


def _slot(path: str, name: str) -> str:
    return f"{path}\n{name}"


def _all(td: ModuleType) -> dict[str, dict[str, Any]]:
    return dict(td.root.fetch(_KEY, {}, search=False))

"""Named states of networks, kept in the root operator's storage: outside the user's operators, saved with the project."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near

_KEY = "tdmcp_checkpoints"
#: Most characters of JSON all checkpoints together may take: they travel in the project's file.
MOST_CHARACTERS = 20_000_000


def save(td: ModuleType, path: str, name: str, state: Mapping[str, Any]) -> Generator[None, None, None]:
    """Keep a state (what `NetworkReader.read` gives); one of the same network and name is replaced.

    Offers the frame back between operators: the text of a large network takes longer than a frame.

    Raises:
        ToolFailure: `too_large`.
    """
    count = [0]
    network = yield from _encoded(state["operators"], count)
    operators = count[0]
    kept = _all(td)
    # Text, not objects: storage is pickled into the project's file (fact 36).
    whole = f'{{"operators": {network}, "annotations": {_json(state["annotations"])}}}'
    others = sum(len(each["state"]) for key, each in kept.items() if key != _slot(path, name))
    if others + len(whole) > MOST_CHARACTERS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"The checkpoint takes {len(whole)} characters, beside {others} of others (at most {MOST_CHARACTERS}).",
            hint="Drop older checkpoints, or save a smaller network.",
        )
    kept[_slot(path, name)] = {
        "path": path,
        "name": name,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "operators": operators,
        "state": whole,
    }
    td.root.store(_KEY, kept)


def _encoded(operators: Sequence[Mapping[str, Any]], count: list[int]) -> Generator[None, None, str]:
    """The JSON of a network, one operator after the other; `count` counts them."""
    rows: list[str] = []
    for operator in operators:
        count[0] += 1
        row = _json({key: value for key, value in operator.items() if key != "children"})
        if "children" in operator:
            children = yield from _encoded(operator["children"], count)
            row = f'{row[:-1]}, "children": {children}}}'
        rows.append(row)
        yield
    return f"[{', '.join(rows)}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def load(td: ModuleType, path: str, name: str) -> dict[str, Any]:
    """The state kept of a network under a name: `operators` and `annotations`.

    Raises:
        ToolFailure: `precondition_failed`, with the names there are.
    """
    return parsed(text(td, path, name))


def text(td: ModuleType, path: str, name: str) -> str:
    """The same as it is kept, for `parsed` on a thread that has the time.

    Raises:
        ToolFailure: as `load`.
    """
    return str(_one(td, path, name)["state"])


def parsed(kept: str) -> dict[str, Any]:
    """The state that a kept text is."""
    state: dict[str, Any] = json.loads(kept)
    return state


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
    """What is kept (of one network): path, name, time, number of operators; oldest first."""
    rows = [{k: v for k, v in each.items() if k != "state"} for each in _all(td).values()]
    return sorted(
        (row for row in rows if path is None or row["path"] == path), key=lambda row: str(row["time"])
    )


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

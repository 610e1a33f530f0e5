"""Named states of networks, kept in the root operator's storage: outside the user's operators, saved with the project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner.values import Json

_KEY = "tdmcp_checkpoints"
#: Most characters of JSON all checkpoints together may take: they travel in the project's file.
MOST_CHARACTERS = 20_000_000


def save(td: ModuleType, path: str, name: str, state: Mapping[str, Json], operators: int) -> None:
    """Keep a state (what `NetworkReader.read` gives); one of the same network and name is replaced.

    Raises:
        ToolFailure: `too_large`.
    """
    kept = _all(td)
    # Text, not objects: storage is pickled into the project's file (fact 36).
    text = json.dumps({key: state[key] for key in ("operators", "annotations")}, ensure_ascii=False)
    others = sum(len(each["state"]) for key, each in kept.items() if key != _slot(path, name))
    if others + len(text) > MOST_CHARACTERS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"The checkpoint takes {len(text)} characters, beside {others} of others (at most {MOST_CHARACTERS}).",
            hint="Drop older checkpoints, or save a smaller network.",
        )
    kept[_slot(path, name)] = {
        "path": path,
        "name": name,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "operators": operators,
        "state": text,
    }
    td.root.store(_KEY, kept)


def load(td: ModuleType, path: str, name: str) -> dict[str, Any]:
    """The state kept of a network under a name: `operators` and `annotations`.

    Raises:
        ToolFailure: `precondition_failed`, with the names there are.
    """
    state: dict[str, Any] = json.loads(_one(td, path, name)["state"])
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

"""Which of the project's operators are worth listing as resources: networks, DATs, TOPs."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.resources.addresses import operator_uri
from tdmcp_embedded.touchdesigner import operators
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS, Pace

#: Operators looked at, and resources listed; beyond that find_operators and the templates serve.
_MOST_SEEN = 5_000
_MOST_LISTED = 1_000


@dataclass(frozen=True)
class Row:
    """One resource of an operator; `size` in bytes where it is known."""

    uri: str
    kind: str
    path: str
    type: str
    size: int | None = None


def operators_of(td: ModuleType) -> Generator[None, None, list[Row]]:
    """Networks first, then DATs, then TOPs, each in network order; not what TouchDesigner keeps for itself."""
    found: dict[str, list[Row]] = {"network": [], "text": [], "image": []}
    pace = Pace()
    for seen, (op, _) in enumerate(operators.walk(td.op("/"), skip=SYSTEM_NETWORKS)):
        if seen >= _MOST_SEEN or sum(map(len, found.values())) >= _MOST_LISTED:
            break
        if op.isCOMP and op.numChildren:
            _add(found["network"], "network", op)
        elif op.isDAT:
            _add(found["text"], "table" if op.isTable else "text", op, _size(op))
        elif op.isTOP:
            _add(found["image"], "image", op)
        if pace.due(4):
            yield
    return [row for rows in found.values() for row in rows]


def _size(dat: Any) -> int | None:
    """Of a text that was put in, which is simply there: any other DAT would have to cook for it."""
    return len(str(dat.text).encode("utf-8", "replace")) if op_type(dat) == "textDAT" else None


def _add(rows: list[Row], kind: str, op: Any, size: int | None = None) -> None:
    path, type_name = str(op.path), op_type(op)
    rows.append(Row(operator_uri(kind, path), kind, path, type_name, size))

"""What has to be built to bring a network back to a checkpoint: only what differs, found before the edit begins.

Building is one step (see `touchdesigner/building.py`); comparing is not. A project of ten thousand operators in which
three were changed is compared over many frames and restored in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.tools.difference import ITSELF, Difference, Steps, differences
from tdmcp_embedded.tools.sides import Live, Remembered
from tdmcp_embedded.tools.tool import Call
from tdmcp_embedded.touchdesigner.checkpoints import Kept


@dataclass
class Plan:
    """A description for `building.build`, exact, in terms of what is there now."""

    operators: list[dict[str, Any]]
    annotations: list[dict[str, Any]] | None
    partial: bool
    own: dict[str, Any] | None
    """Parameters and custom pages of the network's own COMP, where they differ."""
    touched: list[str]
    """Relative paths of operators that are there and will be changed."""


def plan(call: Call, kept: Kept, comp: Any) -> Steps[Plan]:
    """Compare the network with the state kept of it, and describe the difference."""
    wanted = _Wanted(kept)
    live = Live(call.td, comp, apart=str(call.instance.get("component", "")))
    for difference in differences(live, Remembered(kept), precise=True):
        if difference is None:
            yield
        else:
            wanted.take(difference)
    operators, annotations, partial = yield from wanted.level("")
    return Plan(operators, annotations, partial, kept.own() if wanted.own else None, sorted(wanted.changed))


class _Wanted:
    """The differences, sorted by what they mean for the operators around them."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self.changed: set[str] = set()
        self.own = False
        """Whether the network's own parameters differ."""
        self._new: set[str] = set()
        """Operators to be made: not there, or of another type."""
        self._gone: dict[str, list[str]] = {}
        """By network, the names of operators to be deleted."""
        self._noted: set[str] = set()
        """Networks whose annotations differ."""
        self._shaken: set[str] = set()
        """Networks where operators come or go."""
        self._on_the_way: set[str] = set()
        """Networks that hold, at any depth, something that differs."""

    def take(self, difference: Difference) -> None:
        if difference.path == ITSELF:
            self.own = True
            return
        path = difference.path
        home, _, name = path.rpartition("/")
        if difference.type == "annotation":
            self._noted.add(home)
        elif difference.kind == "changed" and "type" not in difference.changes:
            self.changed.add(path)
        else:
            self._shaken.add(home)
            if difference.kind == "removed":
                self._gone.setdefault(home, []).append(name)
            else:
                self._new.add(path)
        self._on_the_way.add(home)
        while home:
            home = home.rpartition("/")[0]
            self._on_the_way.add(home)

    def level(
        self, path: str, new: bool = False
    ) -> Steps[tuple[list[dict[str, Any]], list[dict[str, Any]] | None, bool]]:
        """What to build in one network: operators, annotations, and whether those are not all it is to hold."""
        inside = self._kept.operators(path)
        # An In or Out operator is a connector of the COMP around it: when one comes or goes, wires there may go with it.
        risky = {each for each in inside if each in self._new or each in self._shaken}
        operators = [{"name": name, "gone": True} for name in self._gone.get(path, ())]
        for each in inside:
            spec = yield from self._operator(each, risky, new)
            if spec is not None:
                operators.append(spec)
        annotations: list[dict[str, Any]] | None = None
        if new or path in self._noted:
            annotations = []
            for each in self._kept.annotations(path):
                annotations.append((yield from self._kept.row(each)))
        return operators, annotations, not new

    def _operator(self, path: str, risky: set[str], inside_new: bool) -> Steps[dict[str, Any] | None]:
        new = inside_new or path in self._new
        whole = new or path in self.changed or path in risky
        inside = self._kept.is_component(path) and (new or path in self._on_the_way)
        if not (whole or inside or risky):
            return None
        row = yield from self._kept.row(path)
        yield
        # What hangs on an operator that is made anew loses its wire or its host with the old one.
        whole = whole or not risky.isdisjoint(_hangs_on(row, path.rpartition("/")[0]))
        if not (whole or inside):
            return None
        spec = row if whole else {"name": row["name"], "type": row["type"], "as_is": True}
        if not new:
            spec["known"] = True
        if inside:
            children, annotations, spec["partial"] = yield from self.level(path, new)
            spec["children"] = children
            if annotations is not None:
                spec["annotations"] = annotations
        return spec


def _hangs_on(row: Mapping[str, Any], home: str) -> Iterator[str]:
    """Paths of the siblings that an operator is wired or docked to."""
    prefix = f"{home}/" if home else ""
    for source in [*row.get("inputs", ()), *row.get("comp_inputs", ())]:
        if source is not None:
            yield prefix + (source if isinstance(source, str) else source["from"])
    if "dock" in row:
        yield prefix + row["dock"]

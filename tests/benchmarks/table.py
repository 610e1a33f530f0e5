"""The rows of the table: what was promised, what was measured, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One number to hold. `bound` is the most it may be, or None for a figure that is only shown."""

    what: str
    bound: float | None
    measured: float
    unit: str = ""

    @property
    def held(self) -> bool:
        return self.bound is None or self.measured <= self.bound

    @property
    def ratio(self) -> str:
        """Measured over bound; below one is good."""
        if not self.bound:
            return "" if self.bound is None else ("ok" if self.held else "over")
        return f"{self.measured / self.bound:.2f}"


def text(rows: Iterable[Row]) -> str:
    """The table as Markdown."""
    lines = ["| what | bound | measured | ratio | |", "|---|---|---|---|---|"]
    for row in rows:
        bound = "" if row.bound is None else f"{row.bound:g} {row.unit}".strip()
        measured = f"{row.measured:.4g} {row.unit}".strip()
        verdict = "" if row.bound is None else ("held" if row.held else "MISSED")
        lines.append(f"| {row.what} | {bound} | {measured} | {row.ratio} | {verdict} |")
    return "\n".join(lines)


def percentile(values: Iterable[float], percent: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round((len(ordered) - 1) * percent / 100))]

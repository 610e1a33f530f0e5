"""All the tasks, each with the most calls and bytes it may take: an agent's time and its model's memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.integration.tasks import building, controlling, keeping, repairing
from tests.integration.tasks.agent import Agent, Bill


@dataclass(frozen=True)
class Task:
    """One job: what is done, and within which bounds."""

    run: Callable[[Agent], Awaitable[None]]
    calls: int
    kilobytes: int
    """Sent and received, in thousands of bytes; pictures count."""

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def title(self) -> str:
        return (self.run.__doc__ or "").strip().rstrip(".")


TASKS = [
    Task(building.audio_reactive_look, 3, 200),
    Task(building.feedback_loop, 2, 60),
    Task(repairing.black_output, 4, 80),
    Task(repairing.other_type, 2, 3),
    Task(controlling.exposed_controls, 3, 10),
    Task(repairing.broken_shader, 3, 6),
    Task(keeping.messy_network, 1, 2),
    Task(keeping.renamed_everywhere, 2, 6),
    Task(building.table_driven_sequencer, 3, 8),
    Task(keeping.exported_component, 4, 5),
    Task(keeping.yesterdays_checkpoint, 4, 8),
    Task(controlling.slowest_operator, 6, 20),
    Task(building.instanced_geometry, 2, 80),
    Task(building.reusable_component, 3, 10),
    Task(building.variations, 3, 15),
    Task(repairing.taken_back, 3, 6),
    Task(repairing.lost_reference, 3, 6),
    Task(repairing.wrong_words, 4, 8),
    Task(repairing.failing_script, 2, 4),
    Task(controlling.still_at_a_frame, 3, 40),
    Task(controlling.does_it_move, 3, 5),
    Task(keeping.explained_network, 2, 4),
    Task(keeping.found_and_changed, 2, 8),
    Task(keeping.saved_version, 60, 60),
]


def table(bills: dict[str, Bill]) -> str:
    """Calls made and bytes exchanged, task by task."""
    width = max(len(task.title) for task in TASKS)
    lines = [f"{'task':<{width}} {'calls':>5} {'sent':>7} {'received':>9}"]
    for task in TASKS:
        bill = bills.get(task.name)
        if bill is not None:
            lines.append(f"{task.title:<{width}} {bill.calls:>5} {bill.sent:>7} {bill.received:>9}")
    total = Bill(*(sum(getattr(b, f) for b in bills.values()) for f in ("calls", "sent", "received")))
    lines.append(f"{'all':<{width}} {total.calls:>5} {total.sent:>7} {total.received:>9}")
    return "\n".join(lines)

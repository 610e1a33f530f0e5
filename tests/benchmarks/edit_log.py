"""Who made what: the clients' edit log against the stand-in's own.

Every name is asked for once. What a client was told decides what the stand-in must have seen: done means made exactly
once, refused means never, and of a call whose answer was lost nothing is known but that it ran at most once.
"""

from __future__ import annotations

import ast
import threading

from fakes.driver import StandIn

#: Counts, in the stand-in itself, every operator that comes to be and whose name begins with `edit_`.
_WATCH = """
from fakes import world as _worlds
made = {}
def _made(node):
    if node.name.startswith('edit_'):
        made[node.name] = made.get(node.name, 0) + 1
_worlds.current().op_created.append(_made)
"""


class EditLog:
    """The clients' side; any thread. `watch` a stand-in first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.outcomes: dict[str, str] = {}

    def watch(self, td: StandIn) -> None:
        """Have the stand-in write its own log from now on."""
        td.exec(_WATCH)

    def told(self, name: str, outcome: str) -> None:
        """What a client was told of its edit: done, refused or unknown."""
        with self._lock:
            self.outcomes[name] = outcome

    def counts(self) -> dict[str, int]:
        """How many edits had which outcome."""
        with self._lock:
            return {kind: list(self.outcomes.values()).count(kind) for kind in ("done", "refused", "unknown")}

    def differences(self, td: StandIn) -> list[str]:
        """Lost, doubled and unbidden edits, each in a sentence; none if both logs say the same."""
        made: dict[str, int] = ast.literal_eval(td.exec("made", timeout=120))
        with self._lock:
            told = dict(self.outcomes)
        found = [f"{name} was made, but nobody asked for it" for name in made if name not in told]
        for name, outcome in told.items():
            times = made.get(name, 0)
            if outcome == "done" and times != 1:
                found.append(f"{name} was reported done and made {times} times")
            elif outcome == "refused" and times:
                found.append(f"{name} was refused and made {times} times")
            elif times > 1:
                found.append(f"{name} was made {times} times")
        return found

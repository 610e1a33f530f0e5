"""How this server and its TouchDesigner are, in a word for programs and sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.tools.status import LIKELY


@dataclass(frozen=True)
class Condition:
    """`state` is ok, starting, stalled, paused (its timeline) or performing; `advice` says what a person can do."""

    state: str
    sentence: str
    advice: str = ""
    seconds: float = 0.0
    """How long it has been stalled."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "sentence": self.sentence,
            "advice": self.advice,
            "seconds": round(self.seconds, 1),
        }


def condition(queue: Mapping[str, Any], facts: Mapping[str, Any]) -> Condition:
    """The condition of this moment.

    Args:
        queue: figures of the frame queue.
        facts: what was last sampled of TouchDesigner.
    """
    if not queue["frames"]:
        return Condition("starting", "Starting: TouchDesigner has not shown a frame yet.")
    stalled = float(queue["stalled_for_s"])
    if stalled:
        sentence = "TouchDesigner has stopped showing frames. Calls are refused until it goes on."
        return Condition("stalled", sentence, _reason(queue, facts), stalled)
    if facts.get("perform_mode"):
        return Condition("performing", "Ready. TouchDesigner is in Perform mode.")
    if facts.get("playing") is False:
        return Condition("paused", "Ready. The timeline is paused, which does not matter to calls.")
    return Condition("ok", "Ready. TouchDesigner is running.")


def _reason(queue: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    # Only what is at work this moment: others have begun as well, but wait for their next frame themselves.
    current = next((job for job in queue["running"] if job["job"] == queue["current"]), None)
    if current is not None:
        return f"{current['label']} ({current['job']}) is still at work."
    if facts.get("power") is False:
        return "Its power button is off."
    return f"Likely {', '.join(LIKELY[:-1])}, or {LIKELY[-1]}."

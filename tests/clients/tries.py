"""What is tried with every client: the list, a picture, a refusal, and a restart of the server in between."""

from __future__ import annotations

import base64
import binascii
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakes.driver import StandIn
from tdmcp_embedded.tools.table import TABLE

#: Comes back when the server has started again.
Restart = Callable[[], None]
#: Tries a client: with a stand-in, an empty home, and what restarts the stand-in.
Attempt = Callable[[StandIn, Path, Restart], "Outcome"]

LISTED = "lists every tool"
PICTURE = "a picture arrives"
REFUSAL = "a refusal arrives with its own sentence"
RESTART = "goes on after a restart of the server"
TRIED = (LISTED, PICTURE, REFUSAL, RESTART)

#: The calls, in this order; the server restarts before the last.
CAPTURE: tuple[str, dict[str, Any]] = ("capture_image", {"path": "/project1/seen", "max_size": 64})
WRONG: tuple[str, dict[str, Any]] = ("create_operator", {"parent": "/project1", "type": "noiseTop"})
AFTERWARDS: tuple[str, dict[str, Any]] = ("find_operators", {"path": "/", "name": "project1"})

#: Of the sentence of the refusal, and of its suggestion.
SENTENCE = "no operator type 'noiseTop'"
SUGGESTION = "noiseTOP"
FOUND = "/project1"


@dataclass
class Outcome:
    """What went wrong with each try; nothing when it went well. What was not tried is not in it."""

    troubles: dict[str, str] = field(default_factory=dict)

    def listed(self, names: list[str]) -> None:
        # Agents put the server's name before a tool's.
        missing = [name for name in TABLE if not any(each.endswith(name) for each in names)]
        self.troubles[LISTED] = f"without {', '.join(missing)}" if missing else ""

    def picture(self, data: list[str], told: object) -> None:
        """Takes what came as pictures, in base64, and what else came."""
        good = any(is_picture(each) for each in data)
        self.troubles[PICTURE] = "" if good else f"no picture: {str(told)[:600]}"

    def refusal(self, text: str) -> None:
        good = SENTENCE in text and SUGGESTION in text
        self.troubles[REFUSAL] = "" if good else f"the model reads: {text[:600]}"

    def restarted(self, text: str) -> None:
        self.troubles[RESTART] = "" if FOUND in text else f"answered: {text[:600]}"


def is_picture(data: str) -> bool:
    """Whether it is a PNG or JPEG in base64, be it in a data address."""
    try:
        raw = base64.b64decode(re.sub(r"^data:[^,]*,", "", data), validate=True)
    except (binascii.Error, ValueError):
        return False
    return raw.startswith((b"\x89PNG", b"\xff\xd8"))


def of_result(result: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Text and pictures of a `CallToolResult`."""
    blocks = result.get("content") or []
    return (
        "\n".join(str(block["text"]) for block in blocks if block.get("type") == "text"),
        [str(block["data"]) for block in blocks if block.get("type") == "image"],
    )


class SharedRestart:
    """One restart of one stand-in for all the clients that use it at the same time: it waits until each is ready.

    Args:
        clients: how many there are.
    """

    def __init__(self, td: StandIn, clients: int, timeout: float) -> None:
        self._barrier = threading.Barrier(clients, action=td.start_again, timeout=timeout)

    def attempt(self, attempt: Attempt, td: StandIn, home: Path) -> Outcome:
        """Try a client; the others do not wait for one that has failed."""
        ready = threading.Event()

        def restart() -> None:
            if not ready.is_set():
                ready.set()
                self._barrier.wait()

        try:
            return attempt(td, home, restart)
        finally:
            restart()


def prepare(td: StandIn) -> None:
    """Something to see."""
    td.exec("op('/project1').create(noiseTOP, 'seen')")

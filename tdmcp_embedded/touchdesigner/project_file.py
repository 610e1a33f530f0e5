"""Which file holds a project. Imports nothing heavy: the component asks it in its first frame."""

from __future__ import annotations

import os
import re

_NUMBERED = re.compile(r"(?P<stem>.+)\.(?P<number>\d+)\.toe")


def is_saved(folder: str, name: str) -> bool:
    """Whether a project has a file.

    Args:
        folder: `project.folder`.
        name: `project.name`, which after a save may already be the next version's, a file that is not there yet
            (fact 36): then the version before it counts.
    """
    names = [name]
    if numbered := _NUMBERED.fullmatch(name):
        number = int(numbered["number"])
        names += [f"{numbered['stem']}.{number - 1}.toe"] if number > 1 else []
        names += [f"{numbered['stem']}.toe"] if number == 2 else []
    return bool(folder) and any(os.path.isfile(os.path.join(folder, each)) for each in names)

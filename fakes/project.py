"""`project`: where the project lives, and saving it with all that comes along (fact 36)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import api_index, builds, toe
from fakes.app import VERSION
from fakes.errors import tdError
from fakes.guard import Guarded

if TYPE_CHECKING:
    from fakes.world import World


class ProjectState:
    """Plain state behind `project`.

    `save_seconds` is how long a save blocks the main thread. `name_is_next`: after a save of a numbered project the
    name may already be that of the next save, a file that does not exist yet; TouchDesigner does either.
    """

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.name = "NewProject.1.toe"
        self.save_seconds = 0.0
        self.name_is_next = True
        self.modified = False
        self.saved_at = ""
        self.cook_rate = world.rate
        self.real_time = True
        self.perform_on_start = False
        self.pre_save: Callable[[], bool] = lambda: True
        self.post_save: Callable[[], None] = _nothing
        self.save_external: Callable[[], None] = _nothing
        self.quit: Callable[[], None] = _nothing
        self.open: Callable[[dict[str, Any]], None] = lambda content: None
        self.ask: Callable[[str], bool] = lambda question: False
        self.cook_rate_changed: Callable[[float], None] = lambda rate: None

    def save(self, path: str = "") -> Path | None:
        """Write the project: callbacks, the block, the file, callbacks; the path written to.

        None if onProjectPreSave raised: the file is truncated then, and nothing else tells so (fact 36).

        Raises:
            tdError: storage holds something that cannot be pickled, or the folder does not exist.
        """
        target = (self.folder / path) if path else self.folder / self.name
        if target.suffix != ".toe":
            target = target.with_name(target.name + ".toe")
        if not target.parent.is_dir():
            raise tdError(f"Failed to save file: {target.as_posix()}")
        if not self.pre_save():
            target.write_bytes(toe.HEAD)
            return None
        if self.save_seconds:
            time.sleep(self.save_seconds)
        target.write_bytes(toe.pack(self.world.root, "toe"))
        self.folder = target.parent
        self.name = next_name(target.name) if self.name_is_next else target.name
        self.saved_at = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
        self.modified = False
        self.post_save()
        return target

    def load_empty(self) -> None:
        """Open a new project, at the next frame."""
        self.name = "NewProject.1.toe"
        self.open(toe.empty_project())

    def load(self, path: str) -> None:
        """Open another project, at the next frame.

        Raises:
            tdError: there is no such file, or it is damaged or none of the stand-in's.
        """
        target = self.folder / path
        if not target.is_file():
            raise tdError(f"Failed to load file: {target.as_posix()}")
        content = toe.unpack(target.read_bytes())
        if content["kind"] != "toe":
            raise tdError(f"Failed to load file: {target.as_posix()} holds no project.")
        self.folder, self.name = target.parent, target.name
        self.open(content)


def _nothing() -> None:
    return None


def next_name(name: str) -> str:
    """`show.3.toe` -> `show.4.toe`; a name without a number gets `.2`."""
    stem = name.removesuffix(".toe")
    found = re.fullmatch(r"(.*)\.(\d+)", stem)
    return f"{found[1]}.{int(found[2]) + 1}.toe" if found else f"{stem}.2.toe"


class Project(Guarded):
    """The project, as scripts see it."""

    __slots__ = ("_state",)

    def __init__(self, state: ProjectState) -> None:
        self._state = state

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def folder(self) -> str:
        return self._state.folder.as_posix()

    @property
    def modified(self) -> bool:
        # Not in the documentation's index; live builds have it, and have no `dirty` (facts 36, 62).
        if builds.lacks("Project", "modified"):
            raise api_index.missing(self, "modified")
        return self._state.modified

    @property
    def saveVersion(self) -> str:
        return VERSION if self._state.saved_at else ""

    @property
    def saveBuild(self) -> str:
        return builds.current().name if self._state.saved_at else ""

    @property
    def saveTime(self) -> str:
        return self._state.saved_at

    @property
    def cookRate(self) -> float:
        return self._state.cook_rate

    @cookRate.setter
    def cookRate(self, value: float) -> None:
        if value <= 0:
            raise tdError("Invalid cook rate.")
        self._state.cook_rate = float(value)
        self._state.cook_rate_changed(float(value))

    @property
    def realTime(self) -> bool:
        return self._state.real_time

    @realTime.setter
    def realTime(self, value: bool) -> None:
        self._state.real_time = bool(value)

    @property
    def performOnStart(self) -> bool:
        return self._state.perform_on_start

    @performOnStart.setter
    def performOnStart(self, value: bool) -> None:
        self._state.perform_on_start = bool(value)

    @property
    def paths(self) -> dict[str, Any]:
        return {}

    def save(self, path: str = "", saveExternalToxs: bool = False) -> bool:
        """Save the project; True when it is written."""
        if saveExternalToxs:
            self._state.save_external()
        return self._state.save(str(path)) is not None

    def load(self, path: str) -> None:
        """Open another project in place of this one."""
        self._state.load(str(path))

    def quit(self, force: bool = False, crash: bool = False) -> None:
        """End TouchDesigner; asks unless forced."""
        if force or not self._state.modified or self._state.ask("Save the changes before quitting?"):
            self._state.quit()

"""`app`, `sysinfo` and `licenses`: what scripts can ask about the program, the machine and the licence."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import builds
from fakes.guard import Guarded

if TYPE_CHECKING:
    from fakes.world import World

VERSION = "099"


class Machine:
    """Plain state behind `app` and `licenses`. `home` stands in for the user's home."""

    def __init__(self, home: Path, world: World) -> None:
        self.home = home
        self.world = world
        self.power = True
        self.launched = time.time()


class App(Guarded):
    """The program."""

    __slots__ = ("_machine",)

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def power(self) -> bool:
        return self._machine.power

    @power.setter
    def power(self, value: bool) -> None:
        self._machine.power = bool(value)

    @property
    def version(self) -> str:
        return VERSION

    @property
    def build(self) -> str:
        return builds.current().name

    @property
    def product(self) -> str:
        return "TouchDesigner"

    @property
    def experimental(self) -> bool:
        return False

    @property
    def architecture(self) -> str:
        return "64"

    @property
    def osName(self) -> str:
        # TouchDesigner runs on two systems only; elsewhere the stand-in says the more common one.
        return "macOS" if sys.platform == "darwin" else "Windows"

    @property
    def osVersion(self) -> str:
        return platform.release()

    @property
    def processId(self) -> int:
        return os.getpid()

    @property
    def launchTime(self) -> float:
        return self._machine.launched

    @property
    def pythonExecutable(self) -> str:
        return sys.executable

    @property
    def tempFolder(self) -> str:
        return Path(tempfile.gettempdir()).as_posix()

    @property
    def desktopFolder(self) -> str:
        return (self._machine.home / "Desktop").as_posix()

    @property
    def preferencesFolder(self) -> str:
        return (self._machine.home / "Derivative").as_posix()

    @property
    def userPaletteFolder(self) -> str:
        return (self._machine.home / "Derivative" / "Palette").as_posix()


class SysInfo(Guarded):
    """The machine."""

    __slots__ = ()

    @property
    def numCPUs(self) -> int:
        return os.cpu_count() or 1

    @property
    def numMonitors(self) -> int:
        return 1

    @property
    def xres(self) -> int:
        return 1920

    @property
    def yres(self) -> int:
        return 1080

    @property
    def MIDIInputs(self) -> list[str]:
        return []

    @property
    def MIDIOutputs(self) -> list[str]:
        return []


class Licenses(Guarded):
    """The licences of this installation; here always exactly one."""

    __slots__ = ("_machine",)

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def type(self) -> str:
        return self._machine.world.licence.type

    @property
    def isPro(self) -> bool:
        return self._machine.world.licence.type == "Pro"

    @property
    def isNonCommercial(self) -> bool:
        return self._machine.world.licence.type == "Non-Commercial"

    @property
    def dongles(self) -> list[Any]:
        return []

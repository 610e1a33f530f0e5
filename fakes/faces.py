"""What the life of components adds to the operator classes: extensions, files, and the clock of Time COMPs."""

from __future__ import annotations

from typing import Any

from fakes import files, life, toe
from fakes.clock import Timeline
from fakes.errors import NotFaked
from fakes.extensions import MISSING, Ext
from fakes.guard import Guarded
from fakes.operators import extends


@extends("COMP", "TOP", "CHOP", "DAT", "SOP", "POP", "MAT")
class InsideComponents(Guarded):
    """Every operator reaches the extensions of the components around it."""

    __slots__ = ()
    _node: Any

    @property
    def ext(self) -> Ext:
        """The extensions of this component and of those above, by name."""
        node = self._node
        return Ext(life.of(node.world).extensions, node)

    @property
    def time(self) -> Any:
        """The Time COMP that governs this operator."""
        node = self._node
        return node.world.face(life.of(node.world).clock.above(node).node)


@extends("COMP")
class Living(Guarded):
    """Extensions with their promoted members, and `.tox` files."""

    __slots__ = ()
    _node: Any
    _live: Any

    def __getattr__(self, name: str) -> Any:
        if name[:1].isupper() and self._node.alive:
            found = life.of(self._node.world).extensions.promoted(self._node, name)
            if found is not MISSING:
                return found
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name[:1].isupper() and life.of(self._node.world).extensions.assign(self._node, name, value):
            return
        super().__setattr__(name, value)

    @property
    def extensions(self) -> list[Any]:
        """The extension objects, built now if they were not yet."""
        return [e.instance for e in self._extensions().of(self._live())]

    @property
    def extensionsReady(self) -> bool:
        return bool(self._extensions().ready(self._live()))

    def initializeExtensions(self, index: int | None = None) -> Any:
        """Build the extensions anew; with an index, gives that one."""
        return self._extensions().initialize(self._live(), index)

    def save(self, filepath: str, createFolders: bool = False, password: str | None = None) -> str:
        """Write the component to a .tox; the path written to."""
        _no_password(password)
        return self._files().save(self._live(), str(filepath), create_folders=createFolders)

    def saveByteArray(self, password: str | None = None) -> bytearray:
        """The bytes that `save` would write."""
        _no_password(password)
        return bytearray(toe.pack(self._live(), "tox"))

    def loadTox(
        self, filepath: str, unwired: bool = False, pattern: str | None = None, password: str | None = None
    ) -> Any:
        """Load a .tox into this component; the operator loaded."""
        _no_password(password)
        _whole(unwired, pattern)
        node = self._live()
        return node.world.face(self._files().load(node, str(filepath)))

    def loadByteArray(
        self, byteArray: bytes, unwired: bool = False, pattern: str | None = None, password: str | None = None
    ) -> Any:
        """Load what `saveByteArray` gave; the operator loaded."""
        _no_password(password)
        _whole(unwired, pattern)
        node = self._live()
        return node.world.face(self._files().load_bytes(node, byteArray))

    def saveExternalTox(self, recurse: bool = False, password: str | None = None) -> int:
        """Write this component (and those inside) into the external .tox each names; how many."""
        _no_password(password)
        return self._files().save_external(self._live(), recurse=recurse)

    def _extensions(self) -> Any:
        return life.of(self._node.world).extensions

    def _files(self) -> files.Files:
        return life.of(self._node.world).files


def _no_password(password: str | None) -> None:
    if password is not None:
        raise NotFaked("a password on a .tox")


def _whole(unwired: bool, pattern: str | None) -> None:
    if unwired or pattern is not None:
        raise NotFaked("loading part of a .tox (unwired, pattern)")


@extends("timeCOMP")
class Clockwork(Guarded):
    """The timeline that a Time COMP is. Frames count from 1; seconds follow from the rate."""

    __slots__ = ()
    _live: Any

    @property
    def play(self) -> bool:
        return self._timeline().playing()

    @play.setter
    def play(self, value: bool) -> None:
        self._live().set("play", 1 if value else 0)

    @property
    def frame(self) -> float:
        return self._timeline().frame

    @frame.setter
    def frame(self, value: float) -> None:
        if self._live().world.time_frame == "refused":
            raise AttributeError("attribute 'frame' of 'td.timeCOMP' objects is not writable")
        if self._live().world.time_frame == "taken":
            self._timeline().seek(value)

    @property
    def seconds(self) -> float:
        return self._timeline().seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        timeline = self._timeline()
        timeline.seek(value * timeline.rate + 1)

    @property
    def loop(self) -> bool:
        return bool(self._live().value("rangelimit") == "loop")

    @loop.setter
    def loop(self, value: bool) -> None:
        self._live().set("rangelimit", "loop" if value else "hold")

    def _timeline(self) -> Timeline:
        node = self._live()
        node.world.cooking.note_time()  # whoever reads it while cooking or evaluating depends on time
        return life.of(node.world).clock.timeline(node)


def _number(par: str) -> property:
    def get(self: Clockwork) -> float:
        return float(self._live().value(par))

    def put(self: Clockwork, value: float) -> None:
        self._live().set(par, value)

    return property(get, put)


@extends("timeCOMP")
class ClockNumbers(Guarded):
    """What a Time COMP's members share with its parameters."""

    __slots__ = ()

    rate = _number("rate")
    tempo = _number("tempo")
    start = _number("start")
    end = _number("end")
    rangeStart = _number("rangestart")
    rangeEnd = _number("rangeend")
    independent = _number("independent")

"""What scripts can do with a CHOP and its channels (`td.CHOP`, `td.Channel`)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fakes.dats.tables import matches
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.module import provide_class
from fakes.nodes import Node
from fakes.operators import OP

from .samples import Samples, at


def _samples(node: Node) -> Samples:
    found = node.data()
    return found if isinstance(found, Samples) else Samples()


def _plain(value: Any) -> Any:
    return value.eval() if hasattr(value, "eval") else value


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: Channel, other: Any) -> Any:
        return function(self.eval(), _plain(other))

    return apply


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: Channel, other: Any) -> Any:
        return function(_plain(other), self.eval())

    return apply


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(self: Channel) -> Any:
        return function(self.eval())

    return apply


class Channel(Guarded):
    """One channel of a CHOP by its name. As a number it is its value at the present time."""

    __slots__ = ("_name", "_node")

    def __init__(self, node: Node, name: str) -> None:
        self._node = node
        self._name = name

    # -- who -------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def index(self) -> int:
        """Its place in the CHOP."""
        return self._held()[1]

    @property
    def owner(self) -> Any:
        """The CHOP."""
        return self._node.world.face(self._node)

    @property
    def valid(self) -> bool:
        """Whether the CHOP still has the channel."""
        return self._node.alive and self._name in _samples(self._node).names

    # -- values ----------------------------------------------------------------------------------------------

    @property
    def vals(self) -> list[float]:
        """All samples."""
        return [float(v) for v in self._row()]

    def eval(self, index: float | None = None) -> float:
        """The value at a sample index, or at the present time."""
        samples, _ = self._held()
        if index is None:
            index = self._now(samples)
        return float(at(self._row()[None, :], float(index))[0])

    def evalFrame(self, frame: float) -> float:
        """The value at a frame of the timeline."""
        samples, _ = self._held()
        return self.eval((frame - 1) * samples.rate / self._node.world.rate - samples.start)

    def evalSeconds(self, secs: float) -> float:
        """The value at a time of the timeline."""
        samples, _ = self._held()
        return self.eval(secs * samples.rate - samples.start)

    def numpyArray(self) -> Any:
        """All samples, float32."""
        return self._row().copy()

    def min(self) -> float:
        return float(self._row().min())

    def max(self) -> float:
        return float(self._row().max())

    def average(self) -> float:
        return float(self._row().mean())

    # -- inside ----------------------------------------------------------------------------------------------

    def _held(self) -> tuple[Samples, int]:
        samples = _samples(self._node)
        index = samples.index(self._name)
        if index < 0:
            raise tdError(f"Channel {self._name} is no longer valid.")
        return samples, index

    def _row(self) -> np.typing.NDArray[np.float32]:
        samples, index = self._held()
        return np.asarray(samples.values[index], dtype=np.float32)

    def _now(self, samples: Samples) -> float:
        if samples.count <= 1:
            return 0.0
        world = self._node.world
        world.cooking.note_time()
        index = world.seconds * samples.rate - samples.start
        word = self._node.value("right") if self._node.par_info("right") is not None else "hold"
        if word == "cycle":
            return index % samples.count
        if word == "mirror":
            return samples.count - 1 - abs(index % (2 * samples.count - 2) - (samples.count - 1))
        return index

    # -- as a number -----------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.vals[index]
        try:
            return float(self._row()[int(index)])
        except IndexError:
            raise IndexError("Sample index out of range.") from None

    def __len__(self) -> int:
        return len(self._row())

    def __iter__(self) -> Iterator[float]:
        return iter(self.vals)

    def __float__(self) -> float:
        return self.eval()

    def __int__(self) -> int:
        return int(self.eval())

    def __bool__(self) -> bool:
        return bool(self.eval())

    def __eq__(self, other: object) -> bool:
        return bool(self.eval() == _plain(other))

    def __hash__(self) -> int:
        return hash((self._node.id, self._name))

    def __str__(self) -> str:
        return str(self.eval())

    def __repr__(self) -> str:
        return f"<td.Channel {self._name} of {self._node.path}>"

    __lt__, __le__ = _binary(operator.lt), _binary(operator.le)
    __gt__, __ge__ = _binary(operator.gt), _binary(operator.ge)
    __add__, __radd__ = _binary(operator.add), _swapped(operator.add)
    __sub__, __rsub__ = _binary(operator.sub), _swapped(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul), _swapped(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _swapped(operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(operator.floordiv), _swapped(operator.floordiv)
    __mod__, __rmod__ = _binary(operator.mod), _swapped(operator.mod)
    __pow__, __rpow__ = _binary(operator.pow), _swapped(operator.pow)
    __neg__, __pos__, __abs__ = _unary(operator.neg), _unary(operator.pos), _unary(operator.abs)

    def __round__(self, digits: int | None = None) -> float:
        return round(self.eval(), digits)

    def __format__(self, form: str) -> str:
        return format(self.eval(), form)


provide_class(Channel)


class CHOP(OP):
    """A CHOP: an operator that holds channels of samples."""

    __slots__ = ()

    @property
    def numChans(self) -> int:
        return len(self._samples().names)

    @property
    def numSamples(self) -> int:
        """Samples in each channel."""
        return self._samples().count

    @property
    def rate(self) -> float:
        """Samples a second."""
        return float(self._samples().rate)

    @property
    def start(self) -> float:
        """Index of the first sample."""
        return float(self._samples().start)

    @property
    def end(self) -> float:
        """Index of the last sample."""
        return float(self._samples().end)

    @property
    def isTimeSlice(self) -> bool:
        """Whether only the samples of the present frame are made."""
        return self._samples().time_slice

    def chan(self, *nameOrIndex: Any, caseSensitive: bool = True) -> Channel | None:
        """The first channel meant by an index, a name or a pattern; None if there is none."""
        found = self.chans(*nameOrIndex, caseSensitive=caseSensitive)
        return found[0] if found else None

    def chans(self, *nameOrIndex: Any, caseSensitive: bool = True) -> list[Channel]:
        """The channels meant by indices, names or patterns, in that order; all if none is given."""
        node, names = self._live(), self._samples().names
        if not nameOrIndex:
            return [Channel(node, name) for name in names]
        places: dict[int, None] = {}
        for wanted in nameOrIndex:
            if isinstance(wanted, str):
                for place, name in enumerate(names):
                    if matches(name, wanted, caseSensitive):
                        places[place] = None
            elif -len(names) <= int(wanted) < len(names):
                places[int(wanted) % len(names)] = None
        return [Channel(node, names[place]) for place in places]

    def numpyArray(self) -> Any:
        """All channels, float32 [channels, samples]."""
        return self._samples().values.copy()

    def save(self, filepath: str, createFolders: bool = False) -> str:
        """Write the channels as a table of columns (`.csv`, `.tsv`); the path comes back.

        Raises:
            NotFaked: another kind of file.
        """
        path = Path(filepath)
        apart = {".csv": ",", ".tsv": "\t"}.get(path.suffix.lower())
        if apart is None:
            raise NotFaked(f"saving a CHOP as {path.suffix}")
        if createFolders:
            path.parent.mkdir(parents=True, exist_ok=True)
        samples = self._samples()
        lines = [samples.names, *([f"{v:g}" for v in row] for row in samples.values.T)]
        path.write_text("".join(apart.join(line) + "\n" for line in lines), encoding="utf-8")
        return str(filepath)

    def __getitem__(self, nameOrIndex: Any) -> Channel | None:
        return self.chan(nameOrIndex)

    def __iter__(self) -> Iterator[Channel]:
        # Without it Python would count indices up for ever: a missing channel is None, not an error.
        raise NotFaked("iterating over a CHOP: use chans()")

    def _samples(self) -> Samples:
        return _samples(self._live())

"""The Script CHOP: channels that a callback makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import tdError
from fakes.guard import Guarded
from fakes.memory import recall
from fakes.nodes import Node
from fakes.operators import extends
from fakes.scripted import only_while_cooking, run_on_cook

from .face import CHOP, Channel
from .samples import Samples, hold


class Draft(Samples):
    """The channels as the callback has made them so far; they stay from one cook to the next."""

    __slots__ = ()

    def resize(self, count: int) -> None:
        """Give every channel `count` samples, holding the last one."""
        self.values = (
            hold(self.values, max(1, count)) if self.names else np.zeros((0, max(1, count)), np.float32)
        )

    def put(self, place: int, values: Iterable[Any]) -> None:
        """Other values for a channel, from its first sample on."""
        given = np.asarray(list(values), dtype=np.float32)[: self.values.shape[1]]
        self.values[place, : len(given)] = given


@cooks("scriptCHOP")
def script(node: Node, ctx: CookContext) -> Samples:
    """What onCook made."""
    draft = recall(node, Draft)
    run_on_cook(node)
    return Samples(list(draft.names), draft.values.copy(), draft.rate, draft.start)


class DraftChannel(Channel):
    """A channel that the callback is filling."""

    __slots__ = ()

    def _held(self) -> tuple[Samples, int]:
        if not self._node.cooking:
            return super()._held()
        draft = recall(self._node, Draft)
        index = draft.index(self._name)
        if index < 0:
            raise tdError(f"Channel {self._name} is no longer valid.")
        return draft, index

    @property
    def vals(self) -> list[float]:
        """All samples; inside onCook they can be set."""
        return [float(v) for v in self._row()]

    @vals.setter
    def vals(self, values: Iterable[Any]) -> None:
        only_while_cooking(self._node, "Channel.vals")
        draft, place = self._held()
        assert isinstance(draft, Draft)
        draft.put(place, values)

    def __setitem__(self, index: int, value: float) -> None:
        only_while_cooking(self._node, "Channel values")
        draft, place = self._held()
        draft.values[place, int(index)] = value


@extends("scriptCHOP")
class Scripted(Guarded):
    """What the callback of a Script CHOP can do with it."""

    __slots__ = ()
    _node: Node

    def clear(self) -> None:
        """No channels; only inside onCook, as all that follows."""
        draft = self._draft("clear")
        draft.names, draft.values = [], np.zeros((0, draft.values.shape[1]), dtype=np.float32)

    def appendChan(self, name: str) -> DraftChannel:
        """One channel more, all zero; the channel."""
        draft = self._draft("appendChan")
        if name in draft.names:
            raise tdError(f"Channel {name} already exists.")
        draft.names.append(str(name))
        draft.values = np.concatenate([draft.values, np.zeros((1, draft.values.shape[1]), dtype=np.float32)])
        return DraftChannel(self._node, str(name))

    def copyNumpyArray(self, numpyArray: Any, baseName: str = "chan") -> None:
        """Channels and samples from an array [channels, samples]."""
        draft = self._draft("copyNumpyArray")
        values = np.atleast_2d(np.asarray(numpyArray, dtype=np.float32))
        draft.names, draft.values = [f"{baseName}{i + 1}" for i in range(len(values))], values.copy()

    def copy(self, chop: CHOP) -> None:
        """Channels, range and rate of another CHOP."""
        draft, other = self._draft("copy"), chop._samples()
        draft.names, draft.values = list(other.names), other.values.copy()
        draft.rate, draft.start = other.rate, other.start

    @property
    def numSamples(self) -> int:
        return int(self._shown().values.shape[1])

    @numSamples.setter
    def numSamples(self, count: int) -> None:
        self._draft("numSamples").resize(int(count))

    @property
    def rate(self) -> float:
        return self._shown().rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._draft("rate").rate = float(rate)

    @property
    def start(self) -> float:
        return self._shown().start

    @start.setter
    def start(self, start: float) -> None:
        self._draft("start").start = float(start)

    def _draft(self, what: str) -> Draft:
        only_while_cooking(self._node, what)
        return recall(self._node, Draft)

    def _shown(self) -> Samples:
        if self._node.cooking:
            return recall(self._node, Draft)
        found: Samples = self._node.data()
        return found

"""A parameter used as if it were its value: compared, added, rounded, printed (fact 26)."""

from __future__ import annotations

from fakes.errors import NotFaked
from fakes.like_value import LikeValue, plain
from fakes.par_core import HeldPar

__all__ = ["Valued", "plain"]


class Valued(HeldPar, LikeValue):
    """What makes a parameter stand for its value."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise NotFaked("hash(Par)")

    def __repr__(self) -> str:
        if not self._alive():
            return "<invalid Par>"
        return f"type:Par name:{self._name} owner:{self._node.path} value:{self._eval()}"

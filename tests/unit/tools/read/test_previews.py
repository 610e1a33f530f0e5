"""Which operators are looked at for a picture, and which are left alone for the sake of the show."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from tdmcp_embedded.touchdesigner import previews

TD: Any = SimpleNamespace(absTime=SimpleNamespace(frame=1000))


@pytest.mark.parametrize(
    ("cooks", "ms", "frame", "most", "dear"),
    [
        (5, 1.0, 10, 4.0, False),
        (5, 30.0, 10, 4.0, True),
        (5, 30.0, 1000, 4.0, False),
        (0, 0.0, 0, 4.0, False),
        (5, 30.0, 10, math.inf, False),
    ],
    ids=[
        "cheap",
        "slow and idle",
        "slow, but the show cooks it anyway",
        "never cooked",
        "asked for by somebody",
    ],
)
def test_only_what_would_cook_long_because_of_us_is_dear(
    cooks: int, ms: float, frame: int, most: float, dear: bool
) -> None:
    op = SimpleNamespace(totalCooks=cooks, cpuCookTime=ms / 2, gpuCookTime=ms / 2, cookAbsFrame=frame)
    assert previews._is_dear(TD, op, most) is dear

"""CHOPs that remember: filter, lag, speed."""

from __future__ import annotations

import math

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.memory import forget, listen, recall
from fakes.nodes import Node
from fakes.operators import extends

from . import arithmetic
from .generators import in_samples
from .operations import first
from .samples import Samples


@cooks("filterCHOP", needs=1)
def filtered(node: Node, ctx: CookContext) -> Samples:
    """Smoothing over a width; one-sample inputs are smoothed over time."""
    source = first(ctx)
    kind = str(node.value("type"))
    if kind not in ("gauss", "halfgauss", "box", "halfbox"):
        raise NotFaked(f"filterCHOP type {kind}")
    width = max(1.0, in_samples(node, "width", source.rate))
    if source.count > 1:
        values = source.values
        for _ in range(min(int(node.value("passes")), 16)):
            values = arithmetic.smooth(values, round(width), kind)
    else:
        values = _over_time(node, ctx, source, width)
    part = np.float32(node.value("effect"))
    return source.with_values(source.values + (values - source.values) * part)


class _Trail:
    """The last values of one-sample channels, newest last."""

    __slots__ = ("rows", "tick")

    def __init__(self) -> None:
        self.rows: list[np.typing.NDArray[np.float32]] = []
        self.tick = -1


def _over_time(node: Node, ctx: CookContext, source: Samples, width: float) -> np.typing.NDArray[np.float32]:
    ctx.seconds  # noqa: B018  it depends on time from here on
    trail = recall(node, _Trail)
    if trail.rows and len(trail.rows[0]) != len(source.names):
        trail.rows.clear()
    if trail.tick == ctx.world.tick and trail.rows:
        trail.rows.pop()
    trail.tick = ctx.world.tick
    trail.rows.append(source.values[:, 0])
    del trail.rows[: -max(1, math.ceil(width))]
    mean: np.typing.NDArray[np.float32] = np.asarray(np.mean(np.stack(trail.rows), axis=0), dtype=np.float32)
    return mean[:, None]


class _Step:
    """A value that moves on with time: what Speed and Lag remember."""

    __slots__ = ("at", "values")

    def __init__(self) -> None:
        self.values: np.typing.NDArray[np.float32] | None = None
        self.at = 0.0

    def elapsed(self, ctx: CookContext, size: int) -> float | None:
        """Seconds since the last step; None if there was none yet or the channels changed."""
        now, before = ctx.seconds, self.at
        known = self.values is not None and len(self.values) == size
        self.at = now
        return max(0.0, now - before) if known else None


@cooks("lagCHOP", needs=1, time_dependent=True)
def lag(node: Node, ctx: CookContext) -> Samples:
    """The input, following with a delay: one for rising, one for falling."""
    source = first(ctx)
    if not source.names:
        return source
    up, down = (float(v) for v in node.values("lag"))
    if node.value("lagmethod") != "value" or node.value("clamp") or node.value("aclamp"):
        raise NotFaked("lagCHOP beyond lagging the value")
    if any(node.values("overshoot")):
        raise NotFaked("lagCHOP overshoot")
    # One time unit of the menu in seconds.
    match node.value("lagunit") or "seconds":
        case "frames":
            up, down = up / ctx.world.rate, down / ctx.world.rate
        case "samples":
            up, down = up / source.rate, down / source.rate
        case "seconds":
            pass
        case other:
            raise NotFaked(f"lagCHOP in {other}")
    if source.count > 1:
        values = np.empty_like(source.values)
        values[:, 0] = source.values[:, 0]
        for place in range(1, source.count):
            values[:, place] = arithmetic.lag_step(
                values[:, place - 1], source.values[:, place], up, down, 1 / source.rate
            )
        return source.with_values(values)
    state = recall(node, _Step)
    elapsed = state.elapsed(ctx, len(source.names))
    target = source.values[:, 0]
    if elapsed is None or state.values is None or node.value("reset"):
        state.values = target.copy()
    else:
        state.values = arithmetic.lag_step(state.values, target, up, down, elapsed)
        close = np.abs(state.values - target) < float(node.value("threshold"))
        if node.value("snap"):
            state.values = np.where(close, target, state.values).astype(np.float32)
    return source.with_values(state.values[:, None])


@cooks("speedCHOP", needs=1, time_dependent=True)
def speed(node: Node, ctx: CookContext) -> Samples:
    """The sum of the input over time, in its units a second."""
    source = first(ctx)
    if node.value("order") != "first":
        raise NotFaked(f"speedCHOP order {node.value('order')}")
    if not source.names:
        return source
    base = float(node.value("resetvalue"))
    if source.count > 1:
        total = base + np.cumsum(source.values, axis=1) / np.float32(source.rate)
        return source.with_values(_limited(node, total))
    state = recall(node, _Step)
    elapsed = state.elapsed(ctx, len(source.names))
    if elapsed is None or state.values is None or node.value("reset"):
        state.values = np.full(len(source.names), base, dtype=np.float32)
    else:
        rate = source.values[:, 0] + np.float32(node.value("constant1"))
        state.values = np.asarray(state.values + rate * np.float32(elapsed), dtype=np.float32)
    state.values = _limited(node, state.values)
    return source.with_values(state.values[:, None])


def _limited(node: Node, values: np.typing.NDArray[np.float32]) -> np.typing.NDArray[np.float32]:
    low, high = float(node.value("min")), float(node.value("max"))
    return arithmetic.limited(values, str(node.value("limittype")), low, high)


def pulse(node: Node, name: str) -> None:
    """What `resetpulse` does: the operator starts afresh."""
    if node.type in _RESETTABLE and name == "resetpulse":
        forget(node)
        node.changed("reset")


_RESETTABLE = ("lfoCHOP", "lagCHOP", "speedCHOP")


@extends(*_RESETTABLE)
class Resettable(Guarded):
    """These have nothing of their own for scripts, but a pulse that restarts them."""

    __slots__ = ()

    def __init__(self, node: Node) -> None:
        super().__init__(node)  # type: ignore[call-arg]  # OP comes next in the classes this is mixed into
        listen(node, pulse)

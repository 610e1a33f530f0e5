"""CHOPs that combine and change channels: math, merge, select, rename, analyze, limit, switch."""

from __future__ import annotations

from typing import Any

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.nodes import Node

from . import arithmetic
from .names import pick, rename_all
from .samples import Samples, unique


def inputs_of(ctx: CookContext) -> list[Samples]:
    """The channels at each wired input."""
    return [i for i in ctx.inputs if isinstance(i, Samples)]


def first(ctx: CookContext) -> Samples:
    """The channels at the first input; none without a wire."""
    found = ctx.inputs[0] if ctx.inputs else None
    return found if isinstance(found, Samples) else Samples()


@cooks("mathCHOP", needs=1)
def maths(node: Node, ctx: CookContext) -> Samples:
    """Each channel, channels together, CHOPs together, then gain, offsets and range."""
    inputs = arithmetic.align(inputs_of(ctx), str(node.value("align")))
    if not inputs:
        return Samples()
    pre, post = (_single(node, name) for name in ("preop", "postop"))
    inputs = [samples.with_values(pre(samples.values)) for samples in inputs]
    together, across = str(node.value("chanop")), str(node.value("chopop"))
    if together != "off":
        inputs = [
            s.with_values(arithmetic.COMBINE[together](s.values)[None, :], s.names[:1])
            for s in inputs
            if s.names
        ]
    if across != "off" and len(inputs) > 1:
        groups = arithmetic.match_channels(inputs, str(node.value("match")) == "name")
        rows = [arithmetic.COMBINE[across](np.stack(met)) for _, met in groups]
        made = inputs[0].with_values(np.stack(rows), [name for name, _ in groups]) if rows else Samples()
    else:
        made = arithmetic.merge(inputs) if len(inputs) > 1 else inputs[0]
    values = (made.values + np.float32(node.value("preoff"))) * np.float32(node.value("gain"))
    values = post(values + np.float32(node.value("postoff")))
    low, high = (float(v) for v in node.values("fromrange"))
    to_low, to_high = (float(v) for v in node.values("torange"))
    if (low, high, to_low, to_high) != (0.0, 1.0, 0.0, 1.0):
        values = arithmetic.rerange(values, low, high, to_low, to_high)
    return made.with_values(arithmetic.rounded(values, str(node.value("integer"))))


def _single(node: Node, name: str) -> Any:
    word = str(node.value(name))
    found = arithmetic.PRE.get(word)
    if found is None:
        raise NotFaked(f"mathCHOP {name} {word}")
    return found


@cooks("mergeCHOP", needs=1)
def merge(node: Node, ctx: CookContext) -> Samples:
    """All channels of all inputs."""
    return arithmetic.merge(inputs_of(ctx), str(node.value("align")), str(node.value("duplicate")))


@cooks("nullCHOP", "inCHOP", "outCHOP", needs=1)
def same(node: Node, ctx: CookContext) -> Samples:
    """The input."""
    return first(ctx)


@cooks("selectCHOP")
def select(node: Node, ctx: CookContext) -> Samples:
    """Channels by name pattern from the CHOPs in `chop` and the inputs, renamed if asked."""
    sources = [d for d in (n.data() for n in node.nodes("chop")) if isinstance(d, Samples)] + inputs_of(ctx)
    wanted = str(node.value("channames") or "")
    parts = []
    for source in sources:
        picks = pick(source.names, wanted) if wanted else range(len(source.names))
        parts.append(source.take(picks))
    made = arithmetic.merge(parts, str(node.value("align"))) if len(parts) > 1 else (parts or [Samples()])[0]
    renamed = rename_all(made.names, str(node.value("renamefrom") or ""), str(node.value("renameto") or ""))
    return made.with_values(made.values, unique(renamed))


@cooks("renameCHOP", needs=1)
def rename(node: Node, ctx: CookContext) -> Samples:
    """The input's channels under other names: those of the second input, or by From and To where the type has them."""
    source = first(ctx)
    names = source.names
    inputs = inputs_of(ctx)
    if len(inputs) > 1:
        names = [*inputs[1].names[: len(names)], *names[len(inputs[1].names) :]]
    elif node.par_info("renamefrom") is not None:
        names = rename_all(names, str(node.value("renamefrom") or ""), str(node.value("renameto") or ""))
    return source.with_values(source.values, unique(names))


@cooks("analyzeCHOP", needs=1)
def analyze(node: Node, ctx: CookContext) -> Samples:
    """One number for each channel."""
    source = first(ctx)
    word = str(node.value("function"))
    functions: dict[str, Any] = {
        "average": lambda v: v.mean(axis=1),
        "maximum": lambda v: v.max(axis=1),
        "minimum": lambda v: v.min(axis=1),
        "maximumindex": lambda v: v.argmax(axis=1),
        "minimumindex": lambda v: v.argmin(axis=1),
        "sum": lambda v: v.sum(axis=1),
        "rmspower": lambda v: np.sqrt((v * v).mean(axis=1)),
    }
    if word not in functions:
        raise NotFaked(f"analyzeCHOP {word}")
    if not source.names:
        return source
    return source.with_values(np.asarray(functions[word](source.values), dtype=np.float32)[:, None])


@cooks("limitCHOP", needs=1)
def limit(node: Node, ctx: CookContext) -> Samples:
    """Values kept within a range."""
    source = first(ctx)
    if node.value("quantindex") != "off":
        raise NotFaked("limitCHOP quantizing the index")
    values = np.abs(source.values) if node.value("positive") else source.values
    low, high = float(node.value("min")), float(node.value("max"))
    values = arithmetic.limited(values, str(node.value("type")), low, high)
    if node.value("norm") and source.names:
        bottom, top = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
        if (top == bottom).any():
            raise NotFaked("limitCHOP normalizing a channel that never moves")
        values = (values - bottom) / (top - bottom) * 2 - 1
    word, step = str(node.value("quantvalue")), float(node.value("vstep"))
    if word != "off" and step:
        offset = np.float32(node.value("voffset"))
        values = arithmetic.rounded((values - offset) / np.float32(step), word) * np.float32(step) + offset
    return source.with_values(np.asarray(values, dtype=np.float32))


@cooks("switchCHOP", needs=1, own_inputs=True)
def switch(node: Node, ctx: CookContext) -> Samples:
    """One of the inputs; the others do not cook."""
    inputs = node.inputs()
    if node.value("extend") != "clamp" or node.value("indexfirst"):
        raise NotFaked("switchCHOP beyond an index that is clamped")
    chosen = inputs[min(max(int(node.value("index")), 0), len(inputs) - 1)] if inputs else None
    found = chosen.data() if chosen is not None else None
    return found if isinstance(found, Samples) else Samples()

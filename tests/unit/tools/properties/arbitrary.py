"""Arbitrary projects: any type of the catalogue, any writable parameter, any value its style takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from fakes import catalogue
from fakes.errors import NotFaked
from tdmcp_embedded.touchdesigner.telling import told
from tests.unit.tools.harness import Bench

STAGE = "/project1/stage"

#: Texts that have broken things: quotes, line breaks inside, other scripts, emoji, what looks like code or JSON.
TEXTS = (
    "",
    "plain",
    "with spaces",
    "quote ' and \"",
    "Größe",
    "日本語",
    "🎛️",
    "null",
    "{}",
    "a\\b",
    "0012",
    " x ",
)
NUMBERS = (0.1, 1 / 3, -2.5, 1e-9, 12345.678901234567, -0.0, 1e20, math.pi)


@contextmanager
def fresh() -> Iterator[Bench]:
    """A TouchDesigner with an empty stage; its end checks that nothing touched it off the main thread."""
    bench = Bench()
    try:
        bench.make("baseCOMP", "stage")
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


def creatable(types: list[str]) -> list[str]:
    """Those of some types that a network can hold."""
    found = []
    with fresh() as bench:
        for name in types:
            try:
                bench.td.op(STAGE).create(name)
            except (NotFaked, bench.td.tdError):
                continue
            found.append(name)
    return found


def all_types() -> list[str]:
    """Every operator type of the catalogue, in its order."""
    return list(catalogue.types())


def scramble(bench: Bench, operator: Any, random: Random, count: int) -> None:
    """Set some of an operator's parameters, by TouchDesigner's own Python, to what their styles take."""
    pars = [par for par in operator.pars() if settable(par)]
    for par in random.sample(pars, min(count, len(pars))):
        if random.random() < 0.15:
            par.expr = random.choice(("absTime.frame % 7", "me.digits or 1", "len('ö')"))
        elif random.random() < 0.1 and operator.parent() is not None:
            masters = [other for other in pars if other.isNumber and readable(other)]
            if masters and par.isNumber:
                par.bindExpr = f"me.par.{random.choice(masters).name}"
        else:
            value = constant(par, random)
            if value is not None:
                par.val = value


def readable(par: Any) -> bool:
    """Whether what it holds is known."""
    return told(lambda: par.val) is not None


def settable(par: Any) -> bool:
    """Whether a user could set it, and a network must state it."""
    buttons = par.isPulse or par.isMomentary or par.isSequence
    # The catalogue has a name or two that no parameter can have.
    return par.name.isidentifier() and not (
        buttons or par.readOnly or par.name in ("pageindex", "externaltox", "enableexternaltox")
    )


def constant(par: Any, random: Random) -> Any:
    """A value for a parameter's style; None where there is none to choose."""
    if par.style == "Menu":
        return random.choice(par.menuNames) if par.menuNames else None
    if par.isToggle:
        return random.random() < 0.5
    if par.style == "Int":
        return random.randint(-5, 50)
    if par.isNumber:
        return random.choice(NUMBERS)
    if par.isOP:
        return None
    return random.choice(TEXTS)

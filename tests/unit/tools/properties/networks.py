"""Arbitrary networks: operators of every family, wired, docked, nested, dressed, with custom pages and annotations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from fakes.errors import NotFaked
from tdmcp_embedded.touchdesigner.custom_check import STYLES
from tdmcp_embedded.touchdesigner.flags import default_flags
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import TEXTS, constant, scramble

KINDS = {
    "TOP": ("noiseTOP", "levelTOP", "compositeTOP", "glslTOP", "switchTOP", "crossTOP", "feedbackTOP", "renderTOP"),
    "CHOP": ("constantCHOP", "mathCHOP", "mergeCHOP", "lfoCHOP", "nullCHOP", "patternCHOP"),
    "DAT": ("textDAT", "tableDAT", "selectDAT", "mergeDAT", "chopexecuteDAT", "infoDAT"),
    "SOP": ("boxSOP", "mergeSOP", "gridSOP"),
    "POP": ("gridPOP", "mergePOP", "glslPOP"),
    "MAT": ("phongMAT", "glslMAT"),
    "COMP": ("baseCOMP", "containerCOMP", "geometryCOMP", "cameraCOMP", "lightCOMP", "buttonCOMP", "nullCOMP"),
}  # fmt: skip
#: Line breaks and tabs as well: comments, cells, titles and labels take them.
WORDS = (*TEXTS, "line\nbreak", "tab\there", "\u2028")


def fill(bench: Bench, comp: Any, random: Random, depth: int = 2) -> None:
    """Fill a COMP with a network nobody would draw, whose every part must survive."""
    made: list[Any] = []
    for _ in range(random.randint(2, 8)):
        family = random.choice([each for each in KINDS if depth or each != "COMP"])
        operator = comp.create(random.choice(KINDS[family]))
        if operator.opType == "glslPOP":
            # It docks its DATs with its first cook (fact 17).
            operator.cook()
        wire(operator, made, random)
        scramble(bench, operator, random, random.randint(0, 5))
        blocks(operator, random)
        content(operator, random)
        if operator.isDAT and operator.dock is None and made and random.random() < 0.15:
            operator.dock = random.choice(made)
        if operator.isCOMP:
            inside(bench, operator, made, random, depth)
        dress(operator, random)
        made.append(operator)
    if random.random() < 0.3:
        annotate(bench, comp, random)


def wire(operator: Any, made: list[Any], random: Random) -> None:
    """From some of what is there, with gaps."""
    for index in random.sample(range(4), random.randint(0, 3)):
        sources = [other for other in made if other.family == operator.family and len(other.outputConnectors)]
        if sources and index < len(operator.inputConnectors):
            with suppress(Exception):
                operator.inputConnectors[index].connect(random.choice(sources))
    parents = [other for other in made if other.isCOMP and len(other.outputCOMPConnectors)]
    if operator.isCOMP and len(operator.inputCOMPConnectors) and parents and random.random() < 0.6:
        with suppress(Exception):
            operator.inputCOMPConnectors[0].connect(random.choice(parents))


def blocks(operator: Any, random: Random) -> None:
    """Sequences of several blocks."""
    for par in operator.pars():
        if par.isSequence and random.random() < 0.2:
            with suppress(Exception):
                par.sequence.numBlocks = random.randint(1, 4)


def content(operator: Any, random: Random) -> None:
    """Text and cells, of docked DATs as well; and now and then a docked one goes."""
    if operator.opType == "tableDAT":
        operator.clear()
        for _ in range(random.randint(0, 4)):
            operator.appendRow([random.choice(WORDS) for _ in range(3)])
    for each in (operator, *operator.docked):
        if each.opType == "textDAT" and not each.inputs and random.random() < 0.6:
            each.text = random.choice((*WORDS, "a\nb\n", "\n\n"))
    if operator.docked and random.random() < 0.1:
        random.choice(list(operator.docked)).destroy()


def inside(bench: Bench, comp: Any, made: list[Any], random: Random, depth: int) -> None:
    """Custom pages, connectors, and a network of its own."""
    if random.random() < 0.5:
        bench.run("define_parameters", path=comp.path, pages=pages(random))
        values(comp, random)
    if comp.opType == "geometryCOMP" and random.random() < 0.5:
        for torus in list(comp.children):
            torus.destroy()
    if comp.opType in ("baseCOMP", "containerCOMP") and random.random() < 0.6:
        comp.create("inTOP")
        comp.create("outTOP")
        comp.cook(force=True)
        sources = [other for other in made if other.isTOP]
        if sources:
            comp.inputConnectors[0].connect(random.choice(sources))
        fill(bench, comp, random, depth - 1)


def pages(random: Random) -> list[dict[str, Any]]:
    """Custom pages with parameters of every style, each with some of what can be said of it."""
    names = (f"P{letter}{number}" for letter, number in itertools.product("abc", range(9)))
    return [
        {
            "name": f"Page {index} ö",
            "parameters": [
                parameter(next(names), random.choice(sorted(STYLES.keys() - {"Sequence"})), random)
                for _ in range(random.randint(0, 6))
            ],
        }
        for index in range(random.randint(1, 3))
    ]


def parameter(name: str, style: str, random: Random) -> dict[str, Any]:
    one: dict[str, Any] = {"name": name, "style": style}
    size = STYLES[style] or random.randint(1, 4)
    if not STYLES[style]:
        one["size"] = size
    said: dict[str, Any] = {
        "label": random.choice(("Größe", '日 "本"')), "help": "what\nit does", "section": True, "read_only": True,
        "enable_expr": "me.digits is None",
    }  # fmt: skip
    if size > 1 or style in ("Float", "Int"):
        said |= {"min": -10, "max": 9, "norm": [-1, 2], "default": list(range(size)) if size > 1 else 3}
    if style in ("Menu", "StrMenu"):
        words = random.choice((["one", "two"], ["größe", "x y", "0"]))
        said |= {"menu": words, "default": random.choice(words)}
        one["menu"] = words
    if style in ("Str", "OP", "File"):
        said["default"] = random.choice(WORDS)
    return one | {key: said[key] for key in random.sample(sorted(said), random.randint(0, 3))}


def values(comp: Any, random: Random) -> None:
    """Constants, expressions and binds of custom parameters."""
    for par in comp.customPars:
        if par.isPulse or par.isMomentary or par.isSequence or par.style == "Header" or random.random() < 0.3:
            continue
        others = [other for other in comp.customPars if other.isNumber and other.name < par.name]
        if par.isNumber and others and random.random() < 0.2:
            par.bindExpr = f"me.par.{random.choice(others).name}"
        elif random.random() < 0.2:
            par.expr = "1 + 2" if par.isNumber else "me.name"
        elif (value := constant(par, random)) is not None:
            par.val = value


def dress(operator: Any, random: Random) -> None:
    """Place, size, colour, tags, comment and flags."""
    operator.nodeX, operator.nodeY = random.randint(-500, 500), random.randint(-500, 500)
    if random.random() < 0.2:
        operator.nodeWidth, operator.nodeHeight = random.randint(60, 300), random.randint(60, 200)
    if random.random() < 0.4:
        operator.color = (random.random(), 0.5, 0.25)
    operator.tags = random.sample(WORDS[1:], random.randint(0, 2))
    operator.comment = random.choice(WORDS)
    for name in default_flags(operator.family, operator.isObject):
        if name != "export" and random.random() < 0.1:
            quietly(lambda name=name: setattr(operator, name, not getattr(operator, name)))  # type: ignore[misc]


def quietly(change: Callable[[], object]) -> None:
    """What the stand-in does not know is left alone."""
    with suppress(NotFaked):
        change()


def annotate(bench: Bench, comp: Any, random: Random) -> None:
    """One or two annotations."""
    notes = [
        {
            "name": f"note{index}", "title": random.choice(WORDS), "text": random.choice(WORDS),
            "mode": random.choice(("annotate", "comment")), "position": [random.randint(-9, 9), 0],
            "size": [400, 300], "color": [0.25, 0.5, 0], "params": {"Bodyfontsize": {"expr": "10 + 2"}},
        }
        for index in range(random.randint(1, 2))
    ]  # fmt: skip
    bench.run("build_network", path=comp.path, operators=[], annotations=notes)

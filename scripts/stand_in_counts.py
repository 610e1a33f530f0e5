"""Writes the table of counts in fakes/README.md: what of TouchDesigner the stand-in has, and what it refuses.

python scripts/stand_in_counts.py
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "fakes" / "README.md"
BEGIN, END = "<!-- counts -->\n", "<!-- end of counts -->"
sys.path.insert(0, str(ROOT))

import fakes
from fakes import api_index, catalogue, module
from fakes.cook_rules import rule_for
from fakes.errors import NotFaked
from fakes.nodes import Node
from fakes.world import World


def counts() -> list[tuple[str, int]]:
    """Each row of the table."""
    world = fakes.install()
    try:
        types = catalogue.types()
        pars = [par for info in types.values() for par in info.pars.values()]
        cooking = [
            info for info in types.values() if rule_for(Node(world, info, "x", world.root)) is not None
        ]
        menus = [par for par in pars if par.style == "Menu"]
        faked, refused = names(world)
        return [
            ("operator types", len(types)),
            ("of these, types that cook to something", len(cooking)),
            ("parameters", len(pars)),
            (
                "of these, with a value at creation that is not known",
                sum(par.creation is None for par in pars),
            ),
            ("closed menus", len(menus)),
            ("of these, with words that are not known", sum(not par.menu_names for par in menus)),
            ("names of Python's API that are there", faked),
            ("names of Python's API that are refused (`NotFaked`)", refused),
        ]
    finally:
        fakes.uninstall()


def names(world: World) -> tuple[int, int]:
    """Members of the index's classes and of `td` itself: how many are there, how many refused."""
    faked = refused = 0
    for name in api_index.index():
        try:
            found = module.lookup(world, None, name) if name != "module td" else None
        except (NotFaked, AttributeError):
            found = None
        for member in api_index.names_of(name):
            there = _in_module(world, member) if name == "module td" else _in_class(found, member)
            faked += there
            refused += not there
    return faked, refused


def _in_module(world: World, name: str) -> bool:
    try:
        module.lookup(world, None, name)
    except (NotFaked, AttributeError):
        return False
    return True


def _in_class(found: object, name: str) -> bool:
    return isinstance(found, type) and inspect.getattr_static(found, name, None) is not None


def page(text: str) -> str:
    """The page with the table as it is now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    rows = "".join(f"| {what} | {number} |\n" for what, number in counts())
    return f"{head}{BEGIN}\n| what there is | number |\n|---|---:|\n{rows}\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} written")

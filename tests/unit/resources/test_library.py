"""Recipes and guides: they do what they say, on a TouchDesigner."""

from __future__ import annotations

import re

import pytest

from tdmcp_embedded.prompts.table import PROMPTS
from tdmcp_embedded.resources import library
from tdmcp_embedded.tools.table import TABLE
from tests.unit.tools.harness import Bench


@pytest.mark.parametrize("name", list(library.recipes()))
def test_a_recipe_builds_without_a_problem_and_shows_a_picture(bench: Bench, name: str) -> None:
    built = bench.json("build_network", path="/project1", operators=library.recipes()[name]["operators"])
    assert built["problems"] == []
    bench.frame(5)
    assert bench.json("check_errors", path="/project1")["problems"] == []
    picture = bench.json("capture_image", path="/project1/out", max_size=64)
    assert picture["verdict"] in ("ok", "flat"), picture


@pytest.mark.parametrize("name", list(library.recipes()))
def test_building_a_recipe_again_changes_nothing(bench: Bench, name: str) -> None:
    operators = library.recipes()[name]["operators"]
    bench.json("build_network", path="/project1", operators=operators)
    before = bench.json("read_network", path="/project1", depth=3, limit=100)
    bench.json("build_network", path="/project1", operators=operators)
    assert bench.json("read_network", path="/project1", depth=3, limit=100) == before


@pytest.mark.parametrize("topic", list(library.guides()))
def test_a_guide_has_a_heading_and_names_only_tools_there_are(topic: str) -> None:
    guide = library.guides()[topic]
    assert guide.startswith("# ")
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", guide)) - {"dry_run"}
    assert named <= set(TABLE)


def test_every_prompt_looks_with_tools_there_are_and_fills_all_it_names() -> None:
    for row in PROMPTS.values():
        arguments = {argument.name for argument in row.arguments}
        named = set(
            re.findall(r"\{([a-z_]+)\}", row.text + str([dict(look.arguments) for look in row.looks]))
        )
        assert named <= arguments
        assert {look.tool for look in row.looks} <= set(TABLE)

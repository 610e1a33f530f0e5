"""The set of tools as a whole: what it costs a client, and whether its page is true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes import life
from fakes.scenes import demo
from scripts import tools_page
from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.schemas import input_schema
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Effect, Tool
from tests.unit.tools.harness import Bench

CORE = [tool for tool in TABLE.values() if tool.core]


def listed(tool: Tool) -> int:
    """Bytes of a tool in `tools/list` without its output schema, as they travel."""
    facts = {"name": tool.name, "description": tool.description, "inputSchema": input_schema(tool)}
    return len(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode())


def test_the_whole_list_is_small() -> None:
    assert sum(map(listed, TABLE.values())) <= 28_000


def test_the_core_is_at_most_16_tools_and_14_kb() -> None:
    assert len(CORE) <= 16
    assert sum(map(listed, CORE)) <= 14_000


def test_the_core_can_look_build_and_take_back() -> None:
    names = {tool.name for tool in CORE}
    assert {"get_status", "find_operators", "read_network", "capture_image", "check_errors"} <= names
    assert {
        "build_network",
        "set_parameters",
        "wire_operators",
        "delete_operators",
        "undo",
        "get_job",
    } <= names


@pytest.mark.parametrize("tool", TABLE.values(), ids=list(TABLE))
def test_a_tool_says_what_it_is_for(tool: Tool) -> None:
    assert tool.title and tool.title[0].isupper() and tool.title != tool.name
    assert 60 <= len(tool.description) <= 400 and tool.description.endswith(".")
    # The field's word is operator; what an argument is called in the text must be called so in the schema.
    assert " node" not in tool.description.lower()
    known = set(input_schema(tool).get("properties", {})) | set(tool.output.model_fields)
    known |= {word for other in TABLE.values() for word in (other.name, *other.name.split("_"))}
    snakes = {word.strip("().,:;") for word in tool.description.split() if "_" in word}
    assert snakes <= known | {"still_running"}


@pytest.mark.parametrize("tool", TABLE.values(), ids=list(TABLE))
def test_an_unknown_argument_is_refused_with_those_that_are_known(tool: Tool) -> None:
    with pytest.raises(ToolFailure) as refused:
        parse(tool, {"nosuchargument": 1})
    assert refused.value.code is Code.VALUE_INVALID
    known = input_schema(tool).get("properties", {})
    assert all(name in refused.value.hint for name in known)


#: Shorter names have no likeness left after a slip.
NAMES = [
    (tool, name)
    for tool in TABLE.values()
    for name in input_schema(tool).get("properties", {})
    if len(name) > 3
]


@pytest.mark.parametrize(("tool", "name"), NAMES, ids=[f"{tool.name}-{name}" for tool, name in NAMES])
def test_a_slip_in_an_arguments_name_is_answered_with_the_right_one(tool: Tool, name: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        parse(tool, {name[0] + name[2:]: 1})
    assert name in refused.value.suggestions


@pytest.mark.parametrize("tool", TABLE.values(), ids=list(TABLE))
def test_json_text_is_read_where_no_text_is_wanted_and_only_there(tool: Tool) -> None:
    example = next((call for _, call in EXAMPLES[tool.name] if call), {})
    as_text = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in example.items()
    }
    assert parse(tool, as_text) == parse(tool, example)


def test_text_that_looks_like_json_stays_text() -> None:
    made: Any = parse(TABLE["write_data"], {"path": "/a", "text": "[1, 2]"})
    assert made.text == "[1, 2]"
    named: Any = parse(TABLE["create_operator"], {"parent": "/a", "type": "noiseTOP", "name": "12"})
    assert named.name == "12"


# The page


def test_the_page_of_the_tools_is_current() -> None:
    assert tools_page.PAGE.read_text("utf-8") == tools_page.page(), "python scripts/tools_page.py"


def test_every_tool_has_an_example_that_it_takes() -> None:
    assert list(EXAMPLES) == list(TABLE)
    for name, calls in EXAMPLES.items():
        assert calls
        for sentence, call in calls:
            parse(TABLE[name], call)
            assert sentence.endswith((".", "?"))


@pytest.fixture
def demo_bench(bench: Bench, tmp_path: Path) -> Iterator[Bench]:
    demo.build(bench.world)
    life.of(bench.world).project.folder = tmp_path
    bench.frame(2)
    yield bench


def test_every_example_on_the_page_works_one_after_the_other(demo_bench: Bench) -> None:
    for name, calls in EXAMPLES.items():
        if name == "get_job":
            continue  # the number of the job is made up
        for sentence, call in calls:
            try:
                answer = demo_bench.run(name, **call)
            except ToolFailure as refused:
                pytest.fail(f"{name}, {sentence} {refused.text()}")
            assert not getattr(answer, "problems", []), (name, sentence, answer.text())
            if TABLE[name].effect is Effect.EDIT and hasattr(answer, "undo") and not call.get("dry_run"):
                assert answer.undo, (name, sentence)

"""How arguments from clients become a tool's input model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Effect, Output, Tool


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str
    index: int = 0


class Given(Arguments):
    path: str
    paths: list[str] = Field(default_factory=list)
    count: int = 1
    deep: bool = False
    wires: list[Wire] = Field(default_factory=list)
    params: dict[str, Any] = Field(default_factory=dict)
    text: str | None = None
    view: str | list[str] | None = None


TOOL = Tool(
    name="sample",
    title="Sample",
    description="",
    level=Level.OBSERVE,
    effect=Effect.READ,
    arguments=Given,
    output=Output,
    run=lambda call, args: Output(),
)


def refusal(**arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        parse(TOOL, arguments)
    assert caught.value.code is Code.VALUE_INVALID
    return caught.value


def test_an_unknown_argument_is_refused_with_its_near_match() -> None:
    failure = refusal(path="/a", dep=True)
    assert "'dep'" in failure.message
    assert failure.suggestions == ["deep"]
    assert "path" in failure.hint


def test_an_unknown_name_inside_a_list_is_refused_with_its_near_match() -> None:
    failure = refusal(path="/a", wires=[{"source": "b", "indx": 2}])
    assert "wires.0.indx" in failure.message
    assert failure.suggestions == ["index"]


def test_a_missing_argument_is_named() -> None:
    assert "path is missing" in refusal().message


def test_a_wrong_value_is_named_and_shown() -> None:
    failure = refusal(path="/a", count="many")
    assert "count" in failure.message and '"many"' in failure.message


@pytest.mark.parametrize(
    ("arguments", "field", "expected"),
    [
        ({"paths": '["/a", "/b"]'}, "paths", ["/a", "/b"]),
        ({"count": "3"}, "count", 3),
        ({"deep": "true"}, "deep", True),
        ({"params": '{"tx": 1}'}, "params", {"tx": 1}),
        ({"wires": '[{"source": "a", "index": 1}]'}, "wires", [Wire(source="a", index=1)]),
        ({"wires": ['{"source": "a"}']}, "wires", [Wire(source="a")]),
    ],
)
def test_json_text_of_the_right_shape_is_read(arguments: dict[str, Any], field: str, expected: Any) -> None:
    assert getattr(parse(TOOL, {"path": "/a", **arguments}), field) == expected


@pytest.mark.parametrize("text", ["12", "true", '{"a": 1}', "[1]", "null"])
def test_json_text_stays_text_where_the_schema_takes_text(text: str) -> None:
    parsed = parse(TOOL, {"path": text, "text": text, "view": text})
    assert isinstance(parsed, Given)
    assert (parsed.path, parsed.text, parsed.view) == (text, text, text)


def test_json_text_inside_free_values_stays_text() -> None:
    parsed = parse(TOOL, {"path": "/a", "params": {"file": "[1]"}})
    assert isinstance(parsed, Given)
    assert parsed.params == {"file": "[1]"}


def test_no_arguments_at_all_are_like_none_given() -> None:
    assert "path is missing" in pytest.raises(ToolFailure, parse, TOOL, None).value.message

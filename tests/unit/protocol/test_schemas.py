"""Schemas stay small without losing what a client needs."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tdmcp_embedded.protocol.schemas import input_schema
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Arguments, Effect, Output, Tool


class Titled(Arguments):
    """A docstring for readers of the code."""

    title: str
    default: int = 3
    enum: list[str] = Field(default_factory=list)
    maybe: str | None = None
    either: int | str | None = None


def schema() -> dict[str, Any]:
    return input_schema(
        Tool(
            name="titled",
            title="Titled",
            description="",
            level=Level.OBSERVE,
            effect=Effect.READ,
            arguments=Titled,
            output=Output,
            run=lambda call, args: Output(),
        )
    )


def test_arguments_named_like_keywords_of_json_schema_survive() -> None:
    assert list(schema()["properties"]) == ["title", "default", "enum", "maybe", "either"]


def test_derived_titles_and_docstrings_are_left_out() -> None:
    assert "title" not in schema() and "description" not in schema()
    assert "title" not in schema()["properties"]["default"]


def test_optional_arguments_are_written_as_their_type() -> None:
    assert schema()["properties"]["maybe"] == {"type": "string"}
    assert schema()["properties"]["either"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def test_what_is_required_stays() -> None:
    assert schema()["required"] == ["title"]


def test_every_tool_describes_most_of_its_arguments() -> None:
    for row in TABLE.values():
        properties = input_schema(row).get("properties", {})
        described = [name for name, schema in properties.items() if schema.get("description")]
        assert 2 * len(described) >= len(properties), (row.name, sorted(set(properties) - set(described)))

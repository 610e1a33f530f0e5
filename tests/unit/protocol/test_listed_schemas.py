"""Listed schemas are what every client and its converter takes; a refusal fits every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import results
from tdmcp_embedded.protocol.tool_calls import listed
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Output, Picture
from tests.answers import check_result, faults
from tox_build.shim.known import INSTANCE_TOOLS, OPEN_TOOL

#: What refusals carry besides their code, as it is spelled where they are made.
DETAILS: dict[str, Any] = {
    "job": "7", "running_job": "7", "stalled_s": 2.5, "retry_after_s": 1, "waiting": 3, "oldest_s": 0.5, "count": 12,
    "call": 1, "needs_level": "full", "lines": [3, 9], "hash": "abc", "traceback": "Traceback …", "line": 2, "stdout": "",
    "stderr": "", "deleted": ["/b"], "not_restored": ["/c"],
}  # fmt: skip

LISTED = {
    name: listed(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
    for name, tool in TABLE.items()
}


def parts(schema: Any, where: str = "$", names: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema in a schema, with its place; `names` says that the keys are names, not words of JSON Schema."""
    if isinstance(schema, list):
        for index, each in enumerate(schema):
            yield from parts(each, f"{where}[{index}]")
    elif isinstance(schema, dict):
        if not names:
            yield where, schema
        for key, each in schema.items():
            if names or key not in ("enum", "required", "default", "type"):
                yield from parts(each, f"{where}.{key}", not names and key in ("properties", "$defs"))


#: What the shim lists besides.
OWN = {tool["name"]: tool for tool in [*INSTANCE_TOOLS, OPEN_TOOL]}

SCHEMAS = [
    pytest.param(tool[key], id=f"{name}-{key}")
    for name, tool in (LISTED | OWN).items()
    for key in ("inputSchema", "outputSchema")
    if key in tool
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_schema_is_valid_and_plain(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    for where, part in parts(schema):
        if part.get("type") == "array":
            assert isinstance(part.get("items"), dict), f"{where}: VS Code refuses arrays without items"
        if part.get("type") == "object":
            assert part.keys() & {"properties", "additionalProperties"}, f"{where}: what may its values be?"
        assert not isinstance(part.get("additionalProperties"), bool), f"{where}: google-genai fails on it"


@pytest.mark.parametrize("name", [*TABLE, *OWN])
def test_arguments_have_no_references_no_lengths_and_a_type_in_every_place(name: str) -> None:
    for where, part in parts((LISTED | OWN)[name]["inputSchema"]):
        assert not part.keys() & {
            "$ref",
            "$defs",
            "minItems",
            "maxItems",
            "exclusiveMinimum",
            "oneOf",
            "allOf",
        }, where
        # A free map's values are the only place where nothing is said.
        assert (
            isinstance(part.get("type"), str) or "anyOf" in part or where.endswith("additionalProperties")
        ), where


@pytest.mark.parametrize("name", TABLE)
def test_what_the_examples_give_fits_the_listed_arguments(name: str) -> None:
    validator = Draft202012Validator(LISTED[name]["inputSchema"])
    for _, call in EXAMPLES[name]:
        assert [error.message for error in validator.iter_errors(call)] == []


@pytest.mark.parametrize("name", TABLE)
def test_every_refusal_fits_the_listed_output(name: str) -> None:
    schema = LISTED[name].get("outputSchema", {})
    assert "required" not in schema and "additionalProperties" not in schema
    for code in Code:
        refusal = ToolFailure(code, "No.", hint="Do this.", suggestions=["a"], details=DETAILS)
        result = results.failure(refusal).model_dump(mode="json", by_alias=True, exclude_none=True)
        check_result(name, result)


def test_a_fault_would_be_found() -> None:
    assert faults("find_operators", {"operators": "none"}) and faults("find_operators", None)


def test_tools_with_pictures_list_no_output_schema() -> None:
    without = {name for name, tool in LISTED.items() if "outputSchema" not in tool}
    # Codex passes the model only the structured content where there is any; a batch and a job may hold a picture.
    assert without == {"capture_image", "batch", "get_job"}


def test_an_answer_with_a_picture_is_text_and_picture_alone() -> None:
    answer = Output()
    assert results.success(answer).structured_content == {}
    answer.pictures.append(Picture(b"\x89PNG", "image/png"))
    result = results.success(answer)
    assert result.structured_content is None
    assert [block.type for block in result.content] == ["text", "image"]

"""Checks answers against the listed output schemas, as clients on the TypeScript SDK do: refusals included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from tdmcp_embedded.protocol.schemas import output_schema
from tdmcp_embedded.tools.table import TABLE


@lru_cache(maxsize=256)
def _validator(tool: str) -> Draft202012Validator | None:
    schema = output_schema(TABLE[tool]) if tool in TABLE else None
    return Draft202012Validator(schema) if schema is not None else None


def faults(tool: str, structured: Any) -> list[str]:
    """What a strict client would say against the structured content of an answer or a refusal of this tool."""
    validator = _validator(tool)
    if validator is None:
        return []
    if not isinstance(structured, Mapping):
        return ["no structured content, though an output schema is listed"]
    return [f"{error.json_path}: {error.message}"[:500] for error in validator.iter_errors(structured)]


def check_result(tool: str, result: Mapping[str, Any]) -> None:
    """Fail on a result that a strict client would refuse, or whose pictures a client would drop.

    Args:
        result: the JSON of a `CallToolResult`.
    """
    content: Sequence[Mapping[str, Any]] = result.get("content") or ()
    structured = result.get("structuredContent")
    if any(block.get("type") == "image" for block in content):
        assert structured is None, f"{tool}: where there is structured content, Codex passes no picture"
    # Answers without structured content are for tools without a schema; a task or a question is no answer yet.
    if content or structured is not None:
        found = faults(tool, structured)
        assert not found, f"{tool}: {found}"

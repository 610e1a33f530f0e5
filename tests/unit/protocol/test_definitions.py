"""What a client's model is told of each tool, judged as the linter `tdqs` judges it (its rules that need no model)."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.protocol.server import listed
from tdmcp_embedded.tools.table import TABLE


def definition(name: str) -> dict[str, Any]:
    return listed(TABLE[name]).model_dump(by_alias=True, mode="json", exclude_none=True)


def described(schema: dict[str, Any]) -> bool:
    return bool(schema.get("description"))


@pytest.mark.parametrize("name", TABLE)
def test_a_tool_says_what_it_does_gives_and_takes(name: str) -> None:
    tool = definition(name)
    words = set(tool["description"].lower().rstrip(".").split())
    assert len(words - set(name.split("_")) - set(tool["title"].lower().split())) > 5, (
        "says more than its name"
    )
    assert tool["title"] != name
    assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= tool[
        "annotations"
    ].keys()
    assert TABLE[name].may_give_pictures or tool["outputSchema"]["type"] == "object"
    parameters: dict[str, Any] = tool["inputSchema"].get("properties", {})
    silent = [parameter for parameter, schema in parameters.items() if not described(schema)]
    assert len(silent) <= len(parameters) / 5, f"undocumented: {silent}"

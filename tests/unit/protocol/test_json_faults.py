"""What Python's JSON parser lets through is found wherever it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.tools.json_faults import fault


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a": [1, 2.5, -1e300, true, null, "ä", "😀", {"b": []}]}',
        "[" * 200 + "]" * 200,
        f"[{10**400}]",
    ],
)
def test_json_has_no_fault(text: str) -> None:
    assert fault(json.loads(text)) == ""


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": NaN}', "a"),
        ('{"a": [1, {"b": -Infinity}]}', "a.1.b"),
        ('{"a": {"b": 1e999}}', "a.b"),
        (r'{"a": ["x", "\ud800"]}', "a.1"),
        (r'{"a": {"\udc00": 1}}', "a"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, where: str) -> None:
    said: Any = fault(json.loads(text))
    assert said.startswith(f"{where}: ")
    said.encode()

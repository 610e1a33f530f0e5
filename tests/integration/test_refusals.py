"""Every wrong request gets the right refusal, with what to do, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, request
from tests.integration.stress.wire import call_body, payload, post

STATE = "sorted((o.path, o.type, len(o.inputs)) for o in op('/').findChildren())"


@pytest.fixture
def unchanged(td: StandIn) -> Iterator[None]:
    before = td.exec(STATE)
    yield
    assert td.exec(STATE) == before


#: (headers other than in a right request, None for left out; status; a word in the answer)
REQUESTS: list[tuple[dict[str, str | None], int, str]] = [
    ({}, 200, ""),
    ({"Authorization": None}, 401, "access key"),
    ({"Authorization": "Bearer wrong"}, 401, "not valid"),
    ({"Origin": "https://evil.example"}, 403, "origins"),
    ({"Origin": "null"}, 403, "origins"),
    ({"Origin": "http://localhost:1"}, 403, "origins"),
    ({"Host": "evil.example"}, 421, "address"),
    ({"Host": "127.0.0.1:99\u00b2"}, 421, "address"),
    ({"Content-Type": None}, 415, "application/json"),
    ({"Content-Type": "text/plain"}, 415, "application/json"),
    ({"X-Forwarded-For": "127.0.0.1"}, 403, "its own machine"),
    ({"Accept": "text/html"}, 406, "accept"),
    ({"Mcp-Session-Id": "unknown"}, 404, "ession"),
    ({"Mcp-Session-Id": "../../x"}, 404, "ession"),
    ({"Mcp-Protocol-Version": "1999-01-01"}, 400, "rotocolVersion"),
    ({"Cookie": "a" * 33_000}, 431, "32 kB"),
]


@pytest.mark.usefixtures("unchanged")
class TestHttp:
    @pytest.mark.parametrize(("changed", "status", "word"), REQUESTS)
    def test_each_wrong_request_gets_its_refusal(
        self, td: StandIn, changed: dict[str, str | None], status: int, word: str
    ) -> None:
        headers = {**JSON_HEADERS, **td.headers, **changed}
        given = {name: value for name, value in headers.items() if value is not None}
        answer = request(td.url, "POST", INITIALIZE, given)
        assert answer.status == status and word in answer.body.decode()
        assert ("www-authenticate" in answer.headers) == (status == 401)
        assert td.token and td.token.encode() not in answer.body

    def test_health_needs_no_key(self, td: StandIn) -> None:
        answer = request(td.url.replace("/mcp", "/health"))
        assert answer.status == 200
        assert answer.json["status"] == "ok" and answer.json["timestamp"]


CREATE = {"parent": "/project1", "type": "noiseTOP"}

#: (the tool, its arguments, the code of the refusal, one of its suggestions or nothing)
CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("create_operator", {**CREATE, "type": "noiseTop"}, "operator_type_unknown", "noiseTOP"),
    ("create_operator", {**CREATE, "params": {"perod": 3}}, "parameter_not_found", "period"),
    ("create_operator", {**CREATE, "params": {"type": "simplex_3d"}}, "menu_value_invalid", "simplex3d"),
    ("create_operator", {**CREATE, "nam": "x"}, "value_invalid", "name"),
    ("inspect_operator", {"paths": ["/projct1"]}, "operator_not_found", "/project1"),
    # numbers that are none
    ("create_operator", {**CREATE, "params": {"period": float("nan")}}, "value_invalid", ""),
    ("create_operator", {**CREATE, "params": {"period": float("inf")}}, "value_invalid", ""),
    ("find_operators", {"path": "/", "limit": 10**30}, "value_invalid", ""),
    ("find_operators", {"path": "/", "limit": -1}, "value_invalid", ""),
    ("find_operators", {"path": "/", "limit": 1.5}, "value_invalid", ""),
    # texts that are none, or end early
    ("create_operator", {**CREATE, "name": "a\x00b"}, "value_invalid", ""),
    ("create_operator", {**CREATE, "name": "a\nb"}, "value_invalid", ""),
    ("create_operator", {**CREATE, "name": "a/b"}, "value_invalid", ""),
    ("create_operator", {**CREATE, "params": {"a\x00": 1}}, "value_invalid", ""),
    ("inspect_operator", {"paths": ["/project1\x00"]}, "value_invalid", ""),
    ("export_component", {"path": "/project1", "file": "a\x00.tox"}, "value_invalid", ""),
    ("import_component", {"parent": "/project1", "file": "a\x00.tox"}, "value_invalid", ""),
    ("checkpoint", {"action": "save", "path": "/project1", "name": "a\x00"}, "value_invalid", ""),
    ("execute_python", {"code": "1\x00"}, "value_invalid", ""),
    ("inspect_operator", {"paths": ["/\uff50roject1"]}, "operator_not_found", ""),
    ("inspect_operator", {"paths": ["/project1\u200b"]}, "operator_not_found", ""),
    ("inspect_operator", {"paths": ["/%70roject1"]}, "operator_not_found", ""),
    ("inspect_operator", {"paths": ["/project1/../../.."]}, "operator_not_found", ""),
]


@pytest.mark.usefixtures("unchanged")
class TestTools:
    @pytest.mark.parametrize(("tool", "arguments", "code", "suggestion"), CALLS)
    def test_a_wrong_call_is_refused_with_its_repair(
        self, td: StandIn, tool: str, arguments: dict[str, Any], code: str, suggestion: str
    ) -> None:
        # Raw, since the official client does not send what is not JSON.
        body, headers = call_body(tool, arguments)
        answer = payload(post(td, body, **headers))["result"]
        failure = answer["structuredContent"]
        assert answer["isError"]
        assert failure["code"] == code, failure
        assert not suggestion or suggestion in failure["suggestions"]
        assert failure["message"].endswith(".")

"""Every wrong request gets the right refusal, with what to do, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, http_client, request, structured

STATE = "sorted((o.path, o.type, len(o.inputs)) for o in op('/').findChildren())"


@pytest.fixture
def unchanged(td: StandIn) -> Iterator[None]:
    before = td.exec(STATE)
    yield
    assert td.exec(STATE) == before


@pytest.mark.usefixtures("unchanged")
class TestHttp:
    def test_a_wrong_key_is_401(self, td: StandIn) -> None:
        answer = request(td.url, "POST", INITIALIZE, {**JSON_HEADERS, "Authorization": "Bearer wrong"})
        assert answer.status == 401 and "www-authenticate" in answer.headers
        assert td.token and td.token.encode() not in answer.body

    def test_no_key_is_401(self, td: StandIn) -> None:
        assert request(td.url, "POST", INITIALIZE, JSON_HEADERS).status == 401

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
    def test_a_foreign_origin_is_403(self, td: StandIn, origin: str) -> None:
        headers = {**JSON_HEADERS, **td.headers, "Origin": origin}
        assert request(td.url, "POST", INITIALIZE, headers).status == 403

    def test_a_foreign_host_is_refused(self, td: StandIn) -> None:
        headers = {**JSON_HEADERS, **td.headers, "Host": "evil.example"}
        assert request(td.url, "POST", INITIALIZE, headers).status in (403, 421)

    @pytest.mark.parametrize("content_type", [None, "text/plain"])
    def test_a_missing_or_wrong_content_type_is_415(self, td: StandIn, content_type: str | None) -> None:
        headers = {**JSON_HEADERS, **td.headers}
        del headers["Content-Type"]
        if content_type:
            headers["Content-Type"] = content_type
        assert request(td.url, "POST", INITIALIZE, headers).status == 415

    def test_health_needs_no_key(self, td: StandIn) -> None:
        answer = request(td.url.replace("/mcp", "/health"))
        assert answer.status == 200
        assert answer.json["status"] == "ok" and answer.json["timestamp"]


@pytest.mark.anyio
@pytest.mark.usefixtures("unchanged")
class TestTools:
    @pytest.mark.parametrize(
        ("tool", "arguments", "code", "suggestion"),
        [
            (
                "create_operator",
                {"parent": "/project1", "type": "noiseTop"},
                "operator_type_unknown",
                "noiseTOP",
            ),
            (
                "create_operator",
                {"parent": "/project1", "type": "noiseTOP", "params": {"perod": 3}},
                "parameter_not_found",
                "period",
            ),
            (
                "create_operator",
                {"parent": "/project1", "type": "noiseTOP", "params": {"type": "simplex_3d"}},
                "menu_value_invalid",
                "simplex3d",
            ),
            (
                "create_operator",
                {"parent": "/project1", "type": "noiseTOP", "nam": "x"},
                "value_invalid",
                "name",
            ),
            ("inspect_operator", {"paths": ["/projct1"]}, "operator_not_found", "/project1"),
        ],
    )
    async def test_a_wrong_call_is_refused_with_its_repair(
        self, td: StandIn, tool: str, arguments: dict[str, Any], code: str, suggestion: str
    ) -> None:
        async with http_client(td) as client:
            result = await client.call_tool(tool, arguments)
        failure = structured(result)
        assert result.is_error
        assert failure["code"] == code
        assert suggestion in failure["suggestions"]
        assert failure["message"].endswith(".")

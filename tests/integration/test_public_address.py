"""What a remote user reads while *Public Address* is set: the dashboard, get_status, the parameters, a wrong path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fakes.driver import StandIn
from tests.integration.clients import JSON_HEADERS, http_client, request, structured
from tests.integration.component import COMPONENT, par, until

pytestmark = pytest.mark.anyio

PUBLIC = "https://td.localhost:1"


@contextmanager
def public_address(td: StandIn, address: str = PUBLIC) -> Iterator[None]:
    """The setting, while the server goes on."""
    td.exec(f"{COMPONENT}.par.Publicaddress = {address!r}")
    until(lambda: par(td, "Url"), f"{address}/mcp")
    try:
        yield
    finally:
        td.exec(f"{COMPONENT}.par.Publicaddress = ''")
        until(lambda: par(td, "Url"), td.url)


async def test_an_address_that_is_set_while_it_serves_is_shown_everywhere(td: StandIn) -> None:
    me = f"{td.ready['dashboard']}api/me"
    with public_address(td):
        until(lambda: request(me, headers=td.headers).json["url"], f"{PUBLIC}/mcp")
        ways = {way["client"]: way["text"] for way in request(me, headers=td.headers).json["connect"]}
        assert td.url in ways["Claude Code"] and "{KEY}" in ways["Claude Code"]
        elsewhere = ways["Claude Code (another machine)"]
        assert f"{PUBLIC}/mcp" in elsewhere and "{KEY}" not in elsewhere
        async with http_client(td) as client:
            status = structured(await client.call_tool("get_status", {}))
        assert status["server"]["url"] == f"{PUBLIC}/mcp"
        until(lambda: PUBLIC in par(td, "Status"), True)
        # A remote client that has only the bare address.
        headers = {**JSON_HEADERS, "Host": "td.localhost:1"}
        wrong = request(td.ready["dashboard"], "POST", b"{}", headers)
        assert wrong.status == 405 and f"{PUBLIC}/mcp" in json.dumps(wrong.json)
    until(lambda: request(me, headers=td.headers).json["url"], td.url)

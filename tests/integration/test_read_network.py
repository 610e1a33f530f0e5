"""read_network from outside, beside the server's own component."""

from __future__ import annotations

import pytest

from fakes.driver import StandIn
from tests.integration.clients import http_client, structured

pytestmark = pytest.mark.anyio


async def test_the_servers_own_component_does_not_push_the_users_operators_off_the_first_page(
    td: StandIn,
) -> None:
    names = [f"own{number}" for number in range(20)]
    operators = [{"name": name, "type": "noiseTOP", "params": {"period": 3}} for name in names]
    async with http_client(td) as client:
        await client.call_tool("build_network", {"path": "/project1", "operators": operators})
        result = await client.call_tool("read_network", {"path": "/project1"})
    read = structured(result)
    assert set(names) <= {operator["name"] for operator in read["operators"]}
    assert len(result.model_dump_json()) < 20_000

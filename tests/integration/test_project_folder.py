"""A project that TouchDesigner's toeexpand made is served as any other."""

import pytest

from fakes.driver import StandIn
from tests.integration.clients import http_client, structured
from tests.unit.fakes.life.test_project_folder import KNOWN, UNKNOWN, write

pytestmark = pytest.mark.anyio


async def test_an_expanded_component_is_opened_and_served(tmp_path):
    write(tmp_path, {**KNOWN, **UNKNOWN})
    with StandIn("--project", str(tmp_path / "x.tox.dir")) as td:
        async with http_client(td) as client:
            answer = structured(await client.call_tool("read_network", {"path": "/project1/x"}))
        assert {"noise1", "blur1", "note", "cells"} <= {o["name"] for o in answer["operators"]}
        assert "TOP:marvel" in td.stderr()
        assert td.stats()["thread_conflicts"] == 0

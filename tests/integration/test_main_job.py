"""The main job from outside: what MCP says and what TouchDesigner says are the same."""

from __future__ import annotations

import ast
import base64
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ImageContent

from fakes.driver import StandIn
from tests.integration.clients import http_client, shim_client, structured

pytestmark = pytest.mark.anyio


def chain(prefix: str) -> list[dict[str, Any]]:
    return [
        {"name": f"{prefix}_noise", "type": "noiseTOP", "params": {"period": 0.6}},
        {"name": f"{prefix}_blur", "type": "blurTOP", "inputs": [f"{prefix}_noise"], "params": {"size": 5}},
        {"name": f"{prefix}_level", "type": "levelTOP", "inputs": [f"{prefix}_blur"]},
        {"name": f"{prefix}_out", "type": "nullTOP", "inputs": [f"{prefix}_level"]},
        {"name": f"{prefix}_circle", "type": "circleTOP"},
    ]


async def do_the_job(td: StandIn, client: Client, prefix: str) -> None:
    built = await client.call_tool("build_network", {"path": "/project1", "operators": chain(prefix)})
    assert not built.is_error, built
    assert td.exec(f"op('/project1/{prefix}_out').inputs[0].name") == repr(f"{prefix}_level")

    noise = f"/project1/{prefix}_noise"
    refused = await client.call_tool("set_parameters", {"changes": [{"path": noise, "params": {"perod": 1}}]})
    assert refused.is_error and "period" in structured(refused)["suggestions"]

    animated = await client.call_tool(
        "set_parameters", {"changes": [{"path": noise, "params": {"tz": {"expr": "absTime.seconds"}}}]}
    )
    assert not animated.is_error, animated
    assert td.exec(f"op('{noise}').par.tz.mode.name") == "'EXPRESSION'"

    picture = await client.call_tool("capture_image", {"path": f"/project1/{prefix}_out", "max_size": 128})
    images = [block for block in picture.content if isinstance(block, ImageContent)]
    assert base64.b64decode(images[0].data).startswith(b"\x89PNG")

    whole = {"path": "/project1", "view": "full", "limit": 200}
    read = structured(await client.call_tool("read_network", whole))
    names = {operator["name"] for operator in read["operators"]}
    assert {item["name"] for item in chain(prefix)} <= names


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_network_is_built_animated_captured_and_read_back_over_http(td: StandIn, mode: str) -> None:
    async with http_client(td, mode) as client:
        await do_the_job(td, client, f"http_{mode}")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_same_through_the_shim(td: StandIn, mode: str) -> None:
    async with shim_client(td, mode) as client:
        await do_the_job(td, client, f"shim_{mode}")


async def test_four_clients_at_once_never_touch_touchdesigner_off_its_main_thread(own_td: StandIn) -> None:
    async def one(number: int) -> None:
        async with http_client(own_td, "legacy" if number % 2 else "auto") as client:
            await do_the_job(own_td, client, f"c{number}")

    async with anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(one, number)
    assert own_td.stats()["thread_conflicts"] == 0
    assert own_td.strays == []
    assert own_td.exec("len([o for o in op('/project1').children if o.name.endswith('_out')])") == "4"


async def test_one_call_is_one_undo_step(td: StandIn) -> None:
    before = ast.literal_eval(td.exec("sorted(o.name for o in op('/project1').children)"))
    async with http_client(td) as client:
        await client.call_tool("build_network", {"path": "/project1", "operators": chain("undone")})
        await client.call_tool("undo", {"steps": 1})
    assert ast.literal_eval(td.exec("sorted(o.name for o in op('/project1').children)")) == before


async def test_calls_work_while_the_timeline_is_paused(td: StandIn) -> None:
    td.do("timeline", play=False)
    try:
        async with http_client(td) as client:
            made = await client.call_tool(
                "create_operator", {"parent": "/project1", "type": "constantCHOP", "name": "paused"}
            )
            assert not made.is_error, made
            assert structured(made)["path"] == "/project1/paused"
    finally:
        td.do("timeline", play=True)

"""The gateway example, started by its one command, in front of three stand-ins."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, PATIENCE, ROOT, request, structured, text
from tests.integration.shim_world import ServerProcess, World

pytestmark = pytest.mark.anyio

NAMES = ("left", "middle", "Right Wall")
PREFIXES = ("left", "middle", "rightwall")


@dataclass
class Site:
    """Three TouchDesigners of one user, a small server that may crash, and the gateway in front of them."""

    stand_ins: dict[str, StandIn]
    world: World
    fragile: ServerProcess
    url: str
    key: str

    @asynccontextmanager
    async def client(self, mode: str = "auto") -> AsyncIterator[Client]:
        timeout = httpx2.Timeout(PATIENCE)
        headers = {"Authorization": f"Bearer {self.key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout) as web,
            Client(streamable_http_client(self.url, http_client=web), mode=mode) as client,
        ):
            yield client


def start(stack: ExitStack, home: Path, name: str) -> StandIn:
    arguments = ("--scene", "empty", "--fps", "30", "--set", f"Instancename={name}")
    return stack.enter_context(StandIn(*arguments, home=home))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("home")
    with ExitStack() as stack:
        with ThreadPoolExecutor() as together:
            started = together.map(lambda name: start(stack, home, name), NAMES)
            stand_ins = dict(zip(PREFIXES, started, strict=True))
        world = World(home / ".tdmcp")
        stack.callback(world.close)
        fragile = world.server("--name", "fragile")
        env = {**world.environment(), "HOME": str(home), "TDMCP_GATEWAY_KEY": "gate"}
        url, prefixes = stack.enter_context(gateway(env))
        assert prefixes == "fragile, left, middle, rightwall"
        yield Site(stand_ins, world, fragile, url, "gate")


@contextmanager
def gateway(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The gateway, started by its one command: its address, and the prefixes it says it has."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "examples" / "gateway" / "gateway.py"), "--port", "0"],
        env={**env, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url, _, prefixes = process.stdout.readline().strip().partition(" in front of ")
        yield url, prefixes
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_each_touchdesigner_has_its_own_prefix_and_gets_its_own_calls(site: Site, mode: str) -> None:
    async with site.client(mode) as client:
        listed = await names(client)
        for prefix in PREFIXES:
            assert {f"{prefix}_create_operator", f"{prefix}_get_status"} <= listed
        for prefix in PREFIXES:
            made = await client.call_tool(
                f"{prefix}_create_operator",
                {"parent": "/project1", "type": "noiseTOP", "name": f"only_{prefix}_{mode}"},
            )
            assert not made.is_error, text(made)
            assert structured(made)
    for prefix, stand_in in site.stand_ins.items():
        for other in PREFIXES:
            there = stand_in.exec(f"op('/project1/only_{other}_{mode}') is not None")
            assert there == str(other == prefix)


async def test_a_refusal_comes_through_with_its_code_and_suggestions(site: Site) -> None:
    async with site.client() as client:
        answer = await client.call_tool(
            "left_create_operator", {"parent": "/project1", "type": "noisTOP", "name": "x"}
        )
    assert answer.is_error
    assert "operator_type_unknown" in text(answer) and "noiseTOP" in text(answer)


async def test_several_are_called_at_the_same_time(site: Site) -> None:
    answers: dict[str, str] = {}

    async with site.client() as client:

        async def ask(prefix: str) -> None:
            answers[prefix] = text(await client.call_tool(f"{prefix}_get_status", {}))

        async with anyio.create_task_group() as tasks:
            for prefix in PREFIXES:
                tasks.start_soon(ask, prefix)
    assert set(answers) == set(PREFIXES)


def test_without_the_gateways_key_nobody_gets_in_and_a_touchdesigners_own_key_is_none(site: Site) -> None:
    for key in ("", site.stand_ins["left"].token or "", "gate2"):
        headers = {**JSON_HEADERS, **({"Authorization": f"Bearer {key}"} if key else {})}
        assert request(site.url, "POST", INITIALIZE, headers).status == 401
    headers = {**JSON_HEADERS, "Authorization": "Bearer gate", "Host": "evil.example"}
    assert request(site.url, "POST", INITIALIZE, headers).status in (403, 421)


async def test_one_that_is_switched_off_leaves_the_list_and_is_found_again_on_another_port(
    site: Site,
) -> None:
    middle = site.stand_ins["middle"]
    component = "op('/project1/tdmcp')"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    middle.exec(f"{component}.par.Active = False")
    await said(middle, f"{component}.State()['state']", "off")
    async with site.client() as client:
        listed = await names(client)
        assert "left_get_status" in listed and "middle_get_status" not in listed
        assert not (await client.call_tool("rightwall_get_status", {})).is_error
        middle.exec(f"{component}.par.Port = {port}; {component}.par.Active = True")
        await said(middle, f"{component}.par.Status.eval()", f"Serving at http://127.0.0.1:{port}/")
        answer = await client.call_tool("middle_get_status", {})
        assert not answer.is_error, text(answer)


async def test_one_that_crashes_says_so_to_its_callers_and_works_again_after_its_restart(site: Site) -> None:
    async with site.client("legacy") as handshake, site.client() as modern:
        clients = (handshake, modern)
        for client in clients:
            assert {"left_get_status", "fragile_echo"} <= await names(client)
        site.fragile.crash()
        for client in clients:
            # It has seen the tools, and did not look again.
            refused = await client.call_tool("fragile_echo", {"text": "a"})
            assert refused.is_error
            assert "TouchDesigner fragile is not running" in text(refused)
            assert "Open its project" in text(refused)
            assert not (await client.call_tool("left_get_status", {})).is_error
            listed = await names(client)
            assert "left_get_status" in listed and "fragile_echo" not in listed
        assert site.world.server("--name", "fragile").port != site.fragile.port
        for client in clients:
            assert text(await client.call_tool("fragile_echo", {"text": "c"})) == "c"


async def names(client: Client) -> set[str]:
    """The tools there are at this moment."""
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def said(stand_in: StandIn, expression: str, words: str) -> None:
    """Wait until the component says so; each question is answered between two frames."""
    with anyio.fail_after(PATIENCE):
        while words not in await anyio.to_thread.run_sync(stand_in.exec, expression):
            pass

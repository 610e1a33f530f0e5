"""The gateway across a network: HTTPS, its own keys with levels, and backends that refuse it or do not answer."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from fakes.driver import StandIn
from tests.integration import certificates
from tests.integration.clients import PATIENCE, ROOT, text
from tests.integration.http_host import HttpHost

pytestmark = pytest.mark.anyio

GATEWAY = str(ROOT / "examples" / "gateway" / "gateway.py")


@dataclass
class Site:
    """One TouchDesigner here, the same as if it were elsewhere but with a wrong key, one that is gone, the gateway."""

    td: StandIn
    url: str
    certificate: str
    keys: dict[str, str]
    log: Path

    @asynccontextmanager
    async def client(self, key: str) -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(
                headers={"Authorization": f"Bearer {self.keys[key]}"},
                timeout=httpx2.Timeout(PATIENCE),
                verify=certificates.trusting(self.certificate),
            ) as web,
            Client(streamable_http_client(self.url, http_client=web)) as client,
        ):
            yield client

    def said(self) -> list[str]:
        """What the gateway has written to standard error."""
        return self.log.read_text("utf-8").splitlines()


def command(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, GATEWAY, *arguments], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("gateway")
    certificate, key = certificates.make(folder)
    with StandIn("--scene", "empty", "--set", "Instancename=here") as td, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        secured = HttpHost(tls=(certificate, key)).start()
        gone = f"http://127.0.0.1:{closed.getsockname()[1]}/mcp"
        env = {
            **os.environ, "HOME": str(td.home), "TDMCP_HOME": str(td.home / ".tdmcp"), "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1", "TDMCP_KEY_FAR": "wrong", "TDMCP_KEY_GONE": "any",
            "TDMCP_KEY_STRANGE": "any",
        }  # fmt: skip
        # As --add-key keeps them, which a test below runs.
        keys = {level: f"a-key-of-level-{level}" for level in ("observe", "edit", "full")}
        kept = [{"name": level, "token": token, "level": level} for level, token in keys.items()]
        (td.home / ".tdmcp" / "gateway.json").write_text(json.dumps({"keys": kept}), "utf-8")
        log = folder / "stderr.txt"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [
                    sys.executable, GATEWAY, "--port", "0", "--certificate", certificate, "--certificate-key", key,
                    "--server", f"far={td.url}", "--server", f"gone={gone}",
                    "--server", f"strange=https://127.0.0.1:{secured.port}/mcp",
                ],
                env=env, stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
            assert process.stdout is not None
            try:
                url = process.stdout.readline().partition(" in front of ")[0]
                yield Site(td, url, certificate, keys, log)
            finally:
                process.terminate()
                process.wait(PATIENCE)
                process.stdout.close()
                secured.stop()


async def listed(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def test_each_key_of_the_gateway_has_its_level_at_touchdesigner_itself(site: Site) -> None:
    assert site.url.startswith("https://127.0.0.1:")
    create = {"parent": "/project1", "type": "nullTOP", "name": "made"}
    # In this order: nobody is shown what another key was listed.
    async with site.client("full") as client:
        assert {"here_execute_python", "here_create_operator"} <= await listed(client)
    async with site.client("observe") as client:
        names = await listed(client)
        assert "here_get_status" in names and "here_create_operator" not in names
        # A client that knows the tool all the same.
        refused = await client.call_tool("here_create_operator", create)
        assert refused.is_error and site.td.exec("op('/project1/made')") == "None"
    async with site.client("edit") as client:
        names = await listed(client)
        assert "here_create_operator" in names and "here_execute_python" not in names
        assert not (await client.call_tool("here_create_operator", create)).is_error
        code = [{"path": "/project1/made", "params": {"resolutionw": {"expr": "1"}}}]
        refused = await client.call_tool("here_set_parameters", {"changes": code})
        assert refused.is_error and "access_denied" in text(refused)


async def test_backends_that_refuse_the_key_or_do_not_answer_are_a_line_each(site: Site) -> None:
    async with site.client("full") as client:
        names = await listed(client)
        assert "here_get_status" in names and not any(name.startswith(("far_", "gone_")) for name in names)
        for prefix, words in (
            ("far", "refuses the gateway's key in TDMCP_KEY_FAR"),
            ("gone", "does not answer at"),
            ("strange", "set to the PEM file of its authority"),
        ):
            refused = await client.call_tool(f"{prefix}_get_status", {})
            assert refused.is_error and words in text(refused), text(refused)
            assert "Traceback" not in text(refused) and len(text(refused).splitlines()) == 1
            assert len([line for line in site.said() if words in line]) == 1, site.said()
    async with site.client("edit") as client:
        refused = await client.call_tool("far_get_status", {})
        assert "no key of level edit for far: put one in TDMCP_KEY_FAR_EDIT" in text(refused)
    # Each once, and nothing else: no traceback.
    assert len(site.said()) == len(set(site.said())), site.said()
    assert all(
        line.startswith(("TouchDesigner ", "The gateway has no key", "The certificate of "))
        for line in site.said()
    )


async def test_a_key_that_is_removed_works_no_more(site: Site) -> None:
    env = {**os.environ, "TDMCP_HOME": str(site.td.home / ".tdmcp"), "PYTHONPATH": str(ROOT)}
    token = command(env, "--add-key", "guest").stdout.strip()
    site.keys["guest"] = token
    async with site.client("guest") as client:
        assert await listed(client)
    assert command(env, "--remove-key", "guest").returncode == 0
    with pytest.raises(BaseExceptionGroup):
        async with site.client("guest") as client:
            await listed(client)
    assert "There is no key guest" in command(env, "--remove-key", "guest").stderr


def test_other_computers_are_served_over_https_unless_one_insists(site: Site) -> None:
    env = {**os.environ, "TDMCP_HOME": str(site.td.home / ".tdmcp"), "PYTHONPATH": str(ROOT)}
    refused = command(env, "--host", "0.0.0.0")
    assert refused.returncode == 1 and "--certificate" in refused.stderr and "--insecure" in refused.stderr

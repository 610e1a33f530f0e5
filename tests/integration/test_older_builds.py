"""The same component in the oldest build it supports, and what that build lacks (facts 54, 61, 63)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from fakes.builds import OLDEST
from fakes.driver import StandIn
from tests.integration.clients import http_client, shim_client, structured
from tests.integration.test_main_job import do_the_job

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def td() -> Iterator[StandIn]:
    with StandIn("--build", OLDEST, "--scene", "empty") as stand_in:
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0
        assert "Traceback" not in stand_in.stderr()


def test_it_is_the_oldest_build(td: StandIn) -> None:
    assert td.exec("app.build") == repr(OLDEST)
    missing = "[hasattr(root, 'opType'), hasattr(__import__('td'), 'POP'), hasattr(project, 'modified')]"
    assert ast.literal_eval(td.exec(missing)) == [False, False, False]
    for package in ("cryptography", "cffi"):
        with pytest.raises(RuntimeError, match="No module named"):
            td.exec(f"import {package}")
    assert td.exec("__import__('numpy').__version__").startswith("'1.24")
    with pytest.raises(RuntimeError, match="a string is needed"):
        td.exec("run(print, delayFrames=1)")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_main_job_is_done_in_the_oldest_build(td: StandIn, mode: str) -> None:
    async with http_client(td, mode) as client:
        await do_the_job(td, client, f"http_{mode}")


async def test_the_shim_reaches_the_oldest_build(td: StandIn) -> None:
    async with shim_client(td, "auto") as client:
        status = structured(await client.call_tool("get_status", {}))
    assert status["application"]["build"] == OLDEST
    assert "modified" not in status["project"], "what the build does not tell is not made up"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_deletion_is_confirmed_without_cryptography(td: StandIn, mode: str) -> None:
    td.exec("[op('/project1').create(nullTOP, f'gone{i}') for i in range(30)]")
    paths = [f"/project1/gone{i}" for i in range(30)]
    async with http_client(td, mode) as client:
        refused = await client.call_tool("delete_operators", {"paths": paths})
        assert refused.is_error and structured(refused)["code"] == "confirmation_required"
        done = await client.call_tool("delete_operators", {"paths": paths, "confirm": True})
        assert not done.is_error, done
    assert td.exec("[o for o in op('/project1').children if o.name.startswith('gone')]") == "[]"

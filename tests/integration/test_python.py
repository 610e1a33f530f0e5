"""execute_python through the whole stack."""

from __future__ import annotations

import pytest

from fakes.driver import StandIn
from tests.integration.clients import http_client, structured

pytestmark = pytest.mark.anyio


async def test_a_script_with_functions_and_prints_gives_output_and_value(td: StandIn) -> None:
    code = "def double(x):\n    print('doubling', x)\n    return 2 * x\n\nprint('start')\n[double(n) for n in (1, 2)]"
    async with http_client(td) as client:
        result = structured(await client.call_tool("execute_python", {"code": code}))
    assert result["stdout"] == "start\ndoubling 1\ndoubling 2\n"
    assert result["value"] == [2, 4]


async def test_an_exception_in_line_four_of_a_function_comes_back_with_that_line(td: StandIn) -> None:
    code = "def fail():\n    a = 1\n    print('before')\n    return a / 0\n\nfail()"
    async with http_client(td) as client:
        result = await client.call_tool("execute_python", {"code": code})
    failure = structured(result)
    assert result.is_error and failure["code"] == "python_error"
    assert "line 4" in failure["traceback"] and "ZeroDivisionError" in failure["traceback"]
    assert "before" in failure["stdout"]
    assert "tdmcp_embedded" not in failure["traceback"]


async def test_a_loop_without_end_is_broken_off_and_the_show_goes_on(td: StandIn) -> None:
    async with http_client(td) as client:
        result = await client.call_tool("execute_python", {"code": "while True: pass", "time_limit": 0.5})
        assert result.is_error and structured(result)["code"] == "time_limit"
        again = structured(await client.call_tool("execute_python", {"code": "1 + 1"}))
        assert again["value"] == 2
    frames = td.stats()["frames"]
    td.exec("1")  # answered by a later frame
    assert td.stats()["frames"] > frames


async def test_a_failed_script_leaves_nothing_behind(td: StandIn) -> None:
    code = "op('/project1').create(noiseTOP, 'half')\nraise RuntimeError('no')"
    async with http_client(td) as client:
        assert (await client.call_tool("execute_python", {"code": code})).is_error
    assert td.exec("op('/project1/half')") == "None"

"""Long calls as tasks: when a call becomes one, and what its client can do with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    SubscriptionsListenRequestParams,
    TextContent,
)

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import runner
from tdmcp_embedded.protocol.offer import TaskUse
from tdmcp_embedded.protocol.requests import Host
from tdmcp_embedded.protocol.subscriptions import Subscriptions
from tdmcp_embedded.protocol.task import KEPT, LONGEST, Task, of_this_call
from tdmcp_embedded.protocol.tasks import EXTENSION, TaskParams, Tasks, UpdateParams
from tdmcp_embedded.protocol.tool_calls import ToolCalls
from tdmcp_embedded.settings import Settings
from tdmcp_embedded.tools.table import TABLE

pytestmark = pytest.mark.anyio

CALL = CallToolRequestParams(name="measure_performance", arguments={})
DONE = CallToolResult(content=[TextContent(text="measured")])
QUESTION = InputRequiredResult(
    input_requests={
        "confirm": ElicitRequest(
            params=ElicitRequestFormParams(
                message="Really?", requested_schema={"type": "object", "properties": {}}
            )
        )
    },
    request_state="sealed",
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def request(
    name: str = "", *, extensions: Any = None, version: str = "2026-07-28", key: str = "laptop"
) -> Any:
    """A request as its handler sees it, of a client that knows tasks unless told otherwise."""
    capabilities = ClientCapabilities(extensions={EXTENSION: {}} if extensions is None else extensions)
    return SimpleNamespace(
        protocol_version=version,
        session=SimpleNamespace(client_capabilities=capabilities),
        request=SimpleNamespace(
            headers={"mcp-name": name}, scope={"tdmcp.key": SimpleNamespace(name=key, id=key)}
        ),
    )


def tasks(handler: Callable[..., Awaitable[Any]], **options: Any) -> Tasks:
    """The handlers; a call that waits at all becomes a task."""
    return Tasks(handler, grace=0.001, clock=options.pop("clock", Clock()), **options)


async def begin(book: Tasks) -> str:
    made = await book.call_tool(request(), CALL)
    assert isinstance(made, dict) and made["resultType"] == "task" and made["status"] == "working"
    return str(made["taskId"])


async def ask(book: Tasks, task: str, **options: Any) -> dict[str, Any]:
    return await book.get(request(task, **options), TaskParams(taskId=task))


async def until(book: Tasks, task: str, status: str) -> dict[str, Any]:
    for _ in range(1000):
        state = await ask(book, task)
        if state["status"] == status:
            return state
        await asyncio.sleep(0)
    raise AssertionError(state)


async def test_a_quick_call_is_answered_as_ever() -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        return DONE

    assert await Tasks(handler, grace=60).call_tool(request(), CALL) is DONE


@pytest.mark.parametrize("client", [{"extensions": {}}, {"version": "2025-11-25"}])
async def test_a_client_that_knows_no_tasks_waits_for_its_answer(client: dict[str, Any]) -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        await asyncio.sleep(0.05)
        return DONE

    book = tasks(handler)
    assert await book.call_tool(request(**client), CALL) is DONE
    for method in (book.get, book.cancel):
        with pytest.raises(MCPError) as refused:
            await method(request("some", **client), TaskParams(taskId="some"))
        assert refused.value.error.code == -32021
        assert refused.value.error.data == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}


async def test_a_long_call_goes_on_as_a_task_that_holds_its_result() -> None:
    go, ended = asyncio.Event(), []

    async def handler(ctx: Any, params: Any) -> Any:
        await go.wait()
        return DONE

    book = tasks(handler)
    book.ended = lambda ctx, outcome, ms: ended.append(outcome)
    task = await begin(book)
    assert (await ask(book, task))["status"] == "working" and not ended
    go.set()
    state = await until(book, task, "completed")
    assert state["result"]["content"][0]["text"] == "measured"
    assert ended == [DONE]


async def test_the_progress_of_the_call_is_the_message_of_its_task() -> None:
    go = asyncio.Event()
    heard: list[Any] = []

    async def handler(ctx: Any, params: Any) -> Any:
        task = of_this_call.get()
        assert task is not None
        tell = task.follow(lambda *progress: heard.append(progress))
        tell(1, 10, "frame 1 of 10")
        await go.wait()
        tell(5, 10, "frame 5 of 10")
        await asyncio.Event().wait()

    book = tasks(handler)
    task = await begin(book)
    assert (await ask(book, task))["statusMessage"] == "frame 1 of 10"
    go.set()
    for _ in range(100):
        await asyncio.sleep(0)
    assert (await ask(book, task))["statusMessage"] == "frame 5 of 10"
    assert heard == [(1, 10, "frame 1 of 10")], "a task's progress is not sent beside it"
    book.close()


async def test_a_cancelled_task_ends_its_call_and_cancelling_again_is_no_error() -> None:
    gone = asyncio.Event()

    async def handler(ctx: Any, params: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    book = tasks(handler)
    task = await begin(book)
    for _ in range(2):
        assert await book.cancel(request(task), TaskParams(taskId=task)) == {}
        assert "result" not in await until(book, task, "cancelled")
    assert gone.is_set()


async def test_what_a_task_asks_is_answered_by_update_and_a_key_is_never_used_twice() -> None:
    go, given = asyncio.Event(), []

    async def handler(ctx: Any, params: Any) -> Any:
        await go.wait()
        given.append((params.request_state, params.input_responses))
        return QUESTION if len(given) < 3 else DONE

    book = tasks(handler)
    task = await begin(book)
    go.set()
    keys: list[str] = []
    for _ in range(2):
        asked = (await until(book, task, "input_required"))["inputRequests"]
        (key,) = asked
        assert asked[key]["params"]["message"] == "Really?"
        keys.append(key)
        answers = {key: {"action": "accept", "content": {"confirm": True}}, "another": {"what": "ever"}}
        await book.update(request(task), UpdateParams(taskId=task, inputResponses=answers))
        for _ in range(20):
            await asyncio.sleep(0)
    assert (await until(book, task, "completed"))["result"]
    assert len(set(keys)) == 2
    assert given[0] == (None, None)
    assert given[1] == ("sealed", {"confirm": ElicitResult(action="accept", content={"confirm": True})})


async def test_an_answer_of_the_wrong_shape_is_refused_and_the_question_stays() -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        return QUESTION

    book = tasks(handler, use=lambda params: TaskUse.ALWAYS)
    task = await begin(book)
    asked = (await until(book, task, "input_required"))["inputRequests"]
    with pytest.raises(MCPError) as refused:
        await book.update(
            request(task), UpdateParams(taskId=task, inputResponses={next(iter(asked)): {"no": "answer"}})
        )
    assert refused.value.error.code == -32602
    assert (await ask(book, task))["inputRequests"].keys() == asked.keys()
    book.close()


async def test_a_fault_of_the_server_fails_the_task_without_telling_its_insides(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        raise RuntimeError("secret")

    book = tasks(handler, use=lambda params: TaskUse.ALWAYS)
    state = await until(book, await begin(book), "failed")
    assert state["error"]["code"] == -32603 and "secret" not in str(state)
    assert "secret" in caplog.text


async def test_a_task_is_only_for_the_key_that_made_it_and_under_its_own_name() -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        await asyncio.Event().wait()

    book = tasks(handler)
    task = await begin(book)
    for code, options in ((-32602, {"key": "phone"}), (-32020, {"name": "another"})):
        with pytest.raises(MCPError) as refused:
            await book.get(request(**{"name": task, **options}), TaskParams(taskId=task))
        assert refused.value.error.code == code
    book.close()


async def test_a_task_can_be_asked_for_as_long_as_it_says_and_is_then_forgotten() -> None:
    clock = Clock()

    async def handler(ctx: Any, params: Any) -> Any:
        return DONE

    book = tasks(handler, clock=clock, use=lambda params: TaskUse.ALWAYS)
    task = await begin(book)
    state = await until(book, task, "completed")
    assert state["ttlMs"] == KEPT * 1000
    clock.now += KEPT
    assert (await ask(book, task))["status"] == "completed"
    clock.now += 1
    with pytest.raises(MCPError) as refused:
        await ask(book, task)
    assert refused.value.error.code == -32602


async def test_with_many_tasks_at_hand_a_call_is_answered_when_it_is_done() -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        return DONE

    book = tasks(handler, use=lambda params: TaskUse.ALWAYS)
    made = [await book.call_tool(request(), CALL) for _ in range(65)]
    assert made[-1] is DONE and made[-2] is not DONE


async def test_when_the_server_stops_its_tasks_end() -> None:
    async def handler(ctx: Any, params: Any) -> Any:
        await asyncio.Event().wait()

    book = tasks(handler)
    task = await begin(book)
    book.close()
    assert (await until(book, task, "cancelled"))["statusMessage"] == "The server has stopped."


async def test_a_call_that_its_client_gives_up_at_once_does_not_become_a_task() -> None:
    began, gone = asyncio.Event(), asyncio.Event()

    async def handler(ctx: Any, params: Any) -> Any:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    call = asyncio.ensure_future(Tasks(handler, grace=60).call_tool(request(), CALL))
    await began.wait()
    call.cancel()
    await gone.wait()


async def test_whoever_knows_no_tasks_cannot_listen_for_them_either() -> None:
    async def begin(uris: Any) -> None:
        raise AssertionError("it does not come to that")

    notices = SimpleNamespace(bus=InMemorySubscriptionBus())
    subscriptions = Subscriptions(notices, lambda ctx: "", lambda session: True, begin)  # type: ignore[arg-type]
    asked = SubscriptionsListenRequestParams.model_validate({"notifications": {"taskIds": ["one"]}})
    with pytest.raises(MCPError) as refused:
        await subscriptions.listen(request(extensions={}), asked)
    assert refused.value.error.code == -32021


async def test_a_task_of_any_tool_has_an_hour_whatever_the_tool_takes_otherwise() -> None:
    short = {}
    for name, tool in TABLE.items():
        if tool.run is None:
            continue
        queue = Deadlines()
        host = Host(SimpleNamespace(), queue, Settings, {})  # type: ignore[arg-type]  # nothing runs
        calls = ToolCalls(host, TABLE)
        of_this_call.set(Task("owner", Clock()))
        call = calls._call(called(), tool)
        with pytest.raises(ToolFailure):
            await runner.run(call, tool, given_to(tool))
        if queue.asked < LONGEST:
            short[name] = queue.asked
    assert short == {}
    assert any(tool.deadline is not None for tool in TABLE.values())


class Deadlines:
    """A queue that takes nothing and remembers the deadline it was asked for."""

    asked = 0.0

    def submit(self, work: Any, *, deadline: float, **_: Any) -> Any:
        self.asked = deadline
        raise ToolFailure(Code.BUSY, "Only looking.")


def called() -> Any:
    """A request, as far as a call is made of it."""
    session = SimpleNamespace(client_params=None)
    return SimpleNamespace(meta=None, session=session, request=SimpleNamespace(headers={}, scope={}))


def given_to(tool: Any) -> Any:
    """Arguments with every default; what has none is left out, as only the deadline is computed of them."""
    return tool.arguments.model_construct()

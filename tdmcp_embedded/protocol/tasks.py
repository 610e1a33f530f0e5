"""Long calls as tasks (extension `io.modelcontextprotocol/tasks`, 2026-07-28).

A client that knows tasks gets, of a call that is not over at once, a handle to ask by; the call goes on, whoever
comes or goes. The server alone decides: a quick call is answered as ever, and so is every call of other clients.
The call itself is what it always is, work in the frame queue: cancelling the task takes it out of the queue.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    InputResponse,
    RequestParams,
    Result,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field, TypeAdapter, ValidationError

from tdmcp_embedded.protocol.offer import Context, TaskUse
from tdmcp_embedded.protocol.task import Task, of_this_call

_log = logging.getLogger(__name__)

EXTENSION: Final = "io.modelcontextprotocol/tasks"

#: Seconds a call may take before it becomes a task.
GRACE: Final = 1.0

#: Tasks kept at once, running or over, of all keys and of one. Beyond that a call is answered when it is done, as without the extension.
_MOST: Final = 128
_MOST_OF_ONE: Final = 64

Handler = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult | InputRequiredResult]]
Ended = Callable[[Context, Any, float], None]

_ANSWER: Final[TypeAdapter[InputResponse]] = TypeAdapter(InputResponse)


class TaskParams(RequestParams):
    """Which task."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Answers to what the task asks. Whether they fit is seen when their question is known."""

    input_responses: dict[str, Any] = Field(alias="inputResponses")


class Tasks:
    """The handlers of `tools/call` and of the extension's methods.

    Args:
        handler: answers a tool call, whatever it takes.
        use: when the call becomes a task.
        grace: seconds a call may take before it does.
    """

    def __init__(
        self,
        handler: Handler,
        use: Callable[[CallToolRequestParams], TaskUse] = lambda params: TaskUse.WHEN_LONG,
        *,
        grace: float = GRACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._handler, self._use, self._grace, self._clock = handler, use, grace, clock
        self._tasks: dict[str, Task] = {}
        #: Told of each task's end: the request it came with, what its call gave or raised, its milliseconds.
        self.ended: Ended = lambda ctx, outcome, ms: None

    @property
    def methods(self) -> Mapping[str, tuple[type[RequestParams], Callable[[Context, Any], Awaitable[Any]]]]:
        """The extension's methods: what each takes and who answers."""
        return {
            "tasks/get": (TaskParams, self.get),
            "tasks/update": (UpdateParams, self.update),
            "tasks/cancel": (TaskParams, self.cancel),
        }

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult | dict[str, Any]:
        """The handler of `tools/call`: its answer, or a task if that takes long."""
        use = self._use(params)
        if not knows_tasks(ctx):
            if use is TaskUse.REQUIRED:
                require(ctx)
            return await self._handler(ctx, params)
        self._forget()
        owner = _owner(ctx)
        own = sum(task.owner == owner for task in self._tasks.values())
        if len(self._tasks) >= _MOST or own >= _MOST_OF_ONE:
            return await self._handler(ctx, params)
        task = Task(owner, self._clock)
        task.handed_over = use is not TaskUse.WHEN_LONG
        work = task.work = asyncio.create_task(self._answer(task, ctx, params))
        if not task.handed_over:
            try:
                done, _ = await asyncio.wait({work}, timeout=self._grace)
            except asyncio.CancelledError:
                work.cancel()
                raise
            if done:
                return work.result()
            task.handed_over = True
        self._tasks[task.id] = task
        work.add_done_callback(lambda ended: self._settle(task, ctx, params, ended))
        return {"resultType": "task", **task.state()}

    async def get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """The handler of `tasks/get`."""
        return self._find(ctx, params).details()

    async def update(self, ctx: Context, params: UpdateParams) -> dict[str, Any]:
        """The handler of `tasks/update`: the call goes on once everything it asked is answered."""
        task = self._find(ctx, params)
        for key, given in params.input_responses.items():
            if key not in task.asks:
                continue  # never asked, or answered already
            try:
                answer = _ANSWER.validate_python(given, by_name=False)
            except ValidationError:
                raise MCPError(INVALID_PARAMS, f"This is no answer to {key}.") from None
            task.answer(key, answer)
        return {}

    async def cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """The handler of `tasks/cancel`; of one that is over nothing changes."""
        self._find(ctx, params).cancel()
        return {}

    def close(self) -> None:
        """End whatever still runs; when the server stops."""
        for task in self._tasks.values():
            task.cancel("The server has stopped.")

    async def _answer(
        self, task: Task, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """The call, from its start to its end; what it asks after it has become a task is asked by the task."""
        of_this_call.set(task)
        while True:
            result = await self._handler(ctx, params)
            if not isinstance(result, InputRequiredResult) or not task.handed_over:
                return result
            responses = await task.ask(result.input_requests or {})
            params = params.model_copy(
                update={"input_responses": responses, "request_state": result.request_state}
            )

    def _settle(
        self, task: Task, ctx: Context, params: CallToolRequestParams, work: asyncio.Task[Any]
    ) -> None:
        outcome: Any
        if work.cancelled():
            outcome = asyncio.CancelledError()
            task.cancelled()
        elif (error := work.exception()) is not None:
            outcome = error
            if not isinstance(error, MCPError):
                _log.error("the task of %s failed", params.name, exc_info=error)
                error = MCPError(INTERNAL_ERROR, "Internal error")
            task.failed(error.error.model_dump(by_alias=True, mode="json", exclude_none=True))
        else:
            outcome = work.result()
            task.completed(_dumped(outcome))
        self.ended(ctx, outcome, task.age_ms)

    def _find(self, ctx: Context, params: TaskParams) -> Task:
        require(ctx)
        # As the SDK checks it of the methods it knows itself.
        header = ctx.request.headers.get(MCP_NAME_HEADER) if ctx.request is not None else params.task_id
        if decode_header_value(header) != params.task_id:
            raise MCPError(HEADER_MISMATCH, f"{MCP_NAME_HEADER} must be the taskId of the body.")
        self._forget()
        task = self._tasks.get(params.task_id)
        if task is None or task.owner != _owner(ctx):
            raise MCPError(INVALID_PARAMS, "There is no such task, or not any more.")
        return task

    def _forget(self) -> None:
        for task in [task for task in self._tasks.values() if task.expired]:
            task.cancel("Nobody answered.")
            del self._tasks[task.id]


def knows_tasks(ctx: Context) -> bool:
    """Whether the client says, with this very request, that it can be given a task."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def require(ctx: Context) -> None:
    """Let only those pass who know tasks.

    Raises:
        MCPError: the client does not.
    """
    if knows_tasks(ctx):
        return
    raise MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"This needs a client that declares the extension {EXTENSION}.",
        {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def _owner(ctx: Context) -> str:
    """Whose task it is: an id is a secret, but a task is no business of other keys even so."""
    key = ctx.request.scope.get("tdmcp.key") if ctx.request is not None else None
    return key.id if key is not None else ""


def _dumped(result: Result) -> dict[str, Any]:
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)

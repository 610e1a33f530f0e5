"""The tasks extension for the official client, which brings none: it takes a task and asks until that is over."""

from __future__ import annotations

from typing import Any, Literal

import anyio
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict, Field

from tdmcp_embedded.protocol.tasks import EXTENSION

#: Seconds between two questions.
_PAUSE = 0.05


class _Task(Result):
    model_config = ConfigDict(extra="allow")

    result_type: Literal["task"] = Field(default="task", alias="resultType")
    task_id: str = Field(alias="taskId")


class _Params(RequestParams):
    task_id: str = Field(alias="taskId")


class _Get(Request[_Params, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class _Cancel(Request[_Params, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    name_param = "taskId"


class _State(Result):
    model_config = ConfigDict(extra="allow")

    status: str
    message: str = Field(default="", alias="statusMessage")
    result: dict[str, Any] | None = None


class TaskClient(ClientExtension):
    """Follows every task to its end; `seen` are the states it was told of.

    Args:
        cancel: cancel each task as soon as it has begun.
    """

    identifier = EXTENSION

    def __init__(self, *, cancel: bool = False) -> None:
        self.cancel = cancel
        self.seen: list[tuple[str, str]] = []

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=_Task, resolve=self._follow)]

    async def _follow(self, made: _Task, context: ClaimContext) -> CallToolResult:
        params = _Params(taskId=made.task_id)
        while True:
            state = await context.session.send_request(_Get(params=params), _State)
            self.seen.append((state.status, state.message))
            if state.status == "completed":
                return CallToolResult.model_validate(state.result)
            if state.status != "working":
                return CallToolResult(content=[], is_error=True)
            if self.cancel:
                await context.session.send_request(_Cancel(params=params), Result)
            await anyio.sleep(_PAUSE)

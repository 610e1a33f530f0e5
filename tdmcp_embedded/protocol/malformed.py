"""Requests whose parameters have not the form that the protocol asks for: the answer says which, and what they take."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import ValidationError

from tdmcp_embedded.tools import validation_messages
from tdmcp_embedded.tools.parsing import location

Context = ServerRequestContext[Any, Any]

#: Faults that an answer names.
_MOST: Final = 5
#: Characters of a value that it quotes.
_LONGEST: Final = 80


async def explain(ctx: Context, call_next: Callable[[Context], Any]) -> Any:
    """A middleware: what pydantic finds wrong with a request is said in our words.

    The SDK itself would answer "Invalid request parameters", and nothing else.
    """
    try:
        return await call_next(ctx)
    except ValidationError as error:
        raise MCPError(INVALID_PARAMS, sentence(str(ctx.method), error)) from None


def sentence(method: str, error: ValidationError) -> str:
    """What is wrong with the parameters of a request, such as `prompts/get: name is missing.`"""
    wrong: dict[str, list[Any]] = {}
    for fault in error.errors(include_url=False):
        path = location(fault["loc"], fault["type"])
        wrong.setdefault(".".join(path[path[:1] == ["params"] :]) or "params", []).append(fault)
    # Of a union, what is said about the parts of the form that was meant.
    told = [name for name in wrong if not any(other.startswith(f"{name}.") for other in wrong)]
    return f"{method}: " + "; ".join(_clause(name, wrong[name]) for name in told[:_MOST]) + "."


def _clause(name: str, faults: list[Any]) -> str:
    if all(fault["type"] == "missing" for fault in faults):
        return f"{name} is missing"
    if all(fault["type"] == "extra_forbidden" for fault in faults):
        return f"{name} is not known"
    faults = [fault for fault in faults if fault["type"] not in ("missing", "extra_forbidden")]
    shown = json.dumps(faults[0]["input"], ensure_ascii=True, default=str)
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 3] + "..."
    return f"{name} {validation_messages.clause(faults, shown)}"

"""Completions: asks the main thread what a half-typed argument may become, briefly."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from mcp_types import Completion

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.protocol import results
from tdmcp_embedded.protocol.requests import Context, Host, key_id, session_id
from tdmcp_embedded.touchdesigner import suggesting

#: The most a completion may hold, by the protocol.
_MOST: Final = 100
#: Seconds for an answer: whoever types does not wait longer.
_PATIENCE: Final = 1.0


@dataclass(frozen=True)
class Asked:
    """What is completed: `what` is path, type, parameter or value; `given` the other arguments so far."""

    what: str
    typed: str
    given: Mapping[str, str]
    family: str = ""


async def ask(host: Host, ctx: Context, asked: Asked) -> Completion:
    """The completions of an argument.

    Raises:
        MCPError: the main thread does not answer. No completions would say that there are none.
    """
    try:
        job = host.queue.submit(
            lambda: _found(host.td, asked),
            session=session_id(ctx), owner=key_id(ctx), label="complete", deadline=_PATIENCE, remember=False,
        )  # fmt: skip
        return _completion(await asyncio.wrap_future(job.future))
    except ToolFailure as refusal:
        raise results.protocol_error(refusal) from None


def of_words(typed: str, words: Sequence[str]) -> Completion:
    """Completions from a fixed list."""
    return _completion(suggesting.matching(typed, words))


def _found(td: ModuleType, asked: Asked) -> list[str]:
    if asked.what == "path":
        return suggesting.paths(td, asked.typed, asked.family)
    if asked.what == "type":
        return suggesting.types(td, asked.typed)
    path = asked.given.get("path", "")
    if asked.what == "parameter":
        return suggesting.parameters(td, path, asked.typed)
    return suggesting.menu_words(td, path, asked.given.get("parameter", ""), asked.typed)


def _completion(values: Sequence[str]) -> Completion:
    return Completion(values=list(values[:_MOST]), total=len(values), has_more=len(values) > _MOST)

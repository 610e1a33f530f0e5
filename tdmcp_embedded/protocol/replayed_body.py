"""The body of a request that was read before the endpoint reads it."""

from __future__ import annotations

from starlette.types import Message, Receive


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body first, and then what the client does (in the end, disconnects)."""
    given = False

    async def give() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give

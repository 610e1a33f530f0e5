"""Who wants to hear of which resource: sessions that subscribed, and, in 2026-07-28, open listening streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from tdmcp_embedded.protocol import tasks
from tdmcp_embedded.protocol.notices import Notices
from tdmcp_embedded.protocol.offer import Context
from tdmcp_embedded.protocol.requests import key_id

#: Resources one session or stream may subscribe to, and those of one key together: every one is looked at again and
#: again, in time that all keys share.
_MOST: Final = 200
_MOST_OF_ONE: Final = 1000
#: Streams one key may listen on at once; the SDK has 1024 for all.
_STREAMS_OF_ONE: Final = 256


class Subscriptions:
    """The handlers of subscribing, and the list of what is wanted.

    Args:
        session_of: the id of the session a request belongs to.
        is_open: whether a session of the handshake era still is.
        begin: called with addresses somebody is about to hear of, before the client gets its answer, so that no
            change after that answer is missed.
    """

    def __init__(
        self,
        notices: Notices,
        session_of: Callable[[Context], str],
        is_open: Callable[[str], bool],
        begin: Callable[[Iterable[str]], Awaitable[None]],
    ) -> None:
        self._listen = ListenHandler(notices.bus)
        self._session_of, self._is_open, self._begin = session_of, is_open, begin
        self._sessions: dict[str, set[str]] = {}
        self._owners: dict[str, str] = {}
        """The key of each session."""
        self._streams: Counter[str] = Counter()
        self._listening: dict[object, tuple[str, int]] = {}
        """Of each open stream its key, and how many resources it is about."""
        notices.subscribers_of = self._subscribers_of

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        """The handler of `resources/subscribe`."""
        session, owner = self._session_of(ctx), key_id(ctx)
        wanted = self._sessions.get(session, set())
        _limit({*wanted, params.uri})
        self._limit_key(owner, params.uri not in wanted)
        self._sessions.setdefault(session, wanted).add(params.uri)
        self._owners[session] = owner
        await self._begin([params.uri])
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """The handler of `resources/unsubscribe`."""
        self._sessions.get(self._session_of(ctx), set()).discard(params.uri)
        return EmptyResult()

    async def listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """The handler of `subscriptions/listen`, which lasts as long as the stream."""
        if "taskIds" in (params.notifications.model_extra or {}):
            tasks.require(ctx)  # they are not told of even so: a task is asked for
        uris = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
        _limit(uris)
        owner, stream = key_id(ctx), object()
        if sum(other == owner for other, _ in self._listening.values()) >= _STREAMS_OF_ONE:
            raise MCPError(INVALID_PARAMS, f"This access key listens on {_STREAMS_OF_ONE} streams; end one.")
        self._limit_key(owner, len(uris))
        self._listening[stream] = (owner, len(uris))
        self._streams.update(uris)
        try:
            if uris:
                await self._begin(uris)
            return await self._listen(ctx, params)
        finally:
            del self._listening[stream]
            self._streams.subtract(uris)
            self._streams += Counter()  # drops what nobody listens to any more

    def wanted(self) -> set[str]:
        """The addresses that anybody wants to hear of now."""
        for name in [name for name in self._sessions if not self._is_open(name)]:
            del self._sessions[name]
            self._owners.pop(name, None)
        return set(self._streams).union(*self._sessions.values())

    def close(self) -> None:
        """End the open streams in good order."""
        self._listen.close()

    def _limit_key(self, owner: str, more: int) -> None:
        count = more + sum(
            len(uris) for name, uris in self._sessions.items() if self._owners.get(name) == owner
        )
        count += sum(uris for other, uris in self._listening.values() if other == owner)
        if count > _MOST_OF_ONE:
            raise MCPError(
                INVALID_PARAMS, f"At most {_MOST_OF_ONE} resources can be subscribed to with one access key."
            )

    def _subscribers_of(self, uri: str) -> list[str]:
        return [name for name, uris in self._sessions.items() if uri in uris]


def _limit(uris: Iterable[Any]) -> None:
    if len(list(uris)) > _MOST:
        raise MCPError(INVALID_PARAMS, f"At most {_MOST} resources can be subscribed to at once.")

"""`/health`: whether the server and the main thread are alive; answered on the server thread, always at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from starlette.types import Receive, Scope, Send

from tdmcp_embedded import ACCEPTS, CONTRACT, __version__
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http import identity
from tdmcp_embedded.http.answers import answer_json, headers
from tdmcp_embedded.http.credentials import key_of
from tdmcp_embedded.http.hosts import is_local
from tdmcp_embedded.settings import Level


class Health:
    """State, time, version, contract, instance and whether the request counts as from this machine (`local`) for
    everybody; sessions, queue and main-thread age for callers with a key.

    `status` is *ok*, *stalled* (no frame for more than a second) or *starting* (no frame yet).

    Args:
        sessions: how many MCP sessions are open.
        instance_id: as in the registry entry, by which whoever reads that tells servers apart; "" for none.
        instance_secret: also in the entry, and nowhere else: with it a caller's nonce is answered, so that another program
            at our port is shown no key (`identity`).
    """

    def __init__(
        self, queue: FrameQueue, sessions: Callable[[], int], instance_id: str = "", instance_secret: str = ""
    ) -> None:
        self._queue = queue
        self._sessions = sessions
        self._instance_id = instance_id
        self._instance_secret = instance_secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        queue = self._queue.stats()
        if not queue["frames"]:
            status = "starting"
        else:
            status = "stalled" if queue["stalled_for_s"] else "ok"
        content: dict[str, Any] = {
            "status": status,
            "timestamp": round(time.time(), 3),
            "version": __version__,
        }
        # For shims that know this server by its address alone.
        content |= {"contract": CONTRACT, "accepts": ACCEPTS}
        if self._instance_id:
            content["instance_id"] = self._instance_id
        if proof := self._proof(scope):
            content[identity.FIELD] = proof
        # For the check of Public Address: whether its proxy or tunnel can be told.
        content["local"] = is_local(scope)
        key = key_of(scope)
        if key is not None:
            content["sessions"] = self._sessions()
            content["main_thread_age_s"] = queue["last_pump_age_s"]
            # What others do is for the full level only.
            content["queue"] = queue if key.level is Level.FULL else self._queue.stats(key.id)
        await answer_json(scope, send, content)

    def _proof(self, scope: Scope) -> str:
        nonces = headers(scope, identity.HEADER.encode())
        server = scope.get("server")
        if len(nonces) != 1 or server is None:
            return ""
        return identity.prove(self._instance_secret, nonces[0].decode("latin-1"), int(server[1] or 0))

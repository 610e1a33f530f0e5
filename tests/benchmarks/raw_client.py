"""A client that costs as little as a client can: one kept connection, the era without sessions."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from fakes.driver import StandIn
from tests.integration.clients import JSON_HEADERS, PATIENCE
from tests.integration.stress.wire import call_body, payload_of


class RawClient:
    """One connection to a stand-in's server."""

    def __init__(self, td: StandIn) -> None:
        parts = urlsplit(td.url)
        self._headers = {**JSON_HEADERS, **td.headers}
        self._line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a tool call, with `is_error` beside it.

        Raises:
            OSError, http.client.HTTPException: the connection broke.
            Refused: the server would not have the request.
        """
        body, headers = call_body(tool, arguments)
        if self._line.sock is None:
            self._line.connect()
            self._line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._line.request("POST", "/mcp", body, {**self._headers, **headers})
            answer = self._line.getresponse()
            content = answer.read()
        except BaseException:
            self._line.close()
            raise
        if answer.status != 200:
            raise Refused(answer.status, content[:300].decode("utf-8", "replace"))
        result = payload_of(answer.getheader("content-type") or "", content)["result"]
        return {**result.get("structuredContent", {}), "is_error": bool(result.get("isError"))}

    def close(self) -> None:
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Refused(Exception):
    """An HTTP status other than 200, and what was said with it."""


def resident_mb(pid: int) -> float:
    """Memory of a process in MB (Linux; 0 elsewhere)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    return next(
        (int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0.0
    )

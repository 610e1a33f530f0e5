"""A server thread in this process, and small clients that speak HTTP by hand."""

from __future__ import annotations

import http.client
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.thread import Phase, ServerThread, State

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "the-right-key"
#: Of level edit, from anywhere.
REMOTE_TOKEN = "a-key-for-elsewhere"


class HttpHost:
    """One run of the server, with an MCP endpoint that can stream.

    `POST /mcp` answers *ok*; `GET /mcp` opens a stream that sends one event and then stays open.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        scan: int = 0,
        address: str = "127.0.0.1",
        tls: tuple[str, str] = ("", ""),
        certified: Collection[str] = (),
        **settings: Any,
    ) -> None:
        self.queue = FrameQueue()
        self.queue.pump()
        self.states: list[State] = []
        self.settings, self.certified = settings, certified
        self.streams = 0
        self.entered: list[str] = []
        self._news = threading.Condition()
        self.thread = ServerThread(
            self.build,
            address=address,
            port=port,
            scan=scan,
            on_state=self._on_state,
            certificate=tls[0],
            certificate_key=tls[1],
        )

    def build(self, port: int) -> ASGIApp:
        from tdmcp_embedded.http.app import build_app
        from tdmcp_embedded.http.keys import Keys
        from tdmcp_embedded.settings import Level, Settings

        settings = Settings(**{"requests_per_second": 5000, "burst": 1000, **self.settings})
        keys = Keys()
        keys.first(TOKEN)
        keys.make("elsewhere", Level.EDIT, local_only=False, token=REMOTE_TOKEN)
        return build_app(
            self.mcp, lifespan=self.lifespan, queue=self.queue, keys=keys, settings=lambda: settings,
            instance_id=secrets.token_hex(8), certified=self.certified,
        )  # fmt: skip

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        self.entered.append("in")
        yield
        self.entered.append("out")

    async def mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        import asyncio

        kind = b"text/event-stream" if scope["method"] == "GET" else b"application/json"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        if scope["method"] != "GET":
            await receive()
            await send({"type": "http.response.body", "body": b'"ok"'})
            return
        await send({"type": "http.response.body", "body": b"data: hello\n\n", "more_body": True})
        self.streams += 1
        await asyncio.Event().wait()

    def _on_state(self, state: State) -> None:
        with self._news:
            self.states.append(state)
            self._news.notify_all()

    def wait_for(self, wanted: Callable[[State], bool], timeout: float = 60.0) -> State:
        with self._news:
            assert self._news.wait_for(lambda: bool(self.states) and wanted(self.states[-1]), timeout), (
                self.states
            )
            return self.states[-1]

    def start(self) -> HttpHost:
        self.thread.start()
        state = self.wait_for(lambda state: state.phase is not Phase.STARTING)
        assert state.phase is Phase.SERVING, state
        return self

    def stop(self) -> None:
        self.queue.close("The test is over.")
        assert self.thread.stop(timeout=30)

    @property
    def port(self) -> int:
        return self.thread.state.port

    def request(
        self, method: str = "POST", path: str = "/mcp", body: bytes | None = b"{}", **headers: str
    ) -> tuple[int, bytes]:
        """Ask with the right key and as JSON, unless told otherwise; an empty header is left out."""
        fields = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                method, path, body=body, headers={name: value for name, value in fields.items() if value}
            )
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def open_stream(self) -> socket.socket:
        """A client that listens to the event stream; the first event has arrived."""
        line = self.connect()
        line.sendall(
            f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        received = b""
        while b"hello" not in received:
            part = line.recv(4096)
            assert part, received
            received += part
        return line

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

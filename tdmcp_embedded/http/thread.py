"""The HTTP server on a thread of its own, inside a host that knows nothing of it.

Importing this module is cheap: everything heavy is imported on the thread. The host's logging, signal handlers,
event-loop policy and standard output are left alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from tdmcp_embedded import threads
from tdmcp_embedded.http.imports import import_all, in_small_bites
from tdmcp_embedded.http.listening import CannotListen, Listener, listen, listen_here, serves_this_machine

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp

    from tdmcp_embedded.http.connections import Server

#: Seconds that answers under way have, when the server stops, before they are broken off.
_GRACE_S: Final = 1


class Phase(Enum):
    """Where a server thread stands."""

    STARTING = "starting"
    SERVING = "serving"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class State:
    """What a server thread is doing.

    `sentence` says in words why it failed; `error` is what was raised (`CannotListen`, or whatever the application's
    factory or the server threw). `port` is the one it listens on, 0 before it does.
    """

    phase: Phase
    port: int = 0
    sentence: str = ""
    error: BaseException | None = None


class ServerThread:
    """One run of an ASGI application on a background thread. Make a new one for every start.

    Where the address is another than 127.0.0.1, or speaks TLS, it listens at 127.0.0.1 in plain HTTP as well.

    Args:
        app_factory: makes the application, given the port; called on the thread, after the heavy imports.
        address, port, scan: where to listen (see `listening.listen`).
        on_state: told every change of `state`; called on the thread, must not block.
        certificate, certificate_key: files (PEM) for HTTPS, if wanted.
    """

    def __init__(
        self,
        app_factory: Callable[[int], ASGIApp],
        *,
        address: str,
        port: int,
        scan: int = 0,
        on_state: Callable[[State], None] = lambda state: None,
        certificate: str = "",
        certificate_key: str = "",
    ) -> None:
        self._app_factory = app_factory
        self._address, self._port, self._scan = address, port, scan
        self._on_state = on_state
        self._certificate, self._certificate_key = certificate, certificate_key
        self._state = State(Phase.STARTING)
        self._asked_to_stop = threading.Event()
        self._server: Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Listener] = []
        # A daemon, so that a host which ends without telling us can end.
        self._thread = threading.Thread(
            target=threads.guarded, args=(self._run, "The server's thread"), name="tdmcp-http", daemon=True
        )

    @property
    def state(self) -> State:
        return self._state

    @property
    def alive(self) -> bool:
        """Whether the thread runs; it may hold its port as long as it does."""
        return self._thread.is_alive()

    @property
    def local_port(self) -> int:
        """The port at 127.0.0.1 for plain HTTP, known once `state` has a port."""
        return int(self._listeners[-1].getsockname()[1])

    @property
    def notice(self) -> str:
        """What a person should know of where it listens, known once `state` has a port."""
        return self._listeners[0].notice

    def start(self) -> None:
        """Start the thread and return at once; binding and importing happen there, `on_state` tells how they went."""
        self._thread.start()

    def request_stop(self) -> None:
        """Ask it to stop and return at once. Open streams are closed; the port is free within two seconds."""
        self._asked_to_stop.set()
        loop, server = self._loop, self._server
        if loop is not None and server is not None:
            with contextlib.suppress(RuntimeError):  # it has ended this very moment
                loop.call_soon_threadsafe(_exit_now, server)
        else:
            # Still importing, which cannot be broken off; but the ports are free at once.
            for listener in self._listeners:
                listener.close()

    def stop(self, timeout: float = 2.0) -> bool:
        """Ask it to stop and wait for that, at most `timeout` seconds.

        Returns:
            Whether it has stopped.
        """
        self.request_stop()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    # On the thread

    def _run(self) -> None:
        try:
            self._serve()
            self._tell(State(Phase.STOPPED, self._state.port))
        except CannotListen as error:
            self._tell(State(Phase.FAILED, sentence=str(error), error=error))
        except BaseException as error:  # noqa: BLE001 - uvicorn says "cannot start" with SystemExit; nobody is above us
            served = self._state.phase is Phase.SERVING
            self._tell(State(Phase.FAILED, self._state.port, _sentence(error, served), error))
        finally:
            self._server = self._loop = None

    def _serve(self) -> None:
        # Bound first: it tells at once whether the port is to be had, and callers then wait instead of being refused.
        listeners = self._listeners = [
            listen(self._address, self._port, self._scan, pause=self._asked_to_stop.wait)
        ]
        try:
            port = listeners[0].getsockname()[1]
            if not serves_this_machine(self._address, bool(self._certificate)):
                listeners.append(listen_here(port, self._scan, pause=self._asked_to_stop.wait))
            self._tell(State(Phase.STARTING, port))
            with in_small_bites():
                import_all()
                app = self._app_factory(port)
                server = self._make_server(app)
                import asyncio  # 60 ms, which the main thread does not need to spend

                from tdmcp_embedded.http.connections import Loop
            # An explicit loop: neither the host's policy nor uvloop nor, on Windows, Proactor (whose listener can die
            # when a server is started again) has a say in it.
            with asyncio.Runner(loop_factory=Loop) as runner:
                runner.run(self._until_stopped(server))
        finally:
            for listener in listeners:
                listener.close()

    def _make_server(self, app: ASGIApp) -> Server:
        import uvicorn

        from tdmcp_embedded.http.connections import Connection, Server

        config = uvicorn.Config(
            app,
            # Logging belongs to the host; uvicorn's own set-up also asks sys.stdout for isatty, which TouchDesigner's
            # may not have.
            log_config=None,
            access_log=False,
            use_colors=False,
            lifespan="on",
            http=Connection,
            ws="none",
            proxy_headers=False,
            server_header=False,
            h11_max_incomplete_event_size=32 * 1024,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=_GRACE_S,
            ssl_certfile=self._certificate or None,
            ssl_keyfile=self._certificate_key or None,
        )
        return Server(config)

    async def _until_stopped(self, server: Server) -> None:
        from asyncio import get_running_loop
        from concurrent.futures import ThreadPoolExecutor

        from tdmcp_embedded.http.connections import Loop

        self._server, self._loop = server, get_running_loop()
        port = self._state.port
        if len(self._listeners) > 1:
            assert isinstance(self._loop, Loop)
            self._loop.plain = self._listeners[1]
        # Of our own, so that its threads are called like ours: the log tells our records by that.
        self._loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="tdmcp-worker"))
        server.on_started = lambda: self._tell(State(Phase.SERVING, port))
        if not self._asked_to_stop.is_set():
            await server.serve(sockets=list(self._listeners))

    def _tell(self, state: State) -> None:
        self._state = state
        threads.guarded(self._on_state, "Taking note of the server's state", state)


def _exit_now(server: Server) -> None:
    server.should_exit = True


def _sentence(error: BaseException, served: bool = False) -> str:
    if isinstance(error, SystemExit):
        return (
            "The server ended unexpectedly; the log may have the reason."
            if served
            else "The server could not start; the log has the reason."
        )
    return f"The server failed: {type(error).__name__}: {error}"

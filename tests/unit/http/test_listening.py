"""Getting a port as Windows gives it: held for a while by what clients have yet to close, or reserved in blocks."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tdmcp_embedded.http import listening
from tdmcp_embedded.http.listening import CannotListen, Listener

HELD, DENIED = errno.EADDRINUSE, errno.EACCES


class Ports:
    """Refuses wanted ports like Windows: each so often, or always."""

    def __init__(self, refusals: dict[int, int], code: int = HELD) -> None:
        self.refusals, self.code = refusals, code
        self.asked: list[int] = []
        self.given: list[Listener] = []

    def bind(self, address: str, port: int) -> Listener:
        self.asked.append(port)
        if self.refusals.get(port, 0):
            self.refusals[port] -= 1
            raise OSError(self.code, "refused")
        listener = Listener(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.given.append(listener)
        listener.bind((address, 0))
        if port:
            listener.getsockname = lambda: (address, port)  # type: ignore[method-assign]
        return listener


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ports]]:
    made: list[Ports] = []

    def use(refusals: dict[int, int], code: int = HELD, own: tuple[int, ...] = ()) -> Ports:
        made.append(Ports(refusals, code))
        monkeypatch.setattr(listening, "_bind", made[-1].bind)
        monkeypatch.setattr(listening, "_own", {("127.0.0.1", port) for port in own})
        return made[-1]

    yield use
    for one in made:
        for listener in one.given:
            listener.close()


def get(system: str = "win32", *, stopped: bool = False, scan: int = 2) -> Listener:
    return listening.listen("127.0.0.1", 9988, scan, pause=lambda seconds: stopped, system=system)


@pytest.mark.parametrize("code", [HELD, DENIED])
def test_a_port_that_was_ours_is_tried_again_until_half_closed_connections_let_it_go(
    ports: Callable[..., Ports], code: int
) -> None:
    windows = ports({9988: 7}, code, own=(9988,))
    assert get().getsockname()[1] == 9988
    assert windows.asked == [9988] * 8


def test_after_some_seconds_another_program_has_it_and_the_next_one_serves(
    ports: Callable[..., Ports], monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = ports({9988: 10**6}, own=(9988,))
    now = [0.0]
    monkeypatch.setattr(listening.time, "monotonic", lambda: now[0])

    def pause(seconds: float) -> bool:
        now[0] += seconds
        return False

    got = listening.listen("127.0.0.1", 9988, 2, pause=pause, system="win32")
    assert got.getsockname()[1] == 9989 and 3 <= now[0] <= 6
    asked = len(windows.asked)
    # And the one that is lost is not waited for again.
    now[0] = 0.0
    assert listening.listen("127.0.0.1", 9988, 2, pause=pause, system="win32").getsockname()[1] == 9989
    assert now[0] == 0.0 and len(windows.asked) == asked + 2


@pytest.mark.parametrize(
    ("system", "own", "stopped"),
    [("win32", (), False), ("linux", (9988,), False), ("darwin", (9988,), False), ("win32", (9988,), True)],
    ids=["another's port", "Linux", "macOS", "asked to stop"],
)
def test_nobody_waits_for_a_port_otherwise(
    ports: Callable[..., Ports], system: str, own: tuple[int, ...], stopped: bool
) -> None:
    windows = ports({9988: 7}, own=own)
    assert get(system, stopped=stopped).getsockname()[1] == 9989
    assert windows.asked == [9988, 9989]


def test_the_port_of_a_server_is_remembered_as_ours(ports: Callable[..., Ports]) -> None:
    windows = ports({9988: 1})
    get().close()
    windows.refusals[9989] = 3
    assert get(scan=0).getsockname()[1] == 9988
    windows.refusals[9988] = 3
    assert get().getsockname()[1] == 9988


def test_this_machines_own_port_is_waited_for_too(ports: Callable[..., Ports]) -> None:
    windows = ports({9988: 3}, own=(9988,))
    assert listening.listen_here(9988, 2, pause=lambda s: False, system="win32").getsockname()[1] == 9988
    assert windows.asked == [9988] * 4


def test_where_windows_has_reserved_every_port_a_free_one_serves_and_the_reason_is_said(
    ports: Callable[..., Ports],
) -> None:
    windows = ports({9988: 1, 9989: 1, 9990: 1}, DENIED)
    listener = get()
    assert windows.asked == [9988, 9989, 9990, 0]
    assert listener.getsockname()[1] not in (0, 9988)
    assert "Ports 9988 to 9990 are all reserved by Windows" in listener.notice
    assert "netsh interface ipv4 show excludedportrange protocol=tcp" in listener.notice


def test_ports_that_other_programs_have_are_no_reserved_ones(ports: Callable[..., Ports]) -> None:
    ports({9988: 1, 9989: 1, 9990: 1}, HELD)
    with pytest.raises(CannotListen, match="9988 to 9990 are all taken"):
        get()


def test_a_port_for_administrators_is_not_said_to_be_taken(ports: Callable[..., Ports]) -> None:
    ports({9988: 1}, DENIED)
    with pytest.raises(CannotListen, match=r"Port 9988 may not be used by this user .* 1024 or more"):
        get("linux", scan=0)


def test_what_is_cut_is_gone_with_its_close() -> None:
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
        connection, _ = server.accept()
        listening.reset_on_close(connection)
        connection.close()
        client.settimeout(30)
        with pytest.raises(ConnectionResetError):
            client.recv(1)


def test_the_time_to_linger_has_the_form_of_the_system() -> None:
    size = struct.calcsize("hh" if listening.sys.platform == "win32" else "ii")
    assert len(listening._NO_LINGER) == size


def test_a_server_says_where_it_listens_instead() -> None:
    from tdmcp_embedded.http.thread import ServerThread

    thread: Any = ServerThread(lambda port: None, address="127.0.0.1", port=0)  # type: ignore[arg-type,return-value]
    with Listener(socket.AF_INET, socket.SOCK_STREAM, 0) as listener:
        listener.notice = "Elsewhere."
        thread._listeners = [listener]
        assert thread.notice == "Elsewhere."

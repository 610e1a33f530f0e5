"""What the shim takes from servers, files and addresses, and what it does not. The next case is a line.

The shim runs as a process, as clients run it.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.shim_world import MODERN_META, ShimProcess, World

CALL = {"name": "echo", "arguments": {"text": "a"}}
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"fine":true}}}'
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


class RawServer:
    """Answers each request but those to `/health` with prepared bytes, as long as the other end takes them.

    Args:
        slowly: whether each piece waits a little for the one before.
        instance_id: what `/health` says.
    """

    def __init__(
        self, pieces: Callable[[], Iterable[bytes]], *, slowly: bool = False, instance_id: str = ""
    ) -> None:
        self.requests: list[bytes] = []
        self.health_requests: list[bytes] = []
        self._health = json.dumps({"instance_id": instance_id}).encode()
        self._pieces, self._slowly = pieces, slowly
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            try:
                asked = peer.recv(1 << 16)
                if asked.startswith(b"GET /health "):
                    self.health_requests.append(asked)
                    peer.sendall(
                        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(self._health), self._health)
                    )
                    asked = peer.recv(1 << 16)
                if not asked:
                    return
                self.requests.append(asked)
                for piece in self._pieces():
                    peer.sendall(piece)
                    if self._over.is_set() or (self._slowly and self._over.wait(0.02)):
                        return
            except OSError:
                pass

    def close(self) -> None:
        self._over.set()
        self._listener.close()


@pytest.fixture
def raw() -> Iterator[Callable[..., RawServer]]:
    made: list[RawServer] = []

    def make(pieces: Callable[[], Iterable[bytes]], **options: Any) -> RawServer:
        made.append(RawServer(pieces, **options))
        return made[-1]

    yield make
    for server in made:
        server.close()


def whole(*pieces: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: pieces


def endless(head: bytes, again: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: itertools.chain([head], itertools.repeat(again))


def sized(length: bytes) -> Callable[[], Iterable[bytes]]:
    return whole(OK + b"Content-Length: " + length + b"\r\n\r\n" + ANSWER)


def chunk(size: bytes) -> Callable[[], Iterable[bytes]]:
    return whole(CHUNKED + size + b"\r\n" + ANSWER + b"\r\n0\r\n\r\n")


LENGTH = str(len(ANSWER)).encode()
MANY = 1 << 16

#: (what the server sends, the code of the refusal; "" where the answer arrives)
ANSWERS: dict[str, tuple[Callable[[], Iterable[bytes]], str]] = {
    "a proper answer": (sized(LENGTH), ""),
    "a proper answer in chunks": (chunk(b"%x" % len(ANSWER)), ""),
    "a proper event": (whole(STREAM, b"data: " + ANSWER + b"\n\n"), ""),
    "a pause beyond all numbers": (
        whole(STREAM, b"retry: " + b"9" * 5000 + b"\ndata: " + ANSWER + b"\n\n"),
        "",
    ),
    # more than anybody can read
    "endless headers": (endless(b"HTTP/1.1 200 OK\r\n", b"X: " + b"a" * 1000 + b"\r\n"), "too_large"),
    "endless interim answers": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "too_large"),
    "an endless body without a length": (endless(OK + b"\r\n", b" " * MANY), "too_large"),
    "an endless body with a length": (
        endless(OK + b"Content-Length: 99999999999999\r\n\r\n", b" " * MANY),
        "too_large",
    ),
    "endless chunks": (endless(CHUNKED, b"10000\r\n" + b" " * MANY + b"\r\n"), "too_large"),
    "endless trailers": (endless(CHUNKED + b"0\r\n", b"X: " + b"a" * 1000 + b"\r\n"), "too_large"),
    "an endless line of an event": (endless(STREAM, b"a" * MANY), "too_large"),
    "an endless event": (endless(STREAM, b"data: " + b"a" * MANY + b"\n"), "too_large"),
    "an endless refusal": (endless(b"HTTP/1.1 403 No\r\n\r\n", b" " * MANY), "too_large"),
    # not HTTP
    "an endless status line": (endless(b"HTTP/1.1 200 ", b"a" * 1000), "td_error"),
    "another protocol": (whole(b"SSH-2.0-OpenSSH_9.6\r\n"), "td_error"),
    "a status with two digits": (whole(b"HTTP/1.1 20 OK\r\n\r\n"), "td_error"),
    "a status with four digits": (whole(b"HTTP/1.1 2000 OK\r\n\r\n"), "td_error"),
    "a status that is none": (whole(b"HTTP/1.1 +20 OK\r\n\r\n"), "td_error"),
    "a negative length": (sized(b"-5"), "td_error"),
    "a length with a sign": (sized(b"+5"), "td_error"),
    "a length with an underscore": (sized(b"1_0"), "td_error"),
    "a length in Latin-1": (sized(b"\xb2"), "td_error"),
    "two lengths": (sized(b"5, 5"), "td_error"),
    "no length": (sized(b""), "td_error"),
    "a length beyond all numbers": (sized(b"9" * 5000), "td_error"),
    "a negative chunk": (chunk(b"-1"), "td_error"),
    "a chunk in another notation": (chunk(b"0x10"), "td_error"),
    "a chunk with an underscore": (chunk(b"1_0"), "td_error"),
    "a chunk without a size": (chunk(b""), "td_error"),
    "a chunk that is longer than it says": (chunk(b"5"), "td_error"),
    "a short body": (whole(OK + b"Content-Length: 500\r\n\r\n" + ANSWER), "td_error"),
    "a stream without an answer": (whole(STREAM, b": ping\n\n"), "td_error"),
    # HTTP, but no answer
    "a pause in Latin-1": (
        whole(b"HTTP/1.1 429 X\r\nRetry-After: \xb2\r\nContent-Length: 0\r\n\r\n"),
        "busy",
    ),
    "a pause of years": (
        whole(b"HTTP/1.1 429 X\r\nRetry-After: 99999\r\nContent-Length: 0\r\n\r\n"),
        "busy",
    ),
    "HTML": (
        whole(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>"),
        "internal_error",
    ),
    "a redirection": (
        whole(b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/mcp\r\nContent-Length: 0\r\n\r\n"),
        "internal_error",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_whatever_a_server_sends_the_call_is_answered_and_the_shim_lives(
    world: World, raw: Callable[..., RawServer], name: str
) -> None:
    pieces, code = ANSWERS[name]
    server = raw(pieces)
    shim = world.shim("--url", server.url, TDMCP_TOKEN="secret")
    result = shim.request("tools/call", CALL, modern=True)["result"]
    assert result["structuredContent"].get("code", "") == code, result
    if code:
        assert result["isError"] and result["structuredContent"]["message"].endswith(".")
    assert "secret" not in json.dumps(shim.messages)
    assert shim.request("ping")["result"] == {}
    assert memory(shim) < 200 << 20


def memory(shim: ShimProcess) -> int:
    """Bytes that the process has taken, where the system says so."""
    try:
        return int(Path(f"/proc/{shim.process.pid}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    except (OSError, AttributeError):
        return 0


@pytest.mark.parametrize(
    ("limit", "pieces"),
    [
        ("FIRST_ANSWER", lambda: iter(lambda: b"", None)),
        ("HEAD_LIMIT", lambda: itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], itertools.repeat(b"a"))),
        ("ANSWER_LIMIT", lambda: itertools.chain([OK + b"\r\n"], itertools.repeat(b" "))),
    ],
)
def test_a_server_that_lives_but_does_not_come_to_an_end_is_given_up(
    world: World, raw: Callable[..., RawServer], limit: str, pieces: Callable[[], Iterable[bytes]]
) -> None:
    server = raw(pieces, slowly=True)
    hurried = f"from stdio_shim import __main__ as m; import sys; m.{limit} = m.PATIENCE = 0.2; m.main(sys.argv[2:])"
    shim = world.shim(
        "--url", server.url, python=[sys.executable, "-c", hurried], PYTHONPATH=str(Path(__file__).parents[2])
    )
    refusal = shim.request("tools/call", CALL, modern=True)["result"]["structuredContent"]
    assert refusal["code"] == "main_thread_stalled" and refusal["retryable"] is False
    assert shim.request("ping")["result"] == {}


# Files

UNIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes; the user's profile is private")


def _mode(mode: int) -> Callable[[Path], None]:
    return lambda path: path.chmod(mode)


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))


def _posix_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _large(path: Path) -> None:
    path.write_text(path.read_text() + " " * (2 << 20))
    path.chmod(0o600)


def _posix_foreign(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(path, 54321, -1)


#: (what happens to a file of ours, words of the refusal; "" where it is used, and then nobody else can read it)
FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "private": (_mode(0o600), ""),
    "read only": (_mode(0o400), ""),
    "others can read it": (_mode(0o644), ""),
    "the group can read it": (_mode(0o640), ""),
    "others can write it": (_mode(0o666), "chmod 600"),
    "others can write it only": (_mode(0o602), "chmod 600"),
    "the group can write it": (_mode(0o660), "chmod 600"),
    "a link": (_link, "is a link"),
    "a pipe": (_posix_pipe, "is no regular file"),
    "a folder": (_folder, "is no regular file"),
    "too large": (_large, "is larger"),
    "somebody else's": (_posix_foreign, "belongs to another user"),
}


@UNIX
@pytest.mark.parametrize("name", FILES)
def test_the_entry_of_a_server_is_read_only_if_nobody_else_can_have_written_it(
    world: World, name: str
) -> None:
    change, words = FILES[name]
    world.server("--token", "secret")
    path = next((world.home / "instances").glob("*.json"))
    path.chmod(0o600)
    change(path)
    shim = world.shim()
    result = shim.request("tools/call", CALL, modern=True)["result"]
    if not words:
        assert result["content"][0]["text"] == "a", result
        assert path.stat().st_mode & 0o077 == 0
        return
    refusal = result["structuredContent"]
    assert refusal["code"] == "precondition_failed" and words in refusal["message"], refusal
    assert str(path) in refusal["message"]
    if words == "chmod 600":
        path.chmod(0o600)
        again = shim.request("tools/call", CALL, modern=True)["result"]
        assert again["content"][0]["text"] == "a", "the command that was said helps, without a restart"


@UNIX
@pytest.mark.parametrize("name", FILES)
def test_the_list_of_projects_which_names_programs_is_read_so_too(world: World, name: str) -> None:
    change, words = FILES[name]
    path = world.home / "projects.json"
    program = {"path": str(world.home / "show.toe"), "build": "1", "executable": sys.executable}
    path.write_text(json.dumps({"projects": [program]}))
    path.chmod(0o600)
    change(path)
    shim = world.shim("--allow-open")
    listed = shim.request("tools/call", {"name": "open_project", "arguments": {}}, modern=True)["result"]
    if words:
        assert listed["structuredContent"]["code"] == "precondition_failed"
        assert words in listed["structuredContent"]["message"]
    else:
        assert [one["build"] for one in listed["structuredContent"]["projects"]] == ["1"]


@UNIX
# The lists may be large.
@pytest.mark.parametrize("name", [name for name, (_, words) in FILES.items() if words != "is larger"])
def test_the_lists_kept_from_before_are_read_so_too(world: World, name: str) -> None:
    change, words = FILES[name]
    path = world.home / "cache" / "lists.json"
    path.parent.mkdir()
    path.write_text(
        json.dumps({"contract": 1, "tools": [{"name": "kept", "inputSchema": {"type": "object"}}]})
    )
    path.chmod(0o600)
    change(path)
    tools = world.shim().request("tools/list", modern=True)["result"]["tools"]
    assert (tools[0]["name"] == "kept") is not bool(words)


def test_what_a_killed_shim_left_of_its_lists_is_removed(world: World) -> None:
    cache = world.home / "cache"
    cache.mkdir()
    for name in ("lists.json.999999999", f"lists.json.{os.getpid()}", "lists.json.bak"):
        (cache / name).write_text("{}")
        os.utime(cache / name, (1e9, 1e9))
    (cache / "lists.json.999999998").write_text("{")
    world.server()
    shim = world.shim()
    shim.request("tools/list", modern=True)
    while not (cache / "lists.json").exists():
        shim.request("ping")
    shim.finish()
    assert not (cache / "lists.json.999999999").exists()
    assert (cache / "lists.json.999999998").exists(), "one on another computer may be writing it"
    assert (cache / f"lists.json.{os.getpid()}").exists(), "another one may be writing it"
    assert (cache / "lists.json.bak").exists()


# Addresses

#: (the host in a server's entry, whether its key goes there)
ADDRESSES: list[tuple[str, bool]] = [
    ("127.0.0.1", True),
    ("localhost", True),
    ("0.0.0.0", True),
    ("127.1", False),
    ("2130706433", False),
    ("0x7f.0.0.1", False),
    ("0177.0.0.1", False),
    ("127.0.0.1.", False),
    ("\uff11\uff12\uff17.0.0.1", False),
    ("localhost.localdomain", False),
    ("LOCALHOST", True),
    ("192.0.2.1", False),
    ("[2001:db8::1]", False),
    ("evil.example", False),
]


@pytest.mark.parametrize(("host", "goes"), ADDRESSES)
def test_a_key_goes_to_this_machine_or_to_an_address_that_the_user_gave(
    world: World, raw: Callable[..., RawServer], host: str, goes: bool
) -> None:
    server = raw(sized(LENGTH))
    entry = enter(world, f"http://{host}:{server.port}/mcp")
    shim = world.shim()
    result = shim.request("tools/call", CALL, modern=True)["result"]
    if goes:
        assert result["structuredContent"] == {"fine": True}
        assert b"Authorization: Bearer secret" in server.requests[0]
        return
    assert result["structuredContent"]["code"] == "precondition_failed"
    assert f"--url {entry}" in result["structuredContent"]["message"]
    assert server.requests == []


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1"])
def test_the_user_can_give_an_address_and_the_entry_its_key(
    world: World, raw: Callable[..., RawServer], host: str
) -> None:
    server = raw(sized(LENGTH))
    entry = enter(world, f"http://{host}:{server.port}/mcp")
    shim = world.shim("--url", entry)
    assert shim.request("tools/call", CALL, modern=True)["result"]["structuredContent"] == {"fine": True}
    assert b"Authorization: Bearer secret" in server.requests[0]


# (what the entry says, what answers at its port says, whether its key goes there)
IDENTITIES: list[tuple[dict[str, Any], str, bool]] = [
    ({"instance_id": "the one"}, "the one", True),
    ({"instance_id": "the one"}, "another", False),
    ({"instance_id": "the one"}, "", False),
    ({}, "", True),  # an older server
    # A server that proves itself: the id is public, and who repeats it is not shown a key.
    ({"instance_id": "the one", "instance_secret": "s"}, "the one", False),
    ({"instance_id": "", "instance_secret": "s"}, "", False),
    ({"instance_id": "the one", "process_started": 1e9}, "the one", False),  # its process id was used again
    ({"instance_id": "the one", "host": "another/linux"}, "the one", False),
]


@pytest.mark.parametrize(("facts", "says", "goes"), IDENTITIES)
@pytest.mark.parametrize("modern", [False, True])
def test_a_key_goes_to_the_very_instance_of_the_entry(
    world: World, raw: Callable[..., RawServer], facts: dict[str, Any], says: str, goes: bool, modern: bool
) -> None:
    server = raw(sized(LENGTH), instance_id=says)
    enter(world, server.url, **facts)
    shim = world.shim()
    result = shim.request("tools/call", CALL, modern=modern)["result"]
    sent = [*server.requests, *server.health_requests]
    assert any(b"secret" in request for request in sent) == goes, sent
    assert not any(b"secret" in request for request in server.health_requests)
    if not goes:
        assert result["isError"] and result["structuredContent"]["code"] == "not_started"


def enter(world: World, url: str, **facts: Any) -> str:
    """A registry entry that says so."""
    path = world.home / "instances" / "1.json"
    path.parent.mkdir()
    path.write_text(
        json.dumps(
            {"pid": os.getpid(), "url": url, "token": "secret", "name": "show", "contract": 1, **facts}
        )
    )
    path.chmod(0o600)
    return url


# Cancelled calls


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("batched", [False, True])
def test_a_cancelled_call_gets_no_answer(world: World, modern: bool, batched: bool) -> None:
    world.server()
    shim, other = world.shim(), world.shim()
    meta = {"_meta": MODERN_META} if modern else {}
    if not modern:
        shim.handshake()

    def asked(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments, **meta}
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

    wait, echo = asked(70, "wait", seconds=3600), asked(71, "echo", text="beside it")
    for message in [[wait, echo]] if batched else [wait, echo]:
        shim.send(message)
    counted(other, "wait")
    shim.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 70, **meta}})
    counted(other, "wait cancelled")
    beside = shim.expect(lambda m: m[0]["id"] == 71 if isinstance(m, list) else m.get("id") == 71)
    assert not batched or len(beside) == 1
    assert "result" in shim.request("tools/call", {"name": "count"}, modern=modern)
    code, _ = shim.finish()
    assert code == 0
    messages = [m for line in shim.messages for m in (line if isinstance(line, list) else [line])]
    assert [m for m in messages if m.get("id") == 70] == []


def counted(shim: ShimProcess, what: str) -> None:
    """Wait until the server has counted this."""
    for _ in range(2000):
        found = shim.request("tools/call", {"name": "count"}, modern=True)["result"]["structuredContent"]
        if found.get(what):
            return
    raise AssertionError(f"{what} was never counted")

"""Bytes as an attacker would send them, over a real connection: what each gets. The next case is a line.

What is not about bytes (names, keys, types) is in tests/unit/http/test_gates.py, whatever is about messages in
test_mcp_endpoint.py.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.integration.http_host import TOKEN, HttpHost

HANG_UP: list[int] = []
KEY = f"Authorization: Bearer {TOKEN}\r\n"
#: The head of a right request, but for the length of its body.
HEAD = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}Content-Type: application/json\r\n"
RIGHT = HEAD + "Content-Length: 2\r\n\r\n{}"
SMUGGLED = f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY}\r\n"
TE = "Transfer-Encoding: chunked\r\n"


def get(target: str, *headers: str) -> str:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""])


#: (bytes as Latin-1, the statuses of the answers to them; an empty list where the server just hangs up)
BYTES: dict[str, tuple[str, list[int]]] = {
    "a right request": (RIGHT, [200]),
    "two right requests in one": (RIGHT + RIGHT, [200, 200]),
    "a right request in chunks": (HEAD + TE + "\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", [200]),
    "a chunk with an extension": (HEAD + TE + "\r\n2;a=b\r\n{}\r\n0\r\n\r\n", [200]),
    "chunks with a trailer": (HEAD + TE + "\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n", [200]),
    # lengths that contradict each other
    "a length and chunks": (HEAD + "Content-Length: 2\r\n" + TE + "\r\n2\r\n{}\r\n0\r\n\r\n", [400]),
    "chunks and a length": (HEAD + TE + "Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", [400]),
    "a request behind chunks and a length": (
        HEAD + "Content-Length: 4\r\n" + TE + "\r\n0\r\n\r\n" + SMUGGLED,
        [400],
    ),
    "two lengths": (HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", [400]),
    "two lengths in one": (HEAD + "Content-Length: 2, 3\r\n\r\n{}", [400]),
    "a negative length": (HEAD + "Content-Length: -2\r\n\r\n{}", [400]),
    "a length with a sign": (HEAD + "Content-Length: +2\r\n\r\n{}", [400]),
    "a length with an underscore": (HEAD + "Content-Length: 1_0\r\n\r\n{}", [400]),
    "a length in another notation": (HEAD + "Content-Length: 0x2\r\n\r\n{}", [400]),
    "a length in Latin-1": (HEAD + "Content-Length: \xb2\r\n\r\n{}", [400]),
    "a length beyond all numbers": (HEAD + "Content-Length: " + "9" * 5000 + "\r\n\r\n{}", [400]),
    "a length of a terabyte": (HEAD + "Content-Length: 1000000000000\r\n\r\n{}", [413]),
    "a length behind a space": (HEAD + "Content-Length : 2\r\n\r\n{}", [400]),
    "another encoding": (HEAD + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", [400]),
    "an encoding that is none": (HEAD + "Transfer-Encoding: identity\r\n\r\n", [400]),
    "an encoding with a tab": (HEAD + "Transfer-Encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", [200]),
    "an encoding twice": (HEAD + TE + TE + "\r\n2\r\n{}\r\n0\r\n\r\n", [400]),
    "an encoding in quotes": (HEAD + 'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n', [400]),
    "an encoding in Latin-1": (HEAD + "Transfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n", [400]),
    # chunks
    "a negative chunk": (HEAD + TE + "\r\n-1\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk in another notation": (HEAD + TE + "\r\n0x2\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk that is no number": (HEAD + TE + "\r\nZZ\r\n", [400]),
    "a chunk longer than it says": (HEAD + TE + "\r\n1\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk of a terabyte": (HEAD + TE + "\r\n" + "f" * 30 + "\r\n", [400]),
    # headers
    "a header that begins with a space": (get("/health", " folded: x"), [421]),
    "a header without a colon": (get("/health", "nothing"), [400]),
    "a header without a name": (get("/health", ": x"), [400]),
    "a header with NUL": (get("/health", "X: a\x00b"), [400]),
    "a header with a bare carriage return": (get("/health", "X: a\rHost: evil.example"), [400]),
    "a name with NUL": (get("/health", "X\x00: a"), [400]),
    "a name with a space": (get("/health", "X Y: a"), [400]),
    "two hosts": (get("/health", "Host: 127.0.0.1"), [400]),
    "no host": ("GET /health HTTP/1.1\r\n\r\n", [400]),
    "a foreign host": (get("/health").replace("127.0.0.1", "evil.example"), [421]),
    "a host and a folded line": ("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n evil.example\r\n\r\n", [421]),
    "two keys": (HEAD + KEY + "Content-Length: 2\r\n\r\n{}", [401]),
    "two types": (HEAD + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", [400]),
    "a head of 33 kB at once": (get("/health", "X: " + "a" * 33_000), [431]),
    "a head of 31 kB": (get("/health", "X: " + "a" * 31_000), [200]),
    "a target of 33 kB": (get("/" + "a" * 33_000), [431]),
    "a head of 200 kB": (get("/health", *["X: " + "a" * 1000] * 200), [400]),
    # the line of the request
    "an absolute target": (get("http://127.0.0.1/health"), [404]),
    "an absolute target elsewhere": (get("http://evil.example/health"), [404]),
    "a target with a query": (get("/health?x=1"), [200]),
    "a target with a fragment": (get("/health#x"), [404]),
    "an encoded target": (get("/%68ealth"), [200]),
    "a target encoded twice": (get("/%2568ealth"), [404]),
    "an encoded slash": (get("/health%2f"), [200]),
    "an encoded NUL": (get("/health%00"), [404]),
    "an encoded line end": (get("/health%0d%0aX:%20y"), [404]),
    "a wrong encoding": (get("/%zz"), [404]),
    "overlong UTF-8": (get("/%c1%a8ealth"), [404]),
    "dots": (get("/x/../health"), [404]),
    "encoded dots": (get("/x/%2e%2e/health"), [404]),
    "an asterisk": (get("*"), [404]),
    "a method in small letters": (RIGHT.replace("POST", "post"), [405]),
    "a method that is none": (RIGHT.replace("POST", "P\x00ST"), [400]),
    "CONNECT": ("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", [404]),
    "TRACE": ("TRACE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + KEY + "\r\n", [405]),
    "HTTP/0.9": ("GET /health\r\n\r\n", [400]),
    "HTTP/1.0": ("GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", [200]),
    "HTTP/2": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
    "HTTP/9": (get("/health").replace("HTTP/1.1", "HTTP/9.9"), [505]),
    "a version that is none": (get("/health").replace("HTTP/1.1", "HTTP/1.1.1"), [400]),
    "TLS": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", [400]),
    "an upgrade to a WebSocket": (
        get(
            "/mcp",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: eA==",
        ),
        [401],
    ),
    "an upgrade to HTTP/2": (get("/health", "Connection: Upgrade", "Upgrade: h2c"), [200]),
    "a second request of another kind": (RIGHT + "nonsense\r\n\r\n", [200, 400]),
    "a second request behind a refused body": (
        RIGHT.replace("POST /mcp", "POST /nothing") + SMUGGLED,
        [404],
    ),
    # bodies
    "a body of a GET": (get("/health", "Content-Length: 2") + "{}", [200]),
    "a body that was not announced": (get("/health") + "{}", [200]),
    "an empty body": (HEAD + "Content-Length: 0\r\n\r\n", [200]),
    "a body that ends early": (HEAD + "Content-Length: 9\r\n\r\n{}", HANG_UP),
    "a request of which half comes": ("POST /mcp HTTP/1.1\r\nHost: 127.", HANG_UP),
    "nothing": ("", HANG_UP),
}


@pytest.fixture(scope="module")
def host() -> Iterator[HttpHost]:
    host = HttpHost().start()
    yield host
    host.stop()


def sent(host: HttpHost, data: bytes) -> bytes:
    """Everything that comes back until the server hangs up; our side of the line is closed for writing."""
    received = b""
    with host.connect() as line:
        # Written beside the reading: a server may refuse and hang up while we still write.
        writer = threading.Thread(target=_write, args=(line, data), daemon=True)
        writer.start()
        with contextlib.suppress(ConnectionError):
            while part := line.recv(65536):
                received += part
        writer.join()
    return received


def _write(line: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("name", BYTES)
def test_bytes_get_what_they_deserve_and_the_next_client_is_served(host: HttpHost, name: str) -> None:
    text, statuses = BYTES[name]
    answer = sent(host, text.encode("latin-1"))
    assert [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)] == statuses, answer
    assert TOKEN.encode() not in answer and b"Traceback" not in answer
    assert host.request() == (200, b'"ok"')


def test_a_refusal_that_is_ours_says_what_to_do(host: HttpHost) -> None:
    answer = sent(host, BYTES["a length and chunks"][0].encode("latin-1"))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert "twice" in json.loads(body)["error"]["message"]


def test_a_body_in_the_smallest_pieces_arrives_whole(host: HttpHost) -> None:
    with host.connect() as line:
        for byte in RIGHT.encode():
            line.sendall(bytes([byte]))
        assert line.recv(4096).startswith(b"HTTP/1.1 200")


def test_chunks_beyond_the_limit_are_refused_though_none_says_how_much_there_is() -> None:
    host = HttpHost(max_body_mb=1).start()
    try:
        chunk = "10000\r\n" + " " * 65536 + "\r\n"
        answer = sent(host, (HEAD + TE + "\r\n" + chunk * 20 + "0\r\n\r\n").encode())
        assert answer.startswith(b"HTTP/1.1 413")
        assert host.request() == (200, b'"ok"')
    finally:
        host.stop()

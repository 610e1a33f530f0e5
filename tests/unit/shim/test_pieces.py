"""The shim's small parts: options, URLs, headers, event streams, connections, lists, waiting."""

from __future__ import annotations

import ast
import base64
import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stdio_shim.__main__ as shim

SOURCE = Path(shim.__file__).read_text(encoding="utf-8")


def test_it_is_written_for_python_3_9_and_imports_the_standard_library_only() -> None:
    tree = ast.parse(SOURCE, feature_version=(3, 9))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).partition(".")[0])
    assert imported <= sys.stdlib_module_names
    slow = {"argparse", "http", "urllib", "ssl", "typing", "dataclasses", "logging", "subprocess", "asyncio"}
    top = {a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names}
    assert not top & slow, "imported at every start, though only sometimes needed"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://127.0.0.1:9988/mcp", "http://127.0.0.1:9988/mcp"),
        ("http://localhost:9988/mcp", "http://127.0.0.1:9988/mcp"),
        ("http://0.0.0.0:9988/mcp", "http://127.0.0.1:9988/mcp"),
        ("https://show.example/mcp?x=1", "https://show.example:443/mcp?x=1"),
        ("http://[::1]:9988", "http://[::1]:9988/"),
    ],
)
def test_urls_are_understood(url: str, text: str) -> None:
    assert shim.Url(url).text == text


@pytest.mark.parametrize("url", ["", "127.0.0.1:9988", "ftp://x/", "http://", "http://a b/", "http://u:p@h/"])
def test_what_is_no_url_is_refused_in_words(url: str) -> None:
    with pytest.raises(ValueError, match="is not a URL like"):
        shim.Url(url)


def test_options_come_from_the_line_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDMCP_URL", "http://127.0.0.1:1/mcp")
    monkeypatch.setenv("TDMCP_TOKEN", "from the environment")
    values, problem = shim.options(["--url", "http://127.0.0.1:2/mcp", "--instance=show"])
    assert not problem
    assert values["--url"] == "http://127.0.0.1:2/mcp"
    assert values["--token"] == "from the environment" and values["--instance"] == "show"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--instanc", "x"], "--instance"),
        (["--url"], "without its value"),
        (["--url", "nonsense"], "not a URL"),
        (["--url", "http://127.0.0.1:99999/mcp"], "not a URL"),
        (["--token", "käse"], "which no key has"),
        (["--token", "a\r\nX: b"], "which no key has"),
        (["--contract", "one"], "no number"),
        (["--contract", "0"], "too old for the shim"),
    ],
)
def test_wrong_options_are_told(arguments: list[str], words: str) -> None:
    assert words in shim.options(arguments)[1]


def test_an_entry_for_another_shim_brings_a_notice_that_says_what_to_renew() -> None:
    assert shim.entry_notice("") == shim.entry_notice(str(shim.CONTRACT)) == ""
    assert "newer than the shim" in shim.entry_notice(str(shim.CONTRACT + 1))
    older = shim.entry_notice(str(shim.CONTRACT - 1))
    assert "older than the shim" in older and "tdmcp client add" in older


@given(st.text())
def test_any_name_fits_into_a_header_and_comes_back(name: str) -> None:
    value = shim.header_value(name)
    assert value.isascii() and value.isprintable() and value == value.strip()
    if value != name:
        coded = value.removeprefix("=?base64?").removesuffix("?=")
        assert base64.b64decode(coded).decode("utf-8", "surrogatepass") == name


@given(
    st.lists(st.binary(min_size=1, max_size=40).map(lambda b: b.replace(b"\r", b"").replace(b"\n", b""))),
    st.data(),
)
def test_events_come_out_however_the_stream_is_cut(payloads: list[bytes], data: st.DataObject) -> None:
    end = data.draw(st.sampled_from([b"\n", b"\r\n"]))
    stream = b"".join(b"event: message" + end + b"data: " + p + end + end for p in payloads)
    stream = b": comment" + end + end + stream
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    edges = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in itertools.pairwise(edges)]
    assert [event.data for event in shim.events(pieces)] == payloads


def test_an_event_carries_its_id_and_the_pause_to_keep() -> None:
    first, second = shim.events([b"id: 7\nretry: 250\ndata:\n\ndata: {\ndata: }\n\n"])
    assert (first.id, first.retry, first.data) == ("7", 0.25, b"")
    assert second.data == b"{\n}"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}', True),
        (b'{"jsonrpc": "2.0", "id": "a", "error": {}}', True),
        (b'{"result":{},"id":1,"jsonrpc":"2.0"}', True),
        (b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}', False),
        (b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"result":1}}', False),
        (b"[", False),
    ],
)
def test_answers_are_told_from_requests_and_notifications(raw: bytes, expected: bool) -> None:
    assert shim.is_answer(raw) is expected


def test_only_schemas_that_allow_it_get_room_for_notes() -> None:
    closed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    tools = [
        {"name": "closed", "outputSchema": closed},
        {"name": "open", "outputSchema": {"type": "object"}},
        {"name": "referring", "outputSchema": {"$ref": "#/$defs/X"}},
        {"name": "has its own", "outputSchema": {"properties": {"instance": {"type": "integer"}}}},
        {"name": "plain"},
    ]
    noted, roomy = shim.with_notes(tools)
    assert roomy == {"closed", "open", "plain"}
    assert set(noted[0]["outputSchema"]["properties"]) == {"a", "instance", "notice"}
    assert noted[1:] == tools[1:] and closed["properties"] == {"a": {}}


def test_what_a_server_said_is_kept_for_the_next_start(tmp_path: Path) -> None:
    shim.Known(str(tmp_path)).put("tools", [{"name": "x"}])
    assert shim.Known(str(tmp_path)).get("tools", []) == [{"name": "x"}]
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["lists.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"contract": -1, "tools": [{"name": "x"}]}'])
def test_a_cache_that_is_broken_or_of_another_contract_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "lists.json").write_text(text)
    assert shim.Known(str(tmp_path)).get("tools", []) == shim.built_in()["tools"]


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    known = shim.Known(str(tmp_path))
    known.put("tools", [])
    assert known.get("tools", None) == []


@pytest.mark.parametrize("tools", [None, 3, {"a": 1}, [1, None]])
@pytest.mark.parametrize(
    "server", [None, [], "x", {"capabilities": 3}, {"serverInfo": "x"}, {"instructions": []}]
)
def test_of_a_cache_in_an_odd_form_only_what_makes_sense_is_used(
    tmp_path: Path, tools: Any, server: Any
) -> None:
    facts = {"contract": shim.CONTRACT, "tools": tools, "server": server, "prompts": [{"name": "p"}]}
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "lists.json").write_text(json.dumps(facts))
    known = shim.Known(str(tmp_path))
    assert known.get("tools", []) == shim.built_in()["tools"]
    assert known.introduction()["serverInfo"]["name"] == "tdmcp-embedded"
    assert known.get("prompts", []) == [{"name": "p"}]


class Scripted:
    """A server that reads requests and sends prepared bytes."""

    def __init__(self, *answers: bytes, close: bool = False) -> None:
        self.requests: list[bytes] = []
        self.accepted = 0
        self._answers = list(answers)
        self._close = close
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = shim.Url(f"http://127.0.0.1:{self._listener.getsockname()[1]}/mcp")
        self._open: list[socket.socket] = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            self._open.append(peer)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        while self._answers:
            try:
                request = peer.recv(1 << 16)
            except OSError:
                return
            if not request:
                return
            if request.startswith(b"GET /health "):
                peer.sendall(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
                continue
            self.requests.append(request)
            peer.sendall(self._answers.pop(0))
            if self._close:
                peer.close()
                return

    def close(self) -> None:
        self._listener.close()
        for peer in self._open:
            peer.close()


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    made: list[Scripted] = []

    def make(*answers: bytes, close: bool = False) -> Scripted:
        made.append(Scripted(*answers, close=close))
        return made[-1]

    yield make
    for server in made:
        server.close()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize(
    "answer",
    [
        OK,
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\nTrailer: 1\r\n\r\n",
    ],
)
def test_bodies_of_every_framing_are_read_and_the_connection_is_used_again(
    scripted: Callable[..., Scripted], answer: bytes
) -> None:
    server = scripted(answer, OK)
    pool = shim.Pool()
    for _ in range(2):
        connection = pool.take(server.url)
        connection.request("POST", {}, b"{}")
        assert connection.read() == b"ok"
        pool.give_back(connection)
    assert server.accepted == 1


def test_a_body_that_ends_with_the_connection_is_read(scripted: Callable[..., Scripted]) -> None:
    server = scripted(b"HTTP/1.0 200 OK\r\n\r\nok", close=True)
    connection = shim.Connection(server.url)
    connection.request("GET", {})
    assert connection.read() == b"ok" and not connection.reusable()


def test_an_idle_connection_the_server_closed_is_not_used_again(scripted: Callable[..., Scripted]) -> None:
    server = scripted(OK, OK, close=True)
    pool = shim.Pool()
    for _ in range(2):
        connection = pool.take(server.url)
        connection.request("GET", {})
        assert connection.read() == b"ok"
        pool.give_back(connection)
        # The end of the stream has arrived once the peer's close is seen from here.
        while connection.sock.fileno() >= 0 and not connection.stale():
            pass
    assert server.accepted == 2


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"]
)
def test_what_is_no_whole_answer_counts_as_dropped(scripted: Callable[..., Scripted], answer: bytes) -> None:
    server = scripted(answer, close=True)
    connection = shim.Connection(server.url)
    with pytest.raises(shim.Dropped):
        connection.request("GET", {})
        connection.read()


def test_nobody_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = shim.Url(f"http://127.0.0.1:{listener.getsockname()[1]}/")
    with pytest.raises(shim.Unreachable):
        shim.Connection(url)


def session(tmp_path: Path, url: str) -> tuple[shim.Shim, list[Any]]:
    said: list[Any] = []
    instances = shim.Instances(str(tmp_path), url=url)
    return shim.Shim(instances, lambda line: said.append(json.loads(line)), lambda text: None), said


def call(proxy: shim.Shim, said: list[Any], request_id: int = 1) -> Any:
    meta = {shim.VERSION_KEY: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "x", "arguments": {}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    proxy.receive(shim.dumps(message))
    with proxy._idle:
        assert proxy._idle.wait_for(lambda: not proxy._flights, 30)
    return next(m for m in said if m.get("id") == request_id)["result"]["structuredContent"]


def test_a_server_that_says_nothing_at_all_is_given_up_and_later_calls_are_not_even_sent(
    tmp_path: Path, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shim, "PATIENCE", 0.05)
    monkeypatch.setattr(shim, "GIVE_UP", 0.1)
    server = scripted()  # accepts connections and reads nothing, like a process whose interpreter is held
    proxy, said = session(tmp_path, server.url.text)
    first = call(proxy, said, 1)
    assert first["code"] == "main_thread_stalled" and first["retryable"] is False
    assert "before you repeat it, get_status lists your last edits" in first["hint"]
    second = call(proxy, said, 2)
    assert second["code"] == "main_thread_stalled" and second["retryable"] is True
    assert "not sent" in second["hint"] and "dialog" in second["message"]


def gate(status: int, sentence: str) -> bytes:
    """How the component's gates refuse: a JSON-RPC error for nobody in particular."""
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": sentence}}).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nRetry-After: 9\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (b'HTTP/1.1 413 X\r\nContent-Length: 23\r\n\r\n{"error": "8 MB limit"}', "too_large", "8 MB limit"),
        (gate(403, "Host not allowed."), "access_denied", "Host not allowed."),
        (gate(413, "Too long."), "too_large", "Too long."),
        (gate(429, "Later."), "busy", "Later."),
        (b"HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n", "access_denied", "refuses"),
        (b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n", "precondition_failed", "no MCP server at /mcp"),
        (b"HTTP/1.1 429 X\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n", "busy", "too many requests"),
        (b"HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n", "internal_error", "HTTP status 500"),
        (b"HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n", "access_denied", "access key"),
    ],
)
def test_each_http_refusal_becomes_a_sentence(
    tmp_path: Path, scripted: Callable[..., Scripted], answer: bytes, code: str, words: str
) -> None:
    proxy, said = session(tmp_path, scripted(answer).url.text)
    refusal = call(proxy, said)
    assert refusal["code"] == code and words in refusal["message"]


def test_a_server_too_busy_for_a_moment_is_asked_again(
    tmp_path: Path, scripted: Callable[..., Scripted]
) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"fine":true}}}'
    good = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
    busy = b"HTTP/1.1 429 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
    proxy, said = session(tmp_path, scripted(busy, good).url.text)
    assert call(proxy, said) == {"fine": True}


@pytest.mark.parametrize(("hint", "asked"), [(True, 2), (False, 1)])
def test_when_a_living_server_hangs_up_only_a_call_that_looks_is_repeated(
    hint: bool, asked: int, tmp_path: Path, scripted: Callable[..., Scripted]
) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"fine":true}}}'
    good = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    server = scripted(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", good + body, close=True)
    (tmp_path / "instances").mkdir()
    entry = {"pid": os.getpid(), "url": server.url.text, "name": "show"}
    (tmp_path / "instances" / "1.json").write_text(json.dumps(entry))
    proxy, said = session(tmp_path, "")
    proxy.known.put("tools", [{"name": "x", "annotations": {"readOnlyHint": hint}}])
    answer = call(proxy, said)
    assert len(server.requests) == asked
    assert answer == {"fine": True} if hint else answer["code"] == "td_error"


def test_a_stream_that_breaks_off_is_taken_up_where_the_server_offers_it(
    tmp_path: Path, scripted: Callable[..., Scripted]
) -> None:
    json_head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s\r\nContent-Length: %d\r\n\r\n%s"
    hello = b'{"jsonrpc":"2.0","id":"x","result":{"protocolVersion":"2025-11-25","capabilities":{}}}'
    stream = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    def chunks(data: bytes) -> bytes:
        return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)

    answer = b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"late":true}}}'
    server = scripted(
        json_head % (len(hello), hello),
        b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        stream + chunks(b"id: 5\nretry: 1\ndata:\n\n"),
        stream + chunks(b"data: " + answer + b"\n\n"),
    )
    proxy, said = session(tmp_path, server.url.text)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
    proxy.receive(shim.dumps(message))
    with proxy._idle:
        assert proxy._idle.wait_for(lambda: not proxy._flights, 30)
    assert said[-1]["result"]["structuredContent"] == {"late": True}
    assert b"Last-Event-ID: 5" in server.requests[-1]

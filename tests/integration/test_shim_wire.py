"""The shim on its pipes: what it makes of odd lines, odd locales, and the end of its input."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.shim_world import MODERN_META, PATIENCE, ROOT, ShimProcess, World


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server for the tests that leave it as it was."""
    world = World(tmp_path_factory.mktemp("served"))
    world.server("--name", "日本")
    yield world
    world.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShimProcess]:
    """A shim without a server, for the tests after which it works as before."""
    world = World(tmp_path_factory.mktemp("alone"))
    yield world.shim()
    world.close()


def echo(world_text: str) -> dict[str, object]:
    return {"name": "echo", "arguments": {"text": world_text}}


def test_a_bad_line_gets_an_error_and_the_next_line_works(alone: ShimProcess) -> None:
    for modern in (False, True):
        alone.messages.clear()
        alone.send_bytes(b'{"jsonrpc": "2.0", "id": 7, oops\n')
        assert alone.expect(lambda m: "error" in m) == {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32700, "message": alone.messages[0]["error"]["message"]},
        }
        assert "result" in alone.request("tools/list", modern=modern)


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"nonsense", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": NaN}}', -32700, 7),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\xe4"}}', -32700, 7),
        (b"[" * 100_000, -32700, None),
        (b'"text"', -32600, None),
        (b"[]", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc": "2.0", "id": 7}', -32600, 7),
        (b'{"id": 7, "method": "ping"}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    ],
)
def test_each_kind_of_bad_line_is_answered(
    alone: ShimProcess, line: bytes, code: int, request_id: object
) -> None:
    alone.messages.clear()
    alone.send_bytes(line + b"\n")
    answer = alone.expect(lambda m: "error" in m)
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert alone.request("ping")["result"] == {}


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "utf-16"},
        {"PYTHONIOENCODING": "ascii:strict", "LANG": "ja_JP.SJIS"},
    ],
    ids=lambda env: ",".join(f"{k}={v}" for k, v in env.items()),
)
def test_text_passes_whatever_the_locale_or_code_page(served: World, env: dict[str, str]) -> None:
    shim = served.shim(**env)
    shim.handshake()
    for meta in ({}, MODERN_META):
        for text in ("äöü ß € ✓ 日本語 🎛", "\u2028\u2029\x7f", ""):
            shim.messages.clear()
            line = {"name": "echo", "arguments": {"text": text}, "_meta": meta}
            wanted = text or "-"
            raw = json.dumps(
                {"jsonrpc": "2.0", "id": wanted, "method": "tools/call", "params": line}, ensure_ascii=False
            )
            shim.send_bytes(raw.encode() + b"\r\n")
            answer = shim.expect(lambda m, wanted=wanted: m.get("id") == wanted)
            assert answer["result"]["content"][0]["text"] == text


def test_a_lone_surrogate_is_answered_one_way_or_another(served: World) -> None:
    shim = served.shim()
    for modern in (False, True):
        for call in ({"name": "\ud800", "arguments": {}}, echo("\udfff")):
            assert {"result", "error"} & shim.request("tools/call", call, modern=modern).keys()
        answer = shim.request("tools/call", echo("fine"), modern=modern)
        assert answer["result"]["content"][0]["text"] == "fine"


def test_a_byte_order_mark_and_blank_lines_are_ignored(world: World) -> None:
    shim = world.shim()
    shim.send_bytes(b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}\r\n\r\n   \n')
    assert shim.expect(lambda m: m["id"] == 1)["result"] == {}


def test_a_name_cannot_smuggle_a_header(served: World) -> None:
    shim = served.shim()
    answer = shim.request("tools/call", {"name": "echo\r\nAuthorization: x", "arguments": {}}, modern=True)
    assert "Unknown tool" in json.dumps(answer)
    assert "error" in shim.request("tools/list\r\n\r\nGET /x", modern=True)
    assert shim.request("tools/call", echo("fine"), modern=True)["result"]["content"][0]["text"] == "fine"


def test_a_batch_is_answered_by_one_array(served: World) -> None:
    shim = served.shim()
    shim.handshake()
    shim.send(
        [
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
            {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": echo("in a batch")},
            {"jsonrpc": "2.0", "id": "c"},
            17,
        ]
    )
    answers = shim.expect(lambda m: isinstance(m, list))
    by_id = {answer["id"]: answer for answer in answers}
    assert set(by_id) == {"a", "b", "c", None} and len(answers) == 4
    assert by_id["b"]["result"]["content"][0]["text"] == "in a batch"
    assert by_id["c"]["error"]["code"] == -32600


def test_an_id_in_use_is_refused_and_its_first_owner_answered(served: World) -> None:
    shim = served.shim()
    shim.handshake()
    wait = {"name": "wait", "arguments": {"seconds": 0.5}}
    shim.send({"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": wait})
    shim.send({"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": echo("twice")})
    assert shim.expect(lambda m: m.get("id") == 50 and "error" in m)["error"]["code"] == -32600
    answer = shim.expect(lambda m: m.get("id") == 50 and "result" in m)
    assert answer["result"]["content"][0]["text"] == "waited"


def test_without_a_handshake_it_serves_all_the_same(served: World) -> None:
    shim = served.shim()
    assert shim.request("tools/call", echo("no hello"))["result"]["content"][0]["text"] == "no hello"


def test_it_ends_at_the_end_of_its_input_after_the_answers(served: World) -> None:
    shim = served.shim()
    shim.handshake()
    for number in range(100, 120):
        shim.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": echo(str(number))})
    code, errors = shim.finish()
    assert code == 0 and errors == ""
    answered = {m["id"] for m in shim.messages if isinstance(m.get("id"), int) and m["id"] >= 100}
    assert answered == set(range(100, 120))


def test_it_ends_though_calls_and_subscriptions_are_under_way(served: World) -> None:
    shim = served.shim()
    shim.handshake()
    wait = {"name": "wait", "arguments": {"seconds": 3600}}
    shim.send({"jsonrpc": "2.0", "id": 90, "method": "tools/call", "params": wait})
    listen = {"notifications": {"toolsListChanged": True}, "_meta": MODERN_META}
    shim.send({"jsonrpc": "2.0", "id": 91, "method": "subscriptions/listen", "params": listen})
    shim.expect(lambda m: m.get("method") == "notifications/subscriptions/acknowledged")
    code, errors = shim.finish()
    assert code == 0 and errors == ""


def test_it_ends_when_nobody_reads_its_answers(world: World) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 9, "method": "ping"}\n'
    command = [sys.executable, str(ROOT / "stdio_shim")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.environment()
    ) as shim:
        assert shim.stdin is not None and shim.stdout is not None
        shim.stdin.write(ping)
        shim.stdin.flush()
        assert json.loads(shim.stdout.readline())["id"] == 9
        shim.stdout.close()
        shim.stdin.write(ping)
        shim.stdin.flush()
        assert shim.wait(PATIENCE) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="the parent is watched another way there")
def test_it_ends_when_its_client_dies_though_another_program_holds_its_input_open(world: World) -> None:
    """As a sibling does that was started a moment later and inherited the pipe."""
    client = (
        "import subprocess, sys, os\n"
        "inherited, mine = os.pipe()\n"
        "shim = subprocess.Popen(sys.argv[1:], stdin=inherited, stdout=subprocess.PIPE, stderr=2)\n"
        "os.close(inherited)\n"
        "sibling = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=0, pass_fds=[mine])\n"
        'os.write(mine, b\'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\\n\')\n'
        "shim.stdout.readline()\n"
        "print('ready', flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    shim = [sys.executable, str(ROOT / "stdio_shim")]
    log = world.home / "shim.log"
    with subprocess.Popen(
        [sys.executable, "-c", client, *shim, "--log-file", str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=world.environment(),
    ) as parent:
        assert parent.stdin is not None and parent.stdout is not None and parent.stderr is not None
        assert parent.stdout.readline() == b"ready\n"
        parent.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while "the client is gone" not in log.read_text() and time.monotonic() < end:
            time.sleep(0.05)
        parent.stdin.close()  # lets the sibling go, whatever became of the shim
        assert parent.stderr.read() == b""  # ends when the last of them has
    assert "the client is gone" in log.read_text()


def test_an_unfinished_last_line_is_still_read(world: World) -> None:
    shim = world.shim()
    shim.send_bytes(b'{"jsonrpc": "2.0", "id": 5, "method": "ping"}')
    code, _ = shim.finish()
    assert code == 0 and shim.messages == [{"jsonrpc": "2.0", "id": 5, "result": {}}]


def test_a_client_that_does_not_read_is_waited_for(served: World) -> None:
    shim = served.shim()
    shim.handshake()
    for number in range(100, 110):
        big = {"name": "big", "arguments": {"size": 400_000}}
        shim.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": big})
    for number in range(100, 110):
        answer = shim.expect(lambda m, wanted=number: m.get("id") == wanted)
        assert len(answer["result"]["content"][0]["text"]) == 400_000


def test_help_does_not_touch_standard_output(world: World) -> None:
    shim = world.shim("--help")
    code, errors = shim.finish()
    assert code == 0 and shim.raw == [] and "--instance" in errors


def test_it_runs_isolated_and_without_site_packages(served: World) -> None:
    shim = served.shim(python=(sys.executable, "-I", "-S"))
    assert shim.request("tools/call", echo("bare"), modern=True)["result"]["content"][0]["text"] == "bare"


def test_the_log_file_tells_what_happened_but_no_content_and_no_key(world: World, tmp_path: Path) -> None:
    world.server("--token", "secret-key")
    log = tmp_path / "shim.log"
    shim = world.shim("--log-file", str(log))
    shim.handshake()
    shim.request("tools/call", echo("private words"))
    shim.finish()
    written = log.read_text()
    assert "tools/call" in written and "end of input" in written
    assert "secret-key" not in written and "private words" not in written


def test_questions_of_a_server_that_ended_are_withdrawn(world: World) -> None:
    first = world.server()
    shim = world.shim()
    shim.handshake(elicitation={})
    shim.send(
        {"jsonrpc": "2.0", "id": 60, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
    )
    question = shim.expect(lambda m: m.get("method") == "elicitation/create")
    first.crash()
    world.server()
    withdrawn = shim.expect(lambda m: m.get("method") == "notifications/cancelled")
    assert withdrawn["params"]["requestId"] == question["id"]
    # An answer that comes late must not answer a question of the next server's.
    shim.send(
        {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"sure": True}}}
    )
    shim.send(
        {"jsonrpc": "2.0", "id": 61, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
    )
    again = shim.expect(lambda m: m.get("method") == "elicitation/create" and m["id"] != question["id"])
    no = {"action": "accept", "content": {"sure": False}}
    shim.send({"jsonrpc": "2.0", "id": again["id"], "result": no})
    answer = shim.expect(lambda m: m.get("id") == 61 and "method" not in m)
    assert answer["result"]["content"][0]["text"] == "the user is not sure"


def test_the_session_is_ended_with_the_client(world: World) -> None:
    server = world.server()
    shim = world.shim()
    shim.handshake()
    wait = {"name": "wait", "arguments": {"seconds": 3600}}
    shim.send({"jsonrpc": "2.0", "id": 90, "method": "tools/call", "params": wait})
    other = world.shim()
    other.handshake()
    while other.request("tools/call", {"name": "count"})["result"]["structuredContent"].get("wait") != 1:
        pass
    shim.finish()
    while (
        other.request("tools/call", {"name": "count"})["result"]["structuredContent"].get("wait cancelled")
        != 1
    ):
        pass
    server.close()

"""Messages no proper client sends: each is answered in words, at once, and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fakes.driver import StandIn
from tests.integration.stress.wire import (
    LEGACY,
    META,
    MODERN,
    call,
    message,
    open_session,
    payload,
    post,
)

MEGABYTES = 1_000_000


@pytest.fixture(scope="module")
def session(td: StandIn) -> str:
    return open_session(td)


@pytest.fixture(params=["modern", "legacy"])
def era(request: pytest.FixtureRequest, session: str) -> dict[str, str]:
    """The headers of a tool call in either era of the protocol."""
    if request.param == "legacy":
        return {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
    return {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "create_operator"}


def error_of(answer: Any) -> dict[str, Any]:
    """The JSON-RPC error of a refused message; it has words and no traceback."""
    assert answer.status == 400, answer
    assert b"Traceback" not in answer.body and b'File \\"' not in answer.body
    error = payload(answer)["error"]
    assert error["message"]
    return dict(error)


def creating(arguments: str) -> bytes:
    """A call of create_operator whose arguments are this JSON text, well formed or not."""
    meta = json.dumps(META)
    return (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        f'{{"name":"create_operator","_meta":{meta},"arguments":{arguments}}}}}'
    ).encode()


def refused(td: StandIn, era: dict[str, str], arguments: str) -> str:
    """The code of the tool error, or that of the protocol error, that such a call meets; nothing was made."""
    before = td.exec("len(op('/project1').findChildren())")
    answer = post(td, creating(arguments), **era)
    assert answer.status in (200, 400), answer
    assert b"Traceback" not in answer.body
    assert td.exec("len(op('/project1').findChildren())") == before
    said = payload(answer)
    if "error" in said:
        return str(said["error"]["code"])
    assert said["result"]["isError"]
    return str(said["result"]["structuredContent"]["code"])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b'{"jsonrpc":"2.0","id":1',
        b'{"jsonrpc":"2.0","id":1,}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\xff":1}}',
        b'{"jsonrpc":"2.0","id":1' + b"0" * 5000 + b',"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}}",
    ],
    ids=["nothing", "words", "half", "comma", "not-utf8", "digits", "deep-lists", "deep-objects"],
)  # fmt: skip
def test_what_is_not_json_is_a_parse_error(td: StandIn, era: dict[str, str], body: bytes) -> None:
    assert error_of(post(td, body, **era))["code"] == -32700


@pytest.mark.parametrize(
    "body",
    [
        b"1",
        b'"x"',
        b"null",
        b"[]",
        b"{}",
        b'{"id":1,"method":"tools/list"}',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"2.0","id":1,"method":5}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}',
    ],
)
def test_json_that_is_no_json_rpc_is_refused(td: StandIn, era: dict[str, str], body: bytes) -> None:
    assert error_of(post(td, body, **era))["code"] in (-32600, -32602)


def test_a_batch_is_refused_as_a_whole(td: StandIn, era: dict[str, str]) -> None:
    make = {"parent": "/project1", "type": "nullTOP", "name": "batched"}
    one = message("tools/call", {"name": "create_operator", "arguments": make, "_meta": META})
    error_of(post(td, [one, {**one, "id": 2}], **era))
    assert td.exec("op('/project1/batched')") == "None"


def test_an_unknown_method_is_named_as_such(td: StandIn, session: str) -> None:
    said = payload(post(td, message("tools/destroy"), Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY))
    assert said["error"]["code"] == -32601
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/destroy"}
    said = payload(post(td, message("tools/destroy", {"_meta": META}), **headers))
    assert said["error"]["code"] == -32601


def test_an_answer_to_a_question_nobody_asked_is_ignored(td: StandIn, session: str) -> None:
    stray = {"jsonrpc": "2.0", "id": 4711, "result": {"action": "accept"}}
    assert post(td, stray, Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY).status == 202


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(td: StandIn, era: dict[str, str], token: str) -> None:
    make = '{"parent":"/project1","type":"noiseTOP","name":"bad","params":{"period":%s}}'
    assert refused(td, era, make % token) == "value_invalid"
    for place in ("[0,%s]", '"[0,%s]"'):  # some clients send nested values as JSON text
        make = f'{{"parent":"/project1","type":"noiseTOP","position":{place % token}}}'
        assert refused(td, era, make) == "value_invalid"


@pytest.mark.parametrize("digits", [20, 400, 4000])
def test_a_number_of_hundreds_of_digits_does_no_harm(td: StandIn, era: dict[str, str], digits: int) -> None:
    make = '{"parent":"/project1","type":"noiseTOP","name":"huge","params":{"seed":1%s}}' % ("0" * digits)
    if digits > 308:
        assert refused(td, era, make) == "value_invalid"
    else:
        answer = payload(post(td, creating(make), **era))["result"]
        assert answer["isError"] is False or answer["structuredContent"]["code"] == "value_invalid"
        td.exec("op('/project1/huge') and op('/project1/huge').destroy()")


@pytest.mark.parametrize(
    "arguments",
    [
        r'{"parent":"/project1","type":"textDAT","name":"\ud800"}',
        r'{"parent":"/project1","type":"textDAT","name":"t","params":{"file":"a\udc00"}}',
        r'{"parent":"/project1","type":"textDAT","name":"t","params":{"\ud83d":1}}',
        r'{"parent":"/project1","type":"textDAT","name":"t","\ud83d":1}',
    ],
)
def test_half_characters_are_refused(td: StandIn, era: dict[str, str], arguments: str) -> None:
    assert refused(td, era, arguments) in ("value_invalid", "-32700")


def test_half_characters_that_scripts_make_come_out_as_text(td: StandIn) -> None:
    result = call(td, "execute_python", {"code": "print(chr(0xd800)); [chr(0xd83d), float('nan'), 10**400]"})
    assert not result["is_error"]
    assert result["stdout"] == "?\n" and result["value"][:2] == ["?", "NaN"]


@pytest.mark.parametrize("depth", [40, 90, 300, 900])
def test_deeply_nested_arguments_are_refused(td: StandIn, era: dict[str, str], depth: int) -> None:
    nested = "[" * depth + "]" * depth
    make = '{"parent":"/project1","type":"noiseTOP","name":"deep","params":{"period":%s}}'
    assert refused(td, era, make % nested) in ("value_invalid", "-32700")
    # Some clients send nested values as JSON text.
    assert refused(td, era, make.replace('{"period":%s}', json.dumps(nested))) == "value_invalid"


def test_a_text_that_is_json_without_end_is_refused(td: StandIn, era: dict[str, str]) -> None:
    make = '{"parent":"/project1","type":"noiseTOP","name":"deep","params":"%s"}'
    assert refused(td, era, make % ("[" * 100_000 + "]" * 100_000)) == "value_invalid"


def test_names_of_control_characters_are_refused(td: StandIn, era: dict[str, str]) -> None:
    assert refused(td, era, r'{"parent":"/project1","type":"nullTOP","name":"a\u0000b"}') == "value_invalid"


# Five megabytes, both ways


def test_code_of_megabytes_is_run_or_refused_in_words(td: StandIn) -> None:
    assert call(td, "execute_python", {"code": "len('" + "x" * 900_000 + "')"})["value"] == 900_000
    refusal = call(td, "execute_python", {"code": "len('" + "x" * 5 * MEGABYTES + "')"})
    assert refusal["code"] == "too_large"


def test_text_of_megabytes_comes_back_as_it_went(td: StandIn) -> None:
    td.exec("op('/project1').create(textDAT, 'long')")
    text = "line of text\n" * 150_000
    written = call(td, "write_data", {"path": "/project1/long", "text": text})
    assert not written["is_error"], written
    assert td.exec("len(op('/project1/long').text)") == str(len(text))
    refusal = call(td, "write_data", {"path": "/project1/long", "text": "x" * 5 * MEGABYTES, "confirm": True})
    assert refusal["code"] == "too_large"
    assert td.exec("len(op('/project1/long').text)") == str(len(text)), "nothing was changed"
    lines, start = 0, 0
    for _ in range(200):
        page = call(td, "read_data", {"path": "/project1/long", "start": start, "limit": 20_000})
        lines += page["returned"]
        start += page["returned"]
        if not page.get("next_cursor") and start >= page["total"]:
            break
    assert lines >= 150_000
    td.exec("op('/project1/long').destroy()")


@pytest.mark.parametrize("code", ["'y' * 5_000_000", "print('y' * 5_000_000)", "list(range(1_000_000))", "{n: 'y' * 100 for n in range(50_000)}"])  # fmt: skip
def test_answers_of_megabytes_are_cut_to_what_clients_take(
    td: StandIn, era: dict[str, str], code: str
) -> None:
    body = creating(json.dumps({"code": code})).replace(b'"create_operator"', b'"execute_python"')
    headers = {**era, "Mcp-Name": "execute_python"} if "Mcp-Name" in era else era
    answer = post(td, body, **headers)
    assert len(answer.body) <= 2**20
    assert not payload(answer)["result"].get("isError")


def test_a_body_over_the_limit_is_refused_and_the_next_is_taken(td: StandIn, era: dict[str, str]) -> None:
    assert post(td, b" " * 9 * 2**20, **era).status == 413

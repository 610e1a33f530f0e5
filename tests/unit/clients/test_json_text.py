"""JSON with comments is edited in place: what was not asked for stays, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdmcp_embedded.clients import json_text, jsonc

STRICT = {"comments": False, "trailing_commas": False}
VSCODE = """\
// My servers
{
\t"inputs": [],
\t"servers": {
\t\t/* the old one */
\t\t"github": {"type": "http", "url": "https://example.com//mcp"}, // see "docs"
\t},
\t// the end
}
"""


def value(text: str) -> Any:
    return jsonc.parse(text).value


def test_a_new_member_leaves_comments_tabs_and_trailing_commas_alone() -> None:
    edited = json_text.put(VSCODE, ("servers", "touchdesigner"), {"command": "py"})
    assert edited == VSCODE.replace(
        '// see "docs"\n', '// see "docs"\n\t\t"touchdesigner": {\n\t\t\t"command": "py"\n\t\t},\n'
    )
    assert json_text.take(edited, ("servers", "touchdesigner")) == VSCODE


def test_a_member_is_replaced_where_it_stands() -> None:
    text = '{\n  "a": {"x": 1}, // one\n  "b": 2\n}\n'
    assert (
        json_text.put(text, ("a", "x"), [True]) == '{\n  "a": {"x": [\n    true\n  ]}, // one\n  "b": 2\n}\n'
    )


def test_the_same_value_changes_nothing_and_true_is_not_one() -> None:
    text = '{ "a" :1 }'
    assert json_text.put(text, ("a",), 1) is text
    assert value(json_text.put(text, ("a",), True)) == {"a": True}


@pytest.mark.parametrize(
    "text", ["", "  \n", "{}", "{\r\n}\r\n", '{"a": 1}', '{"a": 1,}', "{ /* none */ }", "{ // none\n}"]
)
def test_missing_objects_are_made(text: str) -> None:
    edited = json_text.put(text, ("mcpServers", "x"), {"command": "C:\\py.exe", "args": []})
    assert value(edited)["mcpServers"] == {"x": {"command": "C:\\py.exe", "args": []}}
    assert ("none" in edited) == ("none" in text)
    assert ("\r" in edited) == ("\r" in text)


def test_the_last_member_goes_with_the_comma_before_it() -> None:
    text = '{\n    "a": 1, // one\n    "b": 2 // two\n}'
    assert json_text.take(text, ("b",)) == '{\n    "a": 1 // one\n}'
    assert json_text.take(text, ("a",)) == '{\n    "b": 2 // two\n}'


def test_a_member_among_others_on_one_line_goes_alone() -> None:
    assert json_text.take('{"a": 1, "b": 2, "c": 3}', ("b",)) == '{"a": 1, "c": 3}'
    assert json_text.take('{"a": 1, "b": 2}', ("b",)) == '{"a": 1}'
    assert json_text.take('{"a": 1}', ("a",)) == "{}"


def test_every_member_of_a_name_written_twice_goes() -> None:
    assert value(json_text.take('{"a": 1, "b": 2, "a": 3}', ("a",))) == {"b": 2}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ('{\n  "a": \n}', 3, 1),
        ("{'a': 1}", 1, 2),
        ('{"a": 1', 1, 8),
        ('{"a": "x\ny"}', 1, 9),
        ("[1, 2", 1, 6),
        ("{} x", 1, 4),
        ("/* open", 1, 1),
        ('{"a": tru}', 1, 7),
        ("", 1, 1),
    ],
)
def test_a_broken_file_is_named_by_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(jsonc.Broken) as caught:
        jsonc.parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("text", ['{"a": 1,}', '{"a": 1} // x', "/* x */ {}"])
def test_a_strict_client_is_not_given_what_it_cannot_read(text: str) -> None:
    jsonc.parse(text)
    with pytest.raises(jsonc.Broken):
        json_text.put(text, ("b",), 1, **STRICT)


def test_something_else_than_an_object_on_the_way_is_refused() -> None:
    with pytest.raises(jsonc.Broken, match='"servers" is not an object'):
        json_text.put('{"servers": []}', ("servers", "x"), 1)
    with pytest.raises(jsonc.Broken, match="the file is not an object"):
        json_text.put("[]", ("servers", "x"), 1)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(jsonc.Broken, match="too deeply"):
        jsonc.parse("[" * 5000)


# -- any file --------------------------------------------------------------------------------------------------

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-9, 10**12)
    | st.text(max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
BLANKS = st.sampled_from(["", "", " ", "\n", "\n\t ", "\r\n", " /* , } */ ", ' // "x": {\n', "/**/"])


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An object as somebody may have written it, and what it says."""

    def write(item: Any) -> str:
        def blank() -> str:
            return draw(BLANKS)

        if isinstance(item, dict):
            inner = [
                f"{blank()}{json.dumps(k)}{blank()}:{blank()}{write(v)}{blank()}" for k, v in item.items()
            ]
            return "{" + ",".join(inner) + draw(st.sampled_from(["", ","])) * bool(inner) + blank() + "}"
        if isinstance(item, list):
            inner = [blank() + write(v) + blank() for v in item]
            return "[" + ",".join(inner) + draw(st.sampled_from(["", ","])) * bool(inner) + blank() + "]"
        return json.dumps(item, ensure_ascii=draw(st.booleans()))

    said = draw(st.dictionaries(st.text(max_size=4) | st.just("servers"), VALUES, max_size=4))
    if draw(st.booleans()):
        said["servers"] = draw(st.dictionaries(st.text(max_size=4), VALUES, max_size=3))
    return draw(BLANKS) + write(said) + draw(BLANKS), said


@settings(max_examples=150, deadline=None)
@given(documents(), VALUES)
def test_any_file_reads_as_meant_and_takes_one_member_in_and_out(
    document: tuple[str, dict[str, Any]], new: Any
) -> None:
    text, said = document
    assert jsonc.same(value(text), said)
    servers = said.get("servers", {})
    if not isinstance(servers, dict):
        return
    edited = json_text.put(text, ("servers", "ours"), new)
    assert value(edited) == {**said, "servers": {**servers, "ours": new}}
    assert edited.count("/*") >= text.count("/*")
    back = value(json_text.take(edited, ("servers", "ours")))
    assert back == {**said, "servers": {k: v for k, v in servers.items() if k != "ours"}}
    without = json_text.take(text, ("servers",))
    assert value(without) == {k: v for k, v in said.items() if k != "servers"}

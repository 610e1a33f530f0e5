"""TOML is edited in place: one table, and nothing else."""

from __future__ import annotations

import tomllib

import pytest

from tdmcp_embedded.clients import toml_text
from tdmcp_embedded.clients.jsonc import Broken

OURS = ("mcp_servers", "touchdesigner")
ENTRY = {"command": "C:\\Program Files\\py.exe", "args": ["it's", "日本"], "env": {"A B": "x\ny\x7f"}}
CODEX = '''\
# my settings
model = "gpt"  # the big one

[mcp_servers.github]
url = "https://example.com/mcp"
http_headers = { Authorization = "x" }

# notes to myself
[notes]
text = """
[mcp_servers.touchdesigner]
not = "a table"
"""
'''


def test_a_table_is_added_at_the_end_and_taken_out_again() -> None:
    edited = toml_text.put(CODEX, OURS, ENTRY)
    assert edited.startswith(CODEX)
    assert tomllib.loads(edited)["mcp_servers"]["touchdesigner"] == ENTRY
    assert toml_text.take(edited, OURS) == CODEX


@pytest.mark.parametrize(
    "text", ["", "a = 1", "a = 1\r\n", "[mcp_servers]\nx.command = 'y'\n", "[[list]]\na = 1\n"]
)
def test_any_file_gets_the_table_and_loses_it(text: str) -> None:
    edited = toml_text.put(text, OURS, ENTRY)
    before = tomllib.loads(text.replace("\r\n", "\n"))
    assert toml_text.parse(toml_text.take(edited, OURS)) == before
    assert ("\r\n" in edited) == ("\r\n" in text)
    assert toml_text.put(edited, OURS, ENTRY) is edited


def test_a_table_with_tables_in_it_is_replaced_in_its_place() -> None:
    text = (
        '[mcp_servers.touchdesigner]\ncommand = "old"\n# mine\n\n[mcp_servers.touchdesigner.env]\nA = "1"\n\n'
        "# about b\n[b]\nx = 1\n"
    )
    edited = toml_text.put(text, OURS, {"command": "new"})
    assert edited.index("new") < edited.index("# about b") < edited.index("[b]")
    assert tomllib.loads(edited) == {"mcp_servers": {"touchdesigner": {"command": "new"}}, "b": {"x": 1}}


def test_a_broken_file_is_named_by_line_and_column() -> None:
    with pytest.raises(Broken) as caught:
        toml_text.put("a = 1\nb = \n", OURS, ENTRY)
    assert (caught.value.line, caught.value.column) == (2, 5)


@pytest.mark.parametrize(
    "text", ["mcp_servers = { x = { command = 'y' } }\n", "mcp_servers = 3\n", "[[mcp_servers]]\na=1\n"]
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(Broken, match="write it as a table"):
        toml_text.put(text, OURS, ENTRY)

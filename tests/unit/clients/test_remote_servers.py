"""Clients are set up for a server on another machine: with a key, or with none where they sign in."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tdmcp_embedded.clients import jsonc, remote, setup, toml_text
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.clients.setup import Choice

URL = "https://td.example/mcp"


def entry(name: str, path: Path) -> dict[str, Any]:
    """Our entry in a client's file."""
    text = path.read_text("utf-8")
    document: Any = toml_text.parse(text) if CLIENTS[name].kind == "toml" else jsonc.parse(text).value
    for key in (*CLIENTS[name].container, ENTRY):
        document = document[key]
    found: dict[str, Any] = document
    return found


#: Where each client looks for the address, and what is there besides, with a key and without.
FORMS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("claude-code", "url", {"type": "http"}, {"headers": {"Authorization": "Bearer k1"}}),
    ("cursor", "url", {}, {"headers": {"Authorization": "Bearer k1"}}),
    ("vscode", "url", {"type": "http"}, {"headers": {"Authorization": "Bearer k1"}}),
    ("codex", "url", {}, {"http_headers": {"Authorization": "Bearer k1"}}),
    ("windsurf", "serverUrl", {}, {"headers": {"Authorization": "Bearer k1"}}),
    ("gemini", "httpUrl", {}, {"headers": {"Authorization": "Bearer k1"}}),
    ("opencode", "url", {"type": "remote"}, {"headers": {"Authorization": "Bearer k1"}}),
]


def test_the_table_has_every_client_that_takes_a_url() -> None:
    assert [row[0] for row in FORMS] == [name for name, row in CLIENTS.items() if row.http]


@pytest.mark.parametrize(("name", "where", "always", "keyed"), FORMS)
def test_an_entry_has_the_key_that_was_given_or_none(
    name: str, where: str, always: dict[str, Any], keyed: dict[str, Any], machine: Machine, key: str
) -> None:
    done = setup.add(name, Choice(url=URL), machine)
    assert entry(name, done.path) == {where: URL, **always}
    assert any("signs in (OAuth)" in sentence for sentence in done.sentences)
    done = setup.add(name, Choice(url=URL, token="k1"), machine)
    assert entry(name, done.path) == {where: URL, **always, **keyed}
    assert key not in done.path.read_text("utf-8"), "the owner's key of this machine is for no other server"
    assert not setup.add(name, Choice(url=URL, token="k1"), machine).changed
    found = setup.status(name, Choice(), machine)
    assert (found.state, found.others) == ("current", [])
    setup.remove(name, Choice(), machine)
    assert setup.status(name, Choice(), machine).state == "absent"


def test_a_client_that_takes_no_url_gets_the_shim_with_the_key_or_is_refused(machine: Machine) -> None:
    done = setup.add("claude-desktop", Choice(url=URL, token="k1"), machine)
    made = entry("claude-desktop", done.path)
    assert made["args"][-2:] == ["--url", URL] and made["env"]["TDMCP_TOKEN"] == "k1"
    with pytest.raises(Refused, match="does not sign in") as caught:
        setup.add("claude-desktop", Choice(url=URL), machine)
    assert "Connectors" in caught.value.hint


def test_the_file_of_a_project_holds_no_key(machine: Machine, tmp_path: Path) -> None:
    for transport in ("auto", "stdio"):
        choice = Choice(url=URL, token="k1", scope="project", folder=tmp_path, transport=transport)
        done = setup.add("claude-code", choice, machine)
        assert "k1" not in done.path.read_text("utf-8")
    choice = Choice(url=URL, token="k1", scope="project", folder=tmp_path)
    done = setup.add("claude-code", choice, machine)
    assert entry("claude-code", done.path)["headers"]["Authorization"] == "Bearer ${TDMCP_TOKEN}"


#: (what is given as --url, the endpoint it means)
ADDRESSES = [
    ("https://td.example", URL),
    ("https://td.example/", URL),
    ("https://td.example/mcp/", URL),
    ("http://10.0.0.7:9988", "http://10.0.0.7:9988/mcp"),
    ("https://td.example/studio/mcp", "https://td.example/studio/mcp"),
]
NO_ADDRESSES = ["td.example", "ftp://td.example", "https://", "https://a b/mcp", "https://x:y@td.example", "https://td.example/mcp?key=1", "http://[::1"]  # fmt: skip


@pytest.mark.parametrize(("given", "meant"), ADDRESSES)
def test_the_bare_address_means_the_endpoint(given: str, meant: str, machine: Machine) -> None:
    assert remote.address(given, machine) == meant


@pytest.mark.parametrize("given", NO_ADDRESSES)
def test_what_is_no_address_is_refused_with_an_example(given: str, machine: Machine) -> None:
    with pytest.raises(Refused) as caught:
        setup.text("cursor", Choice(url=given), machine)
    assert "https://td.example.com/mcp" in caught.value.hint


def test_the_word_public_means_the_public_address_of_what_runs_here(
    machine: Machine, running: Callable[..., Path]
) -> None:
    running(public="")
    with pytest.raises(Refused, match="No running TouchDesigner has a Public Address"):
        setup.text("cursor", Choice(url="public"), machine)
    running(public="https://td.example", instance_id="second", name="second", url="http://127.0.0.1:9989/mcp")
    shown = setup.text("cursor", Choice(url="public"), machine)
    assert URL in shown and "secret" not in shown and "Authorization" not in shown


def test_links_add_what_the_file_would_hold(machine: Machine) -> None:
    for token in ("", "k1"):
        choice = Choice(url=URL, token=token)
        shown = setup.text("cursor", choice, machine).splitlines()[-1]
        parts = urlsplit(shown)
        assert (parts.scheme, parts.netloc, parts.path) == (
            "cursor",
            "anysphere.cursor-deeplink",
            "/mcp/install",
        )
        query = parse_qs(parts.query, strict_parsing=True)
        headers = {"headers": {"Authorization": f"Bearer {token}"}} if token else {}
        assert query["name"] == [ENTRY]
        assert json.loads(base64.b64decode(query["config"][0])) == {"url": URL, **headers}
        shown = setup.text("vscode", choice, machine).splitlines()[-1]
        assert shown.startswith("vscode:mcp/install?")
        assert json.loads(unquote(shown.partition("?")[2])) == {
            "name": ENTRY,
            "type": "http",
            "url": URL,
            **headers,
        }


def test_other_clients_are_shown_both_forms_or_only_the_one_that_signs_in(machine: Machine) -> None:
    shown = setup.text("other", Choice(url=URL, token="k1"), machine)
    assert '"Bearer k1"' in shown and '"--url"' in shown
    shown = setup.text("other", Choice(url=URL), machine)
    assert "Authorization" not in shown and "--url" not in shown and "signs in (OAuth)" in shown


#: (a choice, words of the refusal)
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"token": "k1"}, "--token is a key for the server of --url"),
    ({"url": URL, "instance": "left"}, "are for this machine"),
    ({"url": URL, "allow_open": True}, "are for this machine"),
]


@pytest.mark.parametrize(("given", "words"), REFUSED)
def test_options_that_do_not_go_together_are_refused(
    given: dict[str, Any], words: str, machine: Machine
) -> None:
    with pytest.raises(Refused, match=words):
        setup.add("cursor", Choice(**given), machine)

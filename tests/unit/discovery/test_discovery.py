"""Servers are found on the network by what they announce, and never by more than that."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from tdmcp_embedded import discovery

LOOPBACK = ["127.0.0.1"]
FACTS = {
    "name": "Stage Left – 日本",
    "project": "show.7.toe",
    "component": "/project1/tdmcp",
    "token": "secret",
}


def test_an_announced_server_is_found_with_its_address_and_gone_when_closed() -> None:
    with_url = "http://127.0.0.1:9988/mcp"
    announced = discovery.Announcement(with_url, FACTS, interfaces=LOOPBACK)
    try:
        found = discovery.browse(20, interfaces=LOOPBACK, enough=1)
    finally:
        announced.close()
    assert [(one.name, one.url, one.project, one.component) for one in found] == [
        ("Stage Left – 日本", with_url, "show.7.toe", "/project1/tdmcp")
    ]


def test_no_key_is_announced() -> None:
    info = discovery.service("http://192.168.1.20:9988/mcp", FACTS)
    assert "secret" not in repr(info.properties) + info.name


@pytest.mark.parametrize(
    ("name", "label"),
    [("a.b", "a b"), ("", "show 7 toe"), ("é" * 60, "é" * 31), ("...", "TouchDesigner")],
)
def test_any_name_becomes_one_that_dns_takes(name: str, label: str) -> None:
    info = discovery.service("http://192.168.1.20:9988/mcp", {"name": name, "project": "show.7.toe"})
    assert info.name == f"{label}.{discovery.SERVICE}"


def test_listening_everywhere_announces_the_addresses_that_others_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(discovery, "_own_addresses", lambda: ["127.0.0.1", "192.168.1.20", "10.0.0.5"])
    info = discovery.service("http://0.0.0.0:9988/mcp", FACTS)
    assert info.parsed_addresses() == ["192.168.1.20", "10.0.0.5"]
    monkeypatch.setattr(discovery, "_own_addresses", lambda: ["127.0.0.1"])
    with pytest.raises(discovery.Unavailable, match="no address"):
        discovery.service("http://0.0.0.0:9988/mcp", FACTS)


def test_an_announcer_says_what_is_wrong_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Announcement:
        def __init__(self, url: str, facts: dict[str, Any]) -> None:
            if "bad" in url:
                raise discovery.Unavailable("No network.")
            made.append(facts["name"])

        def close(self) -> None:
            made.append("goodbye")

    monkeypatch.setattr(discovery, "Announcement", Announcement)
    warnings: list[str] = []
    for url in ("http://bad:1/mcp", "http://10.0.0.5:9988/mcp"):
        announcer = discovery.Announcer(url, {"name": "left"}, warnings.append)
        announcer.end()
        announcer._thread.join(30)
        assert not announcer._thread.is_alive()
    assert warnings == ["No network."]
    assert made == ["left", "goodbye"]


@pytest.mark.parametrize("change", [{b"scheme": b"file"}, {b"path": b"mcp"}, {b"scheme": None}])
def test_a_senseless_announcement_is_passed_over(change: dict[bytes, bytes | None]) -> None:
    info = discovery.service("http://192.168.1.20:9988/mcp", FACTS)
    info._properties = {**info.properties, **change}
    assert discovery.understood(info) is None


def test_ipv6_addresses_stand_in_brackets() -> None:
    found = discovery.understood(discovery.service("https://[fd00::5]:9988/mcp", FACTS))
    assert found is not None and found.url == "https://[fd00::5]:9988/mcp"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "zeroconf":
            raise ImportError(name)
        return plain(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(discovery.Unavailable, match=r"tdmcp-embedded\[lan\]"):
        discovery.browse()

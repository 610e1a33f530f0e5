"""Starting TouchDesigner from the shim: off unless allowed, and only what was open before."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.integration.clients import structured, text
from tests.integration.shim_world import PATIENCE, World

pytestmark = pytest.mark.anyio


class Doorbell:
    """A program that stands for TouchDesigner: it tells us with what it was started."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(PATIENCE)
        path.write_text(
            f"#!{sys.executable}\nimport json, os, socket, sys\n"
            f"s = socket.create_connection(('127.0.0.1', {self._listening.getsockname()[1]}))\n"
            "s.sendall(json.dumps([sys.argv[1:], os.getcwd()]).encode())\n",
            encoding="utf-8",
        )
        path.chmod(0o755)

    def rung(self) -> list[Any]:
        with self._listening.accept()[0] as connection:
            said: list[Any] = json.loads(b"".join(iter(lambda: connection.recv(4096), b"")))
            return said

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "home")
    world.home.mkdir()
    yield world
    world.close()


@pytest.fixture
def doorbell(tmp_path: Path) -> Iterator[Doorbell]:
    doorbell = Doorbell(tmp_path / "TouchDesigner")
    yield doorbell
    doorbell.close()


def noted(world: World, *projects: tuple[Path, Path]) -> None:
    """Write down projects as servers do, each with its program."""
    entries = [
        {"path": path.as_posix(), "build": "2025.33070", "executable": str(program)}
        for path, program in projects
    ]
    (world.home / "projects.json").write_text(json.dumps({"projects": entries}), encoding="utf-8")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_known_project_is_opened_by_name_in_its_latest_version(
    mode: str, world: World, doorbell: Doorbell, tmp_path: Path
) -> None:
    show = tmp_path / "show.6.toe"
    show.touch()
    noted(world, (tmp_path / "show.7.toe", doorbell.path), (tmp_path / "gone.toe", doorbell.path))
    async with Client(world.parameters("--allow-open"), mode=mode) as client:
        assert "open_project" in {tool.name for tool in (await client.list_tools()).tools}
        absent = await client.call_tool("get_status", {})
        assert absent.is_error and "open_project" in text(absent)
        listed = structured(await client.call_tool("open_project", {}))
        assert structured(await client.call_tool("open_project", {"project": None})) == listed
        assert [Path(one["path"]).name for one in listed["projects"]] == ["show.7.toe", "gone.toe"]
        opened = structured(await client.call_tool("open_project", {"project": "show"}))
        assert opened["started"] and opened["project"] == str(show)
        assert doorbell.rung() == [[str(show)], str(tmp_path)]
        gone = await client.call_tool("open_project", {"project": (tmp_path / "gone.toe").as_posix()})
        assert gone.is_error and "no longer there" in text(gone)


async def test_what_was_never_open_or_has_lost_its_build_is_refused(world: World, tmp_path: Path) -> None:
    other, known = tmp_path / "other.toe", tmp_path / "known.toe"
    other.touch()
    known.touch()
    noted(world, (known, tmp_path / "no TouchDesigner"))
    async with Client(world.parameters("--allow-open"), mode="legacy") as client:
        refused = await client.call_tool("open_project", {"project": str(other)})
        assert structured(refused)["code"] == "value_invalid"
        assert structured(refused)["suggestions"] == [known.as_posix()]
        refused = await client.call_tool("open_project", {"project": str(known)})
        assert "2025.33070" in text(refused) and "no longer there" in text(refused)
        refused = await client.call_tool("open_project", {"project": str(known), "program": "/bin/sh"})
        assert "Unknown argument: program" in text(refused)


async def test_a_project_that_is_open_is_not_opened_twice(
    world: World, doorbell: Doorbell, tmp_path: Path
) -> None:
    show = tmp_path / "show.6.toe"
    show.touch()
    noted(world, (show, doorbell.path))
    world.server()
    [entry] = (world.home / "instances").glob("*.json")
    facts = json.loads(entry.read_text("utf-8"))
    facts |= {"project": "show.7.toe", "project_folder": tmp_path.as_posix()}
    entry.write_text(json.dumps(facts), encoding="utf-8")
    async with Client(world.parameters("--allow-open"), mode="legacy") as client:
        answer = structured(await client.call_tool("open_project", {"project": "show"}))
    assert not answer["started"] and "open already" in answer["state"]


async def test_without_the_option_there_is_no_such_tool(
    world: World, doorbell: Doorbell, tmp_path: Path
) -> None:
    show = tmp_path / "show.toe"
    show.touch()
    noted(world, (show, doorbell.path))
    async with Client(world.parameters(), mode="legacy") as client:
        assert "open_project" not in {tool.name for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("open_project", {"project": "show"})
        assert answer.is_error and "isn't running" in text(answer)

"""Which of the running TouchDesigners the shim's calls go to, and what it says when it cannot tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stdio_shim.__main__ import CONTRACT, Instances, Refusal, Target, host_id, process_start


class Registry:
    """Registry files whose process ids all live (or not), without a server behind them."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self.alive: set[int] = set()
        (home / "instances").mkdir()
        monkeypatch.setattr("stdio_shim.__main__.process_alive", lambda pid: pid in self.alive)
        monkeypatch.setattr(Instances, "_answers", lambda *_: True)

    def add(self, pid: int, name: str, project: str = "", **facts: Any) -> Path:
        self.alive.add(pid)
        entry = {
            "pid": pid,
            "started": f"2026-11-30T10:00:{pid % 60:02}",
            "name": name,
            "project": project,
            "component": "/project1/tdmcp",
            "url": f"http://127.0.0.1:{9000 + pid}/mcp",
            "token": f"key of {name}",
            "contract": CONTRACT,
            **facts,
        }
        path = self.home / "instances" / f"{pid}.json"
        path.write_text(json.dumps(entry))
        return path

    def instances(self, **options: str) -> Instances:
        return Instances(str(self.home), **options)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    return Registry(tmp_path, monkeypatch)


def refused(instances: Instances) -> Refusal:
    instances.forget()
    with pytest.raises(Refusal) as caught:
        instances.choose()
    return caught.value


def chosen(instances: Instances) -> str:
    instances.forget()
    return instances.choose().name


def test_the_only_one_is_chosen(registry: Registry) -> None:
    registry.add(1, "show")
    assert chosen(registry.instances()) == "show"
    assert not registry.instances().several()


def test_one_that_is_dead_does_not_count(registry: Registry) -> None:
    registry.add(1, "dead")
    registry.add(2, "alive")
    registry.alive.discard(1)
    assert chosen(registry.instances()) == "alive"


def test_a_stale_entry_whose_process_id_lives_again_is_no_choice(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.add(1, "stale")
    registry.add(2, "real")
    monkeypatch.setattr(Instances, "_answers", lambda self, target, now: target.name == "real")
    assert chosen(registry.instances()) == "real"


def test_a_process_that_started_at_another_time_is_not_the_one_of_the_entry(registry: Registry) -> None:
    registry.alive.add(os.getpid())
    started = process_start(os.getpid())
    registry.add(os.getpid(), "show", process_started=started - 3600)
    assert "ended without closing its server" in refused(registry.instances()).message
    registry.add(os.getpid(), "show", process_started=started + 0.5)
    assert chosen(registry.instances()) == "show"


def test_servers_of_other_computers_that_share_the_home_are_not_offered(registry: Registry) -> None:
    registry.add(10, "there", host="elsewhere/win32")
    instances = registry.instances()
    assert "there (pid 10) is entered by another computer" in refused(instances).message
    assert instances.listing() == []
    registry.add(11, "here", host=host_id())
    assert chosen(instances) == "here" and not instances.several()
    assert (registry.home / "instances" / "10.json").exists()


@pytest.mark.parametrize("word", ["right", "RIGHT", "2", "/shows/b/right.3.toe", "right.3.toe"])
def test_instance_names_it_by_name_process_or_project(registry: Registry, word: str) -> None:
    registry.add(1, "left", "/shows/a/left.toe")
    registry.add(2, "right", "/shows/b/right.3.toe")
    assert chosen(registry.instances(instance=word)) == "right"


def test_an_instance_that_does_not_run_is_refused_with_those_that_do(registry: Registry) -> None:
    registry.add(1, "left")
    refusal = refused(registry.instances(instance="right"))
    assert "--instance right" in refusal.message and refusal.suggestions == ["left"]


@pytest.mark.parametrize("word", ["right.toe", "right", "{}/b/right.3.toe", "{}/b", "{}"])
def test_project_names_it_by_file_or_folder(registry: Registry, tmp_path: Path, word: str) -> None:
    registry.add(1, "left", "/elsewhere/left.toe")
    registry.add(2, "right", f"{tmp_path}/b/right.3.toe")
    assert chosen(registry.instances(project=word.format(tmp_path))) == "right"


def test_the_working_directory_decides_between_several(registry: Registry, tmp_path: Path) -> None:
    registry.add(1, "left", f"{tmp_path}/a/left.toe")
    registry.add(2, "right", f"{tmp_path}/b/right.toe")
    for folder in (f"{tmp_path}/b", f"{tmp_path}/b/scripts/deep"):
        instances = registry.instances(folder=folder)
        assert chosen(instances) == "right"
        assert instances.several(), "the tools to choose are offered all the same"


def test_a_working_directory_above_both_decides_nothing(registry: Registry, tmp_path: Path) -> None:
    registry.add(1, "left", f"{tmp_path}/a/left.toe")
    registry.add(2, "right", f"{tmp_path}/b/right.toe")
    refusal = refused(registry.instances(folder=str(tmp_path)))
    assert refusal.code == "precondition_failed" and refusal.suggestions == ["left", "right"]
    assert "select_instance" in refusal.hint


def test_names_that_two_share_are_told_apart_by_process(registry: Registry) -> None:
    registry.add(1, "show")
    registry.add(2, "show")
    instances = registry.instances()
    assert refused(instances).suggestions == ["1", "2"]
    with pytest.raises(Refusal, match="2 instances answer"):
        instances.select("show")
    assert instances.select("2").pid == 2
    assert instances.choose().pid == 2


def test_calls_stay_with_the_one_they_reached_when_another_appears(registry: Registry) -> None:
    registry.add(1, "first")
    instances = registry.instances()
    instances.reached(instances.choose())
    registry.add(2, "second")
    assert chosen(instances) == "first" and instances.several()


def test_one_left_over_does_not_take_over_unasked(registry: Registry) -> None:
    first = registry.add(1, "first")
    instances = registry.instances()
    instances.reached(instances.choose())
    registry.add(2, "second")
    assert chosen(instances) == "first"
    first.unlink()
    registry.alive.discard(1)
    refusal = refused(instances)
    assert "first" in refusal.message and refusal.suggestions == ["second"]
    assert instances.several(), "select_instance is still offered"
    instances.select("second")
    assert chosen(instances) == "second"


def test_another_project_opened_after_the_first_was_closed_is_taken_up(registry: Registry) -> None:
    first = registry.add(1, "first")
    instances = registry.instances()
    instances.reached(instances.choose())
    first.unlink()
    registry.add(2, "second")
    instances.forget()
    target = instances.choose()
    assert target.name == "second"
    assert instances.reached(target), "and the answer will say that it is another one"


def test_the_next_version_of_the_project_is_the_same_instance(registry: Registry) -> None:
    first = registry.add(1, "show.7", "/shows/show.7.toe")
    registry.add(2, "other", "/shows/other.toe")
    instances = registry.instances()
    instances.select("show.7")
    first.unlink()
    registry.add(3, "show.8", "/shows/show.8.toe")
    assert chosen(instances) == "show.8"


def test_a_selected_one_that_ended_is_not_replaced(registry: Registry) -> None:
    first = registry.add(1, "first")
    registry.add(2, "second")
    instances = registry.instances()
    instances.select("first")
    first.unlink()
    assert "has ended" in refused(instances).message


def test_a_component_switched_off_is_told_from_a_touchdesigner_that_is_gone(registry: Registry) -> None:
    entry = registry.add(1, "show")
    instances = registry.instances()
    chosen(instances)
    entry.unlink()
    assert "is off, restarting or deleted" in refused(instances).message
    registry.alive.discard(1)
    assert "isn't running" in refused(instances).message


def test_an_entry_without_its_process_is_told_as_a_crash(registry: Registry) -> None:
    registry.add(1, "show", "/shows/show.toe")
    registry.alive.discard(1)
    refusal = refused(registry.instances())
    assert "crashed" in refusal.message and "show.toe" in refusal.message and refusal.retryable


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '"x"', "{}", '{"url": 3}', '{"url": "ftp://x"}', '{"url": "http://a:b"}']
)
def test_a_broken_entry_is_passed_over(registry: Registry, text: str) -> None:
    (registry.home / "instances" / "broken.json").write_text(text)
    registry.add(1, "show")
    assert chosen(registry.instances()) == "show"


@pytest.mark.parametrize(
    "facts",
    [
        {"pid": 10**30},
        {"project": "\ud800"},
        {"project": "a\0b"},
        {"name": ["x"], "started": {}, "contract": "1", "accepts": None},
        {"token": "a\r\nb"},
        {"url": "http://127.0.0.1:99999/mcp"},
        {"url": f"http://{'a' * 80}.example/mcp"},
    ],
    ids=str,
)
def test_nonsense_in_an_entry_hides_no_other(facts: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "instances").mkdir()
    good = {
        "pid": os.getpid(),
        "name": "show",
        "project": f"{tmp_path}/show.toe",
        "url": "http://127.0.0.1:1/mcp",
    }
    for name, entry in (("good", good), ("odd", {**good, "name": "odd", "project": "", **facts})):
        (tmp_path / "instances" / f"{name}.json").write_text(json.dumps(entry))
    found = Instances(str(tmp_path), project="show.toe", folder=str(tmp_path))
    assert found.choose().name == "show"
    assert "show" in {one["name"] for one in found.listing()}


def test_a_changed_entry_is_read_again(registry: Registry) -> None:
    registry.add(1, "show", token="old")
    instances = registry.instances()
    assert instances.choose().token == "old"
    registry.add(1, "show", token="newer")
    instances.forget()
    assert instances.choose().token == "newer"


def test_a_url_takes_its_key_from_the_registry_unless_one_is_given(registry: Registry) -> None:
    registry.add(1, "show")
    assert registry.instances(url="http://localhost:9001/mcp").choose().token == "key of show"
    assert registry.instances(url="http://127.0.0.1:9001/mcp", token="mine").choose().token == "mine"
    assert registry.instances(url="http://127.0.0.1:9002/mcp").choose().token == ""


def test_the_listing_shows_no_keys(registry: Registry) -> None:
    registry.add(1, "show")
    listing = registry.instances().listing()
    assert listing[0]["name"] == "show" and listing[0]["selected"]
    assert "key of show" not in json.dumps(listing)


def test_a_process_that_ended_is_not_alive() -> None:
    from stdio_shim.__main__ import process_alive

    child = subprocess.Popen([sys.executable, "-c", "pass"])
    assert process_alive(os.getpid())
    child.wait()
    assert not process_alive(child.pid)
    assert not process_alive(0) and not process_alive(-1)


def target(contract: object, **facts: object) -> Target:
    return Target("http://127.0.0.1:1/mcp", "", {"name": "show", "pid": 1, "contract": contract, **facts})


def test_an_equal_contract_and_one_that_is_not_told_are_silent() -> None:
    assert target(CONTRACT).contract_notice() == ""
    assert target(None).contract_notice() == ""
    assert Target("http://127.0.0.1:1/mcp", "").contract_notice() == ""


def test_a_newer_server_that_still_accepts_the_shim_brings_a_notice() -> None:
    notice = target(CONTRACT + 1, accepts=CONTRACT).contract_notice()
    assert "shim is older" in notice and "Install Client" in notice and "\n" not in notice


def test_contracts_that_do_not_fit_are_refused_with_the_remedy() -> None:
    with pytest.raises(Refusal) as caught:
        target(CONTRACT + 2, accepts=CONTRACT + 1).contract_notice()
    assert "shim is too old" in caught.value.message and "restart this client" in caught.value.hint
    with pytest.raises(Refusal) as caught:
        target(0).contract_notice()
    assert "component" in caught.value.message and "tdmcp.tox" in caught.value.hint


def test_an_older_server_that_still_fits_brings_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stdio_shim.__main__.CONTRACT", CONTRACT + 1)
    assert "component in show" in target(CONTRACT).contract_notice()

"""An approval of a remote agent is for one component of one project, and its file is named after that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tdmcp_embedded.http.oauth.registrations import KNOWN_S
from tdmcp_embedded.http.oauth.store import remove_old
from tdmcp_embedded.projects import identity


def facts(folder: Path, project: str = "show.3.toe", component: str = "/tdmcp") -> dict[str, str]:
    return {"project_folder": folder.as_posix(), "project": project, "component": component}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("show.2.toe", "other.1.toe"):
        (tmp_path / name).touch()
    return tmp_path


def test_a_project_stays_the_same_when_it_is_saved_under_its_next_number(folder: Path) -> None:
    assert identity(facts(folder)) == identity(facts(folder, "show.4.toe")) == identity(facts(folder))


@pytest.mark.parametrize(
    "changed", [{"project": "other.1.toe"}, {"component": "/project1/tdmcp"}], ids=["project", "component"]
)
def test_another_project_or_component_is_another_one(folder: Path, changed: dict[str, str]) -> None:
    assert identity({**facts(folder), **changed}) != identity(facts(folder))


def test_a_project_of_that_name_in_another_folder_is_another_one(folder: Path) -> None:
    (folder / "copy").mkdir()
    (folder / "copy" / "show.2.toe").touch()
    assert identity(facts(folder / "copy")) != identity(facts(folder))


def test_a_project_without_a_file_is_another_one_in_each_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = facts(folder, "NewProject.1.toe")
    before = identity(new)
    assert before == identity(new), "a server that starts again keeps its agents"
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert identity(new) != before


def test_files_of_agents_that_nobody_can_be_in_by_are_removed(tmp_path: Path) -> None:
    now = 1e9
    ages = {"oauth-old.json": KNOWN_S + 1, "oauth-9988.json": KNOWN_S + 1, "oauth-new.json": KNOWN_S - 1}
    for name, age in {**ages, "keys.json": KNOWN_S + 1}.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now - age, now - age))
    remove_old(tmp_path, now)
    assert {path.name for path in tmp_path.iterdir()} == {"oauth-new.json", "keys.json"}

"""Which projects are noted as having been open, and with which TouchDesigner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded import projects


@pytest.fixture
def facts(tmp_path: Path) -> dict[str, Any]:
    """A saved project in a TouchDesigner as Windows has it."""
    program = tmp_path / "Derivative" / "TouchDesigner" / "bin"
    program.mkdir(parents=True)
    for name in ("TouchDesigner.exe", "python.exe"):
        (program / name).touch()
    folder = tmp_path / "shows"
    folder.mkdir()
    (folder / "show.7.toe").touch()
    return {
        "project": "show.7.toe",
        "project_folder": folder.as_posix(),
        "build": "2025.33070",
        "python": str(program / "python.exe"),
        "saved": True,
    }


def test_a_saved_project_is_noted_with_the_program_that_ran_it(facts: dict[str, Any], tmp_path: Path) -> None:
    where = tmp_path / "projects.json"
    projects.History(where).note(facts)
    [one] = projects.known(where)
    assert one["path"] == f"{facts['project_folder']}/show.7.toe"
    assert (one["build"], Path(one["executable"]).name) == ("2025.33070", "TouchDesigner.exe")


def test_a_later_version_of_a_project_and_another_build_take_its_place(
    facts: dict[str, Any], tmp_path: Path
) -> None:
    where = tmp_path / "projects.json"
    projects.History(where).note(facts)
    # TouchDesigner names the next version, which has no file yet.
    projects.History(where).note({**facts, "project": "show.8.toe", "build": "2026.1"})
    assert [(Path(one["path"]).name, one["build"]) for one in projects.known(where)] == [
        ("show.8.toe", "2026.1")
    ]


def test_what_has_no_file_or_no_touchdesigner_is_not_noted(facts: dict[str, Any], tmp_path: Path) -> None:
    where = tmp_path / "projects.json"
    history = projects.History(where)
    history.note({**facts, "project": "NewProject.1.toe", "saved": False})
    history.note({**facts, "python": str(tmp_path / "other" / "python.exe")})
    history.note({**facts, "project_folder": ""})
    assert not where.exists()


def test_the_latest_comes_first_old_ones_are_forgotten_and_nothing_is_written_twice(
    facts: dict[str, Any], tmp_path: Path
) -> None:
    where, history = tmp_path / "projects.json", None
    for number in range(60):
        name = f"p{number:02}.toe"
        Path(facts["project_folder"], name).touch()
        history = projects.History(where)
        history.note({**facts, "project": name})
    found = [Path(one["path"]).name for one in projects.known(where)]
    assert (found[0], len(found)) == ("p59.toe", 50)
    assert history is not None
    where.unlink()
    history.note({**facts, "project": "p59.toe"})
    assert not where.exists()

"""Whether a project has a file, told by a name that may already be the next version's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdmcp_embedded.touchdesigner.project_file import is_saved
from tests.unit.tools.harness import Bench


@pytest.mark.parametrize(
    ("there", "name", "saved"),
    [
        ("show.3.toe", "show.3.toe", True),
        ("show.3.toe", "show.4.toe", True),
        ("show.toe", "show.2.toe", True),
        ("show.toe", "show.toe", True),
        ("show.3.toe", "show.5.toe", False),
        ("other.3.toe", "show.4.toe", False),
        ("NewProject.toe", "NewProject.1.toe", False),
    ],
)
def test_the_version_before_counts(tmp_path: Path, there: str, name: str, saved: bool) -> None:
    (tmp_path / there).write_bytes(b"")
    assert is_saved(str(tmp_path), name) is saved


def test_a_project_without_a_folder_is_not_saved() -> None:
    assert is_saved("", "show.toe") is False


def test_the_status_says_saved_right_after_a_save(bench: Bench, tmp_path: Path) -> None:
    bench.life.project.folder = tmp_path
    assert bench.json("get_status")["project"]["saved"] is False
    bench.td.project.save()
    assert bench.td.project.name == "NewProject.2.toe"
    assert bench.json("get_status")["project"]["saved"] is True

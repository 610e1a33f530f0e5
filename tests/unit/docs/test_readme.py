"""The README stays true: its commands are the ones that exist, its links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def fenced(page: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_the_readme_begins_with_two_commands_of_one_line_each() -> None:
    commands = [block.strip() for block in fenced(ROOT / "README.md")[:2]]
    assert commands == ["python3 run.py demo", "python3 run.py test"]


def test_those_commands_exist() -> None:
    known = runpy.run_path(str(ROOT / "run.py"))["COMMANDS"]
    assert {"demo", "test"} <= set(known)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []

"""Paths in arguments: what Windows takes for something else than a file is refused, and a Mac's two ways to write one are
one path."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import project


def td(folder: Path) -> Any:
    return SimpleNamespace(project=SimpleNamespace(folder=str(folder)))


#: (a path, what is said of it)
NO_FILES = [
    ("show.toe:hidden.toe", "a colon stands after the letter of the drive only"),
    ("sub/notes.txt:show.toe", "a colon stands after"),
    ("C:/shows/show.toe::$DATA.toe", "a colon stands after"),
    ("C:show.toe", "a slash is missing"),
    ("//./pipe/show.toe", "names a device"),
    ("\\\\?\\C:\\show.toe", "names a device"),
    ("NUL.toe", "keeps the name NUL.toe for a device"),
    ("sub/com1.toe", "keeps the name com1.toe for a device"),
    ("con/show.toe", "keeps the name con for a device"),
]


@pytest.mark.parametrize(("given", "words"), NO_FILES, ids=[one[0] for one in NO_FILES])
def test_what_windows_takes_for_something_else_is_refused_wherever_it_leads(
    tmp_path: Path, given: str, words: str
) -> None:
    for outside in (False, True):
        with pytest.raises(ToolFailure, match=words) as refused:
            project.file_path(td(tmp_path), given, ".toe", outside, system="win32")
        assert refused.value.code is Code.VALUE_INVALID


@pytest.mark.parametrize("given", ["show.toe", "console.toe", "nullen.toe", "COM.toe", "com10.toe"])
def test_other_names_are_files(tmp_path: Path, given: str) -> None:
    expected = str(tmp_path.resolve() / given)
    assert project.file_path(td(tmp_path), given, ".toe", False, system="win32") == expected


def test_elsewhere_a_colon_is_a_letter_like_others(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("Windows has no such names")
    assert project.file_path(td(tmp_path), "12:30.toe", ".toe", False).endswith("/12:30.toe")


def like_a_mac(one: str, other: str) -> bool:
    """Whether two paths are one folder on a disk of a Mac."""
    same: bool = _form(one) == _form(other)
    return same


def _form(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


@pytest.mark.parametrize("name", ["SHOW", "ren\u00e9", "rene\u0301"])
def test_a_path_in_the_project_is_in_it_however_a_mac_is_given_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / ("Rene\u0301" if name.startswith("ren") else "Show")
    folder.mkdir()
    given = tmp_path / name
    if not given.exists():
        given.mkdir()  # on this disk it is another one
    monkeypatch.setattr(os.path, "samefile", like_a_mac)
    path = project.file_path(td(folder), f"{given}/x.toe", ".toe", False)
    assert like_a_mac(path, f"{folder.resolve()}/x.toe")


@pytest.mark.parametrize("name", ["Shows", "Sho", "elsewhere"])
def test_a_folder_that_only_begins_alike_is_outside(tmp_path: Path, name: str) -> None:
    (tmp_path / "Show").mkdir()
    (tmp_path / name).mkdir()
    with pytest.raises(ToolFailure, match="lies outside"):
        project.file_path(td(tmp_path / "Show"), f"{tmp_path}/{name}/x.toe", ".toe", False)

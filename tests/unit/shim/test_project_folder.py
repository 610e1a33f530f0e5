"""The registry tells a project's folder and name apart; the shim joins them to tell projects apart by where they are."""

from __future__ import annotations

import pytest

from stdio_shim.__main__ import Target


@pytest.mark.parametrize(
    ("folder", "name", "whole"),
    [
        ("/shows/a", "show.7.toe", "/shows/a/show.7.toe"),
        ("C:/Users/Jo Ann/shows/", "show.toe", "C:/Users/Jo Ann/shows/show.toe"),
        ("", "show.toe", "show.toe"),
        ("/shows/a", "/elsewhere/show.toe", "/elsewhere/show.toe"),
        ("/shows/a", "", ""),
    ],
)
def test_an_entrys_project_is_its_whole_path(folder: str, name: str, whole: str) -> None:
    entry = {"url": "http://127.0.0.1:9988/mcp", "project": name, "project_folder": folder, "pid": 1}
    assert Target(str(entry["url"]), "", entry).project == whole

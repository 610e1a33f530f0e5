"""The one file that clients start is what its parts say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tox_build import join_shim


def test_the_shim_is_joined_of_its_parts_as_they_are() -> None:
    assert join_shim.SHIM.read_text(encoding="utf-8") == join_shim.joined(), (
        "bring it up to date: python -m tox_build.join_shim"
    )


def test_every_part_is_in_it() -> None:
    files = {file.stem for file in join_shim.SOURCE.glob("*.py")} - {"__init__"}
    assert files == set(join_shim.PARTS)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("\n\ndef dumps() -> None: ...\n", "dumps is in constants and in messages"),
        ("\n\nimport json\n", "imports stand at its head"),
    ],
)
def test_what_would_not_fit_into_one_file_is_refused(more: str, complaint: str, tmp_path: Path) -> None:
    shutil.copytree(join_shim.SOURCE, tmp_path / "shim")
    part = tmp_path / "shim" / "constants.py"
    part.write_text(part.read_text(encoding="utf-8") + more, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        join_shim.joined(tmp_path / "shim")


def test_a_part_takes_whole_libraries_only(tmp_path: Path) -> None:
    shutil.copytree(join_shim.SOURCE, tmp_path / "shim")
    part = tmp_path / "shim" / "messages.py"
    part.write_text(
        part.read_text(encoding="utf-8").replace("import re\n", "from re import compile\n"), "utf-8"
    )
    with pytest.raises(ValueError, match="write `import re`"):
        join_shim.joined(tmp_path / "shim")

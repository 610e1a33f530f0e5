"""The lists the shim carries with it are those of the table of tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from stdio_shim.__main__ import built_in
from tox_build import shim_tools


def test_the_shim_carries_the_tools_there_are() -> None:
    from tdmcp_embedded.tools.table import TABLE

    assert built_in() == shim_tools.facts(TABLE), "bring it up to date: python -m tox_build.shim_tools"


def test_what_is_written_between_the_marks_is_read_back() -> None:
    source = f'x = 1\n{shim_tools.BEGIN}BUILT_IN = ""\n{shim_tools.END}y = 2\n'
    known = {"tools": [{"name": "ä", "description": '"quoted"\n' * 100}]}
    written = shim_tools.put_into(source, shim_tools.block(known))
    assert written.startswith("x = 1\n") and written.endswith("y = 2\n")
    assert shim_tools.taken_from(written) == known
    assert shim_tools.put_into(written, shim_tools.block(known)) == written
    assert shim_tools.taken_from(source) == {}


def test_a_shim_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="BUILT-IN"):
        shim_tools.put_into("nothing here", "")


def test_check_changes_nothing(tmp_path: Path) -> None:
    shim = tmp_path / "shim.py"
    shim.write_text(f'{shim_tools.BEGIN}BUILT_IN = ""\n{shim_tools.END}')
    before = shim.read_text()
    assert shim_tools.write(shim, check=True) is False and shim.read_text() == before
    assert shim_tools.write(shim) is False
    assert shim_tools.write(shim, check=True) is True

"""The expanded form of the component: `tdmcp.tox.dir/` and `tdmcp.tox.toc`, which `toecollapse` makes a .tox of.

The same description gives the same bytes, whenever and wherever it is built.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from td_component.description import TDMCP
from td_component.model import Component
from tox_build import contents, parameters

#: The oldest supported build, since TouchDesigner warns of files from a newer one. The time is no time of ours, so
#: that a build can be repeated.
BUILD = (
    "version 099",
    "build 2025.32280",
    "time Thu Jan  1 00:00:00 1970",
    "osname Windows",
    "osversion 10",
)
_TOC_HEAD = "# 4 0 0 0 1"
_COMP_TILE = (0, 0, 160, 130)


def files(component: Component = TDMCP) -> dict[str, bytes]:
    """Every file of the expanded form by its path below `NAME.tox.dir/`, in the order of the table of contents."""
    name = component.name
    made = {".build": "\n".join([*BUILD, ""]).encode("utf-8")}
    made[f"{name}.n"] = contents.node("baseCOMP", _COMP_TILE, color=component.color)
    made[f"{name}.cparm"] = parameters.definitions_file(component.pages)
    if component.parameters:
        made[f"{name}.parm"] = parameters.settings_file(component.parameters)
    for dat in component.dats:
        path = f"{name}/{dat.name}"
        made[f"{path}.n"] = contents.node(dat.type, (dat.x, dat.y, dat.width, dat.height), dock=dat.dock)
        if dat.parameters:
            made[f"{path}.parm"] = parameters.settings_file(dat.parameters)
        if dat.table:
            made[f"{path}.table"] = contents.table(dat.table)
        else:
            made[f"{path}.text"] = contents.text(dat.text())
    return made


def write_expanded(out_dir: Path, component: Component = TDMCP) -> Path:
    """Write `NAME.tox.dir/` and `NAME.tox.toc` into `out_dir`, replacing former ones, and give the path of the .toc.

    Raises:
        lint.LintError: what was made breaks a rule of the format; nothing is written.
        OSError: the folder cannot be written.
    """
    from tox_build import lint

    made = files(component)
    lint.check(made)
    folder = out_dir / f"{component.name}.tox.dir"
    if folder.exists():
        shutil.rmtree(folder)
    for path, data in made.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    toc = out_dir / f"{component.name}.tox.toc"
    toc.write_bytes("\n".join([_TOC_HEAD, *made, ""]).encode("utf-8"))
    return toc

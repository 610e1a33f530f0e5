"""The commands `tdmcp build` and `tdmcp pack`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tox_build import wheels

_FOLDER = click.Path(file_okay=False, path_type=Path)
#: What people call systems.
_SYSTEMS = {
    "windows": ("win_amd64",),
    "macos": ("macosx_arm64", "macosx_x86_64"),
    "linux": tuple(name for name in wheels.SYSTEMS if name.startswith("linux")),
    **{name: (name,) for name in wheels.SYSTEMS},
}


def wheel_folder() -> Path:
    """Where fetched wheels are kept: with the environment that builds."""
    return Path(sys.prefix) / "tdmcp-wheels"


@click.command()
@click.argument("out", default="build", type=_FOLDER)
@click.option(
    "--slim", is_flag=True, help="Without code and libraries, for a TouchDesigner that has tdmcp-embedded."
)
@click.option(
    "--for",
    "names",
    multiple=True,
    type=click.Choice(sorted(_SYSTEMS)),
    help="Carry the libraries of this system only; may be repeated. Default: Windows and macOS.",
)
@click.option("--wheels", "folder", type=_FOLDER, help="Keep fetched wheels there.")
def build(out: Path, slim: bool, names: tuple[str, ...], folder: Path | None) -> None:
    """Build the component into OUT (default: build)."""
    from tox_build.build import BadBuild
    from tox_build.build import build as build_component
    from tox_build.lint import LintError
    from tox_build.payload import payload

    if slim and names:
        raise click.UsageError("--slim carries no libraries, so --for has no meaning with it")
    systems = tuple(dict.fromkeys(s for name in names for s in _SYSTEMS[name])) or wheels.TOUCHDESIGNER
    try:
        carried = None if slim else payload(systems, folder or wheel_folder())
        report = build_component(out, carried=carried)
    except (wheels.CannotFetch, BadBuild, LintError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(report.text())


@click.command()
@click.argument("out", default="build", type=_FOLDER)
@click.option(
    "--td", "tool", type=click.Path(path_type=Path), help="TouchDesigner's folder or app, or its toecollapse."
)
@click.option("--to", "target", type=_FOLDER, help="Put the .tox there. Default: OUT.")
def pack(out: Path, tool: Path | None, target: Path | None) -> None:
    """Make a .tox of the component that was built into OUT, with TouchDesigner's own toecollapse."""
    from tox_build.pack import CannotPack
    from tox_build.pack import pack as pack_component

    try:
        packed = pack_component(out, tool, target)
    except (CannotPack, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(packed.text())

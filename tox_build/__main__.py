"""`python -m tox_build [OUT]`: builds the component."""

from __future__ import annotations

from pathlib import Path

import click

from tox_build.build import build
from tox_build.docs import reference


@click.command()
@click.argument("out", default="build", type=click.Path(path_type=Path))
@click.option(
    "--reference", "page", type=click.Path(path_type=Path), help="Also write the parameter page there."
)
def main(out: Path, page: Path | None) -> None:
    """Build the component into OUT (default: build)."""
    click.echo(build(out).text())
    if page is not None:
        page.write_bytes(reference().encode("utf-8"))


if __name__ == "__main__":
    main()

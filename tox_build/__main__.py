"""`python -m tox_build --reference docs/parameters.md`: writes the parameter page of the docs. Else `tdmcp build`."""

from __future__ import annotations

from pathlib import Path

import click

from tox_build.docs import reference


@click.command()
@click.option(
    "--reference",
    "page",
    required=True,
    type=click.Path(path_type=Path),
    help="Write the parameter page there.",
)
def main(page: Path) -> None:
    """Write what is made from the component's description, apart from the component."""
    page.write_bytes(reference().encode("utf-8"))


if __name__ == "__main__":
    main()

"""`tdmcp stdio`: the stdio shim under the command's name, for clients that start their servers by a command."""

from __future__ import annotations

import runpy
import sys

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def stdio(arguments: tuple[str, ...]) -> None:
    """Serve MCP on standard input and output, for clients that speak only that."""
    sys.argv = ["tdmcp stdio", *arguments]
    runpy.run_module("stdio_shim", run_name="__main__", alter_sys=False)

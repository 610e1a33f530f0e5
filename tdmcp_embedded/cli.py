"""The command `tdmcp`. Each subcommand lives with its subject and is loaded only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from tdmcp_embedded import __version__, console

#: Subcommand -> module:attribute of its click command.
COMMANDS = {
    "build": "tox_build.command:build",
    "client": "tdmcp_embedded.clients.command:client",
    "demo": "fakes.demo.command:demo",
    "doctor": "tdmcp_embedded.doctor.command:doctor",
    "key": "tdmcp_embedded.key_command:key",
    "pack": "tox_build.command:pack",
    "stdio": "tdmcp_embedded.stdio_command:stdio",
}


class _Commands(click.Group):
    """A group whose members are imported on use: `tdmcp stdio` must not pay for the demo's imports."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        console.prepare()
        return super().main(*arguments, **options)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, attribute = target.split(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands)
@click.version_option(__version__, prog_name="tdmcp")
def main() -> None:
    """An MCP server that lives inside TouchDesigner."""


if __name__ == "__main__":
    main()

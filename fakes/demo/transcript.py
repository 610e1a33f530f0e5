"""What the demo prints: numbered steps, calls with their times, and checks that decide over its exit code."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import click
from mcp.client import Client
from mcp_types import CallToolResult, ImageContent, TextContent


class Transcript:
    """Prints as it goes; `ok` says whether every check held."""

    def __init__(self) -> None:
        self.ok = True
        self._step = 0

    def step(self, title: str) -> None:
        self._step += 1
        click.secho(f"\n{self._step}. {title}", bold=True)

    def say(self, text: str) -> None:
        for line in text.splitlines():
            click.echo(f"   {line}")

    def check(self, held: bool, what: str) -> None:
        """State something the demo promises; a broken promise makes it fail at the end."""
        click.secho(f"   {'ok ' if held else 'BROKEN'} {what}", fg="green" if held else "red")
        self.ok = self.ok and held

    async def call(self, client: Client, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool and print the call, what came back (shortened) and the milliseconds it took."""
        shown = json.dumps(arguments, ensure_ascii=False)
        click.secho(f"   > {tool} {_short(shown, 160)}", fg="cyan")
        started = time.perf_counter()
        result = await client.call_tool(tool, arguments)
        elapsed = 1000 * (time.perf_counter() - started)
        for block in result.content:
            if isinstance(block, TextContent):
                for line in _short(block.text, 700).splitlines()[:14]:
                    click.echo(f"     {line}")
            elif isinstance(block, ImageContent):
                click.echo(f"     [{block.mime_type}, {len(block.data) * 3 // 4:,} bytes]")
        click.secho(f"     {'refused' if result.is_error else 'done'} in {elapsed:.0f} ms", dim=True)
        return result


class Progress:
    """One line on standard error that says what is being waited for; silent where nobody watches."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._shown = sys.stderr.isatty()

    def advance(self, what: str) -> None:
        self._done += 1
        if self._shown:
            bar = "#" * (20 * self._done // self._total)
            print(f"\r[{bar:<20}] {what:<50}", end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        if self._shown:
            print("\r" + " " * 75 + "\r", end="", file=sys.stderr, flush=True)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 4] + " ..."

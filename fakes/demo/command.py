"""`tdmcp demo`: start the stand-in, connect both ways, tell the story, say where the pictures are."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from fakes import builds
from fakes.demo.story import tell
from fakes.demo.transcript import Progress, Transcript
from fakes.driver import StandIn


@click.command()
@click.option("--keep", is_flag=True, help="Leave the stand-in running afterwards and say how to connect.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/demo"),
    show_default=True,
    help="Where the pictures go.",
)
@click.option(
    "--build",
    type=click.Choice(list(builds.BUILDS)),
    default=builds.NEWEST,
    show_default=True,
    help="The build of TouchDesigner that the stand-in is.",
)
def demo(keep: bool, out: Path, build: str) -> None:
    """Watch an agent's client build a network in a stand-in TouchDesigner."""
    out = out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    progress = Progress(3)
    progress.advance("starting the stand-in for TouchDesigner")
    try:
        td = StandIn("--scene", "demo", "--fps", "60", "--build", build)
    except RuntimeError as error:
        progress.finish()
        raise click.ClickException(str(error)) from None
    with td:
        transcript = Transcript()
        asyncio.run(_both_ways(td, out, transcript, progress))
        click.echo(f"\nPictures: {out}")
        click.secho("All went right." if transcript.ok else "Something went wrong, see above.", bold=True)
        if keep:
            _keep(td)
    sys.exit(0 if transcript.ok else 1)


async def _both_ways(td: StandIn, out: Path, transcript: Transcript, progress: Progress) -> None:
    shim = StdioServerParameters(
        command=sys.executable,
        args=["-m", "stdio_shim"],
        env={**os.environ, "HOME": str(td.home), "TDMCP_HOME": str(td.home / ".tdmcp")},
    )
    timeout = httpx2.Timeout(60, read=300)
    progress.advance("connecting through the stdio shim")
    async with (
        Client(shim, mode="legacy") as desktop,
        httpx2.AsyncClient(headers=td.headers, timeout=timeout) as http,
    ):
        progress.advance("connecting over HTTP")
        async with Client(streamable_http_client(td.url, http_client=http)) as remote:
            progress.finish()
            await tell(td, desktop, remote, out, transcript)


def _keep(td: StandIn) -> None:
    click.echo(
        f"\nStill running, until you press Ctrl-C.\n"
        f"  Address     {td.url}\n"
        f"  Access key  {td.token}\n"
        f"  Over HTTP   give the client the address and the header  Authorization: Bearer {td.token}\n"
        f"  Over stdio  TDMCP_HOME={td.home / '.tdmcp'} {sys.executable} -m stdio_shim\n"
        f"  Claude Code claude mcp add --transport http touchdesigner {td.url} "
        f'--header "Authorization: Bearer {td.token}"'
    )
    try:
        td.process.wait()
    except KeyboardInterrupt:
        click.echo()

"""What happens in the demo, step by step. It knows the server only from outside: MCP and the control lines."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp_types import CallToolResult, ImageContent

from fakes.demo.transcript import Transcript
from fakes.driver import StandIn

NETWORK: list[dict[str, Any]] = [
    {"name": "agent_noise", "type": "noiseTOP", "params": {"period": 0.6, "mono": False}},
    {"name": "agent_blur", "type": "blurTOP", "inputs": ["agent_noise"], "params": {"size": 6}},
    {"name": "agent_level", "type": "levelTOP", "inputs": ["agent_blur"], "params": {"contrast": 1.6}},
    {"name": "agent_out", "type": "nullTOP", "inputs": ["agent_level"]},
    {"name": "agent_circle", "type": "circleTOP"},
]


async def tell(td: StandIn, desktop: Client, remote: Client, out: Path, transcript: Transcript) -> None:
    """Run the whole story.

    Args:
        desktop: a client that reached TouchDesigner through the stdio shim, as Claude Desktop does.
        remote: a client that speaks Streamable HTTP to it directly.
        out: where the pictures go.
    """
    t = transcript
    t.step("Two clients meet the same TouchDesigner")
    await t.call(desktop, "get_status")
    status = await t.call(remote, "get_status")
    t.check(not status.is_error, "both the shim and HTTP answer")

    t.step("Build noise -> blur -> level -> null beside a circle, in one call and one undo step")
    built = await t.call(desktop, "build_network", path="/project1", operators=NETWORK)
    t.check(not built.is_error, "the network was built")
    t.check(
        td.exec("[o.name for o in op('/project1/agent_out').inputs]") == "['agent_level']",
        "TouchDesigner itself says the wires are there",
    )

    t.step("Break something on purpose, read the refusal, repair")
    await _break_and_repair(td, desktop, t)

    t.step("Animate: a parameter becomes an expression; two moments look different")
    await t.call(
        desktop,
        "set_parameters",
        changes=[{"path": "/project1/agent_noise", "params": {"tz": {"expr": "absTime.seconds * 2"}}}],
    )
    first = await _picture(remote, t, out / "moment-1.png")
    await asyncio.sleep(0.5)
    second = await _picture(remote, t, out / "moment-2.png")
    t.check(bool(first and second and first != second), "the picture moves")

    t.step("Undo one step")
    await t.call(remote, "undo", steps=1)
    t.check(
        td.exec("op('/project1/agent_noise').par.tz.mode.name") == "'CONSTANT'",
        "the expression is gone, in one step",
    )

    t.step("Read the network back")
    read = await t.call(remote, "read_network", path="/project1", view="outline")
    text = "\n".join(getattr(block, "text", "") for block in read.content)
    t.check(all(item["name"] in text for item in NETWORK), "all five operators are in it")
    errors = await t.call(desktop, "check_errors", path="/project1")
    t.check(not errors.is_error, "the project was searched for errors")

    t.step("What the show noticed")
    stats = td.stats()
    frames = stats["frame_ms"]
    t.say(
        f"{stats['frames']} frames, {stats['dropped_frames']} dropped, {stats['late_frames']} late; "
        f"frame time p50 {frames['p50']:.2f} ms, p99 {frames['p99']:.2f} ms, longest {frames['max']:.2f} ms"
    )
    t.check(stats["thread_conflicts"] == 0, "TouchDesigner was touched on its main thread only")
    t.check(not td.strays, "nothing but JSON on the stand-in's standard output")


async def _break_and_repair(td: StandIn, client: Client, t: Transcript) -> None:
    before = td.exec("op('/project1/agent_noise').par.type.eval()")
    menu = await t.call(
        client,
        "set_parameters",
        changes=[{"path": "/project1/agent_noise", "params": {"type": "simplex_3d"}}],
    )
    t.check(menu.is_error and _code(menu) == "menu_value_invalid", "an unknown menu word is refused by name")
    name = await t.call(
        client, "set_parameters", changes=[{"path": "/project1/agent_blur", "params": {"filtersise": 12}}]
    )
    t.check(name.is_error and _code(name) == "parameter_not_found", "an unknown parameter is refused by name")
    t.check(td.exec("op('/project1/agent_noise').par.type.eval()") == before, "and nothing was changed")
    suggestions = (menu.structured_content or {}).get("suggestions") or []
    t.check(bool(suggestions), "the refusal suggests what was meant")
    if suggestions:
        repaired = await t.call(
            client,
            "set_parameters",
            changes=[{"path": "/project1/agent_noise", "params": {"type": suggestions[0]}}],
        )
        t.check(not repaired.is_error, "the first suggestion works")


async def _picture(client: Client, t: Transcript, path: Path) -> bytes:
    result = await t.call(client, "capture_image", path="/project1/agent_out", max_size=512)
    for block in result.content:
        if isinstance(block, ImageContent):
            data = base64.b64decode(block.data)
            path.write_bytes(data)
            t.say(f"saved as {path}")
            return data
    t.check(False, "a picture came back")
    return b""


def _code(result: CallToolResult) -> str:
    return str((result.structured_content or {}).get("code"))

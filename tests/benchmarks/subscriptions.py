"""What subscriptions cost the main thread: with none, and with fifty of mixed kinds on a quiet project.

python -m tests.benchmarks.subscriptions [--seconds 10]
"""

from __future__ import annotations

import argparse
import ast
import json

import anyio

from fakes.driver import StandIn
from tests.integration.listening import hearing

_SCENE = """
for i in range(10):
    op('/project1').create('noiseTOP', f'noise{i}')
    op('/project1').create('textDAT', f'text{i}')
    op('/project1').create('baseCOMP', f'base{i}').create('nullCHOP', 'null1')
"""

_URIS = [
    f"td://{kind}/project1/{name}{number}"
    for kind, name in (
        ("operator", "noise"),
        ("image", "noise"),
        ("text", "text"),
        ("network", "base"),
        ("operator", "base"),
    )
    for number in range(10)
]


async def main(seconds: float) -> dict[str, float]:
    with StandIn("--scene", "empty", "--fps", "60") as td:
        td.exec(_SCENE)
        stats = f"__import__('tdmcp_embedded.embed').embed.find(op('{td.ready['component']}')).stats()"

        def pumped() -> tuple[float, int]:
            ms, frames = ast.literal_eval(
                td.exec(f"(lambda s: (s['total_pump_ms'], s['frames']))({stats})", timeout=60)
            )
            return ms, frames

        async def measure() -> float:
            ms, frames = pumped()
            await anyio.sleep(seconds)
            after, later = pumped()
            return (after - ms) / max(1, later - frames)

        none = await measure()
        async with hearing(td, "auto", *_URIS):
            fifty = await measure()
    frame = 1000 / 60
    return {
        "subscriptions": len(_URIS),
        "ms_per_frame_with_none": round(none, 5),
        "ms_per_frame_with_fifty": round(fifty, 5),
        "share_of_frame_with_none": round(none / frame, 6),
        "share_of_frame_with_fifty": round(fifty / frame, 6),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    print(json.dumps(anyio.run(main, parser.parse_args().seconds)))

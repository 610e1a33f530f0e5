"""A project of 10 000 operators, and the size of the list of tools.

python -m tests.benchmarks sizes
"""

from __future__ import annotations

import json
import time

from fakes.driver import StandIn
from tests.benchmarks.raw_client import RawClient
from tests.benchmarks.table import Row
from tests.integration.stress.wire import META, MODERN, health, message, payload, post

OPERATORS = 10_000


def rows(quick: bool = False) -> list[Row]:
    with StandIn("--scene", f"large:{OPERATORS}", timeout=180) as td, RawClient(td) as client:
        client.call("find_operators", {"path": "/", "limit": 1})
        before = health(td)["queue"]["frames_over_budget"]
        took = []
        for _ in range(3 if quick else 10):
            began = time.perf_counter()
            found = client.call("find_operators", {"path": "/", "family": "TOP"})
            took.append(time.perf_counter() - began)
            assert not found["is_error"] and found["returned"] > 0, found
        over = health(td)["queue"]["frames_over_budget"] - before
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
        tools = payload(post(td, message("tools/list", {"_meta": META}), **headers))["result"]["tools"]
    lean = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
    size = len(json.dumps(lean, separators=(",", ":"), ensure_ascii=False).encode()) / 1000
    return [
        Row(f"find_operators over {OPERATORS} operators, first page", 0.5, sorted(took)[len(took) // 2], "s"),
        Row(f"find_operators over {OPERATORS} operators, frames over budget", 0, over),
        Row(f"tools/list, {len(tools)} tools", 28, size, "kB"),
    ]

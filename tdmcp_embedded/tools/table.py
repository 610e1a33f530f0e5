"""The table of tools: the single source of truth for registration, access, documentation and the shim's list.

Adding a tool: its models and its function in one of the modules below, one row in that module's `TOOLS`.
"""

from __future__ import annotations

from importlib import import_module

from tdmcp_embedded.tools.tool import Tool

#: Modules of this package that define tools, in the order in which the tools are listed.
MODULES = (
    "status",
    "finding",
    "inspecting",
    "reading",
    "data",
    "capturing",
    "checking",
    "measuring",
    "watching",
    "describing",
    "selecting",
    "comparing",
    "creating",
    "building",
    "parameters",
    "wiring",
    "updating",
    "copying",
    "deleting",
    "writing",
    "arranging",
    "customizing",
    "timeline",
    "checkpointing",
    "undoing",
    "saving",
    "batching",
    "python",
    "jobs",
)


def _collect() -> dict[str, Tool]:
    table: dict[str, Tool] = {}
    for name in MODULES:
        for tool in import_module(f"{__package__}.{name}").TOOLS:
            if tool.name in table:
                raise ValueError(f"two tools are called {tool.name}")
            table[tool.name] = tool
    return table


TABLE: dict[str, Tool] = _collect()

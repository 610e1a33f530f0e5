"""Who may use what: the level of a caller's key under the ceilings of the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.tool import Tool


def effective_level(key_level: Level, settings: Settings, facts: Mapping[str, Any]) -> Level:
    """The least of the key's level, the ceiling, and (in Perform mode) the ceiling of Perform mode."""
    levels = [key_level, settings.access_level]
    if facts.get("perform_mode"):
        levels.append(settings.perform_level)
    return min(levels, key=lambda level: level.rank)


def allowed(tools: Iterable[Tool], level: Level, settings: Settings) -> list[Tool]:
    """The tools that are listed at a level, in the table's order."""
    core_only = settings.toolset == "core"
    return [tool for tool in tools if level.allows(tool.level) and (tool.core or not core_only)]


def require(tool: Tool, level: Level) -> None:
    """Refuse a tool above the caller's level.

    Raises:
        ToolFailure: `access_denied`.
    """
    if not level.allows(tool.level):
        raise ToolFailure(
            Code.ACCESS_DENIED,
            f"{tool.name} needs access level {tool.level.value}; this key works at level {level.value} now.",
            hint="A person can raise the level on the component's Security page.",
        )

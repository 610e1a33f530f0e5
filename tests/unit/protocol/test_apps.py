"""The network viewer as an MCP App."""

from __future__ import annotations

from mcp.server import apps as sdk

from tdmcp_embedded.protocol import apps
from tdmcp_embedded.protocol.tool_calls import listed
from tdmcp_embedded.tools.table import TABLE


def test_names_are_those_of_the_extension() -> None:
    assert apps.EXTENSION_ID == sdk.EXTENSION_ID
    assert apps.APP_MIME_TYPE == sdk.APP_MIME_TYPE


def test_only_what_the_viewer_can_show_points_to_it() -> None:
    shown = {
        name
        for name, tool in TABLE.items()
        if listed(tool).model_dump(by_alias=True, exclude_none=True).get("_meta")
    }
    assert shown == {"read_network", "capture_image"}

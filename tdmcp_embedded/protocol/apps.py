"""The network viewer as an MCP App: clients that show such apps put it beside the answers of some tools.

Nothing depends on it: those tools answer in full text as well, and a client that knows no apps never sees this.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from mcp_types import ReadResourceRequestParams, ReadResourceResult, Resource, TextResourceContents

from tdmcp_embedded import web
from tdmcp_embedded.protocol import icons
from tdmcp_embedded.protocol.offer import Context, Extensions, Offer

NETWORK: Final = "ui://tdmcp/network"

#: As the SDK's `mcp.server.apps` has them; importing that would bring a second server framework into the cold start.
EXTENSION_ID: Final = "io.modelcontextprotocol/ui"
APP_MIME_TYPE: Final = "text/html;profile=mcp-app"

#: The tools whose answers the viewer shows.
_SHOWN: Final = frozenset({"read_network", "capture_image"})
#: No outside addresses at all, which is what a host assumes of an app that names none; and a border, please.
_META: Final[dict[str, Any]] = {"ui": {"prefersBorder": True}}


class NetworkApp(Offer):
    """Offers the viewer's document; made of its parts when somebody asks for it first."""

    def extensions(self) -> Extensions:
        return {EXTENSION_ID: {}}

    async def resources(self, ctx: Context) -> list[Resource]:
        return [
            Resource(
                uri=NETWORK,
                name="network",
                title="Network viewer",
                description="Draws a network as TouchDesigner does; shown by clients that know MCP Apps.",
                mime_type=APP_MIME_TYPE,
                icons=icons.OF_KIND["network"],
                _meta=_META,
            )
        ]

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | None:
        if str(params.uri) != NETWORK:
            return None
        document = await asyncio.to_thread(web.app_document)
        contents = TextResourceContents(uri=NETWORK, mime_type=APP_MIME_TYPE, text=document, _meta=_META)
        return ReadResourceResult(contents=[contents])


def tool_meta(tool: str) -> dict[str, Any] | None:
    """What a listed tool says of the app that shows its answers; None for tools without one."""
    return {"ui": {"resourceUri": NETWORK}} if tool in _SHOWN else None

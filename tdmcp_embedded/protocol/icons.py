"""Icons for clients that show any: small drawings of our own, carried in the message so that nothing is fetched."""

from __future__ import annotations

import base64
from typing import Final

from mcp_types import Icon

# Two operators and the wire between them.
_NETWORK: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="6" fill="#22262b"/>'
    '<path d="M12 11c6 0 3 10 8 10" fill="none" stroke="#c9ced6" stroke-width="2"/>'
    '<rect x="4" y="7" width="9" height="8" rx="1.5" fill="#8f78c9"/>'
    '<rect x="19" y="17" width="9" height="8" rx="1.5" fill="#6fae5c"/></svg>'
)


def _icon(svg: str) -> Icon:
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return Icon(src=f"data:image/svg+xml;base64,{data}", mime_type="image/svg+xml", sizes=["any"])


SERVER_ICONS: Final = [_icon(_NETWORK)]

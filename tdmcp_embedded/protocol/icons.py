"""Icons for clients that show any: small drawings of our own, carried in the message so that nothing is fetched.

They come with every entry of a list, so each is one path or two, in a colour that can be seen on light and on dark.
"""

from __future__ import annotations

import base64
from typing import Final

from mcp_types import Icon

from tdmcp_embedded.tools.tool import Effect

# Two operators and the wire between them.
_SERVER: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="6" fill="#22262b"/>'
    '<path d="M12 11c6 0 3 10 8 10" fill="none" stroke="#c9ced6" stroke-width="2"/>'
    '<rect x="4" y="7" width="9" height="8" rx="1.5" fill="#8f78c9"/>'
    '<rect x="19" y="17" width="9" height="8" rx="1.5" fill="#6fae5c"/></svg>'
)

#: Path data in a square of 8, and its colour.
_DRAWN: Final = {
    "look": ("M0 4q4-6 8 0-4 6-8 0M4 2.5a1.5 1.5 0 1 0 .1 0", "#48c"),
    "edit": ("M0 8l.5-2.5 5-5 2 2-5 5z", "#592"),
    "remove": ("M1 2h6v1H1zM2 3.5h4L5.5 8h-3zM3 1h2v1H3z", "#c44"),
    "network": ("M0 1h3v2H0zM5 5h3v2H5zM3 2h1.5v3H5v1H3.5V3H3z", "#87c"),
    "text": ("M1 1h6v1H1zM1 3h6v1H1zM1 5h4v1H1z", "#777"),
    "table": ("M0 1h8v6H0zM1 2v1h2V2zM4 2v1h3V2zM1 4v2h2V4zM4 4v2h3V4z", "#777"),
    "image": ("M0 1h8v6H0zM1 6h6L5 3.5 3.5 5 2.5 4z", "#87c"),
    "guide": ("M0 1q2-1 4 .5Q6 0 8 1v6Q6 6 4 7.5 2 6 0 7z", "#c83"),
    "ask": ("M0 1h8v5H4L2 8V6H0z", "#39a"),
}


def _icon(svg: str) -> Icon:
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return Icon(src=f"data:image/svg+xml;base64,{data}", mime_type="image/svg+xml", sizes=["any"])


def _small(path: str, colour: str) -> Icon:
    return _icon(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">'
        f'<path fill="{colour}" fill-rule="evenodd" d="{path}"/></svg>'
    )


SERVER_ICONS: Final = [_icon(_SERVER)]

_ICONS: Final = {name: [_small(*drawn)] for name, drawn in _DRAWN.items()}

#: Of a tool, by what it may do to the project.
OF_EFFECT: Final = {
    Effect.READ: _ICONS["look"],
    Effect.EDIT: _ICONS["edit"],
    Effect.DESTRUCTIVE: _ICONS["remove"],
}

#: Of a resource, by its kind.
OF_KIND: Final = {
    "project": _ICONS["network"],
    "network": _ICONS["network"],
    "operator": _ICONS["look"],
    "text": _ICONS["text"],
    "table": _ICONS["table"],
    "image": _ICONS["image"],
    "type": _ICONS["guide"],
    "recipe": _ICONS["network"],
    "guide": _ICONS["guide"],
    "tools": _ICONS["edit"],
    "log": _ICONS["text"],
}

OF_PROMPT: Final = _ICONS["ask"]

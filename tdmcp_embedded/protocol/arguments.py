"""Arguments as clients send them; a batch reads those of its parts the same way, so the reading is the tools' own."""

from __future__ import annotations

from tdmcp_embedded.tools.parsing import parse

__all__ = ["parse"]

"""Guides and recipes that come with the server: files of this package, read when asked for."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@cache
def guides() -> dict[str, str]:
    """Every guide by topic, as Markdown; its first line is its heading."""
    return {name: file.read_text("utf-8") for name, file in _those("guides", ".md")}


@cache
def recipes() -> dict[str, dict[str, Any]]:
    """Every recipe by name: `title`, `description` and `operators`, which `build_network` takes."""
    return {name: json.loads(file.read_text("utf-8")) for name, file in _those("recipes", ".json")}


def heading(guide: str) -> str:
    """The title of a guide."""
    return guide.splitlines()[0].lstrip("# ").strip()


def _those(folder: str, suffix: str) -> list[tuple[str, Path]]:
    return [(file.stem, file) for file in sorted((_HERE / folder).glob(f"*{suffix}"))]

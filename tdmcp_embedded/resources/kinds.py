"""The kinds of resources of a project: how each is addressed, read and watched. One row each, the single source."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.resources import contents
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Tool
from tdmcp_embedded.touchdesigner import fingerprints

Looking = Generator[None, None, object]


@dataclass(frozen=True)
class Kind:
    """Resources `td://name/{variable}`; without a variable there is one, `td://name`.

    `reading` is the work that reads one, `arguments` makes its arguments of the address's target. `look` tells
    whether one has changed (its fingerprint); where there is none, nothing of it changes while the server runs.
    `picture` says that the content is the picture that the reading gives, `raw` that it is its text, not its JSON.
    """

    name: str
    title: str
    description: str
    mime: str
    reading: Tool
    arguments: Callable[[str], dict[str, Any]]
    variable: str = ""
    look: Callable[[ModuleType, str], Looking] | None = None
    picture: bool = False
    raw: bool = False

    @property
    def template(self) -> str:
        return f"td://{self.name}/{{{self.variable}}}" if self.variable else f"td://{self.name}"


_KINDS = [
    Kind(
        "project", "Project", "The project and whether it is saved, its timeline, the application, its networks.",
        "application/json", contents.PROJECT, lambda target: {}, look=lambda td, path: fingerprints.project(td),
    ),
    Kind(
        "network", "Network",
        "The operators inside a COMP with parameters, wires, positions and text, in the form build_network takes.",
        "application/json", TABLE["read_network"], lambda path: {"path": path, "limit": 2000},
        "path", fingerprints.network,
    ),
    Kind(
        "operator", "Operator", "One operator: changed parameters, wires, flags, errors, size, cook time.",
        "application/json", TABLE["inspect_operator"], lambda path: {"paths": [path]},
        "path", fingerprints.operator,
    ),
    Kind(
        "text", "Text of a DAT", "The whole text of a DAT.", "text/plain", contents.TEXT,
        lambda path: {"path": path}, "path", fingerprints.text, raw=True,
    ),
    Kind(
        "table", "Table of a DAT", "The whole table of a DAT as comma-separated values.", "text/csv",
        contents.TABLE, lambda path: {"path": path}, "path", fingerprints.text, raw=True,
    ),
    Kind(
        "image", "Picture of an operator", "What a TOP shows, or the viewer of any other operator, as PNG.",
        "image/png", TABLE["capture_image"], lambda path: {"path": path}, "path", fingerprints.image, picture=True,
    ),
    Kind(
        "type", "Operator type",
        "An operator type of this build with all its parameters, or a Python class or module with its members.",
        "application/json", TABLE["describe_type"], lambda name: {"type": name, "parameters": "all"}, "optype",
    ),
]  # fmt: skip

KINDS = {kind.name: kind for kind in _KINDS}

#: The kinds whose target is an operator's path.
BY_PATH = frozenset(kind.name for kind in _KINDS if kind.variable == "path")

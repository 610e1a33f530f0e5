"""The lists that were seen last, and what the shim itself adds to them."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.built_in import BUILT_IN
from tox_build.shim.constants import ABANDONED, CHANGES, CONTRACT, LISTS, MOST_ANSWER
from tox_build.shim.messages import dumps, parse
from tox_build.shim.private_files import read_private
from tox_build.shim.processes import make_private_folder, process_alive

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Known:
    """What servers say of themselves, kept so that it can be said while none is there."""

    def __init__(self, home: str, later: Callable[[Callable[[], None]], None] = lambda work: work()) -> None:
        self._path = os.path.join(home, "cache", "lists.json")
        self._later = later
        self._lock = threading.Lock()
        self._facts: dict[str, Any] | None = None

    def get(self, key: str, default: Any) -> Any:
        with self._lock:
            return self._load().get(key, default)

    def put(self, key: str, value: Any) -> None:
        """Remember; on disk too, if it is new. A cache that cannot be written is no cause to fail."""
        with self._lock:
            facts = self._load()
            if facts.get(key) == value:
                return
            facts[key] = value
            facts["contract"] = CONTRACT
            part = f"{self._path}.{os.getpid()}"
            try:
                make_private_folder(os.path.dirname(self._path))
                self._remove_abandoned()
                with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                    file.write(dumps(facts))
                os.replace(part, self._path)
            except OSError:
                try:
                    os.unlink(part)
                except OSError:
                    pass

    def _remove_abandoned(self) -> None:
        """Remove what shims that were killed while they wrote have left."""
        folder, name = os.path.split(self._path)
        with os.scandir(folder) as listing:
            for entry in listing:
                rest = entry.name[len(name) + 1 :]
                ours = entry.name.startswith(f"{name}.") and rest.isdigit()
                if not ours or process_alive(int(rest)):
                    continue
                # In a shared home it may be of a shim on another computer that writes this moment.
                if time.time() - entry.stat().st_mtime > ABANDONED:
                    os.unlink(entry.path)

    def keep(self, key: str, value: Any) -> None:
        """`put`, but after the answer under way: writing a file takes longer than that."""
        self._later(lambda: self.put(key, value))

    def keep_introduction(self, result: dict[str, Any], server: Any) -> None:
        """Remember how a server introduced itself."""
        facts = {
            "capabilities": result.get("capabilities") or {},
            "serverInfo": server or {},
            "instructions": result.get("instructions") or "",
        }
        self.keep("server", facts)

    def server_info(self) -> dict[str, Any]:
        info = self.get("server", {}).get("serverInfo")
        return info if isinstance(info, dict) and info else {"name": "tdmcp-embedded", "version": "0"}

    def introduction(self) -> dict[str, Any]:
        """How a server would introduce itself."""
        known = self.get("server", {})
        introduction = {
            "capabilities": known.get("capabilities") or {"tools": {}},
            "serverInfo": self.server_info(),
        }
        if known.get("instructions"):
            introduction["instructions"] = known["instructions"]
        return announcing(introduction)

    def _load(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = built_in()
            try:
                cached = parse(read_private(self._path, MOST_ANSWER))
                if isinstance(cached, dict) and cached.get("contract") == CONTRACT:
                    self._facts.update({key: value for key, value in cached.items() if _is_known(key, value)})
            except (OSError, ValueError, RecursionError):
                pass
        return self._facts


def _is_known(key: str, value: Any) -> bool:
    """Whether a part of the cache has the form in which we write it: others can write there as well."""
    if key in LISTS.values():
        return isinstance(value, list) and all(isinstance(item, dict) for item in value)
    forms = {"capabilities": dict, "serverInfo": dict, "instructions": str}
    return (
        key == "server"
        and isinstance(value, dict)
        and all(isinstance(value.get(name, form()), form) for name, form in forms.items())
    )


def built_in() -> dict[str, Any]:
    """The lists this file carries with it."""
    if not BUILT_IN:
        return {"tools": []}
    import binascii
    import zlib

    facts = json.loads(zlib.decompress(binascii.a2b_base64(BUILT_IN)))
    return dict(facts)


INSTANCE_TOOLS: list[dict[str, Any]] = [
    {
        "name": "list_instances",
        "title": "List TouchDesigner instances",
        "description": "The TouchDesigner instances that can be reached: name, project, component, process id, build, "
        "and which one calls go to now.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    },
    {
        "name": "select_instance",
        "title": "Select a TouchDesigner instance",
        "description": "Send all further calls to one of several running TouchDesigner instances. "
        "Every answer names the instance it came from.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "instance": {"type": "string", "description": "name, process id, component path or project"}
            },
            "required": ["instance"],
        },
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    },
]
OPEN_TOOL: dict[str, Any] = {
    "name": "open_project",
    "title": "Open a TouchDesigner project",
    "description": "Start TouchDesigner with a project that was open before, in the build that last ran it. Without "
    "`project`: the list of them. Starting takes up to a minute; then call get_status.",
    "inputSchema": {
        "type": "object",
        "properties": {"project": {"type": "string", "description": "path, or file name, from the list"}},
    },
    "annotations": {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}
#: What the shim may add to the structured content of an answer.
NOTES = ("instance", "notice")
#: With one of these a schema may forbid what it seems to allow.
_INTRICATE = {"$ref", "allOf", "anyOf", "oneOf", "not", "maxProperties", "propertyNames", "patternProperties"}


def with_notes(tools: list[Any]) -> tuple[list[Any], set[str]]:
    """The tools, their output schemas with room for our notes, and the names of those that have it.

    Strict clients check an answer against the schema, so nothing may be added that it does not allow.
    """
    noted: list[Any] = []
    roomy: set[str] = set()
    for tool in tools:
        schema = tool.get("outputSchema") if isinstance(tool, dict) else None
        if isinstance(schema, dict):
            own = schema.get("properties") or {}
            if not _INTRICATE & set(schema) and not set(NOTES) & set(own):
                roomy.add(str(tool.get("name")))
                if schema.get("additionalProperties", True) is not True:
                    added = {name: {"type": "string"} for name in NOTES}
                    tool = {**tool, "outputSchema": {**schema, "properties": {**own, **added}}}
        elif isinstance(tool, dict):
            roomy.add(str(tool.get("name")))
        noted.append(tool)
    return noted, roomy


def announcing(introduction: dict[str, Any]) -> dict[str, Any]:
    """An introduction that promises to tell of changed lists: we do, whatever the server behind does."""
    capabilities = dict(introduction.get("capabilities") or {})
    for kind in CHANGES:
        if isinstance(capabilities.get(kind), dict):
            capabilities[kind] = {**capabilities[kind], "listChanged": True}
    return {**introduction, "capabilities": capabilities}

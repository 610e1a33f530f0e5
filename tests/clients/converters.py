"""All listed tools through the converters of client libraries, and what comes out against what the APIs demand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tdmcp_embedded.protocol.tool_calls import listed
from tdmcp_embedded.tools.table import TABLE
from tox_build.shim.known import INSTANCE_TOOLS, OPEN_TOOL

SCRIPT = Path(__file__).with_name("convert.py")
_TIMEOUT = 300


def run(python: Path) -> dict[str, str]:
    """What is wrong with each converter's outcome; nothing when it is right.

    Args:
        python: of an environment with `requirements/clients.txt`.
    """
    tools = [
        listed(tool).model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TABLE.values()
    ]
    tools += [*INSTANCE_TOOLS, OPEN_TOOL]
    done = subprocess.run(
        [str(python), "-I", str(SCRIPT)],
        check=False, input=json.dumps(tools), capture_output=True, text=True, timeout=_TIMEOUT,
    )  # fmt: skip
    if done.returncode:
        return {"all": done.stderr[-1500:]}
    found = json.loads(done.stdout)
    return {name: "; ".join(_complaints(name, found[name])) for name in found}


def _complaints(converter: str, made: dict[str, Any]) -> Iterator[str]:
    if missing := {*TABLE, OPEN_TOOL["name"]} - set(made):
        yield f"no word of {sorted(missing)}"
    for tool, outcome in made.items():
        if "error" in outcome:
            yield f"{tool}: {outcome['error']}"
        else:
            yield from (f"{tool}: {fault}" for fault in faults(outcome["schema"], converter))


def faults(schema: Any, converter: str, where: str = "$") -> Iterator[str]:
    """What an API would answer 400 to.

    OpenAI wants items of every array, and in strict mode closed objects with every property required. Gemini wants a
    type, or alternatives, in every place.
    """
    if not isinstance(schema, dict):
        return
    kind = str(schema.get("type", "")).lower()
    if kind == "array" and not schema.get("items"):
        yield f"{where}: an array without items"
    if converter.startswith("openai strict") and kind == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{where}: an open object"
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            yield f"{where}: not every property is required"
    if (
        converter.startswith("gemini")
        and where != "$"
        and not (kind or schema.get("any_of") or "anyOf" in schema)
    ):
        yield f"{where}: no type"
    for name, part in (schema.get("properties") or {}).items():
        yield from faults(part, converter, f"{where}.{name}")
    for index, part in enumerate(schema.get("anyOf") or schema.get("any_of") or ()):
        yield from faults(part, converter, f"{where}|{index}")
    yield from faults(schema.get("items"), converter, f"{where}[]")

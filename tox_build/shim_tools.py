"""Writes the lists that the stdio shim carries with it: what it shows before it has ever seen a TouchDesigner.

    python -m tox_build.shim_tools            writes them into the shim's source, and joins the shim anew
    python -m tox_build.shim_tools --check    fails if what is there is not what the table of tools says

They are one compressed constant between two marks, since the shim becomes a single file (`join_shim.py`).
"""

from __future__ import annotations

import base64
import json
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from tox_build import join_shim

if TYPE_CHECKING:
    from tdmcp_embedded.tools.tool import Tool

PART = Path(__file__).resolve().parent / "shim" / "built_in.py"
BEGIN = "# BUILT-IN BEGIN\n"
END = "# BUILT-IN END\n"
WIDTH = 100


def facts(tools: Mapping[str, Tool]) -> dict[str, Any]:
    """What a server with these tools says of itself, in the shape of the shim's cache."""
    # Here, not above: the marks and the coding are of use without the server's dependencies.
    from tdmcp_embedded.frame_queue import FrameQueue
    from tdmcp_embedded.protocol.server import Host, McpServer, listed
    from tdmcp_embedded.settings import Settings

    # A host where nothing happens: the server is only described, never called.
    queue = FrameQueue(watch=False)
    server = McpServer(Host(ModuleType("td"), queue, Settings, {}), tools).server
    queue.close("the tools are listed")
    introduction = server.create_initialization_options()
    dump: dict[str, Any] = {"by_alias": True, "mode": "json", "exclude_none": True}
    return {
        "tools": [listed(tool).model_dump(**dump) for tool in tools.values()],
        "server": {
            "capabilities": introduction.capabilities.model_dump(**dump),
            "serverInfo": {
                "name": introduction.server_name,
                "title": introduction.title or introduction.server_name,
                "version": introduction.server_version,
            },
            "instructions": introduction.instructions or "",
        },
    }


def block(known: Mapping[str, Any]) -> str:
    """The lines between the marks, as `ruff format` leaves them."""
    text = json.dumps(known, separators=(",", ":"), sort_keys=False).encode("ascii")
    coded = base64.b64encode(zlib.compress(text, 9)).decode("ascii")
    lines = [coded[start : start + WIDTH] for start in range(0, len(coded), WIDTH)]
    return "BUILT_IN = (\n" + "".join(f'    "{line}"\n' for line in lines) + ")\n"


def put_into(source: str, lines: str) -> str:
    """The shim's source with `lines` between its marks.

    Raises:
        ValueError: the marks are not there.
    """
    before, begin, rest = source.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the marks {BEGIN.strip()!r} and {END.strip()!r} are not in the shim")
    return before + begin + lines + end + after


def taken_from(source: str) -> dict[str, Any]:
    """What the shim's source carries; {} if nothing yet."""
    lines = source.partition(BEGIN)[2].partition(END)[0]
    coded = "".join(line.strip().strip('"') for line in lines.splitlines()[1:-1])
    return cast(dict[str, Any], json.loads(zlib.decompress(base64.b64decode(coded)))) if coded else {}


def write(shim: Path = PART, *, check: bool = False) -> bool:
    """Bring the shim up to date; returns whether it was. With `check` nothing is written."""
    from tdmcp_embedded.tools.table import TABLE

    known = facts(TABLE)
    source = shim.read_text(encoding="utf-8")
    # The facts are compared, not the text: compressors differ between builds of zlib.
    if taken_from(source) == known:
        return True
    if not check:
        shim.write_text(put_into(source, block(known)), encoding="utf-8", newline="\n")
    return False


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    if arguments and not check:
        print(__doc__, file=sys.stderr)
        return 2
    current = write(check=check)
    if not check:
        join_shim.write()
    if check and not current:
        print("The shim's built-in lists are out of date: python -m tox_build.shim_tools", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

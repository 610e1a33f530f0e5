"""The bundle for Claude Desktop: one file to double-click, with the shim in it and nothing to install.

    python -m tox_build.mcpb [OUT]

Its format is the *MCPB Manifest.json Spec*, version 0.3. The host starts `launch.js` with the Node it brings, and that
starts the shim with TouchDesigner's Python.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import click

from tdmcp_embedded import __version__
from tox_build import join_shim, shim_tools

LAUNCHER = Path(__file__).with_name("templates") / "launch.js"
#: The first moment a zip archive can name: the same sources give the same bytes, whenever they are packed.
_MOMENT = (1980, 1, 1, 0, 0, 0)

DESCRIPTION = "Lets Claude see, build, wire, animate, debug and save the TouchDesigner project that is open."
LONG_DESCRIPTION = """\
Drop the component `tdmcp` into a TouchDesigner project; Claude then works inside that project. Nothing else needs to
be installed, and TouchDesigner may be started, restarted or closed at any time.

The access key is read from the file that the component keeps for you: there is nothing to copy.
"""


def manifest() -> dict[str, Any]:
    """The bundle's `manifest.json`."""
    tools = shim_tools.taken_from(join_shim.SHIM.read_text(encoding="utf-8")).get("tools", [])
    return {
        "manifest_version": "0.3",
        "name": "tdmcp-embedded",
        "display_name": "TouchDesigner",
        "version": __version__,
        "description": DESCRIPTION,
        "long_description": LONG_DESCRIPTION,
        "author": {"name": "tdmcp-embedded"},
        "license": "MIT",
        "keywords": ["touchdesigner", "visuals", "real-time", "creative coding"],
        "server": {
            "type": "node",
            "entry_point": "server/launch.js",
            "mcp_config": {
                "command": "node",
                "args": ["${__dirname}/server/launch.js"],
                "env": {
                    "TDMCP_PYTHON": "${user_config.python}",
                    "TDMCP_INSTANCE": "${user_config.instance}",
                },
            },
        },
        "tools": [{"name": tool["name"], "description": tool["description"]} for tool in tools],
        "tools_generated": True,
        "user_config": {
            "instance": {
                "type": "string",
                "title": "Instance",
                "description": "Instance Name of the TouchDesigner to use when several run; empty asks.",
                "default": "",
                "required": False,
            },
            "python": {
                "type": "string",
                "title": "Python",
                "description": "Path of the Python that starts the connection; empty finds TouchDesigner's.",
                "default": "",
                "required": False,
            },
        },
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"node": ">=16.0.0"},
        },
    }


def write_bundle(out_dir: Path) -> Path:
    """Write `tdmcp.mcpb` into a folder, replacing a former one.

    Raises:
        OSError: the folder cannot be written.
    """
    content = {
        "manifest.json": json.dumps(manifest(), indent=2, ensure_ascii=False).encode("utf-8") + b"\n",
        "server/launch.js": LAUNCHER.read_bytes(),
        "server/stdio_shim/__main__.py": join_shim.SHIM.read_bytes(),
    }
    out_dir.mkdir(parents=True, exist_ok=True)
    path = out_dir / "tdmcp.mcpb"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in sorted(content.items()):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, data.replace(b"\r\n", b"\n"), zipfile.ZIP_DEFLATED, 9)
    return path


@click.command()
@click.argument("out", default="build", type=click.Path(path_type=Path))
def main(out: Path) -> None:
    """Build the bundle for Claude Desktop into OUT (default: build)."""
    path = write_bundle(out)
    click.echo(f"{path}: {path.stat().st_size:,} bytes. Open it with Claude Desktop.")


if __name__ == "__main__":
    main()

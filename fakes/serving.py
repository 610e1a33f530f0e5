"""Putting the real component into a stand-in process, and finding out when its server answers.

The component comes from what `tox_build` writes, and what is known of its server is what anybody could know: its
custom parameters and the registry file that clients read.
"""

from __future__ import annotations

import http.client
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fakes.errors import tdError

if TYPE_CHECKING:
    from fakes.life import Life
    from fakes.nodes import Node
    from fakes.process import Options
    from fakes.world import World

PARENT = "/project1"
#: Where the tile of the component is put, away from the scene's operators.
PLACE = (-400.0, 400.0)
#: Seconds to wait for the first answer of a server that says it serves.
ANSWER_WAIT = 20.0


def drop(world: World, toc: Path | None = None) -> Node:
    """Drop the component into the project, as a user drags a .tox in: Execute DATs get onCreate.

    Args:
        toc: the .toc of a build; without one the slim component is built anew.
    """
    from fakes import tox

    parent = world.node(PARENT)
    if parent is None:
        raise tdError(f"{PARENT} is gone: nowhere to drop the component")
    if toc is not None:
        node = tox.load_expanded(world, parent, toc)
    else:
        from tox_build.expanded import write_expanded

        with tempfile.TemporaryDirectory(prefix="fake-td-") as folder:
            node = tox.load_expanded(world, parent, write_expanded(Path(folder)))
    node.x, node.y = PLACE
    return node


def link(life: Life, node: Node) -> None:
    """Make the link to the dropped file that TouchDesigner makes (fact 60), with a file in its place."""
    file = life.machine.home / "Downloads" / f"{node.name}.tox"
    life.files.save(node, str(file), create_folders=True)
    life.files.link(node, file)


def configure(node: Node, options: Options) -> None:
    """Set the component's custom parameters from the command line, before it starts."""
    settings: list[tuple[str, str]] = []
    if options.port is not None:
        settings.append(("Port", str(options.port)))
    if options.no_token:
        settings.append(("Requirekey", "off"))
    for name, text in settings + options.settings:
        set_from_text(node, name, text)


def set_from_text(node: Node, name: str, text: str) -> None:
    """Set a custom parameter from a command line's text.

    Raises:
        SystemExit: there is no such parameter, or the text does not fit it.
    """
    info = node.custom.pars.get(name) if node.custom is not None else None
    if info is None:
        known = ", ".join(node.custom.pars) if node.custom is not None else "none"
        raise SystemExit(f"--set {name}: the component has no such custom parameter; it has {known}")
    value: Any = text
    if info.style == "Toggle":
        if text.lower() not in ("on", "off", "1", "0", "true", "false"):
            raise SystemExit(f"--set {name}={text}: a toggle is on or off")
        value = text.lower() in ("on", "1", "true")
    elif info.style in ("Int", "Float"):
        try:
            value = int(text) if info.style == "Int" else float(text)
        except ValueError:
            raise SystemExit(f"--set {name}={text}: a number is needed") from None
    elif info.style == "Menu" and text not in info.menu_names:
        raise SystemExit(f"--set {name}={text}: one of {', '.join(info.menu_names)} is needed")
    node.set(name, value)


def url_of(node: Node) -> str:
    """What the component's read-out `Url` says; empty while it does not serve."""
    if node.custom is None or "Url" not in node.custom.pars:
        return ""
    return str(node.constant("Url"))


def answers(url: str) -> bool:
    """Whether the server behind `url` answers HTTP within a while. Never call it on the main thread."""
    parts = urlsplit(url)
    until = time.monotonic() + ANSWER_WAIT
    while time.monotonic() < until:
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=5)
        try:
            connection.request("GET", "/health")
            connection.getresponse().read()
            return True
        except ConnectionRefusedError:
            time.sleep(0.02)
        except OSError:
            # Something is there and speaks something else, such as TLS with a certificate nobody here trusts.
            return True
        finally:
            connection.close()
    return False


def connection(url: str, home: Path) -> dict[str, Any]:
    """`url, port, token, dashboard` as the registry tells clients."""
    entry = registered(home)
    return {
        "url": url,
        "port": urlsplit(url).port,
        "token": entry.get("token") or None,
        "dashboard": entry.get("dashboard"),
    }


def registered(home: Path) -> dict[str, Any]:
    """The registry file of this process's server; empty if there is none."""
    folder = Path(os.environ.get("TDMCP_HOME") or home / ".tdmcp") / "instances"
    for path in sorted(folder.glob("*.json")):
        try:
            entry = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(entry, dict) and entry.get("pid") == os.getpid():
            return entry
    return {}


def write_whole(path: Path, message: dict[str, Any]) -> None:
    """Write a JSON line so that a reader sees it whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(message) + "\n", "utf-8")
    os.replace(part, path)

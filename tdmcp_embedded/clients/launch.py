"""How a client starts the shim: which Python, and a copy of the shim that stays where it is.

The shim travels inside the package or the component, which may be a zip archive, be moved, or be gone with the project;
clients need a path that lasts, so a copy lives in our own folder.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from importlib import resources
from pathlib import Path

from tdmcp_embedded import ACCEPTS, CONTRACT, instances
from tdmcp_embedded.clients import installations
from tdmcp_embedded.clients.catalogue import KEY_VARIABLE, Stdio
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.file_modes import make_private_folder, tighten, tighten_folder
from tdmcp_embedded.files import remove_abandoned, replace

#: Without site-packages and the user's variables: neither can break the shim then, and it starts in half the time.
ISOLATED = ("-I", "-S")


def shim_folder(machine: Machine) -> Path:
    """What clients start: Python keeps the compiled form of a folder's program, but never of a single script."""
    return machine.tdmcp / "shim" / "stdio_shim"


def shim_file(machine: Machine) -> Path:
    """Where the copy is kept."""
    return shim_folder(machine) / "__main__.py"


def shim_source() -> bytes:
    """The shim that belongs to this version.

    Raises:
        Refused: this installation has none.
    """
    try:
        return resources.files("stdio_shim").joinpath("__main__.py").read_bytes()
    except (ModuleNotFoundError, OSError):
        raise Refused(
            "The stdio shim is missing from this installation.", "Install tdmcp-embedded again."
        ) from None


def shim_is_current(machine: Machine) -> bool | None:
    """Whether the copy is the one of this version; None if there is no copy."""
    try:
        return shim_file(machine).read_bytes() == shim_source()
    except OSError:
        return None


def contract_of(shim: Path) -> int | None:
    """The contract of a shim, given by its file or folder; None if this is no shim of ours, or none that can be read.

    Read, not run: it may be of any age.
    """
    path = shim / "__main__.py" if shim.is_dir() else shim
    try:
        found = re.search(
            r"(?m)^CONTRACT = (\d{1,9})\s*$", path.read_text(encoding="utf-8", errors="replace")
        )
    except OSError:
        return None
    return int(found[1]) if found else None


def too_old(contract: int | None) -> bool:
    """Whether this version's server would refuse a shim of this contract."""
    return contract is None or contract < ACCEPTS


def install_shim(machine: Machine) -> Path:
    """Make or renew the copy; the path is the same for ever. A copy of a later contract stays: it understands us.

    Raises:
        Refused: it cannot be written.
    """
    path, source = shim_file(machine), shim_source()
    try:
        # Clients run it: nobody else may put anything there, also where it was copied long ago.
        make_private_folder(path.parent)
        for folder in (path.parent.parent, path.parent):
            tighten_folder(folder)
        tighten(path)
    except OSError as error:
        raise Refused(f"The shim cannot be copied to {path}: {error.strerror or error}.") from None
    if shim_is_current(machine) or (contract_of(path) or 0) > CONTRACT:
        return path
    remove_abandoned(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(source)
        # Python tells stale bytecode by the second and the size of the source, which need not differ; the bytecode
        # of a shim that starts this moment may also be written after the folder is removed.
        if path.exists() and int(path.stat().st_mtime) >= int(part.stat().st_mtime):
            os.utime(part, (path.stat().st_mtime + 1, path.stat().st_mtime + 1))
        replace(part, path)
        shutil.rmtree(path.with_name("__pycache__"), ignore_errors=True)
    except OSError as error:
        raise Refused(f"The shim cannot be copied to {path}: {error.strerror or error}.") from None
    return path


def python(machine: Machine, given: str = "") -> str:
    """The Python for the shim: the one given, a running TouchDesigner's, an installed one's, or this one.

    Raises:
        Refused: there is none but TouchDesigner itself, or only one that a Mac is about to move or remove.
    """
    running = [
        str(entry.get("python") or "") for entry in reversed(instances.listing(machine.tdmcp / "instances"))
    ]
    installed = [str(one.python) for one in installations.find(machine)]
    there = [given] if given else [path for path in (*running, *installed) if path and os.path.isfile(path)]
    staying = [path for path in there if not installations.moves_away(path, machine)]
    if staying:
        return staying[0]
    if there:
        raise Refused(
            f"The client cannot start the shim with {there[0]}, since that TouchDesigner does not stay where it is.",
            "Quit TouchDesigner, move it to Applications in the Finder, start it there, and try again.",
        )
    if _is_touchdesigner(sys.executable):
        raise Refused(
            "No Python is found for the client to start the shim with.",
            "Run `tdmcp client add` with --python and the path of a Python 3.9 or newer.",
        )
    return sys.executable


def _is_touchdesigner(executable: str) -> bool:
    """Inside TouchDesigner sys.executable may be TouchDesigner itself, which would open a second one (fact 82)."""
    return Path(executable).name.lower().startswith("touch")


def command(
    machine: Machine,
    *,
    interpreter: str = "",
    instance: str = "",
    allow_open: bool = False,
    url: str = "",
    key: str = "",
) -> Stdio:
    """The command that a client runs.

    Args:
        interpreter: the Python; empty finds one.
        instance: ties the client to this one of several TouchDesigners.
        allow_open: lets it start TouchDesigner with projects that were open before.
        url: ties the client to a server elsewhere, which takes `key`.
    """
    arguments = [*ISOLATED, str(shim_folder(machine)), "--contract", str(CONTRACT)]
    if instance:
        arguments += ["--instance", instance]
    if allow_open:
        arguments.append("--allow-open")
    environment = {"TDMCP_HOME": machine.own_home} if machine.own_home else {}
    if url:
        arguments += ["--url", url]
    if key:
        environment[KEY_VARIABLE] = key
    return Stdio(python(machine, interpreter), tuple(arguments), environment)

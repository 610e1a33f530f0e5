"""Set up this checkout and do something with it: `python3 run.py demo`, `python3 run.py test`, `python3 run.py check`,
`python3 run.py mutate` (do the tests notice when a fact about TouchDesigner no longer holds?), `python3 run.py clients`
(real clients against the stand-in).

Standard library only. The environment lives in `.venv` beside this file and is made anew only when the pinned
requirements change, so a second run works offline.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "set-up.stamp"
LOCKED = ROOT / "requirements" / "locked.txt"

COMMANDS = {
    "demo": [["-m", "tdmcp_embedded.cli", "demo"]],
    # Three at a time, each file whole on one side: much of the time is spent waiting for frames and processes. In their
    # order: the long ones, which have few tests, are not kept for the end.
    "test": [["-m", "pytest", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]],
    "conformance": [["-m", "tests.conformance"]],
    # Real clients from their own packages, some of them large.
    "clients": [["-m", "tests.clients"]],
    "mutate": [["-m", "tests.mutation"]],
    "check": [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."], ["-m", "mypy"]],
}


def main(arguments: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - the very check that tells people so
        print(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 2
    if not arguments or arguments[0] not in COMMANDS:
        print(f"usage: python3 run.py {{{'|'.join(COMMANDS)}}} [options]", file=sys.stderr)
        return 2
    try:
        set_up()
    except subprocess.CalledProcessError as error:
        print(
            f"\nSetting up failed: {error}\nThe first run needs the network, to fetch the pinned packages with pip.",
            file=sys.stderr,
        )
        return 1
    for command in COMMANDS[arguments[0]]:
        code = subprocess.call([str(PYTHON), *command, *arguments[1:]], cwd=ROOT, env=environment())
        if code:
            return code
    return 0


def environment() -> dict[str, str]:
    """This one's, with compiled modules kept beside the packages: the tests start dozens of processes, and each would
    compile everything anew where the machine's settings forbid to write bytecode into a source tree."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(VENV / "bytecode")}


def set_up() -> None:
    """Make `.venv` hold the pinned packages and this project; nothing to do when it does already."""
    # The version is part of the identity: packages are built for one minor version of Python.
    wanted = hashlib.sha256(
        LOCKED.read_bytes()
        + (ROOT / "pyproject.toml").read_bytes()
        + sys.version.encode()
        + str(ROOT).encode()
    ).hexdigest()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text("utf-8") == wanted:
        return
    print("Setting up the environment in .venv (once; about a minute) ...", file=sys.stderr, flush=True)
    venv.create(VENV, clear=True, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install"]
    _with_progress(
        [*pip, "--require-hashes", "--no-deps", "-r", str(LOCKED)], LOCKED.read_text("utf-8").count("==")
    )
    _with_progress([*pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT)], 1)
    STAMP.write_text(wanted)


def _with_progress(command: list[str], total: int) -> None:
    """Run pip; one line tells how far it is, and its last words are shown when it fails."""
    show = sys.stderr.isatty()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout is not None
    lines, done = [], 0
    for line in process.stdout:
        lines.append(line)
        if line.startswith(("Collecting", "Obtaining")):
            done += 1
            if show:
                bar = "#" * min(30, 30 * done // max(total, 1))
                print(f"\r  [{bar:<30}] {line.split()[1][:40]:<40}", end="", file=sys.stderr, flush=True)
        elif line.startswith("Installing collected") and show:
            print(f"\r  [{'#' * 30}] {'installing':<40}", end="", file=sys.stderr, flush=True)
    if show:
        print(file=sys.stderr)
    if process.wait():
        sys.stderr.writelines(lines[-15:])
        raise subprocess.CalledProcessError(process.returncode, "pip install")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

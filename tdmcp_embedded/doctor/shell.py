"""Commands as the shell of a system takes them: Command Prompt and PowerShell on Windows, else a POSIX shell."""

from __future__ import annotations

import shlex
import subprocess


def quoted(word: str, system: str) -> str:
    """A word of a command line."""
    return subprocess.list2cmdline([word]) if system == "win32" else shlex.quote(word)


def unset(variable: str, system: str) -> str:
    """What removes an environment variable."""
    if system == "win32":
        return f"set {variable}=  (PowerShell: Remove-Item Env:{variable})"
    return f"unset {variable}"

"""The computer and its user, as far as configuration files depend on them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


class Refused(Exception):
    """Something was not done. The message says why in a sentence, `hint` what to do instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True)
class Machine:
    """Operating system (`win32`, `darwin`, `linux`), the user's home, and the environment variables."""

    system: str = sys.platform
    home: Path = field(default_factory=Path.home)
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def folder(self, variable: str, *below_home: str) -> Path:
        """A folder that an environment variable names, else one below the home."""
        named = self.env.get(variable, "")
        return Path(named) if named else self.home.joinpath(*below_home)

    @property
    def roaming(self) -> Path:
        """Where programs of this user keep their settings."""
        if self.system == "win32":
            return self.folder("APPDATA", "AppData", "Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.xdg

    @property
    def local(self) -> Path:
        """Windows: settings that stay on this machine."""
        return self.folder("LOCALAPPDATA", "AppData", "Local")

    @property
    def xdg(self) -> Path:
        """Where programs that follow the XDG rules keep theirs, on every system."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def tdmcp(self) -> Path:
        """Our own folder, as `tdmcp_embedded.files.home`."""
        return self.folder("TDMCP_HOME", ".tdmcp")

    @property
    def own_home(self) -> str:
        """TDMCP_HOME if it is set: clients start without the environment of a terminal, so they must be told."""
        named = self.env.get("TDMCP_HOME", "")
        return os.path.abspath(named) if named else ""

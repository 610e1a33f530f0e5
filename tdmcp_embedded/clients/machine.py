"""The computer and its user, as far as configuration files depend on them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tdmcp_embedded.processes import packaged


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
    in_package: bool = field(default_factory=packaged)
    """Whether this command runs inside a packaged program of Windows (started by a client from the Store, say)."""

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

    def package_of(self, path: Path) -> str:
        """The package whose private copy of AppData a file is in; "" for none."""
        try:
            parts = path.relative_to(self.local / "Packages").parts
        except ValueError:
            return ""
        return parts[0] if len(parts) > 2 and parts[1] == "LocalCache" else ""

    def is_redirected(self, path: Path) -> bool:
        """Whether Windows gives a packaged program a copy of its own in place of this file."""
        return self.system == "win32" and any(path.is_relative_to(one) for one in (self.roaming, self.local))

    @property
    def tdmcp(self) -> Path:
        """Our own folder, as `tdmcp_embedded.files.home`."""
        return self.folder("TDMCP_HOME", ".tdmcp")

    @property
    def own_home(self) -> str:
        """TDMCP_HOME if it is set: clients start without the environment of a terminal, so they must be told."""
        named = self.env.get("TDMCP_HOME", "")
        return os.path.abspath(named) if named else ""

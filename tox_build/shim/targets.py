"""A server to talk to, and telling it from others."""

from __future__ import annotations

import os
import re
import socket
import sys
from typing import TYPE_CHECKING

from tox_build.shim.connections import Url
from tox_build.shim.constants import CONTRACT, OLDEST_CONTRACT
from tox_build.shim.messages import Refusal, plain
from tox_build.shim.processes import process_alive, same_process

if TYPE_CHECKING:
    from typing import Any


class Target:
    """A server to talk to: its URL and key, and its registry entry if that is where it was found."""

    def __init__(self, url: str, token: str, entry: dict[str, Any] | None = None) -> None:
        self.url = Url(url)
        self.token = token if plain(token) else ""
        self.entry = entry or {}
        #: What the server itself says of its contract, where no entry does.
        self.terms: dict[str, Any] = {}
        #: Whether a key goes no further than this machine when it is sent there.
        self.is_local = on_this_machine(self.url.host)
        self.pid = _whole(self.entry.get("pid"))
        #: What its `/health` must say before it is shown a key: the port may have gone to another program.
        self.instance_id = str(self.entry.get("instance_id") or "")
        #: What it must answer a nonce with; servers before this have none, and say their id only.
        self.instance_secret = str(self.entry.get("instance_secret") or "")
        self.name = str(self.entry.get("name") or "")
        #: Its whole path, where the entry tells the folder.
        self.project = _joined(
            str(self.entry.get("project_folder") or ""), str(self.entry.get("project") or "")
        )
        self.component = str(self.entry.get("component") or "")
        #: Changes when the server behind it is another one, or the same one started again.
        self.key = (self.url.text, self.pid, str(self.entry.get("started") or ""))
        #: Stays the same over a restart, which may come with the project's next version.
        self.identity = (_stem(self.name), _folder_of(self.project), _stem(self.project), self.component)

    def is_proven(self, facts: dict[str, Any], nonce: str) -> bool:
        """Whether `/health` answers a nonce as only this very server can; those before that are taken at their word."""
        if not self.instance_secret:
            return True
        import hashlib
        import hmac

        words = f"tdmcp health 1\n{self.url.port}\n{nonce}"
        wanted = hmac.new(self.instance_secret.encode(), words.encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(str(facts.get("proof") or "").encode(), wanted.encode())

    def __str__(self) -> str:
        if not self.entry:
            return self.url.text
        project = os.path.basename(self.project.replace("\\", "/"))
        facts = ", ".join(fact for fact in (project, f"pid {self.pid}" if self.pid else "") if fact)
        return f"{self.name or self.component or self.url.text} ({facts})"

    @property
    def called(self) -> str:
        """For sentences."""
        return f"TouchDesigner {self}" if self.entry else f"TouchDesigner at {self}"

    def answers_to(self, word: str) -> bool:
        """Whether a user who says `word` means this one: its name, process id, component or project."""
        project = self.project.replace("\\", "/")
        names = (self.name, self.component, project, os.path.basename(project), self.url.text)
        return word == str(self.pid) or word.replace("\\", "/").casefold() in [
            n.casefold() for n in names if n
        ]

    def contract_notice(self) -> str:
        """Empty when shim and server are of the same age; a sentence when one is older; a Refusal if they don't fit.

        Judged by the contract alone: package versions say nothing about what fits.
        """
        facts = self.entry or self.terms
        theirs = facts.get("contract")
        if not isinstance(theirs, int) or isinstance(theirs, bool) or theirs == CONTRACT:
            return ""
        component = f"the tdmcp component {'in' if self.entry else 'at'} {self}"
        accepts = _whole(facts.get("accepts")) or OLDEST_CONTRACT
        if theirs < OLDEST_CONTRACT:
            raise Refusal(
                "precondition_failed",
                f"T{component[1:]} is too old for this client's shim "
                f"(contract {theirs}, needed {OLDEST_CONTRACT} or newer).",
                "Replace the component in the project with the current tdmcp.tox; the shim needs no restart.",
            )
        if theirs > CONTRACT and accepts > CONTRACT:
            raise Refusal(
                "precondition_failed",
                f"This client's shim is too old for {component} "
                f"(contract {CONTRACT}, needed {accepts} or newer).",
                "Pulse Install Client on the component's Clients page, then restart this client.",
            )
        if theirs < CONTRACT:
            return f"T{component[1:]} is older than this shim; update it with the current tdmcp.tox."
        return (
            "This client's shim is older than the tdmcp component; pulse Install Client on its Clients page."
        )


def lives(target: Target) -> bool:
    """Whether the process that wrote an entry lives: not only one that has its process id by now."""
    return process_alive(target.pid) and same_process(target.pid, target.entry.get("process_started"))


def on_this_machine(host: str) -> bool:
    """Whether an address is loopback, or another one of this machine; a name is not, since names can be moved."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            packed = socket.inet_pton(family, host)
        except (OSError, ValueError):
            continue
        if (family == socket.AF_INET and packed[0] == 127) or packed == bytes(15) + b"\1":
            return True
        try:
            # Only an address of this machine can be listened at.
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind((host, 0))
        except OSError:
            return False
        return True
    return False


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _joined(folder: str, name: str) -> str:
    if not folder or not name or "/" in name or "\\" in name:
        return name
    return f"{folder.rstrip('/')}/{name}"


def _folder_of(project: str) -> str:
    path = project.replace("\\", "/") if os.name != "nt" else project
    return os.path.dirname(path) if path.lower().endswith((".toe", ".tox")) else path


def _stem(project: str) -> str:
    """The name of a project without its version: `show.12.toe` is `show`."""
    name = os.path.basename(project.replace("\\", "/")).casefold()
    return re.sub(r"(\.\d+)?(\.toe)?$", "", name)


def path_form(path: str, paths: Any = os.path, system: str = sys.platform) -> str:
    """A path as the system compares it, without links. On a Mac neither letter case nor the Unicode form matters."""
    try:
        found = str(paths.normcase(paths.realpath(path)))
    except ValueError:  # no path has such characters
        return path
    if system == "darwin":
        import unicodedata

        found = unicodedata.normalize("NFC", found).casefold()
    return found


def _inside(path: str, folder: str) -> bool:
    path, folder = path_form(path), path_form(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _same(wanted: Target, found: list[Target]) -> Target | None:
    """The entry of the same server: the very one, or what it is after a restart."""
    for target in found:
        if target.key == wanted.key or (target.pid, target.component) == (wanted.pid, wanted.component):
            return target
    alike = [target for target in found if target.identity == wanted.identity]
    return alike[0] if len(alike) == 1 else None


def _near(project: str, folder: str) -> bool:
    """Whether a project's folder is around the folder that the client works in, or in it."""
    return (_inside(folder, project) and not broad(project)) or (
        _inside(project, folder) and not broad(folder)
    )


def broad(folder: str, home: str = "", paths: Any = os.path) -> bool:
    """Whether a folder is the root of a drive, the home or around it. Clients that have no project work there (macOS
    starts programs in `/`), so it says nothing of which project is meant.

    Args:
        home: this user's by default.
        paths: the rules of paths.
    """
    try:
        place, own = path_form(folder, paths), path_form(home or paths.expanduser("~"), paths)
    except OSError:
        return False
    return bool(
        paths.dirname(place) == place or own == place or own.startswith(place.rstrip(paths.sep) + paths.sep)
    )

"""Which agents were let in: their registrations, and the grants with their tokens, of which only hashes are kept.

In one private file a port, so that a restart of TouchDesigner does not send everybody back to ask. Two servers can have
the same port at different addresses, and an ending one overlaps with its successor: each change is made to the file's
present content, under a lock between processes.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.files import read_private, serial_of, write_private
from tdmcp_embedded.settings import Level

ACCESS_S: Final = 3600.0
REFRESH_S: Final = 30 * 86400.0

#: Registered clients. Anybody may register, so those that never got a grant give way, and do not stay for long.
MAX_CLIENTS: Final = 50
UNUSED_S: Final = 3600.0
MAX_GRANTS: Final = 50
_SPENT: Final = 5

#: Seconds to wait for another process that changes the file; on the server's thread, so not for long.
_LOCK_WAIT_S: Final = 0.5

_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Grant:
    """What one agent was given: a level, an access token and a refresh token. Times are seconds since 1970.

    `spent` are the hashes of former refresh tokens: whoever shows one has stolen it, or was stolen from.
    """

    client_id: str
    client_name: str
    level: Level
    resource: str | None
    access: str = field(repr=False)
    access_expires: float
    refresh: str = field(repr=False)
    refresh_expires: float
    spent: tuple[str, ...] = field(default=(), repr=False)
    created: float = 0.0
    id: str = field(default_factory=lambda: secrets.token_hex(4))


@dataclass(frozen=True)
class Tokens:
    """A grant and its tokens, at the only moment they are known."""

    grant: Grant
    access: str = field(repr=False)
    refresh: str = field(repr=False)


class Store:
    """Clients and grants. On the server's loop.

    Args:
        path: the private file, or None to keep them in memory only.
        clock: seconds since 1970.
    """

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self.clients: dict[str, dict[str, Any]] = {}
        self.grants: dict[str, Grant] = {}
        self._serial = 0
        self._stamp: tuple[int, int, int] | None = None
        self._unsaved: tuple[dict[str, dict[str, Any] | None], dict[str, Grant | None]] = ({}, {})
        """Clients and grants that changed (None: removed) and could not be written yet; they hold over the file, which
        must not bring back what was revoked."""
        self._load()

    # -- clients -------------------------------------------------------------------------------------------

    def knows(self, client_id: str) -> bool:
        """Whether the person at TouchDesigner has approved this client before, and has not revoked that since."""
        return any(grant.client_id == client_id for grant in self.grants.values())

    def register(self, client_id: str, facts: dict[str, Any]) -> bool:
        """Keep a client's registration; False when there is no room for it."""
        with self._changing():
            used = {grant.client_id for grant in self.grants.values()}
            unused = [name for name in self.clients if name not in used]
            old = self._clock() - UNUSED_S
            for name in unused:
                if float(self.clients[name].get("client_id_issued_at") or 0) < old:
                    del self.clients[name]
            if len(self.clients) >= MAX_CLIENTS:
                victim = next((name for name in unused if name in self.clients), None)
                if victim is None:
                    return False
                del self.clients[victim]
            self.clients[client_id] = facts
        return True

    # -- grants --------------------------------------------------------------------------------------------

    def grant(self, client_id: str, client_name: str, level: Level, resource: str | None) -> Tokens:
        """A new grant; it replaces the one this client had, and the oldest one when there are too many."""
        with self._changing():
            for other in [g for g in self.grants.values() if g.client_id == client_id]:
                del self.grants[other.id]
            while len(self.grants) >= MAX_GRANTS:
                del self.grants[min(self.grants.values(), key=lambda g: g.created).id]
            blank = Grant(client_id, client_name, level, resource, "", 0.0, "", 0.0, created=self._clock())
            return self._issue(blank)

    def refresh(self, grant: Grant) -> Tokens | None:
        """New tokens for a grant, upon which the old ones are dead; None if it was revoked or refreshed meanwhile."""
        with self._changing():
            present = self.grants.get(grant.id)
            if present is None or present.refresh != grant.refresh:
                return None
            return self._issue(replace(present, spent=(*present.spent, present.refresh)[-_SPENT:]))

    def by_access(self, token: str) -> Grant | None:
        """The grant of an access token that is in force."""
        self._refresh()
        grant = self._find("access", token)
        return grant if grant is not None and self._clock() < grant.access_expires else None

    def by_refresh(self, token: str) -> Grant | None:
        """The grant of a refresh token that is in force. A spent one revokes its grant."""
        self._refresh()
        digest = _hash(token)
        for grant in list(self.grants.values()):
            if any(hmac.compare_digest(digest, old) for old in grant.spent):
                self.revoke(grant.id)
                return None
        found = self._find("refresh", token)
        return found if found is not None and self._clock() < found.refresh_expires else None

    def revoke(self, grant_id: str) -> bool:
        """End a grant; whether there was one. Its tokens are dead at once."""
        with self._changing():
            return self.grants.pop(grant_id, None) is not None

    def revoke_all(self) -> int:
        """End every grant; how many there were."""
        with self._changing():
            count = len(self.grants)
            self.grants.clear()
        return count

    def _find(self, kind: str, token: str) -> Grant | None:
        digest, found = _hash(token), None
        for grant in self.grants.values():
            if hmac.compare_digest(digest, getattr(grant, kind)):
                found = grant
        return found

    def _issue(self, grant: Grant) -> Tokens:
        now = self._clock()
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        made = replace(
            grant,
            access=_hash(access),
            access_expires=now + ACCESS_S,
            refresh=_hash(refresh),
            refresh_expires=now + REFRESH_S,
        )
        self.grants[made.id] = made
        return Tokens(made, access, refresh)

    # -- the file ------------------------------------------------------------------------------------------

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Around a change: made to what is in the file now, and written unless nothing has changed.

        If the file cannot be written the change is in force as long as this server runs.
        """
        if self._path is None:
            yield
            return
        with ExitStack() as held:
            writable = True
            try:
                held.enter_context(locked(self._path, _LOCK_WAIT_S))
                self._load()
            except OSError as error:
                writable = False
                self._warn(error)
            clients, grants = dict(self.clients), dict(self.grants)
            yield
            self._unsaved[0].update(_difference(clients, self.clients))
            self._unsaved[1].update(_difference(grants, self.grants))
            if writable and any(self._unsaved):
                self._save()

    def _save(self) -> None:
        assert self._path is not None
        content = {
            "serial": self._serial + 1,
            "clients": list(self.clients.values()),
            "grants": [asdict(grant) for grant in self.grants.values()],
        }
        try:
            write_private(self._path, content)
        except OSError as error:
            self._warn(error)
        else:
            self._serial += 1
            self._unsaved = ({}, {})
            self._stamp = self._stat()

    def _warn(self, error: OSError) -> None:
        _log.warning(
            "%s cannot be changed (%s): what was approved or revoked now is forgotten when this server ends.",
            self._path,
            error.strerror or error,
        )

    def _refresh(self) -> None:
        """Take over what another process has changed in the file; a system call when it has not."""
        if self._path is None or self._stat() == self._stamp:
            return
        try:
            self._load()
        except OSError:
            return  # others can write to it now: what is in force stays in force

    def _load(self) -> None:
        """Read the file.

        Raises:
            NotPrivate: others can read or change it, and that cannot be cured here.
        """
        if self._path is None:
            return
        self._stamp = self._stat()
        content = read_private(self._path)
        if content is None:
            return  # none yet, or a spoiled one: what is in force stays in force
        self._serial = serial_of(content)
        now = self._clock()
        self.clients = {
            facts["client_id"]: facts
            for facts in _entries(content, "clients")
            if isinstance(facts.get("client_id"), str)
        }
        self.grants = {}
        for entry in _entries(content, "grants"):
            try:
                grant = Grant(**{**entry, "level": Level(entry["level"]), "spent": tuple(entry["spent"])})
                if now < float(grant.refresh_expires) and grant.access and grant.refresh:
                    self.grants[grant.id] = grant
            except (KeyError, TypeError, ValueError):
                continue  # edited into nonsense: opens nothing
        _apply(self._unsaved[0], self.clients)
        _apply(self._unsaved[1], self.grants)

    def _stat(self) -> tuple[int, int, int] | None:
        assert self._path is not None
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _difference(before: Mapping[str, T], after: Mapping[str, T]) -> dict[str, T | None]:
    """The entries that were added, changed or (None) removed."""
    changed: dict[str, T | None] = {name: one for name, one in after.items() if before.get(name) != one}
    return changed | dict.fromkeys(before.keys() - after.keys())


def _apply(changes: Mapping[str, T | None], entries: dict[str, T]) -> None:
    for name, one in changes.items():
        if one is None:
            entries.pop(name, None)
        else:
            entries[name] = one


def _entries(content: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    entries = (content or {}).get(name)
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()

"""Which agents were approved: their registrations, and their grants.

In one private file for each project and component, so that a restart of TouchDesigner does not send everybody back to
ask, and an approval is for that project only. Two servers can have the same file, since a project can be open twice and
an ending server overlaps with its successor: each change is made to the file's present content, under a lock between
processes.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.files import read_private, serial_of, write_private
from tdmcp_embedded.http.oauth import registrations
from tdmcp_embedded.http.oauth.grants import ACCESS_S, GRACE_S, REFRESH_S, Grant, Tokens, digest_of
from tdmcp_embedded.settings import Level

MAX_GRANTS: Final = 50

#: Seconds to wait for another process that changes the file; on the server's thread, so not for long.
_LOCK_WAIT_S: Final = 0.5

_log = logging.getLogger(__name__)

T = TypeVar("T")


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
        self.on_reuse: Callable[[Grant], None] = lambda grant: None
        """Called with a grant that was revoked, since a refresh token of it was used again."""
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

    def register(
        self, client_id: str, facts: dict[str, Any], address: str = "", keep: Collection[str] = ()
    ) -> None:
        """Keep a client's registration. Those that never had a grant give way to it, where there are too many.

        Args:
            facts: the registration, as JSON.
            address: where it was sent from.
            keep: clients that wait for a decision, and do not give way.
        """
        with self._changing():
            used = {grant.client_id for grant in self.grants.values()}
            registrations.add(self.clients, client_id, facts, address, self._clock(), {*used, *keep})

    # -- grants --------------------------------------------------------------------------------------------

    def grant(self, client_id: str, client_name: str, level: Level, resource: str | None) -> Tokens:
        """A new grant; it replaces the one this client had, and the oldest one when there are too many."""
        with self._changing():
            for other in [g for g in self.grants.values() if g.client_id == client_id]:
                del self.grants[other.id]
            while len(self.grants) >= MAX_GRANTS:
                del self.grants[min(self.grants.values(), key=lambda g: g.created).id]
            blank = Grant(client_id, client_name, level, resource, "", 0.0, "", 0.0, created=self._clock())
            tokens = self._issue(blank)
            registrations.limit_known(self.clients, {g.client_id for g in self.grants.values()})
            return tokens

    def refresh(self, token: str) -> Tokens | None:
        """New tokens for those of a grant, which are dead then; None if the refresh token is not (or no longer) valid."""
        with self._changing():
            grant = self._usable(token)
            if grant is None:
                return None
            return self._issue(replace(grant, spent=grant.spent_with(self._clock())))

    def by_access(self, token: str) -> Grant | None:
        """The grant of an access token that is in force."""
        self._refresh()
        digest, found = digest_of(token), None
        for grant in self.grants.values():
            if grant.has_access(digest):
                found = grant
        return found if found is not None and self._clock() < found.access_expires else None

    def by_refresh(self, token: str) -> Grant | None:
        """The grant of a refresh token that may be used.

        One that was used longer than `GRACE_S` ago revokes its grant: somebody has a copy of it.
        """
        self._refresh()
        usable = self._usable(token)
        if usable is None:
            digest = digest_of(token)
            for grant in [g for g in self.grants.values() if g.used_at(digest) is not None]:
                self.revoke(grant.id)
                self.on_reuse(grant)
        return usable

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

    def _usable(self, token: str) -> Grant | None:
        digest, now, found = digest_of(token), self._clock(), None
        for grant in self.grants.values():
            used = grant.used_at(digest)
            # The clock may have been set back meanwhile.
            if grant.has_refresh(digest) or (used is not None and abs(now - used) < GRACE_S):
                found = grant
        return found if found is not None and now < found.refresh_expires else None

    def _issue(self, grant: Grant) -> Tokens:
        now = self._clock()
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        made = replace(
            grant,
            access=digest_of(access),
            access_expires=now + ACCESS_S,
            refresh=digest_of(refresh),
            refresh_expires=now + REFRESH_S,
        )
        self.grants[made.id] = made
        registrations.note_grant(self.clients, made.client_id, now)
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
                grant = Grant.read(entry)
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


def remove_old(folder: Path, now: float) -> None:
    """Remove the files of projects that no agent has used for so long that nothing in them is in force.

    Args:
        folder: where they are, as `oauth-....json`.
        now: seconds since 1970.
    """
    for path in folder.glob("oauth-*.json"):
        with suppress(OSError):
            if now - path.stat().st_mtime > registrations.KNOWN_S:
                path.unlink()


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

"""Which agents were let in: their registrations, and the grants with their tokens, of which only hashes are kept.

In one private file a server, so that a restart of TouchDesigner does not send everybody back to ask.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tdmcp_embedded.files import read, write_private
from tdmcp_embedded.settings import Level

ACCESS_S: Final = 3600.0
REFRESH_S: Final = 30 * 86400.0

#: Registered clients. Anybody may register, so those that never got a grant give way, and do not stay for long.
MAX_CLIENTS: Final = 50
UNUSED_S: Final = 3600.0
MAX_GRANTS: Final = 50
_SPENT: Final = 5


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
        self._load()

    # -- clients -------------------------------------------------------------------------------------------

    def register(self, client_id: str, facts: dict[str, Any]) -> bool:
        """Keep a client's registration; False when there is no room for it."""
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
        self._save()
        return True

    # -- grants --------------------------------------------------------------------------------------------

    def grant(self, client_id: str, client_name: str, level: Level, resource: str | None) -> Tokens:
        """A new grant; it replaces the one this client had, and the oldest one when there are too many."""
        for other in [g for g in self.grants.values() if g.client_id == client_id]:
            del self.grants[other.id]
        while len(self.grants) >= MAX_GRANTS:
            del self.grants[min(self.grants.values(), key=lambda g: g.created).id]
        blank = Grant(client_id, client_name, level, resource, "", 0.0, "", 0.0, created=self._clock())
        return self._issue(blank)

    def refresh(self, grant: Grant) -> Tokens:
        """New tokens for a grant; the old ones are dead."""
        return self._issue(replace(grant, spent=(*grant.spent, grant.refresh)[-_SPENT:]))

    def by_access(self, token: str) -> Grant | None:
        """The grant of an access token that is in force."""
        grant = self._find("access", token)
        return grant if grant is not None and self._clock() < grant.access_expires else None

    def by_refresh(self, token: str) -> Grant | None:
        """The grant of a refresh token that is in force. A spent one revokes its grant."""
        digest = _hash(token)
        for grant in list(self.grants.values()):
            if any(hmac.compare_digest(digest, old) for old in grant.spent):
                self.revoke(grant.id)
                return None
        found = self._find("refresh", token)
        return found if found is not None and self._clock() < found.refresh_expires else None

    def revoke(self, grant_id: str) -> bool:
        """End a grant; whether there was one. Its tokens are dead at once."""
        if self.grants.pop(grant_id, None) is None:
            return False
        self._save()
        return True

    def revoke_all(self) -> int:
        """End every grant; how many there were."""
        count = len(self.grants)
        self.grants.clear()
        if count:
            self._save()
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
        self._save()
        return Tokens(made, access, refresh)

    # -- the file ------------------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._path is None:
            return
        grants = [asdict(grant) for grant in self.grants.values()]
        try:
            write_private(self._path, {"clients": list(self.clients.values()), "grants": grants})
        except OSError:
            # In force as long as this server runs; afterwards the agents have to ask again.
            return

    def _load(self) -> None:
        content = read(self._path) if self._path is not None else None
        now = self._clock()
        for facts in _entries(content, "clients"):
            if isinstance(facts.get("client_id"), str):
                self.clients[facts["client_id"]] = facts
        for entry in _entries(content, "grants"):
            try:
                grant = Grant(**{**entry, "level": Level(entry["level"]), "spent": tuple(entry["spent"])})
                if now < float(grant.refresh_expires) and grant.access and grant.refresh:
                    self.grants[grant.id] = grant
            except (KeyError, TypeError, ValueError):
                continue  # edited into nonsense: opens nothing


def _entries(content: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    entries = (content or {}).get(name)
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()

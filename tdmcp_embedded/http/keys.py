"""Access keys: who may call from where, and up to which level.

Kept in one private file which all servers of this user share, so that a client set up once goes on working, whichever
project is open. A change by one server is seen by the others within a second.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tdmcp_embedded.files import read, write_private
from tdmcp_embedded.settings import Level

#: The name of the key made on first start: full access, from this machine.
FIRST: Final = "owner"

_MAX_KEYS: Final = 64
_LOOK_AGAIN_S: Final = 1.0


@dataclass(frozen=True)
class Key:
    """One access key. The token is no part of its `repr`, so that it cannot end up in a log by accident."""

    name: str
    token: str = field(repr=False)
    level: Level = Level.FULL
    local_only: bool = True
    """Whether it works from this machine only."""
    expires: float | None = None
    """Seconds since 1970, or never."""
    created: float = 0.0

    def expired(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires


class Keys:
    """The keys in force. Any thread.

    Args:
        path: the private file they are kept in, or None to keep them in memory only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._keys: dict[str, Key] = {}
        self._digests: dict[str, bytes] = {}
        self._stamp: tuple[int, int] | None = None
        self._looked = 0.0
        self._load()

    def __iter__(self) -> Iterator[Key]:
        with self._lock:
            self._refresh(at_once=True)
            return iter(list(self._keys.values()))

    def find(self, name: str) -> Key | None:
        with self._lock:
            self._refresh(at_once=True)
            return self._keys.get(name)

    def first(self, token: str = "") -> Key:
        """The key of the person at this machine: full access, this machine only. Made if there is none yet.

        Args:
            token: use this one instead of a random one, or instead of the present one.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            key = self.find(FIRST)
            if key is None:
                return self.make(FIRST, Level.FULL, token=token)
            if token and token != key.token:
                return self._put(replace(key, token=token, created=time.time()))
            return key

    def make(
        self,
        name: str,
        level: Level,
        *,
        local_only: bool = True,
        expires_in: float | None = None,
        token: str = "",
    ) -> Key:
        """A new key.

        Args:
            name: how the audit log and the person call it; one of each name.
            level: what it allows at most.
            local_only: whether it works from this machine only.
            expires_in: seconds until it stops working; None for never.

        Raises:
            ValueError: the name is empty or taken, the time is past, or there are too many keys.
            OSError: the file cannot be written.
        """
        name = name.strip()
        with self._lock:
            self._refresh(at_once=True)
            if not name or name in self._keys:
                raise ValueError(
                    f"There is a key called {name!r} already." if name else "A key needs a name."
                )
            if len(self._keys) >= _MAX_KEYS:
                raise ValueError(f"There are {_MAX_KEYS} keys; revoke one first.")
            if expires_in is not None and expires_in <= 0:
                raise ValueError(
                    "A key that has expired already is of no use; give a time in seconds above 0."
                )
            now = time.time()
            return self._put(
                Key(
                    name,
                    token or secrets.token_urlsafe(32),
                    level,
                    local_only,
                    None if expires_in is None else now + expires_in,
                    now,
                )
            )

    def renew(self, name: str = FIRST) -> Key:
        """A new token for a key; the old one stops working at once. If it expires, its time begins anew.

        Raises:
            KeyError: no such key.
            OSError: the file cannot be written; the old token then is still in force.
        """
        with self._lock:
            self._refresh(at_once=True)
            key, now = self._keys[name], time.time()
            expires = None if key.expires is None else now + key.expires - key.created
            return self._put(replace(key, token=secrets.token_urlsafe(32), created=now, expires=expires))

    def revoke(self, name: str) -> bool:
        """Remove a key; whether there was one. It stops working at once.

        Raises:
            OSError: the file cannot be written; the key then is still in force.
        """
        with self._lock:
            self._refresh(at_once=True)
            if name not in self._keys:
                return False
            self._keep({other: key for other, key in self._keys.items() if other != name})
            return True

    def match(self, token: bytes) -> Key | None:
        """The key a caller holds; None for an unknown or expired one. Takes equally long for every token."""
        given = hashlib.sha256(token).digest()
        found: str | None = None
        with self._lock:
            self._refresh()
            for name, digest in self._digests.items():
                if hmac.compare_digest(given, digest):
                    found = name
            key = self._keys[found] if found is not None else None
        return None if key is None or key.expired(time.time()) else key

    def valid(self, key: Key) -> bool:
        """Whether a key that once matched is still in force: not renewed, revoked, changed or expired since."""
        with self._lock:
            self._refresh()
            return self._keys.get(key.name) == key and not key.expired(time.time())

    def _put(self, key: Key) -> Key:
        self._keep({**self._keys, key.name: key})
        return key

    def _keep(self, keys: dict[str, Key]) -> None:
        if self._path is not None:
            write_private(self._path, {"keys": [_as_json(key) for key in keys.values()]})
            self._stamp = self._stat()
        self._take(keys)

    def _take(self, keys: dict[str, Key]) -> None:
        self._keys = keys
        self._digests = {name: hashlib.sha256(key.token.encode()).digest() for name, key in keys.items()}

    def _refresh(self, at_once: bool = False) -> None:
        """Take over what another server has changed in the file."""
        now = time.monotonic()
        if self._path is None or (not at_once and now - self._looked < _LOOK_AGAIN_S):
            return
        self._looked = now
        if self._stat() != self._stamp:
            self._load()

    def _load(self) -> None:
        if self._path is None:
            return
        self._looked = time.monotonic()
        self._stamp = self._stat()
        content = read(self._path)
        if content is None and self._stamp is not None and self._keys:
            return  # somebody has it open, or has spoiled it: the keys in force stay in force
        entries = (content or {}).get("keys")
        keys = (_from_json(entry) for entry in (entries if isinstance(entries, list) else ()))
        self._take({key.name: key for key in keys if key is not None})

    def _stat(self) -> tuple[int, int] | None:
        assert self._path is not None
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino


def _as_json(key: Key) -> dict[str, Any]:
    return {
        "name": key.name,
        "token": key.token,
        "level": key.level.value,
        "local_only": key.local_only,
        "expires": key.expires,
        "created": key.created,
    }


def _from_json(entry: Any) -> Key | None:
    """A key from the file; None if a person has edited it into nonsense: such a key must not open anything."""
    try:
        expires = entry["expires"]
        key = Key(
            str(entry["name"]),
            str(entry["token"]),
            Level(entry["level"]),
            bool(entry["local_only"]),
            None if expires is None else float(expires),
            float(entry["created"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
    return key if key.name and key.token else None

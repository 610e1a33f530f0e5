"""Access keys: who may call from where, and up to which level.

Kept in one private file which all servers of this user share, so that a client set up once goes on working, whichever
project is open. Each change is made to the file's present content, under a lock between processes, and counts up a
serial number. A change by one process is seen by the others with the next request.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.file_modes import NotPrivate
from tdmcp_embedded.files import read_private, serial_of, write_private
from tdmcp_embedded.settings import Level

T = TypeVar("T")

#: The name of the key made on first start: full access, from this machine.
FIRST: Final = "owner"

_MAX_KEYS: Final = 64
_LONGEST_NAME: Final = 80
_LOOK_AGAIN_S: Final = 1.0

#: Further reads of a file that seems to have changed: at most so many within so many seconds.
_EXTRA_READS: Final = 10
_EXTRA_READS_S: Final = 1.0

#: What is known of the file without reading it.
Stamp = tuple[int, int, int]


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
    id: str = ""
    """Whose jobs, tasks and sessions are whose. It stays when the token is renewed; a later key of the same name has
    another. By default it follows from name and token, so that servers which do not keep it agree on it."""

    def __post_init__(self) -> None:
        if not self.id:
            parts = (self.name, self.token or str(self.created))
            object.__setattr__(self, "id", hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20])

    def expired(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires


class Keys:
    """The keys in force. Any thread.

    Args:
        path: the private file they are kept in, or None to keep them in memory only.

    Raises:
        NotPrivate: others can read or change the file, and that cannot be cured here.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        # Taken after the lock between processes, never before it.
        self._lock = threading.RLock()
        self._keys: dict[str, Key] = {}
        self._digests: dict[str, bytes] = {}
        self._serial = 0
        """How many changes the keys in force have behind them, by whichever process."""
        self._stamp: Stamp | None = None
        self._looked = 0.0
        self._extra_reads: deque[float] = deque(maxlen=_EXTRA_READS)
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
        key = self.find(FIRST)
        if key is not None and token in ("", key.token):
            return key

        def change(keys: dict[str, Key]) -> Key:
            # Another server may have made it since.
            present = keys.get(FIRST)
            if present is None:
                made = Key(FIRST, token or secrets.token_urlsafe(32), Level.FULL, created=time.time())
            elif token and token != present.token:
                made = replace(present, token=token, created=time.time())
            else:
                return present
            keys[FIRST] = made
            return made

        return self._change(change)

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
            ValueError: the name is empty, taken or cannot be shown as it is, the time is past, or there are too many keys.
            OSError: the file cannot be written.
        """
        name = checked_name(name)
        if expires_in is not None and expires_in <= 0:
            raise ValueError("A key that has expired already is of no use; give a time in seconds above 0.")

        def change(keys: dict[str, Key]) -> Key:
            if name in keys:
                raise ValueError(f"There is a key called {name!r} already.")
            if len(keys) >= _MAX_KEYS:
                raise ValueError(f"There are {_MAX_KEYS} keys; revoke one first.")
            now = time.time()
            expires = None if expires_in is None else now + expires_in
            keys[name] = Key(name, token or secrets.token_urlsafe(32), level, local_only, expires, now)
            return keys[name]

        return self._change(change)

    def renew(self, name: str = FIRST) -> Key:
        """A new token for a key; the old one stops working at once. If it expires, its time begins anew.

        Raises:
            KeyError: no such key.
            OSError: the file cannot be written; the old token then is still in force.
        """

        def change(keys: dict[str, Key]) -> Key:
            key, now = keys[name], time.time()
            expires = None if key.expires is None else now + key.expires - key.created
            keys[name] = replace(key, token=secrets.token_urlsafe(32), created=now, expires=expires)
            return keys[name]

        return self._change(change)

    def revoke(self, name: str) -> bool:
        """Remove a key; whether there was one. It stops working at once.

        Raises:
            OSError: the file cannot be written; the key then is still in force.
        """
        return self._change(lambda keys: keys.pop(name, None) is not None)

    def match(self, token: bytes) -> Key | None:
        """The key a caller holds; None for an unknown or expired one. Takes equally long for every unknown token."""
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

    def _change(self, change: Callable[[dict[str, Key]], T]) -> T:
        """Change the keys, as they are now in the file; what `change` makes of the dictionary it is given is kept.

        Raises:
            OSError: the file cannot be written; nothing has changed then.
        """
        if self._path is None:
            with self._lock:
                keys = dict(self._keys)
                result = change(keys)
                self._take(keys, self._serial + 1)
            return result
        with locked(self._path), self._lock:
            self._load()
            keys = dict(self._keys)
            result = change(keys)
            if keys != self._keys:
                content = {"serial": self._serial + 1, "keys": [_as_json(key) for key in keys.values()]}
                write_private(self._path, content)
                self._stamp = self._stat()
                self._take(keys, self._serial + 1)
        return result

    def _take(self, keys: dict[str, Key], serial: int) -> None:
        self._keys, self._serial = keys, serial
        self._digests = {name: hashlib.sha256(key.token.encode()).digest() for name, key in keys.items()}

    def _refresh(self, at_once: bool = False) -> None:
        """Take over what another process has changed in the file.

        Whether the file is another one now costs a system call, so every request asks; a key made or revoked elsewhere
        counts at once. Where clocks tick too coarsely for that, the file is read once a second.
        """
        if self._path is None:
            return
        old = at_once or time.monotonic() - self._looked >= _LOOK_AGAIN_S
        if not old and not (self._stat() != self._stamp and self._may_read()):
            return
        try:
            self._load()
        except NotPrivate:
            return  # others can write to it now: the keys in force stay in force

    def _may_read(self) -> bool:
        now = time.monotonic()
        if len(self._extra_reads) == _EXTRA_READS and now - self._extra_reads[0] < _EXTRA_READS_S:
            return False
        self._extra_reads.append(now)
        return True

    def _load(self) -> None:
        """Read the file; its serial number, not its time, says whether anything has changed."""
        if self._path is None:
            return
        self._looked = time.monotonic()
        self._stamp = self._stat()
        content = read_private(self._path)
        if content is None:
            if self._stamp is None or not self._keys:
                self._take({}, self._serial)
            # Else somebody has spoiled it: the keys in force stay in force.
            return
        serial = serial_of(content)
        entries = content.get("keys")
        keys = (_from_json(entry) for entry in (entries if isinstance(entries, list) else ()))
        found = {key.name: key for key in keys if key is not None}
        if serial != self._serial or found != self._keys:
            self._take(found, serial)

    def _stat(self) -> Stamp | None:
        assert self._path is not None
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino, stat.st_size


def checked_name(name: str) -> str:
    """A name for a key, without blanks around it. It is shown in logs, terminals and pages: what would change how the
    text around it reads there is refused.

    Raises:
        ValueError: it is empty, too long, or holds characters that cannot be seen; a sentence.
    """
    name = name.strip(" ")
    if not name:
        raise ValueError("A key needs a name.")
    if len(name) > _LONGEST_NAME:
        raise ValueError(
            f"The name of a key has at most {_LONGEST_NAME} characters; this one has {len(name)}."
        )
    for position, char in enumerate(name, 1):
        # Controls, directions of writing (format), halves of characters, unassigned, line and paragraph separators.
        if not char.isprintable():
            raise ValueError(
                f"The name of a key holds a character that cannot be seen: U+{ord(char):04X} at position {position}. "
                "Use letters, digits, spaces and signs."
            )
    return name


def _as_json(key: Key) -> dict[str, Any]:
    return {
        "name": key.name,
        "token": key.token,
        "level": key.level.value,
        "local_only": key.local_only,
        "expires": key.expires,
        "created": key.created,
        "id": key.id,
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
            str(entry.get("id") or ""),
        )
    except (KeyError, TypeError, ValueError):
        return None
    return key if key.name and key.token else None

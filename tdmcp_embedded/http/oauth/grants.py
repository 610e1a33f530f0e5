"""What a remote agent was given: a level and two tokens, of which only hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Any, Final

from tdmcp_embedded.settings import Level

ACCESS_S: Final = 3600.0
REFRESH_S: Final = 30 * 86400.0
#: Seconds in which a refresh token that was used may be used again: the answer to its first use may have been lost.
GRACE_S: Final = 60.0
#: Used refresh tokens of a grant that are remembered.
_MAX_SPENT: Final = 16


@dataclass(frozen=True)
class Grant:
    """What one agent was given: a level, an access token and a refresh token. Times are seconds since 1970.

    `spent` are the hashes of former refresh tokens and when they were used: whoever shows one later than `GRACE_S` has
    stolen it, or was stolen from.
    """

    client_id: str
    client_name: str
    level: Level
    resource: str | None
    access: str = field(repr=False)
    access_expires: float
    refresh: str = field(repr=False)
    refresh_expires: float
    spent: tuple[tuple[str, float], ...] = field(default=(), repr=False)
    created: float = 0.0
    id: str = field(default_factory=lambda: secrets.token_hex(4))

    @classmethod
    def read(cls, entry: dict[str, Any]) -> Grant:
        """A grant as it stands in a file.

        Raises:
            KeyError, TypeError, ValueError: it was edited into nonsense.
        """
        spent = tuple((str(digest), float(when)) for digest, when in entry["spent"])
        return cls(**{**entry, "level": Level(entry["level"]), "spent": spent})

    def has_access(self, digest: str) -> bool:
        return hmac.compare_digest(digest, self.access)

    def has_refresh(self, digest: str) -> bool:
        return hmac.compare_digest(digest, self.refresh)

    def used_at(self, digest: str) -> float | None:
        """When a former refresh token was used; None if it is none of this grant's."""
        return next((when for old, when in self.spent if hmac.compare_digest(digest, old)), None)

    def spent_with(self, now: float) -> tuple[tuple[str, float], ...]:
        """`spent`, once the present refresh token is used as well."""
        return (*self.spent, (self.refresh, now))[-_MAX_SPENT:]


@dataclass(frozen=True)
class Tokens:
    """A grant and its tokens, at the only moment they are known."""

    grant: Grant
    access: str = field(repr=False)
    refresh: str = field(repr=False)


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()

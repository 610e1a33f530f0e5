"""The gateway's own access keys, each with a level, and the keys with which it calls TouchDesigners of this computer."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import Any

from tdmcp_embedded.files import home, read, write_private
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.settings import Level

#: The key that is made on first start: level full.
FIRST = "owner"


def file() -> Path:
    """Where the gateway's keys are kept; for this user only."""
    return home() / "gateway.json"


def first() -> None:
    """Make the first key, if there is none yet."""
    if not _read():
        add(FIRST, Level.FULL)


def add(name: str, level: Level) -> str:
    """Make a key, or a new one in place of the one called so; its token."""
    token = secrets.token_urlsafe(32)
    others = [key for key in _read() if key.get("name") != name]
    write_private(file(), {"keys": [*others, {"name": name, "token": token, "level": level.value}]})
    return token


def remove(name: str) -> bool:
    """Remove a key; whether there was one. A running gateway refuses it with the next request."""
    found = _read()
    kept = [key for key in found if key.get("name") != name]
    write_private(file(), {"keys": kept})
    return len(kept) < len(found)


def find(token: str) -> tuple[str, Level] | None:
    """Name and level of the key with this token. Each is compared in constant time."""
    given = os.environ.get("TDMCP_GATEWAY_KEY", "")
    keys = [*_read(), *([{"name": FIRST, "token": given, "level": Level.FULL.value}] if given else [])]
    found = None
    for key in keys:
        if hmac.compare_digest(str(key.get("token", "")).encode(), token.encode()) and key.get("token"):
            found = str(key.get("name", "")), Level(str(key.get("level", Level.OBSERVE.value)))
    return found


def of_this_computer(level: Level) -> str:
    """The token of a key of this level for the TouchDesigners here, made when it is first needed."""
    name, keys = f"gateway-{level.value}", Keys(home() / "keys.json")
    key = keys.find(name)
    return (key if key is not None else keys.make(name, level)).token


def _read() -> list[dict[str, Any]]:
    kept = read(file()) or {}
    found = kept.get("keys")
    keys = [key for key in found if isinstance(key, dict)] if isinstance(found, list) else []
    # One key without a level, as the file was before.
    former = kept.get("key")
    return [*keys, *([{"name": FIRST, "token": former, "level": Level.FULL.value}] if former else [])]

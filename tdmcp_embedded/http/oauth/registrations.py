"""The clients that have registered: how many are kept, for how long, and how many may come from one place.

Anybody may register, so those that never had a grant give way to others, and those of one place cannot push out those of
another. Registrations that ever had a grant are kept: many clients have no way back from one that was forgotten.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, Final

from tdmcp_embedded.http.admission import Bucket

#: Registrations that never had a grant: how many, and seconds.
MAX_NEW: Final = 50
NEW_S: Final = 3600.0
#: Registrations that had a grant: how many, and seconds since its last token was issued.
MAX_KNOWN: Final = 100
KNOWN_S: Final = 90 * 86400.0

#: Registrations a second of one place, and at once after a quiet time.
RATE: Final = 0.1
BURST: Final = 10
#: Places whose registrations are counted; the one that was quiet for the longest time is forgotten.
_MAX_PLACES: Final = 256

#: Fields of ours in a registration.
_GRANTED, _PLACE, _NOTED = "granted_at", "registered_from", "registered_at"

Clients = dict[str, dict[str, Any]]


class RegistrationLimit:
    """How often a place may register. On the server's loop.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, Bucket] = {}

    def wait(self, address: str) -> float:
        """Count a registration; 0 if it is allowed, else the seconds until the next one is."""
        place = place_of(address)
        bucket = self._buckets.pop(place, None) or Bucket(self._clock)
        self._buckets[place] = bucket
        if len(self._buckets) > _MAX_PLACES:
            del self._buckets[next(iter(self._buckets))]
        return bucket.book(RATE, BURST, max_wait=0.0)


def place_of(address: str) -> str:
    """What counts as one place: an IPv4 address, or the network of an IPv6 address, all of which one caller may have."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def add(
    clients: Clients, client_id: str, facts: dict[str, Any], address: str, now: float, keep: Collection[str]
) -> None:
    """Add a registration, and remove those that are too old or too many.

    Args:
        address: where it was sent from.
        now: seconds since 1970.
        keep: clients that stay: those with a grant, and those that wait for a decision.
    """
    for name, one in list(clients.items()):
        granted = _number(one, _GRANTED)
        old = now - granted >= KNOWN_S if granted else now - _number(one, _NOTED) >= NEW_S
        if old and name not in keep:
            del clients[name]
    while len(new := [name for name, one in clients.items() if not _number(one, _GRANTED)]) >= MAX_NEW:
        places = Counter(str(clients[name].get(_PLACE, "")) for name in new)
        most = max(places.values())
        crowd = [name for name in new if places[str(clients[name].get(_PLACE, ""))] == most]
        del clients[next((name for name in crowd if name not in keep), crowd[0])]
    clients[client_id] = {**facts, _PLACE: place_of(address), _NOTED: now}


def note_grant(clients: Clients, client_id: str, now: float) -> None:
    """Note that a client got tokens."""
    if client_id in clients:
        clients[client_id] = {**clients[client_id], _GRANTED: now}


def limit_known(clients: Clients, keep: Collection[str]) -> None:
    """Remove registrations that had a grant, where they are too many: first those whose last one is the oldest.

    Args:
        keep: clients with a grant.
    """
    known = sorted(
        (name for name, one in clients.items() if _number(one, _GRANTED)),
        key=lambda name: _number(clients[name], _GRANTED),
    )
    excess = len(known) - MAX_KNOWN
    for name in [name for name in known if name not in keep][: max(0, excess)]:
        del clients[name]


def _number(facts: dict[str, Any], name: str) -> float:
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) else 0.0

"""Subscriptions of the modern era, which outlive the server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tox_build.shim.connections import Connection, Dropped, events
from tox_build.shim.constants import CHANGES, LOOK_EVERY, SUBSCRIPTION_KEY
from tox_build.shim.flights import Flight, Outlet
from tox_build.shim.messages import Refusal, is_answer, said
from tox_build.shim.servers import Servers
from tox_build.shim.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Subscriptions:
    """The modern era's subscriptions, which outlive the servers that serve them."""

    def __init__(self, servers: Servers, out: Outlet) -> None:
        self.servers = servers
        self.out = out
        self.open: dict[tuple[bool, Any], Flight] = {}

    def announce(self, kinds: Iterable[str]) -> None:
        """Tell those who asked for it that these lists changed."""
        kinds = list(kinds)
        for flight in list(self.open.values()):
            self._announce_to(flight, kinds)

    def move(self, key: Any) -> None:
        """Have those that listen to another server than this listen to this one."""
        for flight in list(self.open.values()):
            if key is not None and flight.target_key not in (None, "", key):
                flight.abort()

    def serve(self, flight: Flight) -> None:
        """A subscription of the modern era. It outlives the server: the next one is asked again, and since nobody
        knows what was missed, everything subscribed to counts as changed."""
        pause = 0.2
        while not flight.cancelled and not self.servers.closing:
            began = time.monotonic()
            target: Target | None = None
            try:
                target = self.servers.target()
                target.contract_notice()
                connection = flight.connection = self.servers.connect(target)
                try:
                    connection.request(
                        "POST",
                        self.servers.headers(flight, target, None),
                        flight.raw,
                        patience=self.servers.patience(target, connection, flight),
                    )
                    if connection.status in (401, 429) or connection.status >= 500:
                        raise Dropped(f"HTTP status {connection.status}")
                    self._hear(flight, target, connection)
                finally:
                    flight.connection = None
                    connection.close()
            except (OSError, Refusal) as error:
                self.out.log(f"subscription {flight.id!r}: {error}")
            if flight.answered or flight.cancelled:
                return
            self.servers.instances.forget()
            if not flight.acknowledged:
                self._acknowledge(flight)
            if flight.target_key is None:
                flight.target_key = ""  # acknowledged, but by us
            pause = 0.2 if time.monotonic() - began > 5.0 else min(pause * 1.5, LOOK_EVERY)
            time.sleep(pause)

    def _hear(self, flight: Flight, target: Target, connection: Connection) -> None:
        """Pass on what a subscription brings."""
        if not connection.headers.get("content-type", "").lower().startswith("text/event-stream"):
            body = connection.read()
            if flight.acknowledged or b'"jsonrpc"' not in body:
                raise Dropped(said(body) or f"HTTP status {connection.status}")
            flight.answer(body)  # this server has no subscriptions, or not these
            return
        connection.patience = lambda: None
        for event in events(connection.body()):
            if not event.data:
                continue
            self.servers.heard(target)
            if is_answer(event.data):
                if not flight.acknowledged:
                    flight.answer(event.data)
                return
            if b"notifications/subscriptions/acknowledged" in event.data[:200]:
                flight.target_key = target.key
                if flight.acknowledged:
                    self._catch_up(flight)
                    continue
                flight.acknowledged = True
            self.out.emit(event.data)

    def _acknowledge(self, flight: Flight) -> None:
        flight.acknowledged = True
        wanted = flight.params.get("notifications")
        params = {
            "notifications": wanted if isinstance(wanted, dict) else {},
            "_meta": {SUBSCRIPTION_KEY: flight.id},
        }
        self.out.notify("subscriptions/acknowledged", params)

    def _announce_to(self, flight: Flight, kinds: Iterable[str]) -> None:
        """The same in the modern era: to those who asked for it, with the mark of their subscription."""
        wanted = flight.params.get("notifications")
        if not isinstance(wanted, dict) or flight.target_key is None:
            return
        meta = {"_meta": {SUBSCRIPTION_KEY: flight.id}}
        for kind in kinds:
            if wanted.get(CHANGES[kind]):
                self.out.notify(f"{kind}/list_changed", meta)

    def _catch_up(self, flight: Flight) -> None:
        self._announce_to(flight, CHANGES)
        wanted = flight.params.get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        for uri in uris if isinstance(uris, list) else []:
            params = {"uri": uri, "_meta": {SUBSCRIPTION_KEY: flight.id}}
            self.out.notify("resources/updated", params)

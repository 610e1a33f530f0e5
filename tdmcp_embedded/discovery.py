"""Finding servers on the local network by mDNS. Off by default; needs the extra `lan` (python-zeroconf).

What is announced: name, project, component, address and contract. Never a key.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tdmcp_embedded import CONTRACT, __version__, threads

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

SERVICE = "_tdmcp._tcp.local."
#: Seconds to listen for answers; announcers answer at once, so nearly all come within the first.
LISTEN_S = 2.0
#: A label of DNS has no more bytes.
_LABEL = 63


class Unavailable(Exception):
    """Announcing or looking around cannot be done; the message says why."""


@dataclass(frozen=True)
class Found:
    """A server that announced itself."""

    name: str
    url: str
    project: str = ""
    component: str = ""
    contract: int = 0


class Announcement:
    """Announces a server until it is closed. Any thread; takes a second or so to begin and to end.

    Args:
        url: where it listens; the host must be an address that other computers can reach.
        facts: `name`, `project` and `component`, as in the registry.
        interfaces: addresses of this computer to announce on; all by default.

    Raises:
        Unavailable: zeroconf is missing, this computer has no address in a network, or the network refuses.
    """

    def __init__(
        self, url: str, facts: Mapping[str, Any], *, interfaces: Sequence[str] | None = None
    ) -> None:
        self._info = service(url, facts)
        self._zeroconf = _open(interfaces)
        from zeroconf import Error

        try:
            self._zeroconf.register_service(self._info, allow_name_change=True)
        except (Error, OSError) as error:
            self._zeroconf.close()
            raise Unavailable(f"The server cannot be announced: {error}.") from None

    @property
    def name(self) -> str:
        """What it is announced as; a number is added when another has that name already."""
        return self._info.name.removesuffix("." + SERVICE)

    def close(self) -> None:
        """Say goodbye."""
        try:
            self._zeroconf.unregister_service(self._info)
        finally:
            self._zeroconf.close()


class Announcer:
    """Keeps a server announced, on a thread of its own: beginning takes seconds, and importing zeroconf a while.

    `warn` is told what is wrong, on that thread.
    """

    def __init__(self, url: str, facts: Mapping[str, Any], warn: Callable[[str], None]) -> None:
        self._ended = threading.Event()
        self._thread = threads.start(self._run, "announce", url, dict(facts), warn)

    def end(self) -> None:
        """Say goodbye; returns at once."""
        self._ended.set()

    def _run(self, url: str, facts: Mapping[str, Any], warn: Callable[[str], None]) -> None:
        try:
            announcement = Announcement(url, facts)
        except Unavailable as error:
            warn(str(error))
            return
        except Exception as error:
            warn(f"The server cannot be announced: {type(error).__name__}: {error}.")
            raise
        self._ended.wait()
        announcement.close()


def browse(
    seconds: float = LISTEN_S, *, interfaces: Sequence[str] | None = None, enough: int = 0
) -> list[Found]:
    """The servers that announce themselves, by name.

    Args:
        seconds: how long to listen.
        interfaces: addresses of this computer to listen on; all by default.
        enough: stop listening when so many were found; 0 listens to the end.

    Raises:
        Unavailable: zeroconf is missing, or the network refuses.
    """
    zeroconf = _open(interfaces)
    from zeroconf import ServiceBrowser, ServiceStateChange

    names: list[str] = []
    arrived = threading.Condition()

    def changed(*, name: str, state_change: ServiceStateChange, **_: Any) -> None:
        with arrived:
            if state_change is ServiceStateChange.Added and name not in names:
                names.append(name)
                arrived.notify_all()

    try:
        browser = ServiceBrowser(zeroconf, SERVICE, handlers=[changed])
        with arrived:
            arrived.wait_for(lambda: bool(enough) and len(names) >= enough, seconds)
            seen = list(names)
        infos = [zeroconf.get_service_info(SERVICE, name) for name in seen]
        browser.cancel()
    finally:
        zeroconf.close()
    found = [one for one in map(understood, filter(None, infos)) if one is not None]
    return sorted(found, key=lambda one: one.name)


def service(url: str, facts: Mapping[str, Any]) -> ServiceInfo:
    """What is announced of a server.

    Raises:
        Unavailable: zeroconf is missing, or this computer has no address in a network.
    """
    _need()
    from zeroconf import ServiceInfo

    parts = urlsplit(url)
    addresses = _addresses(parts.hostname or "")
    name = str(facts.get("name") or facts.get("project") or "TouchDesigner")
    # Dots would end a label; the rest of it may be any text, cut to what fits.
    label = (
        name.replace(".", " ").encode("utf-8")[:_LABEL].decode("utf-8", "ignore").strip() or "TouchDesigner"
    )
    properties = {
        "scheme": parts.scheme,
        "path": parts.path,
        "project": str(facts.get("project") or "")[:200],
        "component": str(facts.get("component") or "")[:200],
        "contract": str(CONTRACT),
        "version": __version__,
    }
    return ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        port=parts.port or 443,
        addresses=[address.packed for address in addresses],
        properties=properties,
        server=f"tdmcp-{addresses[0].packed.hex()}.local.",
    )


def understood(info: ServiceInfo) -> Found | None:
    """A server from what it announced; None if that makes no sense, as anybody can announce anything."""

    def text(key: str) -> str:
        value = info.properties.get(key.encode())
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""

    addresses = info.parsed_addresses()
    scheme, path = text("scheme"), text("path")
    if not addresses or scheme not in ("http", "https") or not path.startswith("/") or not info.port:
        return None
    host = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    contract = text("contract")
    return Found(
        info.name.removesuffix("." + SERVICE),
        f"{scheme}://{host}:{info.port}{path}",
        text("project"),
        text("component"),
        int(contract) if contract.isdigit() else 0,
    )


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The addresses of a host; for 0.0.0.0 those of this computer that others can reach."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = ipaddress.ip_address(socket.gethostbyname(host))
    if not address.is_unspecified:
        return [address]
    reachable = [own for own in map(ipaddress.ip_address, _own_addresses()) if not own.is_loopback]
    if not reachable:
        raise Unavailable("This computer has no address that others could reach.")
    return reachable


def _own_addresses() -> list[str]:
    # zeroconf brings it along.
    from ifaddr import get_adapters

    # Those of IPv6 are tuples.
    return [str(ip.ip) for adapter in get_adapters() for ip in adapter.ips if isinstance(ip.ip, str)]


def _open(interfaces: Sequence[str] | None) -> Zeroconf:
    _need()
    from zeroconf import InterfaceChoice, Zeroconf

    try:
        return Zeroconf(interfaces=list(interfaces) if interfaces else InterfaceChoice.All)
    except OSError as error:
        raise Unavailable(f"The network cannot be used for discovery: {error}.") from None


def _need() -> None:
    try:
        import zeroconf  # noqa: F401 - whether it is there
    except ImportError:
        raise Unavailable("Discovery needs python-zeroconf: pip install 'tdmcp-embedded[lan]'.") from None

"""Whether a server can run with the values of a component, and why not, in words for the person in front of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdmcp_embedded.http.thread import State
    from tdmcp_embedded.settings import Settings


class CannotServe(Exception):
    """A reason not to serve that starting again will not cure; its text is for the person in front of TouchDesigner."""


def validated(values: dict[str, Any]) -> Settings:
    """Settings from custom parameter values.

    Raises:
        CannotServe: a value cannot be used; the sentence names the parameter.
    """
    from pydantic import ValidationError

    from tdmcp_embedded.http.hosts import is_loopback
    from tdmcp_embedded.settings import from_parameters, parameter_name
    from tdmcp_embedded.tools.validation_messages import forms

    try:
        settings = from_parameters(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = parameter_name(str(first["loc"][0]))
        raise CannotServe(f"{name} cannot be {first['input']!r}: it takes {forms([first])}.") from None
    if not settings.require_key and not is_loopback(listening_address(settings.address)):
        raise CannotServe(
            f"Address {settings.address} can be reached from other machines: switch Require Key on, or use 127.0.0.1."
        )
    if not settings.require_key and settings.public_address:
        raise CannotServe(
            f"By {settings.public_address} anybody can reach this server: switch Require Key on, or empty Publicaddress."
        )
    if (
        settings.oauth
        and not settings.tls_certificate
        and not is_loopback(listening_address(settings.address))
    ):
        raise CannotServe("Oauth on the network needs HTTPS: set Tlscertificate, or use Address 127.0.0.1.")
    return settings


def explained(state: State) -> tuple[str, bool]:
    """Why a thread failed, in a sentence, and whether it would fail again."""
    from tdmcp_embedded.blocked_libraries import explained as why_blocked
    from tdmcp_embedded.http.listening import CannotListen

    error = state.error
    blocked = why_blocked(error)
    if blocked:
        return blocked, True
    if (
        isinstance(error, ModuleNotFoundError)
        and "." in (error.name or "")
        and "_tdmcp_private_imports" in sys.modules
    ):
        sentence = (
            f"{error.name}, a part of the server's libraries, is gone: a virus scanner has probably taken the file away. Allow "
            "it there, restart TouchDesigner, and pulse Restart if need be: what is missing is unpacked again."
        )
        return sentence, True
    if isinstance(error, ModuleNotFoundError) and "_tdmcp_private_imports" in sys.modules:
        # The full build brings everything but what TouchDesigner ships itself.
        sentence = (
            f"The Python package {error.name!r}, which TouchDesigner ships itself, cannot be found: repair or update "
            "TouchDesigner, then restart it."
        )
        return sentence, True
    if isinstance(error, ModuleNotFoundError):
        sentence = (
            f"The Python package {error.name!r} is missing: run `pip install tdmcp-embedded` for the Python that "
            "TouchDesigner uses, then restart TouchDesigner."
        )
        return sentence, True
    if isinstance(error, CannotServe):
        return str(error), True
    return state.sentence, isinstance(error, CannotListen | ImportError)


def check_tls(certificate: str, key: str) -> None:
    """See whether the files work before the server tries, which would only say that it cannot start."""
    if not certificate and not key:
        return
    import ssl

    if not certificate:
        raise CannotServe("Tlskey is given without Tlscertificate: give both files, or neither.")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            certificate, key or None, password=lambda: b""
        )
    except (OSError, ValueError) as error:
        raise CannotServe(f"The TLS files cannot be used: {error}.") from None


def exposure(settings: Settings, remote_keys: bool) -> str:
    """What a person should know whose server can be reached from other machines; nothing if it cannot be.

    Args:
        remote_keys: whether any key works from there.
    """
    from tdmcp_embedded.http.hosts import hostname, is_loopback

    parts = []
    on_network = not is_loopback(listening_address(settings.address))
    if on_network and not settings.tls_certificate:
        parts.append(
            "Warning: plain HTTP leaves this machine, and anyone on the network can read it and the access key; set a "
            "TLS Certificate."
        )
    scheme, _, host = settings.public_address.partition("://")
    if scheme == "http" and not is_loopback(hostname(host)):
        parts.append(
            "Warning: Public Address is plain HTTP, and anyone on the way can read the access key; let the proxy or "
            "tunnel offer HTTPS."
        )
    if settings.public_address and not remote_keys and not settings.oauth:
        parts.append(
            "No key works through Public Address yet: give remote agents one of their own, with a level: "
            "`tdmcp key add NAME --level edit --anywhere`."
        )
    elif on_network and not remote_keys:
        parts.append("No key works from other machines yet: make one with `tdmcp key add NAME --anywhere`.")
    return " ".join(parts)


def whole(name: str, value: Any, most: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number <= most:
        raise CannotServe(f"{name} cannot be {value!r}: it is a whole number from 0 to {most}.")
    return number


def listening_address(address: str) -> str:
    # "localhost" may mean ::1 first, and then half of the clients are refused.
    return "127.0.0.1" if address.strip().lower() in ("", "localhost") else address.strip()


def reachable_address(address: str) -> str:
    """An address as it stands in the URL for clients on this machine."""
    if address in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{address}]" if ":" in address else address

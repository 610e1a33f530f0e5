"""The names in a certificate (its subject alternative names), read without a cryptography package, which TD lacks.

Only as much of DER as the way to that extension needs (RFC 5280, 4.1 and 4.2.1.6).
"""

from __future__ import annotations

import ipaddress
import re
import ssl
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_EXTENSIONS: Final = 0xA3
_OCTETS: Final = 0x04
_SUBJECT_ALT_NAME: Final = b"\x55\x1d\x11"
_DNS, _IP = 0x82, 0x87


def names(path: str) -> frozenset[str]:
    """DNS names (lower case; `*.` for a wildcard) and IP addresses of the first certificate of a PEM file.

    Empty if there are none, or if the file cannot be understood.
    """
    try:
        found = _PEM.search(Path(path).read_text("latin-1"))
        return frozenset(_names(ssl.PEM_cert_to_DER_cert(found[0]))) if found else frozenset()
    except (OSError, ValueError, IndexError):
        return frozenset()


def matches(name: str, known: Collection[str]) -> bool:
    """Whether a host name, lower case and without brackets, is one of a certificate's; a wildcard is for one label."""
    if "*" in name:
        return False
    if name in known:
        return True
    first, dot, rest = name.partition(".")
    return bool(first and dot) and f"*.{rest}" in known


def _names(certificate: bytes) -> Iterator[str]:
    [(_, whole)] = _items(certificate)
    _, body = next(_items(whole))
    for tag, content in _items(body):
        if tag != _EXTENSIONS:
            continue
        [(_, extensions)] = _items(content)
        for _, extension in _items(extensions):
            parts = list(_items(extension))
            if parts[0][1] == _SUBJECT_ALT_NAME and parts[-1][0] == _OCTETS:
                [(_, alternatives)] = _items(parts[-1][1])
                for kind, value in _items(alternatives):
                    if kind == _DNS:
                        yield value.decode("ascii").lower()
                    elif kind == _IP:
                        yield str(ipaddress.ip_address(value))


def _items(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of the elements that follow each other in `data`."""
    at = 0
    while at < len(data):
        tag, size = data[at], data[at + 1]
        at += 2
        if size & 0x80:
            width = size & 0x7F
            size = int.from_bytes(data[at : at + width], "big")
            at += width
        if at + size > len(data):
            raise ValueError("an element is longer than what holds it")
        yield tag, data[at : at + size]
        at += size

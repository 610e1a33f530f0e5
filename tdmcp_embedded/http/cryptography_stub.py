"""Importing the MCP SDK where `cryptography` is missing, as in builds of 2023 (fact 61).

The SDK takes four names from it to encrypt request state, which this server does not use: its own confirmation is signed
(`protocol/confirm.py`). So the SDK gets stubs that refuse. They stand in `sys.modules` only while it imports them: other
components must go on seeing that there is no `cryptography`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

#: The names that the SDK takes, by module.
NAMES = {
    "cryptography.exceptions": ("InvalidTag",),
    "cryptography.hazmat.primitives.ciphers.aead": ("AESGCM",),
    "cryptography.hazmat.primitives.hashes": ("SHA256",),
    "cryptography.hazmat.primitives.kdf.hkdf": ("HKDF",),
}
_USER = "mcp.server.request_state"


class InvalidTag(Exception):
    """As the SDK catches it; nobody raises it."""


def _refusing(name: str) -> type:
    def __init__(self: Any, *args: Any, **options: Any) -> None:
        raise RuntimeError(f"{name}: the Python of this TouchDesigner has no cryptography")

    return type(name, (), {"__init__": __init__})


def import_sdk() -> None:
    """Import what of the SDK asks for `cryptography`, with stubs in its place where it cannot be imported."""
    if _USER in sys.modules:
        return
    try:
        for module in NAMES:
            import_module(module)
    except Exception:  # noqa: BLE001 - missing, or there and broken: its machine code may raise anything
        _import_with_stubs()


def _import_with_stubs() -> None:
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _belongs(name)}
    try:
        sys.modules.update(_stubs())
        import_module(_USER)
    finally:
        for name in [name for name in sys.modules if _belongs(name)]:
            del sys.modules[name]
        sys.modules.update(before)


def _belongs(name: str) -> bool:
    return name == "cryptography" or name.startswith("cryptography.")


def _stubs() -> dict[str, ModuleType]:
    made: dict[str, ModuleType] = {}
    for path, names in NAMES.items():
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            made.setdefault(name, ModuleType(name))
        for name in names:
            made[path].__dict__[name] = InvalidTag if name == "InvalidTag" else _refusing(name)
    return made

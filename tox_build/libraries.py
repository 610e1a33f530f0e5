"""What of the libraries travels inside the component, and what stays out.

Every save of the user's project carries the component, so it holds what the server imports and nothing more. That this is
enough is shown by the built component itself, run where nothing else is installed (`tests/integration/test_payload.py`).
"""

from __future__ import annotations

import fnmatch
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

#: Distributions that are plain Python; the same files on every system.
PURE = (
    "annotated-types",
    "anyio",
    "click",
    "h11",
    "httpcore2",
    "httpx2",
    "mcp",
    "mcp-types",
    "opentelemetry-api",
    "prometheus-client",
    "pydantic",
    "python-multipart",
    "sse-starlette",
    "starlette",
    "truststore",
    "typing-extensions",
    "typing-inspection",
    "uvicorn",
)
#: The one with machine code, in a version for each system.
NATIVE = ("pydantic-core",)

#: What the libraries require and the component leaves out, and why that is well.
LEFT_OUT: Mapping[str, str] = {
    "attrs": "only jsonschema needs it; a newer one would disturb TouchDesigner's own",
    "cffi": "TouchDesigner has it, for its cryptography",
    "colorama": "only click asks for it, to colour a Windows console, and there is none",
    "cryptography": "builds of 2025 have it; in others the SDK gets stubs (http/cryptography_stub.py)",
    "idna": "TouchDesigner has it",
    "jsonschema": "only MCP clients check results with it; TouchDesigner has it",
    "jsonschema-specifications": "goes with jsonschema",
    "pycparser": "goes with cffi",
    "pyjwt": "only MCP clients that sign in with OAuth use it",
    "pywin32": "15 MB of which the SDK imports four names it never uses in a server: stubs of ours stand in",
    "referencing": "goes with jsonschema",
    "rpds-py": "goes with jsonschema",
}

#: Files that no server imports.
_NOT_TAKEN = (
    "*.pyi",
    "*/py.typed",
    "*.c",
    "*.h",
    "*/tests/*",
    "*/testing/*",
    "*/_pytest*",
    "*/pytest_plugin.py",
    "anyio/pytest_plugin.py",
    "anyio/_backends/_trio.py",
    "httpx2/_main.py",
    "mcp/cli/*",
    "prometheus_client/bridge/*",
    "prometheus_client/twisted/*",
    "pydantic/mypy.py",
    "pydantic/v1/*",
    "pydantic/_hypothesis_plugin.py",
    "starlette/testclient.py",
    "typing_inspection/*.pyi",
    "uvicorn/protocols/websockets/*impl.py",
    "uvicorn/workers.py",
    "*.dist-info/*",
)
#: Of a distribution's own facts: its name and version, and what its own parts look up.
_TAKEN_ALL_THE_SAME = ("*.dist-info/METADATA", "*.dist-info/entry_points.txt")

_STUB = '''"""Stands in for a module of pywin32, which the MCP SDK imports on Windows for servers on standard input only."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise RuntimeError(f"{__name__.rpartition('.')[2]}.{name}: pywin32 does not travel inside the component")
'''
_ERROR_STUB = '''

class error(Exception):
    """So that `except pywintypes.error` can be asked."""
'''
#: Modules of our own among the libraries.
STUBS = {
    "pywintypes.py": _STUB + _ERROR_STUB,
    "win32api.py": _STUB,
    "win32con.py": _STUB,
    "win32job.py": _STUB,
}


def pure_files(wheels: Iterable[Path]) -> dict[str, bytes]:
    """The files of plain wheels, by path below `libraries/`, with our stubs."""
    found = {name: text.encode() for name, text in STUBS.items()}
    for wheel in wheels:
        found |= taken(wheel)
    return found


def taken(wheel: Path) -> dict[str, bytes]:
    """The files of one wheel that travel, by path."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith("/") or not _wanted(name):
                continue
            data = archive.read(name)
            # Of the facts only the fields count; the rest is the project's web page.
            found[name] = data.partition(b"\n\n")[0] + b"\n" if name.endswith("/METADATA") else data
    return found


def _wanted(name: str) -> bool:
    if ".data/" in name:
        return False
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in _TAKEN_ALL_THE_SAME):
        return True
    return not any(fnmatch.fnmatchcase(name, pattern) for pattern in _NOT_TAKEN)

"""JSON-RPC messages: reading and writing them, and refusals as an agent can use them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tox_build.shim.constants import VERSION_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn


class Refusal(Exception):
    """What a call is answered when it cannot be forwarded: the same shape as every failed tool call of the server."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        suggestions: Iterable[str] = (),
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.suggestions = list(suggestions)
        self.retryable = retryable

    def structured(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "suggestions": self.suggestions,
            "retryable": self.retryable,
        }

    def text(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.hint:
            lines.append(self.hint)
        if self.suggestions:
            lines.append("Did you mean: " + ", ".join(self.suggestions))
        if self.retryable:
            lines.append("The same call may succeed later.")
        return "\n".join(lines)

    def result(self) -> dict[str, Any]:
        """As the result of `tools/call`."""
        return {
            "content": [{"type": "text", "text": self.text()}],
            "structuredContent": self.structured(),
            "isError": True,
        }


def dumps(message: Any) -> bytes:
    """One line of ASCII: no locale, code page or lone surrogate can spoil it."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def parse(raw: bytes) -> Any:
    """Strict JSON in UTF-8. Raises ValueError or RecursionError."""
    return json.loads(raw.decode("utf-8"), parse_constant=_no_constant)


def as_response(request_id: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def as_error(request_id: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def valid_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def params_of(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def modern_version(message: dict[str, Any]) -> Any:
    """The version a request of the modern era carries in itself; None in the handshake era."""
    meta = params_of(message).get("_meta")
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


#: How the SDK writes an answer: seen without parsing what may be megabytes.
_ANSWER = re.compile(rb'\{"jsonrpc":\s*"2\.0",\s*"id":\s*(?:-?\d+|"[^"\\]*"),\s*"(?:result|error)":')


def is_answer(data: bytes) -> bool:
    """Whether a message from the server is an answer, rather than a request or a notification."""
    if _ANSWER.match(data):
        return True
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)
    )


def plain(text: str) -> bool:
    """Whether a text goes into a header as it is."""
    return text.isascii() and text.isprintable() and text == text.strip()


def header_value(text: str) -> str:
    """A header's value that survives HTTP: anything but plain printable ASCII goes as the protocol's base64 form."""
    if plain(text) and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    import binascii

    coded = binascii.b2a_base64(text.encode("utf-8", "surrogatepass"), newline=False)
    return f"=?base64?{coded.decode('ascii')}?="


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def said(body: bytes) -> str:
    """The sentence in the body of an HTTP error."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip()[:1] in (b"<", b"{") else body[:300].decode("utf-8", "replace").strip()
    for _ in range(2):
        if isinstance(value, dict):
            value = next(
                (value[key] for key in ("error", "message", "detail", "sentence") if value.get(key)), ""
            )
    return value if isinstance(value, str) else ""

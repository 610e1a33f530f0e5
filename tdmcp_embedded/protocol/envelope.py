"""The envelope of a JSON-RPC message: what is wrong with it, before the SDK looks at its content.

The SDK takes a request whose id is null or a fraction for a notification, which nobody answers; and it answers with
the text of its validator.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import pydantic_core
from mcp_types import INVALID_REQUEST, PARSE_ERROR

#: Ids are sent back as they come. Beyond these bounds JSON parsers of clients lose digits, or a caller wastes memory.
_MOST_DIGITS: Final = 2**63
_MOST_CHARACTERS: Final = 1000


class EnvelopeError(Exception):
    """A message that cannot be answered but with an error of the protocol."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message

    def body(self) -> bytes:
        """The answer; its id is null, since that of the message is unknown or not to be used."""
        error = {"code": self.code, "message": self.message}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


@dataclass(frozen=True)
class Envelope:
    """A message in good order. `method` is empty in an answer, `id` is None in a notification."""

    method: str
    id: str | int | None


def read(body: bytes, *, sessionless: bool) -> Envelope:
    """The envelope of a message.

    Args:
        sessionless: whether it is of the protocol without a handshake, where the SDK uses another parser.

    Raises:
        EnvelopeError: it is not JSON (-32700) or not a JSON-RPC message (-32600).
    """
    message = _parsed(body, sessionless)
    if isinstance(message, list):
        raise _invalid("A batch is not supported; send one message in a request.")
    if not isinstance(message, dict):
        raise _invalid("A message must be a JSON object.")
    if message.get("jsonrpc") != "2.0":
        raise _invalid('A message needs "jsonrpc": "2.0".')
    if "id" in message:
        check_id(message["id"], null="error" in message)
    if "method" not in message:
        _check_answer(message)
        return Envelope("", message.get("id"))
    if not isinstance(message["method"], str):
        raise _invalid("The method must be a string.")
    if not isinstance(message.get("params"), dict | None):
        raise _invalid("The params must be an object.")
    return Envelope(message["method"], message.get("id"))


def check_id(value: Any, *, null: bool = False) -> None:
    """Accept a string or an integer; `null` too in an error about a message whose id was unknown.

    Raises:
        EnvelopeError: anything else.
    """
    if value is None and null:
        return
    if isinstance(value, str):
        if len(value) > _MOST_CHARACTERS:
            raise _invalid(f"The id is longer than {_MOST_CHARACTERS} characters.")
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise _invalid("The id must be a string or an integer.")
    if not -_MOST_DIGITS <= value < _MOST_DIGITS:
        raise _invalid("The id must be an integer of at most 64 bits.")


def _check_answer(message: dict[str, Any]) -> None:
    if ("result" in message) == ("error" in message) or "id" not in message:
        raise _invalid("A message needs a method, or an id with either a result or an error.")
    content = message.get("result", message.get("error"))
    if not isinstance(content, dict):
        raise _invalid("A result or an error must be an object.")
    if "error" in message and not (
        isinstance(content.get("code"), int)
        and not isinstance(content["code"], bool)
        and isinstance(content.get("message"), str)
    ):
        raise _invalid("An error needs a code (an integer) and a message (a string).")


def _parsed(body: bytes, sessionless: bool) -> Any:
    try:
        try:
            return pydantic_core.from_json(body)
        except ValueError:
            if not sessionless:
                raise
            # Slower, and takes what the other does not: lone surrogates, which tools then refuse in their own words.
            return json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise EnvelopeError(PARSE_ERROR, f"Parse error: the body is not JSON: {reason}.") from None


def _invalid(message: str) -> EnvelopeError:
    return EnvelopeError(INVALID_REQUEST, message)

"""The one vocabulary of failure: codes an agent can act on, and the exception that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every code a failed tool call may carry. Clients rely on these words; add, never rename."""

    OPERATOR_NOT_FOUND = "operator_not_found"
    OPERATOR_TYPE_UNKNOWN = "operator_type_unknown"
    PARAMETER_NOT_FOUND = "parameter_not_found"
    PARAMETER_READ_ONLY = "parameter_read_only"
    MENU_VALUE_INVALID = "menu_value_invalid"
    VALUE_INVALID = "value_invalid"
    WIRING_INVALID = "wiring_invalid"
    NAME_TAKEN = "name_taken"
    TEXT_NOT_FOUND = "text_not_found"
    TEXT_NOT_UNIQUE = "text_not_unique"
    PRECONDITION_FAILED = "precondition_failed"
    PYTHON_ERROR = "python_error"
    TIME_LIMIT = "time_limit"
    MAIN_THREAD_STALLED = "main_thread_stalled"
    NOT_STARTED = "not_started"
    STILL_RUNNING = "still_running"
    BUSY = "busy"
    CANCELLED = "cancelled"
    ACCESS_DENIED = "access_denied"
    CONFIRMATION_REQUIRED = "confirmation_required"
    NOT_SAVED = "not_saved"
    TOO_LARGE = "too_large"
    TD_ERROR = "td_error"
    INTERNAL_ERROR = "internal_error"


#: Codes after which the very same call may succeed a little later.
RETRYABLE = frozenset({Code.MAIN_THREAD_STALLED, Code.NOT_STARTED, Code.BUSY})


#: Characters of a message; of a longer one the beginning and the end are kept.
_LONGEST = 2000


class ToolFailure(Exception):
    """A refusal the agent can read and repair.

    Args:
        code: one of `Code`.
        message: one readable sentence saying what is wrong, naming what was asked.
        hint: the next step, if there is one.
        suggestions: near matches from this very project or build, best first.
        retryable: whether the same call may succeed later; by default what `RETRYABLE` says of the code.
        details: further JSON-ready facts (a job id, a traceback), merged into the structured error.

    Never put a TouchDesigner object in any field: the exception is formatted off the main thread.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str = "",
        suggestions: Sequence[str] = (),
        retryable: bool | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        # It quotes what was asked, which may be of any length.
        message = _shortened(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = _shortened(hint)
        self.suggestions = [str(s) for s in suggestions]
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.details = dict(details or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            _rebuild,
            (self.code, self.message, self.hint, self.suggestions, self.retryable, self.details),
        )

    def structured(self) -> dict[str, Any]:
        """The error as it stands in `structuredContent`."""
        return {
            "code": self.code.value,
            "message": self.message,
            "hint": self.hint,
            "suggestions": self.suggestions,
            "retryable": self.retryable,
            **self.details,
        }

    def text(self) -> str:
        """The same as a few lines for clients that show the model only text."""
        lines = [f"{self.code.value}: {self.message}"]
        if self.hint:
            lines.append(self.hint)
        if self.suggestions:
            lines.append("Did you mean: " + ", ".join(self.suggestions))
        for key, value in self.details.items():
            lines.append(f"{key}: {value}")
        if self.retryable:
            lines.append("The same call may succeed later.")
        return "\n".join(lines)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:1200]}… ({len(text)} characters) …{text[-400:]}"


def _rebuild(
    code: Code, message: str, hint: str, suggestions: list[str], retryable: bool, details: dict[str, Any]
) -> ToolFailure:
    return ToolFailure(
        code, message, hint=hint, suggestions=suggestions, retryable=retryable, details=details
    )


def near(word: str, known: Sequence[str], limit: int = 5) -> list[str]:
    """Up to `limit` entries of `known` that resemble `word`, best first; letter case is ignored."""
    lowered: dict[str, str] = {}
    for entry in known:
        lowered.setdefault(entry.lower(), entry)
    target = word.lower()
    found = [lowered[m] for m in get_close_matches(target, list(lowered), n=limit, cutoff=0.6)]
    if len(found) < limit and len(target) >= 3:
        # A word that is part of a name ("freq" in "frequency") is a likely slip that edit distance misses.
        found += [e for low, e in lowered.items() if e not in found and (target in low or low in target)]
    return found[:limit]

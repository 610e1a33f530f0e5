"""Keeping what an edit answers small: what was asked for need not be said again at any length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from tdmcp_embedded.touchdesigner.values import cut, weight

#: Bytes of JSON that an answer's fields may take; with its text it stays below 20 kB.
_ROOM = 6_500
#: The same for what an agent could not guess from its own words.
_ROOM_FOR_NEWS = 2_500
_NEWS = ("notes", "problems", "refused")

#: Bytes of one text; a path stays whole, since it is what the next call takes.
_LONGEST = 400
_PATH = re.compile(r"/[\w/]*")


def bound(output: BaseModel, only: Iterable[str] | None = None, room: int = _ROOM) -> list[str]:
    """Cut an answer's long texts and lists in place; lists keep their beginning.

    Args:
        only: the fields to be cut; all if left out.
        room: bytes that they may take, beside those of news.

    Returns:
        What is not shown, each a sentence.
    """
    if len(output.model_dump_json(exclude_none=True).encode()) <= room:
        return []
    left_out: list[str] = []
    plain = _Room(room)
    # A share each: many problems must not hide why something was refused, nor the other way round.
    news = [field for field in _NEWS if getattr(output, field, None)]
    shares = {field: _Room(_ROOM_FOR_NEWS // len(news)) for field in news}
    for field in type(output).model_fields if only is None else only:
        given = getattr(output, field)
        taken = shares.get(field, plain)
        fitted = taken.fit(given)
        if fitted is not given:
            setattr(output, field, fitted)
        if taken.dropped:
            left_out.append(f"{field}: {taken.dropped} more are not shown.")
            taken.dropped = 0
    return left_out


class _Room:
    def __init__(self, characters: int) -> None:
        self._left = characters
        self.dropped = 0

    def fit(self, value: Any, whole: bool = False) -> Any:
        """As much of a value as there is room for; `whole` keeps all keys of a row in a list."""
        if isinstance(value, str):
            shown = value if _PATH.fullmatch(value) else cut(value, _LONGEST)
            self._left -= weight(shown) + 1
            return shown
        if isinstance(value, BaseModel):
            for field in type(value).model_fields:
                self._left -= len(field) + 4
                setattr(value, field, self.fit(getattr(value, field)))
            return value
        if isinstance(value, dict):
            return {key: self.fit(each) for key, each in value.items() if self._has_room(key, whole)}
        if isinstance(value, (list, tuple)):
            return [self.fit(each, True) for each in value if self._has_room("")]
        self._left -= len(json.dumps(value, default=str)) + 1
        return value

    def _has_room(self, key: str, whole: bool = False) -> bool:
        if self._left <= 0 and not whole:
            self.dropped += 1
            return False
        self._left -= weight(key) + 2
        return True

"""The `tdu` module: plain helpers, safe on any thread (fact 3). What is not here raises NotFaked."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

from fakes import paths
from fakes.dependency import Dependency
from fakes.errors import NotFaked, tdAttributeError
from fakes.file_info import FileInfo
from fakes.matrix import Matrix
from fakes.vectors import Position, Vector

__all__ = [
    "Dependency",
    "FileInfo",
    "Matrix",
    "Position",
    "Vector",
    "base",
    "clamp",
    "digits",
    "expand",
    "match",
    "rand",
    "remap",
    "split",
    "tryExcept",
    "validName",
    "validPath",
]


def clamp(inputVal: float, min: float, max: float) -> float:
    """The value, held between the limits."""
    # The arguments' names hide the builtins of the same names.
    if inputVal < min:
        return min
    if inputVal > max:
        return max
    return inputVal


def remap(inputVal: float, fromMin: float, fromMax: float, toMin: float, toMax: float) -> float:
    """The value moved from one range to another, proportionally."""
    return toMin + (inputVal - fromMin) * (toMax - toMin) / (fromMax - fromMin)


def rand(seed: Any) -> float:
    """A number from 0 up to 1 that is always the same for a seed. The numbers are not TouchDesigner's."""
    return random.Random(str(seed)).random()


def digits(text: str) -> int | None:
    """The number at the end of a name, or None."""
    match = re.search(r"\d+$", text)
    return int(match[0]) if match else None


def base(text: str) -> str:
    """A name without the number at its end."""
    return re.sub(r"\d+$", "", text)


def match(pattern: str, inputList: Iterable[str], caseSensitive: bool = True) -> list[str]:
    """The texts that match a pattern."""
    if caseSensitive:
        return [t for t in inputList if paths.match_any(pattern, t)]
    return [t for t in inputList if paths.match_any(pattern.lower(), t.lower())]


def expand(pattern: str) -> list[str]:
    """The names that a pattern spells out: `a[1-3]`, `t[xyz]`."""
    from fakes.chops.names import channel_names

    return channel_names(pattern)


def split(string: Any, eval: bool = False) -> list[Any]:
    """The words of a text; double quotes hold several together.

    Args:
        string: anything; its `str()` counts, so that parameters and cells work.
        eval: words that are literals of Python become their values.
    """
    # The argument's name hides the builtin of the same name.
    text = str(string)
    words = []
    for quoted, plain, other in re.findall(r'"([^"]*)"(?=\s|$)|([^\s"\']+)(?=\s|$)|(\S)', text):
        if other:
            raise NotFaked(f"tdu.split with quotes that are not around whole words: {text!r}")
        words.append(plain or quoted)
    return [_literal(word) for word in words] if eval else words


def _literal(word: str) -> Any:
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def validName(text: str) -> str:
    """The text with every character that operator names do not allow made an underscore."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def validPath(text: str) -> str:
    """As `validName`, keeping slashes."""
    return re.sub(r"[^A-Za-z0-9_/]", "_", text)


def tryExcept(func1: Callable[[], Any], func2: Any) -> Any:
    """What the first function gives; if it raises, the second one's result or value."""
    try:
        return func1()
    except NotFaked:
        raise
    except Exception:  # noqa: BLE001  That is what tryExcept is for.
        return func2() if callable(func2) else func2


def __getattr__(name: str) -> Any:
    from fakes import api_index

    if name.startswith("__"):
        raise AttributeError(name)
    if name in api_index.names_of("module tdu"):
        raise NotFaked(f"tdu.{name}")
    raise tdAttributeError(f"module 'tdu' has no attribute '{name}'")

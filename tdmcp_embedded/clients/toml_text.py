"""Editing TOML as a person would: one table put in or taken out, every other byte left as it is.

The standard library reads TOML but does not write it. One table is easily written; whether the text then says what was
meant is checked by reading it again, so that a surprising file is refused rather than spoiled.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tdmcp_embedded.clients.jsonc import Broken, place

_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"[ \t]*\[(?!\[)([^\]]*)\][ \t]*(?:#.*)?\r?$")
_MANY = re.compile(r'"""|\'\'\'')
_ONE_LINE = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*')


def parse(text: str) -> dict[str, Any]:
    """Read TOML.

    Raises:
        Broken: the text is not TOML.
    """
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        found = _POSITION.search(str(error))
        at = (int(found[1]), int(found[2])) if found and found[1] else place(text, len(text))
        message = _POSITION.sub("", str(error)).strip()
        raise Broken(message[:1].lower() + message[1:], *at) from None


def put(text: str, path: Sequence[str], table: Mapping[str, Any]) -> str:
    """The text with the table at `path` set to `table`; a table that says the same leaves the text as it is.

    Raises:
        Broken: the text is not TOML, or the table cannot be put there (it is written inline, or something else is
            in its place).
    """
    before = parse(text)
    if get(before, path) == table:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _written(path, table, newline)
    spans = list(_spans(text, path))
    if spans:
        # In its place, so that the comments around it keep their sense.
        start, end = spans[0]
        rest = _without(text[end:], path)
        edited = text[:start] + block + (newline if rest.strip() else "") + rest
    else:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        edited = text + gap + block
    return _checked(text, edited, _set(before, path, dict(table)), path)


def take(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and the tables in it; unchanged if it is not there.

    Raises:
        Broken: the text is not TOML, or the table is written in a way that cannot be cut out.
    """
    before = parse(text)
    if get(before, path) is None:
        return text
    wanted = _set(before, path, None)
    if not get(wanted, path[:-1]):
        # A table that only existed by the one in it goes along, as it does from the text.
        wanted = _set(wanted, path[:-1], None)
        if _checks(edited := _without(text, path), wanted):
            return edited
        wanted = _set(before, path, None)
    return _checked(text, _without(text, path), wanted, path)


def get(document: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The value at `path`, or None."""
    value: Any = document
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def _set(document: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    copy = dict(document)
    if not path:
        return copy
    if len(path) > 1:
        inner = copy.get(path[0], {})
        copy[path[0]] = _set(inner if isinstance(inner, Mapping) else {}, path[1:], value)
    elif value is None:
        copy.pop(path[0], None)
    else:
        copy[path[0]] = value
    return copy


def _checks(edited: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return parse(edited) == wanted
    except Broken:
        return False


def _checked(text: str, edited: str, wanted: Mapping[str, Any], path: Sequence[str]) -> str:
    if _checks(edited, wanted):
        return edited
    at = next((m.start() for m in re.finditer(re.escape(path[0]), text)), 0)
    raise Broken(
        f"{'.'.join(path)} cannot be edited as it is written here; write it as a table", *place(text, at)
    )


def _written(path: Sequence[str], table: Mapping[str, Any], newline: str) -> str:
    lines = ["[" + ".".join(_key(key) for key in path) + "]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
    return "".join(line + newline for line in lines)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # A Windows path reads better without doubled backslashes.
        if "\\" in value and "'" not in value and value.isprintable():
            return f"'{value}'"
        # JSON's escapes are TOML's too, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(_value(item) for item in value) + "]"


def _without(text: str, path: Sequence[str]) -> str:
    for start, end in reversed(list(_spans(text, path))):
        # The blank line that sets it off goes along, unless it is the first thing in the file.
        head = text[:start]
        for newline in ("\r\n", "\n"):
            if head.endswith(newline * 2):
                head = head[: -len(newline)]
                break
        text = head + text[end:]
    return text


def _spans(text: str, path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the tables at and under `path` stand: from the header to behind their last key."""
    start: int | None = None
    end = 0
    for offset, line, header in _lines(text):
        if header is not None:
            if start is not None:
                yield start, end
            start = offset if header[: len(path)] == list(path) else None
        if line.strip() and (header is not None or not line.lstrip().startswith("#")):
            # Comments below the last key belong to what follows.
            end = offset + len(line)
    if start is not None:
        yield start, end


def _lines(text: str) -> Iterator[tuple[int, str, list[str] | None]]:
    """Each line with its offset, and the keys of its header if it is one; a string over many lines counts as one."""
    offset = 0
    while offset < len(text):
        end = _end_of_line(text, offset)
        line = text[offset:end]
        yield offset, line, _header(line.rstrip("\n"))
        offset = end


def _end_of_line(text: str, at: int) -> int:
    """Behind the line break that ends this line, which is none inside a string over many lines."""
    while at < len(text):
        if _MANY.match(text, at):
            quote = text[at : at + 3]
            at += 3
            while not text.startswith(quote, at):
                if at >= len(text):
                    return at
                at += 2 if text[at] == "\\" and quote == '"""' else 1
            at += 3
            continue
        single = _ONE_LINE.match(text, at)
        if single:
            at = single.end()
            continue
        at += 1
        if text[at - 1] == "\n":
            return at
    return at


def _header(line: str) -> list[str] | None:
    """The keys of a table header; [] for one that cannot be ours, None for other lines."""
    if not line.lstrip().startswith("["):
        return None
    found = _HEADER.match(line)
    if found is None:
        # An array of tables, or the inside of an array over several lines; only the first one ends a table.
        return [] if line.lstrip().startswith("[[") else None
    keys: Any = f"[{found[1]}]"
    try:
        document: Any = tomllib.loads(keys)
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while isinstance(document, dict) and document:
        (name, document), *_ = document.items()
        names.append(name)
    return names

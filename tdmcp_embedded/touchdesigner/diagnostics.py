"""What TouchDesigner holds against an operator: errors, warnings, script errors, and shader messages.

`errors()`, `warnings()` and `scriptErrors()` each return one text (fact 33). Seen live in builds of 2025: a message
begins with `  Error: ` or `Warning: `, may span several lines (a traceback, `Context:(Parameter: Period)`), and ends
with the owner's path in parentheses. Shader messages are in none of them (fact 34).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

#: Longest message that is passed on; shader logs can be endless.
_LONGEST = 2000

#: Characters that are read of one of TD's texts: a callback that raises in every frame adds to it in every frame.
#: The oldest and the newest messages count; how often they repeat in between says nothing new.
_MOST_READ = 16_000
#: Messages of one operator and kind that are passed on.
_MOST_MESSAGES = 20
#: Messages that differ only in numbers, from which on they count as one: the same line with changing values.
ALIKE = 4
#: Where the middle of a text is left out.
_GAP = "\0"

_BEGIN = re.compile(r"^(?:(?P<path>/[^\s:()]*):)?\s*(?:Error|Warning|Abort|Message):\s*(?P<rest>.*)$")
#: A number by itself; one that ends a name ("noise1") is part of the name.
_NUMBER = re.compile(r"(?<![\w/])(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?!\w)")
_ONE_OF = re.compile(r"\n\(one of \d+ that differ only in numbers\)")
_LINE_NUMBER = re.compile(r"\bline \d+")

_SEE_INFO_DAT = re.compile(r"shader has compile errors|compile failed", re.IGNORECASE)

#: Types whose compiler's messages can be asked for.
_COMPILED = frozenset({"glslTOP", "glslmultiTOP", "glslMAT"})


@dataclass(frozen=True)
class Problem:
    """One message on one operator."""

    path: str
    severity: str
    """error, warning, script_error or shader."""
    message: str


def has_problems(operator: Any) -> bool:
    """Whether anything at all is held against an operator; cheaper than `problems`."""
    if operator.errors() or operator.warnings() or operator.scriptErrors():
        return True
    return bool(shader_messages(operator))


def problems(operator: Any) -> list[Problem]:
    """Everything held against one operator (not against what is inside it), each message whole."""
    return understood(str(operator.path), said(operator))


#: TD's own texts about one operator: errors, warnings, script errors, and what the shader compiler complains about.
Said = tuple[str, str, str, tuple[str, ...]]


def said(operator: Any) -> Said:
    """What TD holds against one operator, as it says it: cheap to keep, and equal as long as nothing changes."""
    return (
        _ends(operator.errors()), _ends(operator.warnings()), _ends(operator.scriptErrors()),
        tuple(shader_messages(operator)),
    )  # fmt: skip


def _ends(text: Any) -> str:
    """The beginning and the end of a long text, in whole lines, with `_GAP` between them."""
    if not isinstance(text, str):
        return ""
    if len(text) <= _MOST_READ:
        return text
    head, tail = text[: _MOST_READ // 2], text[-_MOST_READ // 2 :]
    return head[: head.rfind("\n")] + _GAP + tail[tail.find("\n") + 1 :]


def heaviness(texts: Said) -> int:
    """What it costs to understand these texts, in units of one operator without any."""
    return 1 + sum(len(text) for text in texts[:3]) // 2_000


def understood(path: str, texts: Said) -> list[Problem]:
    """The problems that these texts about the operator at `path` are; the work is linear in their length, and bounded."""
    found = _all(path, texts)
    if texts[3]:
        # The operator's own warning only says where to look (fact 75): here is what stands there.
        found = [each for each in found if not _SEE_INFO_DAT.search(each.message)]
    found += [Problem(path, "shader", message) for message in texts[3]]
    return _without_echoes(found)


def shapes(path: str, texts: Said) -> set[tuple[str, str]]:
    """Severity and shape of all that these texts say, also of what `understood` leaves out as said better elsewhere.

    A warning outlives the shader error that it points to by a frame; it is not news then.
    """
    found = [*_all(path, texts), *understood(path, texts)]
    return {(each.severity, shape(each.message)) for each in found}


def _all(path: str, texts: Said) -> list[Problem]:
    found: list[Problem] = []
    for severity, text in zip(("error", "warning", "script_error"), texts, strict=False):
        if isinstance(text, str) and text:
            found += _counted(severity, path, text)
    return found


def _counted(severity: str, path: str, text: str) -> list[Problem]:
    """Each message once; many that differ only in numbers are one, with its latest words."""
    alike: dict[tuple[str, str], dict[str, None]] = {}
    head, gap, tail = text.partition(_GAP)
    begun = split(head, path)
    if gap:
        # The last message before the gap has lost its end, and lines without a mark after it their beginning.
        tail = tail[_first_mark(tail) :]
        begun = (begun[:-1] or begun) + split(tail, path)
    for owner, message in begun:
        alike.setdefault((owner or path, shape(message)), {})[message] = None
    found: list[Problem] = []
    for (owner, _), messages in alike.items():
        each = list(messages)
        if len(each) >= ALIKE:
            each = [one_of(each[-1], len(each))]
        found += [Problem(owner, severity, message) for message in each]
    if len(found) > _MOST_MESSAGES:
        rest = len(found) - _MOST_MESSAGES + 1
        found[_MOST_MESSAGES - 1 :] = [Problem(path, severity, f"{rest} other messages are not shown.")]
    return found


def _first_mark(text: str) -> int:
    """Where the first message begins; 0 where none is marked."""
    position = 0
    for line in text.splitlines(keepends=True):
        if _BEGIN.match(line):
            return position
        position += len(line)
    return 0


def one_of(message: str, count: int) -> str:
    """One message that stands for many that differ only in numbers."""
    return f"{_ONE_OF.sub('', message)}\n(one of {count} that differ only in numbers)"


def shape(message: str) -> str:
    """A message without the numbers in it, except those of lines: the same line with another value has the same one."""
    lines = _LINE_NUMBER.findall(message)
    return _NUMBER.sub("#", message) + "".join(lines)


def _without_echoes(found: list[Problem]) -> list[Problem]:
    """Each trouble once: what fails in a cook or a script can stand in two of TD's texts, in one of them shortened.

    There are at most `_MOST_MESSAGES` of a kind, however long the texts.
    """
    kept: dict[str, Problem] = {}
    for problem in found:
        if problem.message in kept:
            continue
        if not any(_says_more(other.message, problem.message) for other in found):
            kept[problem.message] = problem
    return list(kept.values())


def _says_more(longer: str, shorter: str) -> bool:
    """Whether one message is the other and more; "clip.mov is missing" is no part of "eclip.mov is missing"."""
    if len(longer) <= len(shorter) or shorter not in longer:
        return False
    return re.search(rf"(?<![\w/.]){re.escape(shorter)}(?![\w/]|\.\w)", longer) is not None


def split(text: str, path: str = "") -> list[tuple[str, str]]:
    """TD's one text as (owner's path or "", whole message) pairs.

    A line begins a message if it is marked as one; any other line goes on with the message before it. The owner is
    the path in parentheses that ends the message, or the one before the mark.
    """
    parts: list[tuple[str, list[str]]] = []
    # Where messages end with their owner, a marked line inside one ("Error: …" in a traceback) begins no other.
    all_lines = text.splitlines()
    owners_end = any(_owner(line) is not None for line in all_lines)
    for line in all_lines:
        begin = _BEGIN.match(line)
        if begin and (not parts or not owners_end or _ended(parts[-1])):
            parts.append((begin["path"] or "", [begin["rest"]]))
        elif parts and not _ended(parts[-1]):
            parts[-1][1].append(line)
        elif line.strip():
            parts.append(("", [line.strip()]))
    found = []
    for prefix, lines in parts:
        message = "\n".join(lines).strip()
        end = _owner(message)
        owner = prefix
        # A path at the end that lies elsewhere is part of what the message says, not its owner.
        if end and (not owner or end[0] == owner) and _inside(end[0], path):
            owner, message = end[0], message[: end[1]]
        message = cut(clean(message.strip()), _LONGEST)
        if message:
            found.append((owner, message))
    return found


def _inside(path: str, top: str) -> bool:
    return not top or path == top or path.startswith(top.rstrip("/") + "/")


def _ended(part: tuple[str, list[str]]) -> bool:
    return _owner(part[1][-1]) is not None


def _owner(text: str) -> tuple[str, int] | None:
    """The path in parentheses that ends a text, and where the parenthesis opens."""
    text = text.rstrip()
    start = text.rfind("(") if text.endswith(")") else -1
    path = text[start + 1 : -1]
    if start < 0 or not path.startswith("/") or ")" in path or any(c.isspace() for c in path):
        return None
    return path, start


def _text_of(dat: Any) -> str:
    return str(dat.text)


def shader_messages(operator: Any) -> list[str]:
    """What the shader compiler complains about, from the operator or the Info DAT docked to it; usually nothing."""
    if not op_type(operator).startswith("glsl"):
        return []
    text = (told(lambda: str(operator.compileResult)) if op_type(operator) in _COMPILED else None) or ""
    if not text:
        for docked in operator.docked:
            if op_type(docked) == "infoDAT":
                # Reading an Info DAT cooks it, which brings it up to date.
                text = told(partial(_text_of, docked)) or ""
                break
    text = text[:_MOST_READ]
    if not re.search(r"\b(error|failed)\b", text, re.IGNORECASE):
        return []
    return [cut(clean(text.strip()), _LONGEST)]

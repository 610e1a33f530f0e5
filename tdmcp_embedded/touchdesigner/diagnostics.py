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

_BEGIN = re.compile(r"^(?:(?P<path>/[^\s:()]*):)?\s*(?:Error|Warning|Abort|Message):\s*(?P<rest>.*)$")
_OWNER = re.compile(r"\s*\((?P<path>/[^()\s]*)\)\s*$")

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
        operator.errors(), operator.warnings(), operator.scriptErrors(), tuple(shader_messages(operator))
    )  # fmt: skip


def understood(path: str, texts: Said) -> list[Problem]:
    """The problems that these texts about the operator at `path` are."""
    found: list[Problem] = []
    for severity, text in zip(("error", "warning", "script_error"), texts, strict=False):
        if isinstance(text, str) and text:
            found += [Problem(owner or path, severity, message) for owner, message in split(text, path)]
    found += [Problem(path, "shader", message) for message in texts[3]]
    return _without_echoes(found)


def _without_echoes(found: list[Problem]) -> list[Problem]:
    """Each trouble once: what fails in a cook or a script can stand in two of TD's texts, in one of them shortened."""
    kept: list[Problem] = []
    for problem in found:
        others = [p for p in found if p is not problem]
        if any(_says_more(p.message, problem.message) for p in others):
            continue
        if any(problem.message == p.message for p in kept):
            continue
        kept.append(problem)
    return kept


def _says_more(longer: str, shorter: str) -> bool:
    """Whether one message is the other and more; "clip.mov is missing" is no part of "eclip.mov is missing"."""
    if shorter not in longer or len(longer) == len(shorter):
        return False
    return re.search(rf"(?<![\w/.]){re.escape(shorter)}(?![\w/]|\.\w)", longer) is not None


def split(text: str, path: str = "") -> list[tuple[str, str]]:
    """TD's one text as (owner's path or "", whole message) pairs.

    A line begins a message if it is marked as one; any other line goes on with the message before it. The owner is
    the path in parentheses that ends the message, or the one before the mark.
    """
    parts: list[tuple[str, list[str]]] = []
    # Where messages end with their owner, a marked line inside one ("Error: …" in a traceback) begins no other.
    owners_end = re.search(_OWNER.pattern, text, re.MULTILINE) is not None
    for line in text.splitlines():
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
        end = _OWNER.search(message)
        owner = prefix
        # A path at the end that lies elsewhere is part of what the message says, not its owner.
        if end and (not owner or end["path"] == owner) and _inside(end["path"], path):
            owner, message = end["path"], message[: end.start()]
        message = cut(clean(message.strip()), _LONGEST)
        if message:
            found.append((owner, message))
    return found


def _inside(path: str, top: str) -> bool:
    return not top or path == top or path.startswith(top.rstrip("/") + "/")


def _ended(part: tuple[str, list[str]]) -> bool:
    return _OWNER.search(part[1][-1]) is not None


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
    if not re.search(r"\b(error|failed)\b", text, re.IGNORECASE):
        return []
    return [cut(clean(text.strip()), _LONGEST)]

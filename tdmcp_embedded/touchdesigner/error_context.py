"""What a message is about, added to it: the expression of a parameter, the line of a shader with its DAT.

TouchDesigner names a parameter by its label and a shader's line by its number; an agent needs the name to set, and the
text to change.
"""

from __future__ import annotations

import re
from typing import Any

from tdmcp_embedded.touchdesigner import describe
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

_PARAMETER = re.compile(r"Context:\(Parameter: (?P<label>[^)\n]*)\)")
_SHADER_LINE = re.compile(r"^(?:ERROR|WARNING):\s*(?P<path>/[^\s:]+):(?P<line>\d+):", re.MULTILINE)
_LONGEST_LINE = 200
_LONGEST_EXPRESSION = 300
#: Lines of a shader's log that get their source: the first errors cause the others.
_MOST_LINES = 5
_MOST_PARAMETERS = 3


def with_context(operator: Any, message: str) -> str:
    """The message of an operator, with the expressions and the source lines that it speaks of."""
    return "\n".join([message, *context(operator, message)])


def context(operator: Any, message: str) -> list[str]:
    """The expressions and the source lines that a message of an operator speaks of."""
    return [*_expressions(operator, message), *_source_lines(operator, message)]


def _expressions(operator: Any, message: str) -> list[str]:
    """`operator name: expression` of the parameters that a message names by their label."""
    found = _PARAMETER.search(message)
    if found is None:
        return []
    label = found["label"].strip()
    lines = []
    for par in operator.pars():
        # The name as well: it is what TouchDesigner shows of a block of a sequence.
        if label in (clean(str(par.label)).strip(), par.name) and (how := describe.mode(par)) != "constant":
            text = {"expression": par.expr, "bind": par.bindExpr}.get(how)
            if text:
                lines.append(f"{operator.path} {par.name}: {cut(clean(text), _LONGEST_EXPRESSION)}")
    return lines[:_MOST_PARAMETERS]


def _source_lines(operator: Any, message: str) -> list[str]:
    """`DAT:line: text` for the lines that a shader's log names."""
    texts: dict[str, list[str]] = {}
    shown: dict[tuple[str, int], None] = {}
    for match in _SHADER_LINE.finditer(message):
        shown[match["path"], int(match["line"])] = None
        if len(shown) == _MOST_LINES:
            break
    lines = []
    for path, number in shown:
        if path not in texts:
            dat = told(lambda path=path: operator.parent().op(path))  # type: ignore[misc]
            texts[path] = str(dat.text).splitlines() if dat is not None and dat.isDAT else []
        if 0 < number <= len(texts[path]):
            lines.append(f"{path}:{number}: {cut(clean(texts[path][number - 1].strip()), _LONGEST_LINE)}")
    return lines

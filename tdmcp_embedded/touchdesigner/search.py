"""Which operators an agent is looking for: tests on one operator, cheapest first."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from typing import Any

from tdmcp_embedded.touchdesigner import describe, diagnostics
from tdmcp_embedded.touchdesigner.builds import make_sequences, op_type
from tdmcp_embedded.touchdesigner.flags import flag_names
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

Test = Callable[[Any], bool]


@dataclass
class Query:
    """What to look for; every field that is given must hold."""

    name: str | None = None
    type: str | None = None
    family: str | None = None
    tag: str | None = None
    flag: str | None = None
    text: str | None = None
    param: str | None = None
    value: str | None = None
    errors_only: bool = False

    def __post_init__(self) -> None:
        self._tests = list(self._make_tests())

    @property
    def cost(self) -> int:
        """Rough cost of one operator, in units of a look at its name."""
        if self.param is not None or self.value is not None:
            return 16
        if self.text is not None or self.errors_only:
            return 8
        return 1

    def matches(self, operator: Any) -> bool:
        """Whether the operator is one of those looked for (parameters are looked at by `hits`)."""
        return all(test(operator) for test in self._tests)

    def _make_tests(self) -> Iterator[Test]:
        """The tests that are needed, cheapest first; patterns are made ready once, not for each operator."""
        if self.name is not None:
            name = pattern(self.name)
            yield lambda op: name(op.name) is not None
        if self.family is not None:
            yield lambda op: op.family == self.family
        if self.type is not None:
            kind = pattern(self.type)
            yield lambda op: kind(op_type(op)) is not None
        if self.tag is not None:
            tag = pattern(self.tag)
            yield lambda op: any(tag(str(each)) for each in op.tags)
        if self.flag is not None:
            flag = self.flag
            yield lambda op: flag in flag_names(op) and bool(getattr(op, flag))
        if self.text is not None:
            text = self.text
            yield lambda op: holds_text(op, text)
        if self.errors_only:
            yield diagnostics.has_problems
        # With nothing to test, at least that it is there.
        yield lambda op: bool(op.valid)

    def find(self, operator: Any) -> list[dict[str, Any]] | None:
        """The parameters that match (none if none are looked for), or None where the operator is not one of them."""
        if not self.matches(operator):
            return None
        if self.param is None and self.value is None:
            return []
        return self.hits(operator) or None

    def hits(self, operator: Any, limit: int = 5) -> list[dict[str, Any]]:
        """The parameters that match `param` and `value`, with what they hold."""
        found: list[dict[str, Any]] = []
        for par in self._candidates(operator):
            stated = describe.stated(par)
            if self.value is None or value_like(stated, self.value) or _refers(par, stated, self.value):
                shown = cut(stated, 200) if isinstance(stated, str) else stated
                if isinstance(stated, dict):
                    shown = {form: cut(str(text), 200) for form, text in stated.items()}
                found.append({"param": str(par.name), "value": shown})
                if len(found) == limit:
                    break
        return found

    def _candidates(self, operator: Any) -> list[Any]:
        make_sequences(operator)
        if self.param is None:
            return [par for par in operator.pars() if describe.is_changed(par)]
        if not is_pattern(self.param):
            par = operator.par[self.param]
            return [] if par is None else [par]
        named = pattern(self.param)
        return [par for par in operator.pars() if named(par.name)]


def is_pattern(text: str) -> bool:
    """Whether a text holds wildcards."""
    return any(char in text for char in "*?[")


def pattern(text: str) -> Callable[[str], re.Match[str] | None]:
    """A matcher of whole names for one of several patterns divided by spaces (* ? [ ]); letter case ignored."""
    return re.compile("|".join(translate(part) for part in text.split()) or "(?!)", re.IGNORECASE).match


def like(text: str, wanted: str) -> bool:
    """Whether a name is one of the patterns `wanted`."""
    return pattern(wanted)(text) is not None


def holds_text(operator: Any, text: str) -> bool:
    """Whether a DAT's text, or any operator's comment, contains `text`; letter case ignored."""
    wanted = text.lower()
    if wanted in str(operator.comment).lower():
        return True
    if not operator.isDAT:
        return False
    # A DAT that cannot cook (no device, no connection) holds no text; the search goes on.
    held = told(lambda: str(operator.text))
    return held is not None and wanted in held.lower()


def _refers(par: Any, stated: Any, wanted: str) -> bool:
    """Whether a parameter that names operators names `wanted` among them, by its path or its name."""
    if not (isinstance(stated, str) and stated and par.isOP):
        return False
    return any(
        value_like(each, wanted) for word in stated.split() for each in (word, word.rsplit("/", 1)[-1])
    )


def value_like(stated: Any, wanted: str) -> bool:
    """Whether a parameter's value is `wanted`, or its expression contains it; wildcards and numbers understood."""
    if isinstance(stated, dict):
        text = clean(str(next(iter(stated.values())))).lower()
        return wanted.lower() in text or (is_pattern(wanted) and fnmatchcase(text, wanted.lower()))
    if isinstance(stated, bool):
        return wanted.lower() in (("true", "on", "1") if stated else ("false", "off", "0"))
    if isinstance(stated, (int, float)):
        try:
            # As many digits as people write.
            return math.isclose(float(wanted), float(stated), rel_tol=1e-6)
        except ValueError:
            return is_pattern(wanted) and fnmatchcase(str(stated), wanted)
    return fnmatchcase(str(stated).lower(), wanted.lower())

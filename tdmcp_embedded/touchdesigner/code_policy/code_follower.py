"""Follows the names in code to the operators whose code runs with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.code_policy.dat_sources import Upstream, is_editable, text_of, upstream_of
from tdmcp_embedded.touchdesigner.code_policy.name_lookup import (
    found_in,
    looked_up,
    places_of,
    told_quietly,
    walked,
)
from tdmcp_embedded.touchdesigner.code_policy.references import NONE, References, references
from tdmcp_embedded.touchdesigner.code_policy.slot import Part, digest
from tdmcp_embedded.touchdesigner.code_text import runnable, runs_nothing
from tdmcp_embedded.touchdesigner.footprint import Name
from tdmcp_embedded.touchdesigner.telling import told

#: Bounds of what one slot may lead to; beyond them it is looked at in every edit.
_MOST_REACHED = 60


@dataclass
class Found:
    """What a slot leads to, while it is being read."""

    parts: dict[tuple[int, str], Part] = field(default_factory=dict)
    operators: set[int] = field(default_factory=set)
    names: set[Name] = field(default_factory=set)
    dynamic: bool = False


class CodeFollower:
    """For the length of one step: what was read of a DAT is good for all slots that lead there."""

    def __init__(self, td: ModuleType, component: str = "") -> None:
        self._td = td
        self._component = component
        self._contents: dict[int, tuple[bytes, str, bool, Upstream]] = {}

    def _named(self, operator: Any, text: str, found: Found) -> None:
        found.names |= looked_up(operator, text)
        if any(char in text for char in "*?[^"):
            found.dynamic = True

    def _follow(self, operator: Any, named: References, found: Found) -> None:
        """Everything that a text of `operator` runs by name."""
        if named is NONE:
            return
        found.names |= named.shortcuts
        places = list(places_of(operator))
        groups: list[list[Any]] = []
        for name in named.shortcuts:
            meant = self._by_shortcut(operator, places, name)
            for each in meant:
                # Which operator a shortcut means is part of the code, whatever is found from there.
                found.operators.add(int(each.id))
                found.parts[int(each.id), name] = Part(int(each.id), str(each.path), digest(name))
            groups.append(meant)
        paths = set(named.paths)
        for source in named.computed:
            found.dynamic = True
            value = self._value(operator, source)
            paths |= {value} if value else set()
        found.dynamic |= any(char in path for path in paths for char in "*?[^")
        by_path = {path: [each for place in places for each in found_in(place, path)] for path in paths}
        # `op('lib').op('part')`: from there as well.
        further = [each for group in (*groups, *by_path.values()) for each in group if each.isCOMP]
        for path, group in by_path.items():
            if not path.startswith("/"):
                group += [each for place in further for each in found_in(place, path)]
        groups += by_path.values()
        for path in paths:
            for place in (*places, *further) if not path.startswith("/") else places[:1]:
                found.names.update(walked(place, path))
        networks = [place for place in (*places, *further) if place.isCOMP]
        for name in named.modules:
            modules = [place.op(path) for place in networks for path in (name, f"local/modules/{name}")]
            groups.append([each for each in modules if each is not None])
            for place in networks:
                found.names.update((*walked(place, name), *walked(place, f"local/modules/{name}")))
        for group in groups:
            self._reach_all(operator, group, found)
            for each in group if named.words else ():
                number = int(each.id)
                found.operators.add(number)
                content = digest(each.comment, *sorted(map(str, each.tags)))
                found.parts[number, "words"] = Part(number, str(each.path), content)

    def _reach_all(self, operator: Any, group: list[Any], found: Found) -> None:
        """Take in all operators that one name may mean; one that does nothing counts where it may hide another."""
        still = []
        for target in group:
            if len(found.operators) > _MOST_REACHED:
                found.dynamic = True
                return
            if str(target.path) != str(operator.path) and self._reach(target, found):
                still.append(target)
        if len(still) < len(group):
            for target in still:
                number = int(target.id)
                if target.isDAT:
                    found.parts.setdefault((number, ""), Part(number, str(target.path), b""))

    def _by_shortcut(self, operator: Any, above: Iterable[Any], name: str) -> list[Any]:
        found = []
        if (target := told_quietly(lambda: getattr(self._td.op, name))) is not None:
            found.append(target)
        if (target := told_quietly(lambda: getattr(operator.iop, name))) is not None:
            found.append(target)
        for place in above:
            if not place.isCOMP:
                continue
            for par in (place.par.parentshortcut, *place.pars("ext*name")):
                if str(told(par.eval) or "") == name:
                    found.append(place)
        return [each for each in found if hasattr(each, "isCOMP")]

    def _value(self, operator: Any, source: str) -> str:
        """The path that an expression gives; it was read before, and only reads values of operators."""
        home = operator.parent() or operator

        def parent(n: int = 1) -> Any:
            place = operator
            for _ in range(n):
                place = place.parent()
            return place

        try:
            value = eval(
                source, {"__builtins__": {"str": str}, "me": operator, "op": home.op, "parent": parent}
            )
            value = value.eval() if hasattr(value, "eval") else value
            if isinstance(value, (list, tuple)):
                value = " ".join(str(getattr(each, "path", each)) for each in value)
        except Exception:  # noqa: BLE001 - whatever the project's own expression raises
            return ""
        return str(getattr(value, "path", value))

    def _reach(self, target: Any, found: Found) -> bool:
        """Take in an operator whose code runs, with what that runs in turn; whether nothing of it does anything."""
        number = int(target.id)
        if number in found.operators:
            return (number, "") not in found.parts
        found.operators.add(number)
        if target.isCOMP:
            text = "\n".join(
                f"{par.val}\n{par.expr}" for par in target.pars("ext*object") if par.val or par.expr
            )
            if text:
                found.parts[number, ""] = Part(number, str(target.path), digest(text))
                self._follow(target, references(runnable(text)), found)
            return not text
        if not target.isDAT:
            return True
        content, text, inert, upstream = self._content(target)
        found.operators |= upstream.contents.keys() | upstream.watched
        found.names |= upstream.names
        found.dynamic |= upstream.dynamic
        if inert:
            return True
        found.parts[number, ""] = Part(number, str(target.path), content)
        self._follow(target, references(runnable(text)), found)
        return False

    def _content(self, dat: Any) -> tuple[bytes, str, bool, Upstream]:
        """What a DAT holds: fingerprint, text, whether it does nothing, and what it is made from."""
        number = int(dat.id)
        if number in self._contents:
            return self._contents[number]
        text = text_of(dat)
        upstream = upstream_of(dat)
        inert = not text.strip() if dat.isTable else runs_nothing(text)
        # A DAT that makes its text, of operators or of anything else, may have another one in the next frame.
        inert = inert and is_editable(dat)
        found = (digest(text, *upstream.contents.values()), text, inert, upstream)
        self._contents[number] = found
        return found

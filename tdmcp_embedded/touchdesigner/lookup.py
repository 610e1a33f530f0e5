"""Finding what an agent named: an operator, a parameter, an operator type; or saying what it may have meant."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner.builds import find, is_annotation, make_sequences, op_type
from tdmcp_embedded.touchdesigner.flags import FLAGS
from tdmcp_embedded.touchdesigner.values import clean, cut

FAMILIES = ("COMP", "TOP", "CHOP", "SOP", "POP", "DAT", "MAT")

#: How many operators a search for a misplaced name may look at: it answers a mistake, it must not cost a frame.
_SEARCH_LIMIT = 400

#: How many names of one network are compared with a misspelt one, for the same reason.
_MOST_NAMES = 1000


def operator(td: ModuleType, path: str) -> Any:
    """The operator at an absolute path.

    Raises:
        ToolFailure: `operator_not_found`, with paths that resemble it: siblings first, then the same name elsewhere;
            `value_invalid` when the path is empty.
    """
    wanted = normal_path(path)
    found = exact(td, wanted)
    if found is not None:
        return found
    raise _not_found(td, path, wanted)


def component(td: ModuleType, path: str) -> Any:
    """The COMP at an absolute path, the only kind of operator that has a network inside.

    Raises:
        ToolFailure: `operator_not_found`, or `value_invalid` when the operator there is no COMP.
    """
    found = operator(td, path)
    if is_annotation(found):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{found.path} is an annotation: one operator, without a network of its own.",
            hint="inspect_operator, set_parameters and update_operator take it; read_network of the COMP around it "
            "gives its texts.",
            suggestions=[str(found.parent().path)],
        )
    if found.isCOMP:
        return found
    parent = found.parent()
    raise ToolFailure(
        Code.VALUE_INVALID,
        f"{found.path} is a {op_type(found)}: only COMPs have a network inside.",
        hint="Give the path of a COMP.",
        suggestions=[parent.path] if parent is not None else [],
    )


def exact(td: ModuleType, path: str) -> Any:
    """The operator at exactly this absolute path, or None."""
    if not path.startswith("/"):
        return None
    # op() takes patterns and would return the first match of one; a path holds none of these characters.
    if any(char in path for char in "*?[]^"):
        return None
    found = find(td, path)
    return found if found is not None and found.path == path else None


def normal_path(path: str) -> str:
    """A path as TD writes it: forward slashes, none doubled or at the end.

    Raises:
        ToolFailure: `value_invalid` when it is empty. An empty path is a slip, and never means the root.
    """
    refuse_empty(path)
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part]
    lead = "/" if path.strip().startswith(("/", "\\")) else ""
    return lead + "/".join(parts) or "/"


def refuse_empty(path: str) -> None:
    """Refuse an empty path or name of an operator, wherever a caller gives one.

    Raises:
        ToolFailure: `value_invalid`.
    """
    if not path.strip():
        raise ToolFailure(
            Code.VALUE_INVALID,
            "The path of an operator is empty.",
            hint='Give the path, such as /project1; the root is "/". Leave out an optional argument to get its default.',
        )


def _not_found(td: ModuleType, given: str, wanted: str) -> ToolFailure:
    if not wanted.startswith("/"):
        candidates = [f"/{wanted}", f"/project1/{wanted}"]
        suggestions = [c for c in candidates if exact(td, c) is not None]
        hint = "Paths are absolute: they start with /."
        name = wanted.rsplit("/", 1)[-1]
    else:
        parent, missing = _deepest(td, wanted)
        name = wanted.rsplit("/", 1)[-1]
        base = "" if parent.path == "/" else parent.path
        suggestions = [f"{base}/{match}" for match in resembling(parent, missing)]
        hint = f"{parent.path} has no operator named {missing}." if wanted != "/" else ""
    for path in _same_name(td, name):
        if path not in suggestions and len(suggestions) < 5:
            suggestions.append(path)
    if not suggestions:
        hint = (hint + " find_operators lists what there is.").strip()
    return ToolFailure(
        Code.OPERATOR_NOT_FOUND, f"There is no operator at {given!r}.", hint=hint, suggestions=suggestions
    )


def _deepest(td: ModuleType, path: str) -> tuple[Any, str]:
    """The deepest existing COMP on the way to `path`, and the name that is missing in it."""
    current = td.op("/")
    for part in path.strip("/").split("/"):
        base = "" if current.path == "/" else current.path
        child = exact(td, f"{base}/{part}")
        if child is None or not child.isCOMP:
            return current, part
        current = child
    return current, path.rsplit("/", 1)[-1]


def resembling(parent: Any, word: str, limit: int = 5) -> list[str]:
    """Names in a network that resemble a word, best first: of a very large network, among those that begin like it."""
    found = parent.children
    if len(found) > _MOST_NAMES:
        stem = re.match(r"[A-Za-z_]*", word)
        alike = parent.findChildren(depth=1, name=f"{stem[0]}*") if stem and stem[0] else []
        found = (alike or found)[:_MOST_NAMES]
    return near(word, [str(child.name) for child in found], limit)


def _same_name(td: ModuleType, name: str) -> Iterator[str]:
    lowered = name.lower()
    for found in nearby(td.op("/"), _SEARCH_LIMIT):
        if found.name.lower() == lowered:
            yield found.path


def nearby(top: Any, limit: int) -> Iterator[Any]:
    """Up to `limit` operators below `top`, nearest levels first."""
    waiting = deque(top.children)
    while waiting and limit > 0:
        limit -= 1
        current = waiting.popleft()
        yield current
        if current.isCOMP and not is_annotation(current):
            waiting.extend(current.children)


def parameter(operator: Any, name: str) -> Any:
    """The parameter of this exact name.

    Raises:
        ToolFailure: `parameter_not_found`, with names and labels of this operator that resemble it.
    """
    make_sequences(operator)
    found = operator.par[name] if name.isidentifier() else None
    # A Par must not be tested for truth: that evaluates it (fact 26).
    if found is not None and found.name == name:
        return found
    raise parameter_not_found(operator, name)


#: What scripts set on an operator and is no parameter: what it is, and how it is written.
_ELSEWHERE: dict[str, tuple[str, str]] = {
    **{flag.lower(): ("a flag", f'flags: {{"{flag}": true}}') for flag in FLAGS},
    **{word: ("its position", "position: [x, y]") for word in ("nodex", "nodey", "nodecenterx", "nodecentery", "position")},
    **{word: ("the size of its tile", "size: [w, h] (build_network)") for word in ("nodewidth", "nodeheight")},
    "comment": ("its comment", 'comment: "…"'),
    "tags": ("its tags", 'tags: ["…"]'),
    "dock": ("what it is docked to", 'dock: "name" (build_network)'),
    "inputs": ("its inputs", 'inputs: ["name"] (build_network), or wire_operators'),
}  # fmt: skip


def parameter_not_found(operator: Any, name: str) -> ToolFailure:
    """The refusal for a parameter that this operator does not have."""
    names: list[str] = []
    labels: dict[str, str] = {}
    for par in operator.pars():
        names.append(par.name)
        labels.setdefault(par.label.lower(), par.name)
    members = [n for n in names if n.lower().startswith(name.lower()) and len(n) == len(name) + 1]
    by_label = [labels[label] for label in near(name, list(labels), 3)]
    suggestions = list(dict.fromkeys([*members[:4], *near(name, names), *by_label]))[:6]
    if other := _ELSEWHERE.get(name.lower()):
        field, example = other
        return ToolFailure(
            Code.PARAMETER_NOT_FOUND,
            f"{operator.path} ({op_type(operator)}) has no parameter {cut(clean(name), 80)!r}: that is {field}.",
            hint=f"update_operator and build_network set it: {example}.",
            suggestions=list(dict.fromkeys([*members[:4], *near(name, names)]))[:6],
        )
    hint = "" if suggestions else f'inspect_operator with parameters "all" lists them ({len(names)}).'
    if members and not any(m.lower() == name.lower() for m in names):
        hint = f"{name} may be the vector of {', '.join(members[:4])}: give a list with a value for each, or set one."
    return ToolFailure(
        Code.PARAMETER_NOT_FOUND,
        f"{operator.path} ({op_type(operator)}) has no parameter {cut(clean(name), 80)!r}.",
        hint=hint,
        suggestions=suggestions,
    )


def operator_type(td: ModuleType, name: str) -> type:
    """The class of an operator type of this build, by its exact name (noiseTOP).

    Raises:
        ToolFailure: `operator_type_unknown`, with types of this build that resemble it.
    """
    found = getattr(td, name, None) if name.endswith(FAMILIES) else None
    if isinstance(found, type) and name not in ABSTRACT:
        return found
    raise type_unknown(td, name)


def type_unknown(td: ModuleType, name: str) -> ToolFailure:
    """The refusal for an operator type this build does not have."""
    known = type_names(td)
    if name.strip().upper().removesuffix("S") in FAMILIES:
        family = name.strip().upper().removesuffix("S")
        return ToolFailure(
            Code.OPERATOR_TYPE_UNKNOWN,
            f"{cut(clean(name), 80)!r} is a family, not an operator type.",
            hint=f'find_operators takes it as family: "{family}"; a type is a name and the family, such as '
            f"{next((each for each in _USUAL if each.endswith(family)), f'null{family}')}.",
            suggestions=[f"null{family}"] if f"null{family}" in known else [],
        )
    squeezed = name.replace(" ", "").replace("_", "")
    # Mostly it is only the letter case: comparing the word with every type is for the rest.
    suggestions = [k for k in known if k.lower() == squeezed.lower()] or near(squeezed, known)
    if not squeezed.upper().endswith(FAMILIES):
        # "noise": the family is missing; every type of that name is meant.
        whole = [k for k in known if k[: -len(family_of(k))].lower() == squeezed.lower()]
        suggestions = list(dict.fromkeys([*whole, *suggestions]))[:6]
    return ToolFailure(
        Code.OPERATOR_TYPE_UNKNOWN,
        f"This build of TouchDesigner has no operator type {cut(clean(name), 80)!r}.",
        hint="Types are the name and the family, such as noiseTOP; letter case counts.",
        suggestions=suggestions,
    )


#: A type that everybody knows, of each family.
_USUAL = (
    "baseCOMP", "noiseTOP", "constantCHOP", "sphereSOP", "spherePOP", "textDAT", "phongMAT",
)  # fmt: skip


def family_of(type_name: str) -> str:
    """The family at the end of a type's name, or ""."""
    return next((f for f in FAMILIES if type_name.endswith(f)), "")


#: Classes of `td` that are named like types but are bases of them.
ABSTRACT = frozenset({*FAMILIES, "OP", "PanelCOMP", "ObjectCOMP"})


@lru_cache(maxsize=4)
def type_names(td: ModuleType) -> list[str]:
    """Every operator type of this build, from the classes it offers."""
    return sorted(name for name in dir(td) if name.endswith(FAMILIES) and name not in ABSTRACT)

"""What a half-typed word may become: paths, operator types, parameters, menu words of this very project and build."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from tdmcp_embedded.touchdesigner import lookup
from tdmcp_embedded.touchdesigner.builds import make_sequences
from tdmcp_embedded.touchdesigner.values import clean

#: Operators a search by bare name may look at: it runs with every key somebody presses.
_SEEN = 2_000


def paths(td: ModuleType, typed: str, family: str = "") -> list[str]:
    """Paths that begin like `typed`; of a bare word, operators anywhere whose name begins so.

    Args:
        family: only operators of this family, and the COMPs on the way to them.
    """
    if "/" not in typed:
        return [
            str(op.path)
            for op in lookup.nearby(td.op("/"), _SEEN)
            if op.name.lower().startswith(typed.lower()) and _fits(op.family, family)
        ]
    folder, _, begun = typed.rpartition("/")
    parent = lookup.exact(td, folder or "/")
    if parent is None or not parent.isCOMP:
        return []
    base = "" if parent.path == "/" else str(parent.path)
    return [
        f"{base}/{child.name}"
        for child in parent.children
        if child.name.lower().startswith(begun.lower()) and _fits(child.family, family)
    ]


def types(td: ModuleType, typed: str) -> list[str]:
    """Operator types that begin with the word, then those that contain it."""
    return matching(typed, lookup.type_names(td))


def parameters(td: ModuleType, path: str, typed: str) -> list[str]:
    """Parameters of an operator by name or label."""
    found = lookup.exact(td, path)
    if found is None:
        return []
    make_sequences(found)
    pars = list(found.pars())
    names = matching(typed, [str(par.name) for par in pars])
    labelled = [str(par.name) for par in pars if typed and typed.lower() in par.label.lower()]
    return list(dict.fromkeys([*names, *labelled]))


def menu_words(td: ModuleType, path: str, parameter: str, typed: str) -> list[str]:
    """The words of a parameter's menu."""
    found = lookup.exact(td, path)
    par = found.par[parameter] if found is not None and parameter.isidentifier() else None
    if par is None or not par.isMenu:
        return []
    return matching(typed, [clean(str(word)) for word in par.menuNames])


def matching(typed: str, words: Iterable[str]) -> list[str]:
    """Words that begin with what was typed, then those that contain it; letter case is ignored."""
    typed, words = typed.lower(), list(words)
    first = [word for word in words if word.lower().startswith(typed)]
    return first + [word for word in words if typed in word.lower() and not word.lower().startswith(typed)]


def _fits(family: str, wanted: str) -> bool:
    return not wanted or family in (wanted, "COMP")

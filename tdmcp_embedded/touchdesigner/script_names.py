"""The names that TouchDesigner puts around scripts of DATs, some of which the module `td` does not have (fact 57)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

#: Types that a build may keep out of `td` and `__main__` alike, and an object each is the type of.
_TYPE_OF: dict[str, Callable[[ModuleType], Any]] = {
    "Par": lambda td: td.op("/").pars()[0],
    "ParMode": lambda td: td.op("/").pars()[0].mode,
    "PaneType": lambda td: td.ui.panes[0].type,
}


def script_types() -> dict[str, type]:
    """The types in `__main__`, where TouchDesigner puts the names of scripts; what else stands there is not its own."""
    return {
        name: value
        for name, value in vars(sys.modules["__main__"]).items()
        if isinstance(value, type) and name[:1].isupper()
    }


def script_name(td: ModuleType, name: str) -> Any:
    """What a name means in the scripts of DATs, for names that mean the same in all of them.

    Raises:
        AttributeError: scripts do not have the name.
    """
    try:
        return getattr(td, name)
    except AttributeError:
        if name in (found := script_types()):
            return found[name]
        if name in _TYPE_OF:
            return type(_TYPE_OF[name](td))
        raise

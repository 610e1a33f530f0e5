"""What differs between builds of TouchDesigner: a profile for each one that the stand-in can be.

A profile holds only what facts establish (54, 61, 62, 63; the Thread Manager came with 2023.31500). Where a name stands in
the newest pages alone, only the newest build has it: the product must do without.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


@dataclass(frozen=True, eq=False)
class Build:
    """One build. `name` is what `app.build` answers.

    `absent` are members of TouchDesigner's classes that it lacks (`OP.opType`), `families` those of its operators,
    `packages` what its Python does not bring though others do.
    """

    name: str
    absent: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset({"COMP", "TOP", "CHOP", "SOP", "POP", "MAT", "DAT"})
    packages_absent: tuple[str, ...] = ()
    numpy: str = "2.1.2"
    run_takes_callables: bool = True
    thread_manager: bool = True
    save_gives_status: bool = True
    """Whether `TOP.save` answers with a FileSaveStatus (fact 70); else with the file's path."""


#: In the newest pages only (facts 54, 62).
_NEWEST = frozenset({"OP.opType", "OP.isPOP", "OP.isCustom", "Project.modified"})

BUILDS = {
    build.name: build
    for build in (
        Build(
            "2023.12480",
            absent=_NEWEST,
            families=frozenset({"COMP", "TOP", "CHOP", "SOP", "MAT", "DAT"}),
            packages_absent=("cryptography", "cffi", "_cffi_backend"),
            numpy="1.24.1",
            run_takes_callables=False,
            thread_manager=False,
            save_gives_status=False,
        ),
        Build("2025.32820", absent=_NEWEST | {"FileSaveStatus.isCompleted"}),
        Build("2025.33070"),
    )
}
OLDEST, NEWEST = "2023.12480", "2025.33070"

_current = BUILDS[NEWEST]


def current() -> Build:
    """The build that the stand-in is."""
    return _current


def use(name: str) -> Build:
    """Be that build from now on; worlds made before keep what they have.

    Raises:
        KeyError: there is no profile of it.
    """
    global _current
    _current = BUILDS[name]
    return _current


def lacks(api_class: str, name: str) -> bool:
    """Whether this build's class of that name lacks a member that others have."""
    return f"{api_class}.{name}" in _current.absent


class _Hiding(MetaPathFinder):
    """Finds nothing, and says so before anybody else is asked."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def hide_packages() -> None:
    """Let this process import only what the build's Python brings, and report its version of numpy."""
    hidden = _current.packages_absent
    if hidden:
        for name in [n for n in sys.modules if n.partition(".")[0] in hidden]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Hiding(hidden))
    import numpy

    vars(numpy)["__version__"] = _current.numpy

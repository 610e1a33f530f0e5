"""Files that operators read and that are not there: of movies and sounds TouchDesigner says nothing.

Which file an operator reads is asked on the main thread; whether it is there is not, since a drive may take its time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

#: What these make is a file, so none need be there.
_WRITER = re.compile(r"^[a-z0-9]*out[A-Z]+$")
#: A protocol (http:, samples:) and wildcards name no single file.
_NO_FILE = re.compile(r"^\w{2,}:|[*?$%#\n]")
#: Whether an operator reads such a parameter at all is up to another one, where it has it.
_ONLY_WITH = {
    "externaltox": ("enableexternaltox",),
    "file": ("syncfile", "loadonstart"),
}
_MOST_FILES = 2_000


class FileRead(NamedTuple):
    """A file that a parameter of an operator names."""

    path: str
    parameter: str
    text: str


def sentence(read: FileRead) -> str:
    """What is wrong with a parameter whose file is not there."""
    return f"{read.parameter}: there is no file {cut(clean(read.text), 500)}"


def folder_of(td: ModuleType) -> str:
    """Where relative paths begin: the project's folder. Main thread."""
    return str(told(lambda: td.project.folder) or "")


class FileReads:
    """Which files operators read, as long as one call lasts."""

    def __init__(self) -> None:
        self.found: list[FileRead] = []
        self._names: dict[str, list[str]] = {}

    def add(self, operator: Any) -> None:
        """Note what an operator reads; parameters of a type are looked up once."""
        kind = op_type(operator)
        if kind not in self._names:
            writes = _WRITER.match(kind) is not None
            self._names[kind] = (
                [] if writes else [str(par.name) for par in operator.builtinPars if par.style == "File"]
            )
        if not self._names[kind] or len(self.found) >= _MOST_FILES:
            return
        for name in self._names[kind]:
            par = operator.par[name]
            # A default is a file of TouchDesigner's own.
            if par is None or par.isDefault or not _reads(operator, name):
                continue
            text = told(lambda par=par: str(par.eval()))  # type: ignore[misc]
            if text and not _NO_FILE.search(text):
                self.found.append(FileRead(str(operator.path), name, text))


def _reads(operator: Any, name: str) -> bool:
    if not operator.isCOMP and operator.bypass:
        return False
    switches = [par for each in _ONLY_WITH.get(name, ()) if (par := operator.par[each]) is not None]
    return not switches or any(told(lambda par=par: bool(par.eval())) for par in switches)  # type: ignore[misc]


def missing(reads: Iterable[FileRead], folder: str) -> Iterator[FileRead]:
    """Those that are not there; any thread but the main one. Relative paths begin at the project's folder."""
    known: dict[str, bool] = {}
    for each in reads:
        if each.text not in known:
            try:
                known[each.text] = (Path(folder) / each.text).exists()
            except (OSError, ValueError):
                # A drive that does not answer, a name no file can have.
                known[each.text] = False
        if not known[each.text]:
            yield each

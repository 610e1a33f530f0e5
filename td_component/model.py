"""The words a component is described with: parameters, pages, DATs, and the component that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"

Value = bool | int | float | str


class Style(StrEnum):
    """Custom parameter styles in use here; the value is the word in `Page.append…`."""

    FLOAT = "Float"
    INT = "Int"
    TOGGLE = "Toggle"
    STR = "Str"
    PULSE = "Pulse"
    MENU = "Menu"
    FILE = "File"


@dataclass(frozen=True)
class Range:
    """Limits of a number: hard ones (None is free) and those of the slider."""

    low: float | None = None
    high: float | None = None
    slider_low: float = 0
    slider_high: float = 1


@dataclass(frozen=True)
class Parameter:
    """One custom parameter.

    `name` follows TouchDesigner's rule: a capital, then lower-case letters and digits. `read_only` marks a read-out
    that the server writes; `section` starts a new section (a line above it) on its page. `menu` is a tuple of
    (name, label).
    """

    name: str
    label: str
    style: Style
    help: str
    default: Value = 0
    range: Range | None = None
    menu: tuple[tuple[str, str], ...] = ()
    read_only: bool = False
    section: bool = False


@dataclass(frozen=True)
class Page:
    name: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Dat:
    """One DAT inside the component.

    `type` is the operator type (`textDAT`), `script` the file in `scripts/` that is its text (or `body` the text
    itself), `table` its rows, `parameters` its built-in parameters that differ from the defaults, `dock` the sibling it is docked to.
    """

    name: str
    type: str
    x: int
    y: int
    script: str = ""
    body: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    parameters: tuple[tuple[str, Value], ...] = ()
    dock: str = ""
    width: int = 130
    height: int = 90

    def text(self) -> str:
        """The text of a text-like DAT."""
        return (SCRIPTS / self.script).read_text(encoding="utf-8") if self.script else self.body


@dataclass(frozen=True)
class Component:
    """A whole component: what TouchDesigner shows outside, its pages, and its DATs inside."""

    name: str
    comment: str
    color: tuple[float, float, float]
    extension: str
    pages: tuple[Page, ...]
    dats: tuple[Dat, ...]
    parameters: tuple[tuple[str, Value], ...] = field(default=())

    def custom(self) -> list[Parameter]:
        """Every custom parameter in page order."""
        return [parameter for page in self.pages for parameter in page.parameters]

"""`ui`: dialogs, Perform mode, the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes.dialogs import DialogOpened, Dialogs
from fakes.guard import Guarded
from fakes.panes import Layout, Panes

__all__ = ["UI", "DialogOpened", "Display"]


class Display:
    """Plain state behind `ui`."""

    def __init__(self, layout: Layout, dialogs: Dialogs, undo: Callable[[], Any]) -> None:
        self.layout = layout
        self.undo = undo
        self.dialogs = dialogs
        self.perform = False
        self.clipboard = ""
        self.status = ""
        self.copied: Any = None
        self.copy: Callable[[list[Any]], Any] | None = None
        self.paste: Callable[[Any, Any, float | None, float | None], None] | None = None


class UI(Guarded):
    """The user interface."""

    __slots__ = ("_display",)

    def __init__(self, display: Display) -> None:
        self._display = display

    @property
    def undo(self) -> Any:
        return self._display.undo()

    @property
    def panes(self) -> Panes:
        return Panes(self._display.layout)

    @property
    def performMode(self) -> bool:
        return self._display.perform

    @performMode.setter
    def performMode(self, value: bool) -> None:
        self._display.perform = bool(value)

    @property
    def clipboard(self) -> str:
        return self._display.clipboard

    @clipboard.setter
    def clipboard(self, value: str) -> None:
        self._display.clipboard = str(value)

    @property
    def status(self) -> str:
        return self._display.status

    @status.setter
    def status(self, value: str) -> None:
        self._display.status = str(value)

    def messageBox(self, title: str, message: str, buttons: list[str] | tuple[str, ...] = ("Ok",)) -> int:
        """The index of the button pressed. Only the script that asks waits: frames and callbacks go on (fact 9)."""
        return int(self._display.dialogs.message(f"{title}: {message} {list(buttons)}"))

    def chooseFile(
        self,
        load: bool = True,
        start: str | None = None,
        fileTypes: Any = None,
        title: str | None = None,
        asExpression: bool = False,
    ) -> str | None:
        answer = self._display.dialogs.ask("ui.chooseFile", title or "")
        return None if answer is None else str(answer)

    def chooseFolder(
        self, title: str = "Select Folder", start: str | None = None, asExpression: bool = False
    ) -> str | None:
        answer = self._display.dialogs.ask("ui.chooseFolder", title)
        return None if answer is None else str(answer)

    def copyOPs(self, listOfOPs: list[Any]) -> None:
        """Put operators on the clipboard."""
        if self._display.copy is not None:
            self._display.copied = self._display.copy(list(listOfOPs))

    def pasteOPs(self, COMP: Any, x: float | None = None, y: float | None = None) -> None:
        """Paste what `copyOPs` took; their Execute DATs get onCreate (fact 6)."""
        if self._display.copied is not None and self._display.paste is not None:
            self._display.paste(COMP, self._display.copied, x, y)

"""get_selection: what the user looks at; and showing the user an operator."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, session

#: Frames between whatever was made before and moving the editor: in the same frame it has wedged TD (fact 12).
_EDITOR_FRAMES = 2


class GetSelection(Arguments):
    """Whether to show something first."""

    show: str | None = Field(
        default=None, description="Bring the network editor to this operator and select it."
    )


class Selection(Output):
    """Open panes with the network in view, what is selected there, and the current operator."""

    panes: list[dict[str, Any]]
    perform_mode: bool
    shown: str | None = None

    def text(self) -> str:
        lines = ["Perform mode: no editor is open"] if self.perform_mode else []
        for pane in self.panes:
            lines.append(" ".join(f"{key}={_short(value)}" for key, value in pane.items()))
        if self.shown:
            lines.append(f"shown: {self.shown}")
        return "\n".join(lines) or "no pane is open"


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def get_selection(call: Call, given: GetSelection) -> Steps[Selection]:
    """Looks; or waits, moves the editor, and looks."""
    shown = None
    if given.show is not None:
        target = lookup.operator(call.td, given.show)
        if call.td.ui.performMode:
            raise ToolFailure(
                Code.PRECONDITION_FAILED,
                "TouchDesigner is in Perform mode: no network editor is open.",
                hint="Leave Perform mode first, or do without showing.",
            )
        for _ in range(_EDITOR_FRAMES):
            yield NEXT_FRAME
        if not target.valid:
            raise ToolFailure(Code.OPERATOR_NOT_FOUND, f"{given.show} was deleted meanwhile.")
        session.show(call.td, target)
        shown = str(target.path)
    return Selection(
        panes=session.selection_facts(call.td)["panes"],
        perform_mode=bool(call.td.ui.performMode),
        shown=shown,
    )


TOOLS = [
    Tool(
        name="get_selection",
        title="Get the selection",
        description=(
            "What the user has in view: open panes, the network in each, selected and current operators. show brings the "
            "editor to an operator and selects it (not in Perform mode)."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=GetSelection,
        output=Selection,
        run=get_selection,
    )
]

"""read_network: a subtree in the one format in which networks are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from tdmcp_embedded.resources.addresses import operator_uri
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import outline, paging
from tdmcp_embedded.tools.network_model import Annotation, NetworkOperator
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.network import Extent, NetworkReader
from tdmcp_embedded.touchdesigner.values import weight

View = Literal["outline", "full", "mermaid"]

#: Bytes of structured content for a page of default size; the text beside it takes about as much again.
_DEFAULT_BYTES = 8_000


class ReadNetwork(Arguments):
    """Which network, and how closely."""

    path: str = Field(description="The COMP whose network to read.")
    depth: int = Field(default=1, ge=1, le=100, description="1: its operators; 2: also inside those; …")
    view: View = Field(
        default="full",
        description='"full" is what build_network takes; "outline" names, types and wires; "mermaid" a diagram.',
    )
    limit: int | None = Field(
        default=None, ge=1, le=2000, description="Operators a page; default: as many as stay small."
    )
    cursor: paging.Cursor = None


class Network(paging.Page):
    """Operators directly in the network (`total` counts those), with what they hold down to the depth."""

    path: str
    type: str
    operators: list[NetworkOperator] | None = None
    annotations: list[Annotation] | None = None
    mermaid: str | None = None
    whole: str | None = None
    """Resource that holds all of it, where this is a part."""

    def link(self) -> str | None:
        return self.whole

    def text(self) -> str:
        head = f"{self.path} {self.type}: {self.paging_line('operators')}"
        if self.whole is not None:
            head += f"; whole: {self.whole}"
        if self.mermaid is not None:
            return f"{head}\n{self.mermaid}"
        return "\n".join([head, *outline.outline(self.operators or [], self.annotations or [])])


def read_network(call: Call, given: ReadNetwork) -> Steps[dict[str, Any]]:
    """Reads on the main thread; `finish` makes the models and the diagram of it on a worker."""
    place = paging.place_of(given, given.cursor)
    network = lookup.component(call.td, given.path)
    extent = Extent(
        depth=given.depth,
        limit=given.limit,
        size=_DEFAULT_BYTES if given.limit is None else paging.LARGE_PAGE_BYTES,
        text=1_500 if given.limit is None else 20_000,
        outline=given.view != "full",
        free=str(call.instance.get("component", "")),
    )
    facts = {"path": str(network.path), "type": op_type(network)}

    def start(inside: Sequence[Any]) -> int:
        return place.find(len(inside), lambda index: str(inside[index].name))

    found = yield from NetworkReader(call.td, extent).read(network, start, place.also)
    return facts | found


def finish(call: Call, given: ReadNetwork, found: dict[str, Any]) -> Network:
    """The models, and the diagram if one was asked for."""
    operators = [NetworkOperator.model_validate(row) for row in found["operators"]]
    annotations = [Annotation.model_validate(row) for row in found["annotations"]]
    diagram = outline.mermaid(operators) if given.view == "mermaid" else None
    following: int | None = found["next"]
    return Network(
        path=found["path"],
        type=found["type"],
        operators=operators if diagram is None else None,
        annotations=annotations if diagram is None and annotations else None,
        mermaid=diagram,
        total=found["total"],
        returned=len(operators),
        next_cursor=paging.cursor_at(
            given,
            following,
            total=found["total"],
            shown=[operator.name for operator in operators],
            also=found["next_notes"],
        )
        if following is not None
        else None,
        whole=_whole(given, found) if following is not None else None,
    )


def _whole(given: ReadNetwork, found: dict[str, Any]) -> str | None:
    """Where all of the network can be read at once, if that is likely to fit: guessed from the operators at hand."""
    rows = found["operators"]
    if given.depth > 1 or given.view != "full" or not rows:
        return None
    guess = weight(rows) / len(rows) * found["total"]
    return operator_uri("network", found["path"]) if guess < paging.LARGE_PAGE_BYTES / 2 else None


TOOLS = [
    Tool(
        name="read_network",
        title="Read a network",
        description=(
            "The operators inside a COMP with their non-default parameters, wires, positions, flags, text and tables, in "
            "the form build_network takes. depth reads nested COMPs too; what is left out is named with the call that "
            "gets it."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=ReadNetwork,
        output=Network,
        run=read_network,
        finish=finish,
        core=True,
    )
]

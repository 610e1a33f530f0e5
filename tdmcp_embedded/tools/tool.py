"""What a tool is: one row of the table, the context its function gets, and the shape of what it returns."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, PrivateAttr

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.touchdesigner.values import clean, cut

if TYPE_CHECKING:
    from tdmcp_embedded.frame_queue import FrameQueue
    from tdmcp_embedded.logs.recent_edits import EditCall, RecentEdits

T = TypeVar("T")

#: A tool's work on the main thread: bare `yield` offers the frame back, `yield NEXT_FRAME` waits for the next one.
Steps = Generator[Any, None, T]


def at_once(steps: Steps[T]) -> T:
    """Work in steps done in one: inside an edit, where no frame may pass."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value


class Arguments(BaseModel):
    """Base of every input model. Unknown names are refused before this model is asked (with near matches)."""

    model_config = ConfigDict(extra="forbid")


class Output(BaseModel):
    """Base of every output model: the structured content (none where there are pictures), and a text that says the same."""

    model_config = ConfigDict(extra="forbid")

    _pictures: list[Picture] = PrivateAttr(default_factory=list)
    _edit: EditDone | None = PrivateAttr(default=None)

    def text(self) -> str:
        """The same in its most compact readable form; compact JSON unless a subclass knows better."""
        return json.dumps(self.structured(), ensure_ascii=False, separators=(",", ":"))

    def structured(self) -> dict[str, Any]:
        """Strict JSON for `structuredContent`."""
        return self.model_dump(mode="json", exclude_none=True)

    def for_app(self) -> dict[str, Any] | None:
        """What the MCP App needs to show pictures, which come without structured content; no model sees it."""
        return None

    def link(self) -> str | None:
        """Address of the resource that holds the whole, where this is a part of something large; else None."""
        return None

    def bounded(self) -> Self:
        """The same, made small enough to be sent; whoever makes an answer that can grow says how."""
        return self

    @property
    def pictures(self) -> list[Picture]:
        """Images that go with the answer, as image content."""
        return self._pictures


@dataclass(frozen=True)
class EditDone:
    """That an edit was made and is kept, whatever becomes of its answer."""

    undo: str
    """Name of its undo step as TouchDesigner lists it; "" if it has none."""

    def sentence(self) -> str:
        return "Its edit is done and stays" + (f" (undo step {self.undo!r})." if self.undo else ".")


class DoneUnanswered(Output):
    """The answer of an edit that is done, where its own answer could not be made."""

    done: bool = True
    undo: str = ""
    note: str

    def text(self) -> str:
        return f"{self.note}\nundo: {self.undo or 'nothing to undo'}"


def unanswered(edit: EditDone, error: BaseException) -> DoneUnanswered:
    """The answer of an edit that is done, when making its answer has raised `error`."""
    why = error.message if isinstance(error, ToolFailure) else f"{type(error).__name__}: {error}"
    output = DoneUnanswered(
        undo=edit.undo,
        note=f"The edit is done; the answer could not be made ({cut(clean(why), 300)}). "
        "Read what it changed instead of repeating it.",
    )
    output._edit = edit
    return output


@dataclass(frozen=True)
class Picture:
    """An encoded image: `data` is the file's bytes, `mime` its type (image/png or image/jpeg)."""

    data: bytes
    mime: str


class Effect(StrEnum):
    """What a call may do to the project; annotations and the undo block derive from it."""

    READ = "read"
    EDIT = "edit"
    DESTRUCTIVE = "destructive"


def _no_progress(done: float, total: float | None, message: str) -> None:
    return None


@dataclass
class Call:
    """One tool call in progress. Fields may be read on any thread; `td` only used on the main thread."""

    td: ModuleType
    settings: Settings
    queue: FrameQueue
    level: Level = Level.FULL
    session: str = ""
    owner: str = ""
    """The name of the caller's key, which its jobs belong to; empty where no key is asked for."""
    client: str = ""
    tool: str = ""
    instance: dict[str, Any] = field(default_factory=dict)
    """Facts about this server that need no main thread: name, url, pid, component, version, build, project."""
    progress: Callable[[float, float | None, str], None] = _no_progress
    """Report progress (done, total, sentence) from any thread; free when the client asked for none."""
    undo_name: str = ""
    """Name of the undo step this call makes; shown in TouchDesigner's Edit menu."""
    deadline: float = 0.0
    """Seconds this call may take at least, whatever its tool and the settings say: a task, for which nobody waits."""
    batched: bool = False
    """Whether it is one of several calls that share a frame and an undo step."""
    guard: Any = None
    """Who watches that an edit of level edit changes no code (`code_policy.invariant.Guard`); None at level full."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What is left of the edit for the frames after it, one a frame."""
    recent: RecentEdits | None = None
    """The last calls of each key that could change the project."""
    noted: EditCall | None = None
    """What is noted there of this call."""
    prepared: Any = None
    """What the tool's `prepare` has found; None where it has none, or could not look yet (see `Tool`)."""


@dataclass(frozen=True)
class Tool:
    """One row of the table of tools, the single source of truth.

    `run` works on the main thread and is a plain function or a generator function of `(call, arguments)`; of a tool
    with effect EDIT or DESTRUCTIVE, the part before the first `yield` is the edit and runs inside one undo block.
    `prepare` comes before that edit: a generator that only looks, over as many frames as it takes, so that the edit,
    which must be one step, need not. Its value is `call.prepared`. Frames have passed since: the edit checks anew
    whatever it would do wrong otherwise, and does without where there is none (in a batch, the call before may only
    now have made what this one is about).
    `answer` replaces `run` for tools that must answer while the main thread is stuck: a coroutine on the server
    thread. `finish` turns what `run` returned into the output on a worker thread (encoding images, say).
    """

    name: str
    title: str
    description: str
    level: Level
    effect: Effect
    arguments: type[Arguments]
    output: type[Output]
    run: Callable[[Call, Any], Any] | None = None
    prepare: Callable[[Call, Any], Steps[Any]] | None = None
    answer: Callable[[Call, Any], Awaitable[Output]] | None = None
    finish: Callable[[Call, Any, Any], Output] | None = None
    idempotent: bool = False
    own_progress: bool = False
    """Whether it reports its progress itself; of others the runner gives signs of life."""
    may_give_pictures: bool = False
    """Whether its answer may hold pictures. Such an answer is pictures and text without structured content, since some
    clients pass the model only that where there is any; so the tool lists no output schema."""
    core: bool = False
    """Whether the small toolset for clients with little room has it."""
    deadline: Callable[[Any], float] | None = None
    """Seconds this call may take given its arguments, where it is not the setting's."""

    def __post_init__(self) -> None:
        if (self.run is None) == (self.answer is None):
            raise ValueError(f"{self.name}: give exactly one of run and answer")

"""The questions that only TouchDesigner can answer. *Self Test* asks them before it runs the contract tests.

The product works with either answer, and the stand-in gives the worse one. Each answer is a yes or a no with what was
seen; each question says what of the product depends on it and which facts it belongs to. Those that would disturb the
undo list or the timeline are asked when the person agrees, or where there is nothing to disturb; else the report says
how to see it by hand.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from .facts import disturbs, fact, later, needs, send_to, uses_undo_stack


class Answer(NamedTuple):
    """What TouchDesigner did."""

    yes: bool
    seen: str


#: An answer, or in words why there is none yet.
Reply = Answer | str
Ask = Callable[[Any], Reply | Generator[None, None, Reply]]


class Question(NamedTuple):
    """One question. `ask` carries the marks of `facts`, as contract tests do."""

    text: str
    ask: Ask
    depends: str
    by_hand: str

    @property
    def facts(self) -> tuple[int, ...]:
        return tuple(getattr(self.ask, "facts", ()))

    @property
    def disturbs(self) -> str:
        return str(getattr(self.ask, "disturbs", ""))


QUESTIONS: list[Question] = []

#: Steps that the undo list is asked to keep.
DEPTH = 250
#: Frames to wait for something that may never come.
WAIT = 120
#: What a person stores, with this process's number, before saving and opening again.
STORED = "tdmcp_self_test"
STORE_LINE = f"import os; [o.store({STORED!r}, os.getpid()) for o in (op('/'), op('/project1'))]"


def question(text: str, depends: str, by_hand: str = "") -> Callable[[Ask], Ask]:
    """Put a question on the list."""

    def add(ask: Ask) -> Ask:
        QUESTIONS.append(Question(text, ask, depends, by_hand))
        return ask

    return add


def paused(td: Any) -> bool:
    """Whether the timeline stands still already."""
    return not td.root.time.play


def _touched(touch: Callable[[], Any]) -> str:
    """What a touch gives, or the exception it raises."""
    try:
        return repr(touch())
    except BaseException as error:  # noqa: BLE001  Some of TouchDesigner's errors are no Exceptions.
        return f"{type(error).__name__}: {error}"


def _step(t: Any, name: str, change: Callable[[], Any]) -> None:
    """One undo step."""
    t.td.ui.undo.startBlock(name)
    try:
        change()
    finally:
        t.td.ui.undo.endBlock()


@question("Has every operator OPType?", "the type in every answer; without it opType or the class's name")
@fact(54)
def op_type(t: Any) -> Reply:
    noise = t.scratch.create(t.td.noiseTOP)
    seen = _touched(lambda: noise.OPType)
    newer = _touched(lambda: noise.opType)
    return Answer(seen == "'noiseTOP'", f"OPType {seen}; opType {newer}; class {type(noise).__name__}")


@question("Has it opType too?", "nothing: OPType comes first")
@fact(54)
def newer_op_type(t: Any) -> Reply:
    seen = _touched(lambda: t.scratch.create(t.td.noiseTOP).opType)
    return Answer(seen == "'noiseTOP'", f"opType {seen}")


@question(
    "Does an empty undo block leave what can be redone?",
    "calls that change nothing, or are refused, open no block",
    "move an operator, press Ctrl+Z, run `ui.undo.startBlock('x'); ui.undo.endBlock()` in the Textport, press Ctrl+Y",
)
@fact(35)
@uses_undo_stack
def empty_block(t: Any) -> Reply:
    undo, noise = t.td.ui.undo, t.scratch.create(t.td.noiseTOP)
    _step(t, "a change", lambda: setattr(noise.par, "period", 5))
    undo.undo()
    before = list(undo.redoStack)
    if not before:
        return "a step that was undone cannot be redone here"
    _step(t, "empty", lambda: None)
    return Answer(
        list(undo.redoStack) == before,
        f"to redo {before} before, {list(undo.redoStack)} after; to undo {list(undo.undoStack)}",
    )


@question(
    "Is an annotation made with recording off left out of the undo list?",
    "a call with annotations is one undo step, which makes them again by a step of ours",
    "run `ui.undo.globalState = False; op('/project1').create(annotateCOMP); ui.undo.globalState = True` in the "
    "Textport and look at Edit > Undo",
)
@fact(56)
@uses_undo_stack
def annotation_unrecorded(t: Any) -> Reply:
    undo = t.td.ui.undo
    undo.globalState = False
    try:
        t.scratch.create(t.td.annotateCOMP)
    finally:
        undo.globalState = True
    return Answer(not undo.undoStack, f"to undo {list(undo.undoStack)}")


@question(
    "Does an open undo block outlive an annotation made with recording off?",
    "whether TouchDesigner's own undo or our journal takes the rest of such a call back",
    "the same between `ui.undo.startBlock('x')` and `ui.undo.endBlock()`, in one line",
)
@fact(35, 56)
@uses_undo_stack
def block_outlives_annotation(t: Any) -> Reply:
    undo = t.td.ui.undo
    undo.startBlock("with an annotation")
    t.scratch.create(t.td.noiseTOP)
    undo.globalState = False
    try:
        t.scratch.create(t.td.annotateCOMP)
    finally:
        undo.globalState = True
    t.scratch.create(t.td.levelTOP)
    ended = _touched(undo.endBlock)
    listed = list(undo.undoStack)
    if listed:
        undo.undo()
    left = [each.name for each in t.scratch.children]
    return Answer(
        ended == "None" and left == [], f"endBlock {ended}; to undo {listed}; after undo left {left}"
    )


class Change(NamedTuple):
    """A change by a script, and how to see it."""

    what: str
    make: str
    change: Callable[[Any], Any]
    read: Callable[[Any], Any]
    prepare: Callable[[Any], Any] = lambda operator: None


CHANGES = (
    Change("the text of a DAT", "textDAT", lambda o: setattr(o, "text", "after"), lambda o: str(o.text)),
    Change("a row of a table", "tableDAT", lambda o: o.appendRow(["after"]), lambda o: int(o.numRows)),
    Change("a comment", "noiseTOP", lambda o: setattr(o, "comment", "after"), lambda o: str(o.comment)),
    Change(
        "a colour",
        "noiseTOP",
        lambda o: setattr(o, "color", (0.25, 0.5, 0.75)),
        lambda o: tuple(round(c, 2) for c in o.color),
    ),
    Change("a tag", "noiseTOP", lambda o: o.tags.add("after"), lambda o: sorted(o.tags)),
    Change(
        "a dock",
        "noiseTOP",
        lambda o: setattr(o, "dock", o.parent().op("host")),
        lambda o: None if o.dock is None else str(o.dock.name),
        lambda o: o.parent().create("textDAT", "host"),
    ),
    Change("a tile's size", "noiseTOP", lambda o: setattr(o, "nodeWidth", 260), lambda o: round(o.nodeWidth)),
    Change(
        "numBlocks of a sequence",
        "constantCHOP",
        lambda o: setattr(o.seq.const, "numBlocks", 3),
        lambda o: int(o.seq.const.numBlocks),
    ),
    Change(
        "an appended custom parameter",
        "baseCOMP",
        lambda o: o.customPages[0].appendFloat("After"),
        lambda o: [p.name for p in o.customPars],
        lambda o: o.appendCustomPage("Asked"),
    ),
)


def _comes_back(change: Change) -> Ask:
    @fact(35)
    @uses_undo_stack
    def ask(t: Any) -> Reply:
        undo, operator = t.td.ui.undo, t.scratch.create(change.make)
        change.prepare(operator)
        before = change.read(operator)
        _step(t, "a change", lambda: change.change(operator))
        after = change.read(operator)
        if after == before:
            return f"the change did not take: {after!r}"
        if not undo.undoStack:
            return Answer(False, f"{before!r} to {after!r}, of which nothing was recorded")
        undo.undo()
        undone = change.read(operator)
        undo.redo()
        return Answer(
            undone == before,
            f"{before!r} to {after!r}; after undo {undone!r}, after redo {change.read(operator)!r}",
        )

    return ask


for _change in CHANGES:
    question(
        f"Does undo bring back {_change.what} that a script changed?",
        "whether Ctrl+Z takes a call back whole; a failed call puts it back itself",
        f"change {_change.what} by a script between `ui.undo.startBlock('x')` and `ui.undo.endBlock()`, press Ctrl+Z",
    )(_comes_back(_change))


@question(
    f"Does the undo list keep {DEPTH} steps?",
    "how many calls `undo` can take back; a list that no longer grows is no sign that nothing was recorded",
    "count the steps that Ctrl+Z takes back",
)
@fact(35)
@uses_undo_stack
def undo_depth(t: Any) -> Reply:
    noise = t.scratch.create(t.td.noiseTOP)
    for number in range(DEPTH):
        _step(t, f"step {number}", lambda value=number: setattr(noise.par, "period", value + 2))
    kept = len(t.td.ui.undo.undoStack)
    return Answer(kept >= DEPTH, f"{DEPTH} steps made, {kept} listed")


@question(
    "Does storage of the root come back when a saved project is opened?",
    "checkpoints, which are stored there",
    f"in a new project run `{STORE_LINE}` in the Textport, save, quit TouchDesigner, open the project, pulse Self Test",
)
@fact(36)
def root_storage(t: Any) -> Reply:
    # The only question whose answer takes two runs: a self test must not save the user's project.
    places = ("/", "/project1")
    found = {
        path: t.td.op(path).fetch(STORED, None, search=False) for path in places if t.td.op(path) is not None
    }
    if not any(found.values()):
        return "it takes a save and a new start"
    if os.getpid() in found.values():
        return "stored; now save, quit TouchDesigner and open the project"
    return Answer(bool(found["/"]), "; ".join(f"{path} has {value!r}" for path, value in found.items()))


@question(
    "Has a component its input connector at once when an In operator is made in it?",
    "wires into a component that the same call fills",
)
@fact(69)
def connectors(t: Any) -> Reply:
    base = t.scratch.create(t.td.baseCOMP)
    base.create(t.td.inTOP)
    at_once = len(base.inputConnectors)
    base.cook(force=True)
    cooked = len(base.inputConnectors)
    yield
    return Answer(
        at_once == 1,
        f"{at_once} at once, {cooked} after a cook, {len(base.inputConnectors)} in the next frame",
    )


@question(
    "Does copyOPs of a host and its docked operators copy each once, docked to the copy?",
    "copies and moves of operators with docked DATs",
)
@fact(18, 74)
def copies_with_docked(t: Any) -> Reply:
    glsl = t.scratch.create(t.td.glslTOP, "host")
    docked = list(glsl.docked)
    t.scratch.create(t.td.baseCOMP, "copies")
    made = list(t.scratch.op("copies").copyOPs([glsl, *docked]))
    hosts = [None if each.dock is None else str(each.dock.path) for each in made]
    there = len(t.scratch.op("copies").children)
    return Answer(
        len(made) == there == 1 + len(docked) and hosts == [None, *[str(made[0].path)] * len(docked)],
        f"of {1 + len(docked)}, copyOPs gave {[each.name for each in made]} and {there} are there; "
        f"docked to {[None if host is None else host.rpartition('/')[2] for host in hosts]}",
    )


@question(
    "Does copyOPs of a host alone bring what is docked to it?",
    "nothing: we give it both",
)
@fact(18, 74)
def copy_of_a_host(t: Any) -> Reply:
    glsl = t.scratch.create(t.td.glslTOP, "host")
    copies = t.scratch.create(t.td.baseCOMP, "copies")
    made = list(copies.copyOPs([glsl]))
    there = sorted(each.name for each in copies.children)
    return Answer(
        len(there) == 1 + len(glsl.docked), f"gave {[each.name for each in made]}; there are {there}"
    )


@question(
    "Does destroying an operator raise while others are docked to it?",
    "nothing: we destroy the docked ones first",
)
@fact(73)
def destroyed_host(t: Any) -> Reply:
    host = t.scratch.create(t.td.timerCHOP, "host")
    if not host.docked:
        docked = t.scratch.create(t.td.textDAT, "host_text")
        docked.dock = host
    left = [docked.name for docked in host.docked]
    seen = _touched(host.destroy)
    there = [name for name in left if t.scratch.op(name) is not None]
    return Answer(seen != "None", f"{seen}; {len(there)} of {len(left)} docked ones are left")


@question(
    "Does a fresh POP have all parameters of its sequences at once?",
    "parameters and blocks of POPs made in the same call",
)
@fact(65)
@needs("POP")
def fresh_sequences(t: Any) -> Reply:
    line = t.scratch.create("linePOP")

    def shown() -> list[str]:
        sequences = (getattr(par, "sequence", None) for par in line.pars())
        return sorted({str(sequence.name) for sequence in sequences if sequence is not None})

    at_once = shown()
    listed = sorted(str(sequence.name) for sequence in line.seq)
    after = shown()
    line.cook(force=True)
    cooked = shown()
    return Answer(
        at_once == cooked,
        f"pars() shows {at_once}, list(seq) gives {listed}, then pars() {after}, after a cook {cooked}",
    )


def _errors(t: Any, which: int) -> Generator[None, None, Reply]:
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "op('missing').par.x"
    noise.cook(force=True)
    seen = [str(noise.errors())]
    yield
    seen.append(str(noise.errors()))
    said = [text.strip().partition("\n")[0][:100] for text in seen]
    return Answer(bool(seen[which]), f"after the cook {said[0]!r}, one frame later {said[1]!r}")


@question("Does errors() show in the same frame what a cook found?", "nothing: edits look one frame later")
@fact(11, 66)
def errors_at_once(t: Any) -> Reply:
    return (yield from _errors(t, 0))


@question("Does errors() show it one frame later?", "what an edit answers about its errors, one frame later")
@fact(11, 66)
def errors_later(t: Any) -> Reply:
    return (yield from _errors(t, 1))


@question("Does a Run that is over raise when touched?", "stop and restart, which touch none without a guard")
@fact(58)
def run_over(t: Any) -> Reply:
    ran: list[bool] = []
    held = later(t, lambda: ran.append(True), delayFrames=1, delayRef=t.td.op.TDResources)
    for _ in range(WAIT):
        if ran:
            break
        yield
    yield
    seen = _touched(lambda: held.active), _touched(lambda: held.kill())
    return Answer("Error" in seen[0] and "Error" in seen[1], f"active: {seen[0]}; kill(): {seen[1]}")


@question(
    "Does a RefreshHook of the Thread Manager come while the timeline is paused?",
    "whether the server comes back by itself when a script cancels every run() in a pause",
    "pause the timeline and pulse Self Test",
)
@fact(5)
@needs("op.TDResources.ThreadManager")
@disturbs("the timeline", unless=paused)
def refresh_hook(t: Any) -> Reply:
    go, came = threading.Event(), []
    manager = t.td.op.TDResources.ThreadManager
    was = t.td.root.time.play
    t.td.root.time.play = False
    try:
        yield
        task = manager.TDTask(target=lambda: go.wait(30), RefreshHook=lambda: came.append(True))
        manager.EnqueueTask(task, standalone=True)
        frames = 0
        while frames < WAIT and not came:
            frames += 1
            yield
    finally:
        go.set()
        t.td.root.time.play = was
    return Answer(bool(came), f"{len(came)} calls in {frames} frames of a pause")


@question(
    "Can root.time.frame be set?",
    "control_timeline, which else sets the seconds",
    "pause the timeline and run `root.time.frame = 2` in the Textport",
)
@fact(89)
@disturbs("the timeline")
def time_frame(t: Any) -> Reply:
    clock, wanted = t.td.root.time, 2.0
    was = clock.frame
    wanted = 3.0 if was == wanted else wanted
    seen = "set"
    try:
        clock.frame = wanted
    except Exception as error:  # noqa: BLE001  Whatever it raises.
        seen = f"{type(error).__name__}: {error}"
    came = clock.frame == wanted
    send_to(clock, was)
    return Answer(came, seen if came or seen != "set" else "nothing happened")


@question("Has Python lzma?", "nothing: the payload needs zlib only")
@fact(61)
def has_lzma(t: Any) -> Reply:
    seen = _touched(lambda: importlib.import_module("lzma").__name__)
    return Answer(seen == "'lzma'", seen)


@question("Has the project `modified`?", "the unsaved mark in get_status; without it none is shown")
@fact(62)
def project_modified(t: Any) -> Reply:
    seen = _touched(lambda: t.td.project.modified)
    return Answer(seen in ("True", "False"), seen)


@question(
    "Does the interpreter call a function on the main thread when another thread asks for it?",
    "how soon a server ends whose component went with File > Open; without it after a quarter of an hour",
)
@fact(59)
def pending_call(t: Any) -> Reply:
    came: list[int] = []
    refused: list[str] = []

    def called(argument: Any) -> int:
        came.append(threading.get_ident())
        return 0

    def ask() -> None:
        seen = _touched(lambda: ctypes.pythonapi.Py_AddPendingCall(entry, None))
        if seen != "0":
            refused.append(seen)

    try:
        ctypes = importlib.import_module("ctypes")
        entry = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(called)
    except (ImportError, AttributeError) as error:
        return Answer(False, f"{type(error).__name__}: {error}")
    # The interpreter may call it at any later moment: it must never be freed.
    _ENTRIES.append(entry)
    thread = threading.Thread(target=ask)
    thread.start()
    frames = 0
    while frames < WAIT and not came and not refused:
        frames += 1
        yield
    thread.join(5)
    here = threading.get_ident()
    return Answer(
        came == [here], refused[0] if refused else f"{came.count(here)} calls here in {frames} frames"
    )


_ENTRIES: list[Any] = []

"""Walking networks, and the facts of single operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.builds import is_annotation
from tdmcp_embedded.touchdesigner.flags import read_flags
from tdmcp_embedded.touchdesigner.telling import told_or_why
from tdmcp_embedded.touchdesigner.values import clean, rounded

#: Networks that belong to TouchDesigner itself, thousands of operators large; skipped unless asked for by path.
SYSTEM_NETWORKS = ("/ui", "/sys")


#: Seconds of work after which a scan offers the frame back in any case: a step that is a fifth of a frame's budget, so
#: that a frame is filled by a few of them, and one that gets a single step (on a busy machine) still comes forward.
_LONG = 0.0008


class Pace:
    """Tells a scan when to offer the frame back: `if pace.due(): yield`.

    Counted, so that the steps are the same on every run; and timed, since operators with many parameters, or a machine
    slower than the one the counts were chosen on, make nonsense of any count.
    """

    def __init__(self, every: int = 16) -> None:
        self._every = every
        self._count = 0
        self._since = perf_counter()

    def due(self, cost: int = 1) -> bool:
        """Whether enough has been done since the last offer; `cost` is in units of one cheap operator."""
        self._count += cost
        now = perf_counter()
        if self._count < self._every and now - self._since < _LONG:
            return False
        self._count = 0
        self._since = now
        return True


def walk(
    top: Any, depth: int | None = None, skip: Iterable[str] = (), *, unchecked: bool = False
) -> Iterator[tuple[Any, int]]:
    """Every operator below `top` with its level (1 for children), each COMP before what it holds.

    May be left standing between frames: what was destroyed meanwhile is passed over; `unchecked` saves that look, and
    the caller then has to expect dead operators (`gone`). `skip` names children of `top` that are left out with all
    they hold, by path.
    """
    passed = frozenset(skip)
    comp = _comp_class(top)
    if is_annotation(top):
        return
    waiting = [(child, 1) for child in reversed(top.children) if not passed or child.path not in passed]
    while waiting:
        current, level = waiting.pop()
        if not unchecked and gone(current):
            continue
        # By class, not by attribute: a scan of ten thousand operators feels every attribute it reads.
        # An annotation is one operator; what TD makes it of is not of the network.
        if isinstance(current, comp) and (depth is None or level < depth) and not is_annotation(current):
            try:
                inside = current.children
            except Exception:
                if gone(current):
                    continue
                raise
            waiting.extend((child, level + 1) for child in reversed(inside))
        yield current, level


def count_inside(td: ModuleType, comp: Any) -> int:
    """Operators inside a COMP at any depth; an annotation among them is one."""
    if is_annotation(comp):
        return 0
    inside = int(comp.numChildrenRecursive)
    if inside:
        boxes = comp.findChildren(type=td.annotateCOMP, includeUtility=True)
        inside -= sum(int(each.numChildrenRecursive) for each in boxes)
    return inside


def gone(operator: Any) -> bool:
    """Whether an operator was destroyed; everything else asked of it raises then."""
    return not operator.valid


def _comp_class(top: Any) -> Any:
    return next((cls for cls in type(top).__mro__ if cls.__name__ == "COMP"), type(top))


def relative(source: Any, network: Any) -> str:
    """How an operator is named from inside a network: its bare name if it is there, else its path."""
    parent = source.parent()
    if parent is not None and parent.path == network.path:
        return str(source.name)
    return str(source.path)


def wires_in(operator: Any, comp: bool = False) -> list[tuple[Any, int] | None]:
    """What feeds each input: (operator, its output index), or None where nothing is wired.

    `inputs` of TD skips gaps (fact 31), so the connectors are asked. `comp` asks those on top of a COMP.
    """
    found: list[tuple[Any, int] | None] = []
    for connector in operator.inputCOMPConnectors if comp else operator.inputConnectors:
        far = connector.connections
        found.append((far[0].owner, int(far[0].index)) if far else None)
    while found and found[-1] is None:
        found.pop()
    return found


def wires_out(operator: Any, comp: bool = False) -> list[list[tuple[Any, int]]]:
    """What each output feeds: a list of (operator, its input index) by output index."""
    connectors = operator.outputCOMPConnectors if comp else operator.outputConnectors
    return [[(far.owner, int(far.index)) for far in connector.connections] for connector in connectors]


def data_facts(operator: Any) -> dict[str, Any]:
    """Size and kind of what an operator holds, in its family's words. May make it cook.

    Of one that cannot cook: `unavailable`, and why. It can be looked at all the same.
    """
    facts = told_or_why(lambda: _data_facts(operator))
    return {"unavailable": facts} if isinstance(facts, str) else facts


def _data_facts(operator: Any) -> dict[str, Any]:
    if operator.isTOP:
        return {"width": int(operator.width), "height": int(operator.height)}
    if operator.isCHOP:
        names = [str(channel.name) for channel in operator.chans()]
        facts: dict[str, Any] = {
            "channels": len(names),
            "channel_names": names[:20],
            "samples": int(operator.numSamples),
            "rate": rounded(operator.rate),
        }
        return facts
    if operator.isDAT:
        return {
            "rows": int(operator.numRows),
            "columns": int(operator.numCols),
            "table": bool(operator.isTable),
        }
    if operator.isSOP:
        return {"points": int(operator.numPoints), "primitives": int(operator.numPrims)}
    if operator.family == "POP":
        # Methods on POPs, properties on SOPs (fact 41).
        return {"points": int(operator.numPoints()), "primitives": int(operator.numPrims())}
    if operator.isCOMP and not is_annotation(operator):
        return {"children": sum(not is_annotation(child) for child in operator.children)}
    return {}


def cook_cost(operator: Any) -> float:
    """Milliseconds of the last cook, on the processor and on the graphics card together (fact 64)."""
    return float(operator.cpuCookTime) + float(operator.gpuCookTime)


def cook_facts(operator: Any) -> dict[str, Any]:
    """Milliseconds of the last cook, its frame in absolute time, and how many cooks there were."""
    return {
        "ms": rounded(cook_cost(operator), 4),
        # `cookFrame` counts the timeline of the component around it (fact 64).
        "frame": int(operator.cookAbsFrame),
        "total": int(operator.totalCooks),
    }


def set_flags(operator: Any) -> list[str]:
    """The names of the flags that are on."""
    return [name for name, on in read_flags(operator).items() if on]


def position(operator: Any) -> list[int]:
    """Left and bottom edge in the network editor."""
    return [int(operator.nodeX), int(operator.nodeY)]


def size(operator: Any) -> list[int]:
    """Width and height of the tile in the network editor."""
    return [int(operator.nodeWidth), int(operator.nodeHeight)]


def tags(operator: Any) -> list[str]:
    """Tags in alphabetical order, so that two readings of the same state are equal."""
    return sorted(clean(str(tag)) for tag in operator.tags)

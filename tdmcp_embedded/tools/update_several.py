"""update_operator for several operators in one call: renamed, moved, collapsed into a new COMP, dressed alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Call, Steps
from tdmcp_embedded.touchdesigner import appearance, deleting, lookup, operators, places, regroup
from tdmcp_embedded.touchdesigner.builds import find, op_type

#: What all of them get alike.
_DRESS = ("color", "comment", "tags", "flags")
#: Operators that one call takes.
MOST = 500


def update(call: Call, given: Any, output: type[Any]) -> Steps[Any]:
    """Do what `given` (an `UpdateOperator` with `paths` or `names`) says to all of them, all or nothing.

    Raises:
        ToolFailure: about the first thing that is wrong.
    """
    access = aftermath.access(call)
    single = [word for word in ("name", "type", "position") if getattr(given, word) is not None]
    if single:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{' and '.join(single)} of several operators cannot be one.",
            hint="Several take names, parent or collapse, flags, color, comment and tags.",
        )
    if given.parent is not None and given.collapse is not None:
        raise ToolFailure(
            Code.VALUE_INVALID, "Give parent (a COMP that is there) or collapse (a new one), not both."
        )
    if given.collapse is not None and not given.paths:
        raise ToolFailure(
            Code.VALUE_INVALID, "collapse needs paths: the operators that go into the new COMP."
        )
    named = _named(call, given)
    listed = {path: lookup.operator(call.td, path) for path in given.paths or ()}
    everything = list({str(each.path): each for each in (*listed.values(), *named.values())}.values())
    for each in everything:
        access.target(each)
        refuse_own(call, each, "changed together with others")
    homes = {str(each.parent().path) for each in listed.values()}
    if len(homes) > 1 and (given.parent is not None or given.collapse is not None):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"The operators stand in different networks: {', '.join(sorted(homes))}.",
            hint="Move those of one network per call.",
        )
    places.use(call.prepared)
    watch = aftermath.Watch()
    watch.before(everything[: aftermath.MOST_WATCHED])
    changed: list[str] = []
    paths: dict[str, str] = {}
    if given.names:
        paths = regroup.rename(given.names, named)
        changed += ["names"] if paths else []
    standing = [str(each.path) for each in everything]
    moved = regroup.Moved()
    if given.parent is not None:
        moved = regroup.move(call.td, list(listed.values()), lookup.component(call.td, given.parent), access)
    elif given.collapse is not None:
        moved = regroup.collapse(call.td, list(listed.values()), given.collapse, access)
    if moved.paths:
        changed.append("parent" if given.parent is not None else "collapse")
        before = {new: old for old, new in paths.items()}
        paths |= {before.get(old, old): new for old, new in moved.paths.items()}
    now = [moved.paths.get(path, path) for path in standing]
    dressed = [found for path in now if (found := find(call.td, path)) is not None]
    waiting = [path for path in now if find(call.td, path) is None]
    changed += _dress(given, dressed, access)
    about = moved.comp or _home(call, given, dressed)
    result = output(
        path=str(about.path),
        type=op_type(about),
        changed=changed,
        position=operators.position(about),
        count=len(everything),
        moved=moved.paths,
        lost_wires=moved.lost_wires,
        undo=aftermath.done(call, bool(changed)),
    )
    watch.moved(paths)
    touched = [*paths.values(), *moved.touched, *([str(moved.comp.path)] if moved.comp is not None else [])]
    result.problems = yield from watch.after(call, touched or now)
    if waiting and (undressed := [word for word in _DRESS if getattr(given, word)]):
        # What is made in a frame to come is made as it was.
        result.notes.append(
            f"{', '.join(undressed)} not set on {', '.join(waiting[:5])}: set it in another call"
        )
    result.notes += moved.late
    result.broken_references = yield from aftermath.broken_references(call, paths)
    return result


def _named(call: Call, given: Any) -> dict[str, Any]:
    """The operators to be renamed, by the word that names each: a name in the network `path`, or a whole path."""
    network = lookup.component(call.td, given.path) if given.path else None
    found = {}
    for word in given.names:
        if word.startswith("/") or network is None:
            found[word] = lookup.operator(call.td, word)
        else:
            found[word] = lookup.operator(call.td, f"{network.path.rstrip('/')}/{word}")
    return found


def _home(call: Call, given: Any, dressed: list[Any]) -> Any:
    if given.parent is not None:
        return lookup.component(call.td, given.parent)
    if given.path:
        return lookup.operator(call.td, given.path)
    return dressed[0].parent() if dressed else lookup.operator(call.td, "/")


def _dress(given: Any, dressed: list[Any], access: Any) -> list[str]:
    changed: dict[str, None] = {}
    for each in dressed:
        if given.color is not None and appearance.set_color(each, given.color):
            changed["color"] = None
        if given.comment is not None and appearance.set_attribute(each, "comment", given.comment):
            changed["comment"] = None
        if given.tags is not None and appearance.set_tags(each, given.tags):
            changed["tags"] = None
        access.flags(each, given.flags)
        if given.flags and appearance.set_flags(each, given.flags):
            changed["flags"] = None
    return list(changed)


def refuse_own(call: Call, operator: Any, what: str) -> None:
    """Refuse what TouchDesigner needs, and what would restart this server.

    Raises:
        ToolFailure: `precondition_failed`.
    """
    if operator.path in deleting.PROTECTED:
        raise ToolFailure(
            Code.PRECONDITION_FAILED, f"{operator.path} belongs to TouchDesigner and cannot be {what}."
        )
    own = str(call.instance.get("component", ""))
    if own and (own + "/").startswith(operator.path + "/"):
        raise ToolFailure(
            Code.PRECONDITION_FAILED,
            f"{operator.path} is or holds this server's own component; being {what} would restart it.",
            hint="A person can do it in TouchDesigner.",
        )


def line(changed: list[str], count: int, path: str, moved: Mapping[str, str]) -> str:
    """What was done, in one line."""
    words = {"names": "renamed", "parent": "moved", "collapse": "collapsed"}
    done = " and ".join(words.get(each, each) for each in changed) or "unchanged"
    where = f": {', '.join(moved.values())}" if moved else ""
    return f"{path}: {count} operators {done}{where}"

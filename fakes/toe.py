"""The stand-in's own container for `.toe` and `.tox` files: what is saved really comes back.

It begins with `FAKE-TOX`, so that nobody takes it for a file TouchDesigner could open. Inside is compressed JSON, with
storage pickled as TouchDesigner pickles it (fact 36).
"""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import TYPE_CHECKING, Any

from fakes import catalogue, creating, custom, evaluation, wiring
from fakes.errors import tdError
from fakes.nodes import Node, ParState, Wire
from fakes.states import DEFAULT_FLAGS

if TYPE_CHECKING:
    from fakes.world import World

HEAD = b"FAKE-TOX 1\n"
#: Bookkeeping of the parameter state that is not saved.
_STATE = ("value", "mode", "previous_mode", "expr", "bind", "enable", "enable_expr", "read_only")
_INFO = (
    "name", "label", "style", "group", "vec_index", "order", "menu_names", "menu_labels", "menu_source", "default",
    "default_expr", "default_bind", "default_mode", "min", "max", "clamp_min", "clamp_max", "norm", "start_section",
    "help", "password", "sequence",
)  # fmt: skip


def pack(node: Node, kind: str) -> bytes:
    """An operator with everything inside it, as the bytes of a file of that kind (`toe` or `tox`).

    Raises:
        tdError: storage holds something that cannot be pickled.
    """
    described = {"kind": kind, "operator": describe(node)}
    return HEAD + zlib.compress(json.dumps(described).encode(), 1)


def unpack(data: bytes) -> dict[str, Any]:
    """The description inside a file's bytes; `kind` and `operator`.

    Raises:
        tdError: the bytes are not a whole container of the stand-in.
    """
    if not data.startswith(HEAD):
        raise tdError("Failed to load file: it was not written by the stand-in.")
    try:
        described: dict[str, Any] = json.loads(zlib.decompress(data[len(HEAD) :]))
    except (zlib.error, ValueError):
        raise tdError("Failed to load file: it is truncated or damaged.") from None
    return described


# Saving


def describe(node: Node) -> dict[str, Any]:
    """An operator and its children as JSON-ready values."""
    described: dict[str, Any] = {
        "type": node.type,
        "name": node.name,
        "box": [node.x, node.y, node.w, node.h],
        "flags": node.flags,
    }
    optional = {
        "color": node.color,
        "comment": node.comment,
        "tags": sorted(node.tags or ()),
        "blocks": node.blocks,
        "pars": {n: _describe_state(s) for n, s in (node.states or {}).items() if s.export is None},
        "custom": _describe_custom(node),
        "wires": [[w.source.name, w.output] if w else None for w in node.wires or ()],
        "comp_input": node.comp_input.name if node.comp_input else "",
        "dock": node.dock.name if node.dock else "",
        "storage": _pickled(node, node.storage),
        "startup": _pickled(node, node.startup),
        "content": _pickled(node, node.content),
        "children": [describe(child) for child in node.children.values()],
    }
    described.update({key: value for key, value in optional.items() if value})
    return described


def _describe_state(state: ParState) -> dict[str, Any]:
    return {key: getattr(state, key) for key in _STATE}


def _describe_custom(node: Node) -> dict[str, Any]:
    if node.custom is None:
        return {}
    pages = node.custom.pages
    pars = [
        {"on": pages.index(info.page), **{key: getattr(info, key) for key in _INFO}}
        for info in node.custom.pars.values()
    ]
    return {"pages": [page.name for page in pages], "pars": pars}


def _pickled(node: Node, value: Any) -> str:
    if not value:
        return ""
    try:
        return base64.b64encode(pickle.dumps(value)).decode("ascii")
    except Exception as problem:  # Whatever a stored object's own pickling raises.
        raise tdError(f"Cannot pickle the storage of {node.path}: {problem}") from problem


# Loading


def restore(world: World, parent: Node, described: dict[str, Any], name: str = "") -> Node:
    """Make the operator that `describe` described, with new ids, in a network; a taken name gets the next number.

    Nobody hears of it yet: see `tox.announce`.
    """
    node = _make(world, parent, described, name)
    _relate_children(node, described)
    return node


def restore_inside(
    node: Node, described: dict[str, Any], *, custom_too: bool = True, builtin_too: bool = True
) -> None:
    """Give a component the children of a described one, in place of its own.

    With `custom_too` its custom pages and their values as well, with `builtin_too` the values of the built-in ones.
    """
    for child in list(node.children.values()):
        node.world.destroy(child)
    if custom_too:
        _restore_custom(node, described.get("custom") or {})
    theirs = {entry["name"] for entry in (described.get("custom") or {}).get("pars", ())}
    kept = {
        name: fields
        for name, fields in described.get("pars", {}).items()
        if (custom_too if name in theirs else builtin_too)
    }
    _restore_values(node, {**described, "pars": kept})
    for child in described.get("children", ()):
        _make(node.world, node, child)
    _relate_children(node, described)


#: Networks of the root that belong to the program rather than to the project.
SYSTEM = ("local", "sys", "ui", "perform")


def empty_project() -> dict[str, Any]:
    """What `unpack` gives of a project that holds nothing but `/project1`."""
    box = [0, 0, 160, 130]
    inside = {"type": "containerCOMP", "name": "project1", "box": box, "flags": DEFAULT_FLAGS}
    return {
        "kind": "toe",
        "operator": {"type": "baseCOMP", "name": "", "box": box, "flags": 0, "children": [inside]},
    }


def replace_project(world: World, described: dict[str, Any]) -> None:
    """Put the operators of a described root in the place of the present ones; `SYSTEM` stays, with saved values."""
    for child in list(world.root.children.values()):
        if child.name not in SYSTEM:
            world.destroy(child)
    world.give_ids_anew()
    for child in described.get("children", ()):
        if child["name"] not in SYSTEM:
            _make(world, world.root, child)
    for child in described.get("children", ()):
        if child["name"] == "local":
            for inner in child.get("children", ()):
                if inner["name"] in world.root.children["local"].children:
                    _restore_values(world.root.children["local"].children[inner["name"]], inner)
    _relate_children(world.root, described)


def _make(world: World, parent: Node, described: dict[str, Any], name: str = "") -> Node:
    catalogue.type_info(described["type"])
    node = world.create(parent, described["type"], name or described["name"], quiet=True)
    node.x, node.y, node.w, node.h = described["box"]
    node.flags = described["flags"]
    color = described.get("color")
    node.color = (color[0], color[1], color[2]) if color else None
    node.comment = described.get("comment", "")
    node.tags = set(described.get("tags", ())) or None
    _restore_custom(node, described.get("custom") or {})
    _restore_values(node, described)
    for child in described.get("children", ()):
        _make(world, node, child)
    return node


def _restore_values(node: Node, described: dict[str, Any]) -> None:
    if described.get("blocks"):
        node.blocks = dict(described["blocks"])
    for name, fields in described.get("pars", {}).items():
        evaluation.put(node.par(name), fields)
    for slot in ("storage", "startup", "content"):
        if described.get(slot):
            setattr(node, slot, pickle.loads(base64.b64decode(described[slot])))
    if node.startup:
        # Startup values replace what was stored, at every load.
        node.storage = {**(node.storage or {}), **node.startup}
    node.changed("content")


def _restore_custom(node: Node, described: dict[str, Any]) -> None:
    if not described:
        return
    node.custom = custom.CustomPages([custom.CustomPage(name) for name in described["pages"]])
    for entry in described["pars"]:
        fields: dict[str, Any] = {
            key: tuple(entry[key]) if isinstance(entry[key], list) else entry[key] for key in _INFO
        }
        info = custom.CustomInfo(page=node.custom.pages[entry["on"]], **fields)
        node.custom.pars[info.name] = info


def _relate_children(node: Node, described: dict[str, Any]) -> None:
    """Wires, hierarchy and docking inside, once all operators exist. What leads outside is lost (fact 18)."""
    for child in described.get("children", ()):
        inside = node.children[child["name"]]
        if child.get("wires"):
            wires = [
                Wire(node.children[w[0]], w[1]) if w and w[0] in node.children else None
                for w in child["wires"]
            ]
            wiring.set_wires(inside, wires)
        if child.get("comp_input") in node.children:
            wiring.set_comp_input(inside, node.children[child["comp_input"]])
        if child.get("dock") in node.children:
            creating.set_dock(inside, node.children[child["dock"]])
        _relate_children(inside, child)

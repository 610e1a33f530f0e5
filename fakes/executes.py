"""Execute DATs and Parameter Execute DATs: which callback is called when (facts 6, 7 and 29).

A new one is active, and a Parameter Execute DAT listens to values and pulses (fact 71); an exception in a callback becomes a script error of the DAT.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from fakes import paths
from fakes.calls import call
from fakes.errors import NotFaked
from fakes.nodes import Mode

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import ParEvent, World

#: Toggle of the Execute DAT -> the function it calls.
CALLBACKS = {
    "start": "onStart",
    "create": "onCreate",
    "exit": "onExit",
    "framestart": "onFrameStart",
    "frameend": "onFrameEnd",
    "playstatechange": "onPlayStateChange",
    "devicechange": "onDeviceChange",
    "projectpresave": "onProjectPreSave",
    "projectpostsave": "onProjectPostSave",
}

Module = Callable[["Node"], Any]


def _is_constant(node: Node, name: str) -> bool:
    state = node.state(name)
    return state is None or state.mode == Mode.CONSTANT


class Change(NamedTuple):
    """One of the `changes` of onValuesChanged."""

    par: Any
    prev: Any


class Executes:
    """Knows every Execute DAT of a world and calls them. `module` gives the module made of a DAT's text."""

    def __init__(self, world: World, module: Module) -> None:
        self._world = world
        self._module = module
        self._dats: dict[int, Node] = {}
        self._listeners: dict[int, Node] = {}
        world.op_created.append(self._created)
        world.op_destroying.append(self._destroyed)
        world.par_changed.append(self._par_changed)
        world.on_frame_start.append(self._look_at_expressions)
        world.on_frame_end.append(self._tell_changes)
        self._changes: dict[int, list[Change]] = {}
        """What each listener with `valueschanged` on has to be told at the end of this frame."""
        self._values: dict[tuple[int, int, str], Any] = {}
        self._revision = -1
        self._watched: list[tuple[Node, Node, str]] = []
        self._candidates_of = -1
        self._candidates: dict[str, list[tuple[Node, bool]]] = {}
        """By toggle, the Execute DATs that may have it on, and whether that is sure, as long as nothing changes: most
        are asked in every frame."""
        self._functions: dict[tuple[int, str], Callable[..., Any]] = {}
        """Their callbacks, by toggle, for as long."""
        for node in world.walk():
            self._register(node)

    # Who is there

    def _created(self, node: Node) -> None:
        self._register(node)
        # The toggle counts at this moment: a script that switches it on afterwards has missed the event.
        if node.info.name == "executeDAT" and self._is_on(node, "create"):
            self._world.at_next_frame(lambda: self._fire_one(node, "create"))

    def _register(self, node: Node) -> None:
        if node.info.name == "executeDAT":
            self._dats[node.id] = node
        elif node.info.name == "parameterexecuteDAT":
            self._listeners[node.id] = node

    def _destroyed(self, node: Node) -> None:
        self._dats.pop(node.id, None)
        self._listeners.pop(node.id, None)

    # Execute DAT

    def fire(self, toggle: str, *args: Any) -> None:
        """Call the callback behind `toggle` of every Execute DAT that has it on."""
        if self._candidates_of != self._world.cooking.revision:
            self._candidates_of = self._world.cooking.revision
            self._candidates.clear()
            self._functions.clear()
        if toggle not in self._candidates:
            self._candidates[toggle] = [
                (node, self._stays_on(node, toggle))
                for node in self._dats.values()
                if self._may_be_on(node, toggle)
            ]
        for node, stays in self._candidates[toggle]:
            if node.alive and (stays or self._is_on(node, toggle)):
                function = self._functions.get((node.id, toggle))
                if function is not None and self._world.me is None:
                    self._world.callback(node, function, *args)
                else:
                    self._fire_one(node, toggle, *args)

    def fire_until_failure(self, toggle: str) -> bool:
        """The same, but the first exception ends it; whether all went well."""
        for node in list(self._dats.values()):
            if node.alive and self._is_on(node, toggle):
                before = len(node.script_errors or ())
                self._fire_one(node, toggle)
                if len(node.script_errors or ()) > before:
                    return False
        return True

    def _fire_one(self, node: Node, toggle: str, *args: Any) -> None:
        if node.alive:
            call(self._world, node, self._invoke, node, toggle, args)

    def _may_be_on(self, node: Node, toggle: str) -> bool:
        """Whether it is on, or may be before anybody changes anything."""
        return not _is_constant(node, toggle) or bool(node.value(toggle))

    def _stays_on(self, node: Node, toggle: str) -> bool:
        """Whether it is on until somebody changes something."""
        return _is_constant(node, toggle) and _is_constant(node, "active") and self._is_on(node, toggle)

    def _is_on(self, node: Node, toggle: str) -> bool:
        return bool(node.value("active")) and bool(node.value(toggle))

    def _invoke(self, node: Node, toggle: str, args: tuple[Any, ...]) -> None:
        if node.constant("executeloc") != "current":
            raise NotFaked(f"{node.type}.par.executeloc")
        function = getattr(self._module(node), CALLBACKS[toggle], None)
        if function is not None:
            if self._candidates_of == self._world.cooking.revision:
                self._functions[node.id, toggle] = function
            function(*args)

    def _call(self, node: Node, name: str, *args: Any) -> None:
        """Call a function of the DAT; a DAT whose text does not even compile has a script error like any other."""

        def invoke() -> None:
            if node.constant("executeloc") != "current":
                raise NotFaked(f"{node.type}.par.executeloc")
            function = getattr(self._module(node), name, None)
            if function is not None:
                function(*args)

        call(self._world, node, invoke)

    # Parameter Execute DAT

    def _par_changed(self, event: ParEvent) -> None:
        for listener in list(self._listeners.values()):
            if listener.alive and bool(listener.value("active")) and self._hears(listener, event):
                self._tell(listener, event)

    def _hears(self, listener: Node, event: ParEvent) -> bool:
        return event.node in listener.nodes("op") and self._wants(listener, event.node, event.name)

    def _wants(self, listener: Node, node: Node, name: str) -> bool:
        custom = node.custom is not None and name in node.custom.pars
        if not listener.value("custom" if custom else "builtin"):
            return False
        return paths.match_any(str(listener.value("pars")), name)

    def _look_at_expressions(self) -> None:
        """Tell of values that changed without anybody setting them: by an expression, a bind or an export."""
        if self._world.cooking.revision != self._revision:
            self._revision = self._world.cooking.revision
            self._watched = list(self._moving())
        values: dict[tuple[int, int, str], Any] = {}
        for listener, node, name in self._watched:
            if listener.alive and node.alive and listener.value("active"):
                self._look(listener, node, name, values)
        self._values = values

    def _moving(self) -> Iterator[tuple[Node, Node, str]]:
        """(listener, operator, parameter) wherever a parameter that is listened to may change by itself."""
        for listener in self._listeners.values():
            for node in listener.nodes("op"):
                for name, state in (node.states or {}).items():
                    if state.mode != Mode.CONSTANT and self._wants(listener, node, name):
                        yield listener, node, name

    def _look(self, listener: Node, node: Node, name: str, values: dict[tuple[int, int, str], Any]) -> None:
        key = (listener.id, node.id, name)
        with contextlib.suppress(Exception):  # A broken expression raises anything, and shows as an error.
            values[key] = node.value(name)
        if key not in values:
            return
        before = self._values.get(key, values[key])
        if before != values[key]:
            self._value_changed(listener, self._world.face(node).par[name], before)

    def _tell(self, listener: Node, event: ParEvent) -> None:
        par = self._world.face(event.node).par[event.name]
        if event.kind == "value":
            self._value_changed(listener, par, event.previous)
        elif event.kind == "pulse" and listener.value("onpulse"):
            self._call(listener, "onPulse", par)
        elif event.kind == "expression" and listener.value("expressionchange"):
            self._call(listener, "onExpressionChange", par, par.expr, event.previous)
        elif event.kind == "mode" and listener.value("modechange"):
            self._call(listener, "onModeChange", par, par.mode, event.previous)

    def _value_changed(self, listener: Node, par: Any, previous: Any) -> None:
        if listener.value("valuechange"):
            self._call(listener, "onValueChange", par, previous)
        if listener.value("valueschanged"):
            self._changes.setdefault(listener.id, []).append(Change(par, previous))

    def _tell_changes(self) -> None:
        """All changes of this frame in one callback, at its end."""
        told, self._changes = self._changes, {}
        for number, changes in told.items():
            listener = self._listeners.get(number)
            if listener is not None:
                self._call(listener, "onValuesChanged", changes)

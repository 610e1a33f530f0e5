"""What a parameter's value is: constants and their coercion, expressions, binds, exports (facts 22-24, 28)."""

from __future__ import annotations

from types import CodeType
from typing import Any

from fakes import paths
from fakes.catalogue import BUTTON_STYLES, ONLY_TYPES, OP_STYLES, TAKE_SEVERAL
from fakes.coercion import coerce, every, from_script
from fakes.errors import NotFaked, tdError
from fakes.nodes import Mode, Node, ParState
from fakes.problems import ParameterError, expression_text

# -- reading -----------------------------------------------------------------------------------------------------


def value(node: Node, name: str) -> Any:
    """See `Node.value`."""
    engine = node.world.cooking
    engine.note(node, f"par {name}")
    state = node.state(name)
    if state is None:
        return untouched(node, name)
    if not engine.in_cook:
        return evaluate(state)
    try:
        return evaluate(state)
    except NotFaked:
        raise
    except Exception as error:
        # Whoever cooks needs this value: that cook ends here, with the error shown at the parameter.
        state.error = expression_text(state, error)
        raise ParameterError(state, error) from error


def untouched(node: Node, name: str) -> Any:
    """The value of a parameter nobody has set."""
    info = node.par_info(name)
    if info is None:
        raise KeyError(name)
    if info.style == "Sequence":
        return node.num_blocks(name)
    if info.creation is None:
        raise NotFaked(f"value at creation of {node.type}.par.{name}")
    if info.style in OP_STYLES:
        return next(iter(paths.several(node, info.creation)), None)
    return info.creation


def evaluate(state: ParState) -> Any:
    """The value of a touched parameter, by its mode; Node or None for OP styles.

    Raises:
        whatever its expression raises.
    """
    if state.mode == Mode.EXPRESSION:
        return from_script(state, run(state, state.expr))
    if state.mode == Mode.BIND:
        return from_script(state, master_value(state))
    if state.mode == Mode.EXPORT and state.export is not None:
        return from_script(state, exported(state))
    if state.info.style == "Sequence":
        return state.node.num_blocks(state.name)
    if state.info.style in OP_STYLES:
        return next(iter(paths.several(state.node, state.value)), None)
    if state.value is None:
        raise NotFaked(f"value at creation of {state.node.type}.par.{state.name}")
    return state.value


def run(state: ParState, text: str) -> Any:
    """Evaluate an expression text of a parameter in the scope of its operator."""
    node = state.node
    _forget_sources(state)
    if not text.strip():
        return state.value
    if state.code is None or state.code[0] != text:
        state.code = (text, compile(text.strip(), "", "eval"))
    with node.world.cooking.evaluating(node, state.name):
        return evaluate_code(node, state.code[1])


def evaluate_code(node: Node, code: CodeType) -> Any:
    """Evaluate compiled expression code with `me` being `node`."""
    from fakes import scope

    with node.world.context(node):
        return eval(code, scope.for_expression(node, code))


def evaluate_text(node: Node, text: str) -> Any:
    """`OP.evalExpression`: evaluate text as if it were an expression of one of the operator's parameters."""
    return evaluate_code(node, compile(text.strip(), "", "eval"))


def _forget_sources(state: ParState) -> None:
    for source, key in state.sources or ():
        if source.watchers and key in source.watchers:
            source.watchers[key].discard((state.node, state.name))
    state.sources = None
    state.timed = False


def master(state: ParState) -> Any:
    """The object that a parameter's bind expression names: a Par, or another object with a value."""
    return run(state, state.bind)


def master_value(state: ParState) -> Any:
    """The value at the other end of a bind."""
    from fakes.parameters import Par

    found = master(state)
    if isinstance(found, Par):
        return value(found._node, found._name)
    if hasattr(found, "val"):
        return found.val
    raise tdError(f"Invalid bind expression: {state.bind}")


def exported(state: ParState) -> Any:
    """The value that a CHOP or DAT exports to a parameter."""
    from fakes import exports

    with state.node.world.cooking.evaluating(state.node, state.name):
        return exports.value_of(state)


def look(state: ParState) -> None:
    """Evaluate a parameter only to learn whether it fails; `state.error` says with what."""
    try:
        evaluate(state)
        state.error = ""
    except Exception as error:  # noqa: BLE001  Expressions raise anything.
        state.error = expression_text(state, error)


def referenced(node: Node, name: str) -> list[Node]:
    """See `Node.nodes`."""
    node.world.cooking.note(node, f"par {name}")
    state = node.state(name)
    if state is None or state.mode == Mode.CONSTANT:
        return _of_kind(node, name, str(node.constant(name) or ""))
    if state.mode == Mode.EXPRESSION:
        return every(state, run(state, state.expr))
    found = evaluate(state)
    if isinstance(found, Node):
        return [found]
    return paths.several(node, found) if isinstance(found, str) else []


def _of_kind(node: Node, name: str, text: str) -> list[Node]:
    """What a list of paths and patterns names. Where a parameter takes several operators, a pattern names those of its
    kind only: `*` in a Render TOP's geometry is every geometryCOMP (fact 76)."""
    found = paths.several(node, text)
    if (node.type, name) not in TAKE_SEVERAL or not any(paths.is_pattern(word) for word in text.split()):
        return found
    plain = set(paths.several(node, " ".join(w for w in text.split() if not paths.is_pattern(w))))
    info = node.par_info(name)
    kind = ONLY_TYPES.get((node.type, name)) or (info.style if info is not None else "OP")
    return [each for each in found if each in plain or _is_kind(each, kind)]


def _is_kind(node: Node, kind: str) -> bool:
    if kind == "OP" or kind not in OP_STYLES | {"geometryCOMP", "lightCOMP"}:
        return True
    if kind == "lightCOMP":
        return node.type in ("lightCOMP", "ambientlightCOMP", "environmentlightCOMP")
    bases = {"Object": "ObjectCOMP", "PanelCOMP": "PanelCOMP"}
    return kind in (node.type, node.family) or bases.get(kind) in node.info.bases


def dangling(state: ParState) -> list[str]:
    """The plain paths among a constant OP reference that lead nowhere.

    The parameter depends on the networks that lack them: it is looked at again when something appears there.
    """
    node = state.node
    words = [w for w in str(state.value).split() if not paths.is_pattern(w)]
    lost = [w for w in words if not paths.several(node, w)]
    if lost:
        with node.world.cooking.evaluating(node, state.name):
            for word in lost:
                paths.several(node, word)
    return lost


# -- writing -----------------------------------------------------------------------------------------------------


def set_constant(state: ParState, given: Any) -> None:
    """`Par.val = given`: drops an expression; goes to the master of a bind.

    Raises:
        tdError: the value cannot be cast.
        NotFaked: setting the value of a Pulse is not established, and cloning is not faked.
    """
    from fakes.parameters import Par

    if state.info.style == "Pulse":
        raise NotFaked(f"setting the value of the Pulse parameter {state.name}")
    if state.mode == Mode.BIND:
        found = master(state)
        if isinstance(found, Par):
            set_constant(found._node.par(found._name), given)
        else:
            found.val = given
        return
    stored = coerce(state.info, given)
    if state.name == "clone" and stored and state.node.family == "COMP":
        raise NotFaked("cloning a component")
    if (state.node.type, state.name) in state.node.world.stubborn:
        return
    if state.info.style == "Sequence":
        from fakes.sequences import set_blocks

        set_blocks(state.node, state.name, int(stored))
        return
    previous = state.value
    mode = Mode.EXPORT if state.mode == Mode.EXPORT else Mode.CONSTANT
    _change(
        state, "value", previous, value=stored, mode=mode, expr="" if mode == Mode.CONSTANT else state.expr
    )
    for hook in state.node.world.par_set:
        hook(state.node, state.name, previous)


def set_expr(state: ParState, text: str) -> None:
    """`Par.expr = text`: enters EXPRESSION at once; an error shows on evaluation and one frame later."""
    _change(state, "expression", state.expr, expr=str(text), mode=Mode.EXPRESSION)


def set_bind(state: ParState, text: str) -> None:
    """`Par.bindExpr = text`: enters BIND at once (fact 22)."""
    _change(state, "expression", state.bind, bind=str(text), mode=Mode.BIND)


def set_mode(state: ParState, mode: int) -> None:
    """`Par.mode = ...`: the texts and the constant stay."""
    _change(state, "mode", state.mode, mode=mode)


def set_export(state: ParState, source: Node | None, what: str | int = "") -> None:
    """An operator exports to the parameter, or no longer does."""
    if source is None:
        _change(state, "mode", state.mode, export=None, mode=state.previous_mode)
    else:
        _change(state, "mode", state.mode, export=(source, what), mode=Mode.EXPORT)


_KEPT = ("value", "mode", "expr", "bind", "export", "previous_mode")


def _change(state: ParState, kind: str, previous: Any, **fields: Any) -> None:
    before = {k: getattr(state, k) for k in _KEPT}
    after = {**before, **fields}
    if after["mode"] != before["mode"]:
        after["previous_mode"] = before["mode"]
    if after == before and kind == "value":
        return
    node = state.node

    def go(fields: dict[str, Any], was: Any) -> None:
        put(state, fields)
        node.world.par_event(node, state.name, was, kind)

    node.world.undo.record(f"par {state.name}", lambda: go(before, state.value), lambda: go(after, previous))
    go(after, previous)


def put(state: ParState, fields: dict[str, Any]) -> None:
    """Give a parameter's state these fields and tell what depends on it. Not recorded for undo."""
    for key, field in fields.items():
        setattr(state, key, field)
    node = state.node
    # A parameter that went and came back in between (blocks of a sequence, custom ones) has this state again.
    node.states = node.states if node.states is not None else {}
    node.states[state.name] = state
    if state.mode not in (Mode.EXPRESSION, Mode.BIND):
        state.error = ""
        _forget_sources(state)
    if state.name == "opshortcut":
        node.world.shortcut_owners.add(node)
    if state.mode == Mode.EXPRESSION and state.info.style in BUTTON_STYLES:
        node.world.pulse_expressions.add((node, state.name))
    node.changed(f"par {state.name}")


def reset(state: ParState) -> bool:
    """`Par.reset()`: back to the default, constant; whether anything changed."""
    default = state.info.default
    if default is None:
        raise NotFaked(f"default of {state.node.type}.par.{state.name}")
    if state.mode == Mode.CONSTANT and state.value == default:
        return False
    _change(state, "value", state.value, value=default, mode=Mode.CONSTANT, expr="", bind="")
    return True

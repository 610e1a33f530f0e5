"""What a DAT's text is made from: its own words, or everything upstream of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_policy.name_lookup import constant, evaluated, looked_up
from tdmcp_embedded.touchdesigner.code_policy.slot import digest
from tdmcp_embedded.touchdesigner.code_policy.slot_parameters import setting
from tdmcp_embedded.touchdesigner.footprint import Name
from tdmcp_embedded.touchdesigner.telling import told

_MOST_UPSTREAM = 40


@dataclass
class Upstream:
    """What a DAT's text is made from: fingerprints by operator id, and the names by which it was found."""

    contents: dict[int, str] = field(default_factory=dict)
    names: set[Name] = field(default_factory=set)
    watched: set[int] = field(default_factory=set)
    """COMPs whose wires it depends on."""
    dynamic: bool = False


def upstream_of(operator: Any) -> Upstream:
    """Everything that makes a DAT's text, the DAT itself among it."""
    found = Upstream()
    waiting = [operator]
    while waiting and len(found.contents) < _MOST_UPSTREAM:
        each = waiting.pop(0)
        number = int(each.id)
        if number in found.contents:
            continue
        facts = [op_type(each), bool(each.bypass), bool(getattr(each, "lock", False))]
        if each.isDAT:
            facts.append(text_of(each))
        if not (each.isDAT and is_editable(each)):
            for par in each.pars():
                facts.append(setting(par, str(par.name)))
                if par.isOP and not par.isDefault:
                    found.dynamic |= par.mode.name != "CONSTANT"
                    found.names |= looked_up(each, constant(par))
        found.contents[number] = digest(*facts).hex()
        if op_type(each).startswith("in") and each.parent() is not None:
            found.watched.add(int(each.parent().id))
        waiting += sources_of(each)
    found.dynamic |= bool(waiting)
    return found


def text_of(dat: Any) -> str:
    """A DAT's text, or nothing where it cannot cook."""
    return str(told(lambda: dat.text) or "")


def is_editable(dat: Any) -> bool:
    """Whether a DAT's text is its own."""
    fed = any(connector.connections for connector in dat.inputConnectors)
    return told(lambda: dat.isEditable) is True and not fed


def sources_of(operator: Any) -> Iterator[Any]:
    """What an operator's data is made from: its inputs, through COMPs too, and the operators its parameters name."""
    connectors = list(operator.inputConnectors)
    if op_type(operator).startswith("in") and operator.parent() is not None:
        # The connector of the COMP around it is its own.
        outside = operator.parent().inputConnectors
        connectors += [each for each in outside if each.inOP is not None and each.inOP.path == operator.path]
    for connector in connectors:
        for far in connector.connections:
            yield far.outOP if far.owner.isCOMP and far.outOP is not None else far.owner
    if operator.isCOMP or (operator.isDAT and is_editable(operator)):
        return
    for par in operator.pars():
        if par.isOP and not par.isDefault:
            yield from evaluated(par)

"""What an operator type, a Python class or a module offers in this very build."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import describe, lookup
from tdmcp_embedded.touchdesigner.builds import make_sequences, op_type
from tdmcp_embedded.touchdesigner.images import no_undo
from tdmcp_embedded.touchdesigner.script_names import script_name, script_types
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.undo import destroy
from tdmcp_embedded.touchdesigner.values import Json, clean, cut

_SPECIMEN_NAME = "mcp_specimen"


@contextmanager
def specimen(td: ModuleType, type_name: str, component: str) -> Iterator[Any]:
    """An operator of this type to look at, outside the user's networks; it goes away at the end.

    Raises:
        ToolFailure: `operator_type_unknown`, or `td_error` where TD makes none (retired types, fact 16).
    """
    lookup.operator_type(td, type_name)
    home = lookup.exact(td, component) if component else None
    if home is None or not home.isCOMP:
        home = td.op("/local")
    # TD ends an open block with the callback, and a look may take several: one block to make, one to remove.
    with no_undo(td):
        try:
            made = home.create(type_name, _SPECIMEN_NAME)
        except Exception as error:  # noqa: BLE001 - a type that exists may still not be made; TD says why its own way
            raise ToolFailure(
                Code.TD_ERROR, f"TouchDesigner makes no {type_name}: {cut(clean(str(error)), 200)}"
            ) from None
        # Nothing of it may run or reach out while it is looked at.
        if made.isCOMP:
            made.allowCooking = False
        else:
            made.bypass = True
        _fill_sequences(made)
    try:
        yield made
    finally:
        if made.valid:
            with no_undo(td):
                destroy(made)


def _fill_sequences(made: Any) -> None:
    """Have every sequence, and a block of each, so that its parameters are there to be seen (facts 65, 86)."""
    make_sequences(made)
    for sequence in getattr(made, "seq", None) or ():
        if not sequence.numBlocks:
            with suppress(Exception):
                sequence.numBlocks = 1


def operator_facts(op: Any) -> dict[str, Json]:
    """Family, inputs and their names, pages."""
    return {
        "family": str(op.family),
        "max_inputs": told(lambda: int(op.maxInputs)),
        "inputs": [told(partial(_description, connector)) for connector in op.inputConnectors],
        "outputs": len(op.outputConnectors),
        "pages": [clean(str(page.name)) for page in op.pages],
        "docked": [op_type(docked) for docked in op.docked],
        "inside": [op_type(child) for child in op.children][:20],
    }


def _description(connector: Any) -> str:
    return cut(clean(str(connector.description)), 60)


def parameter_line(par: Any) -> dict[str, Json]:
    """A parameter in brief: label, style, default, menu words, page; `new` where a new operator has another value."""
    row = describe.parameter(par)
    value = row.pop("value", None)
    if value is not None and "default" in row and value != row["default"] and not par.isOP:
        # A new Execute DAT is active, whatever the default (facts 28, 71).
        row["new"] = value
    row.pop("mode", None)
    row["page"] = clean(str(par.page.name)) if par.page is not None else ""
    return row


def python_facts(td: ModuleType, name: str, pattern: str | None) -> dict[str, Json]:
    """Members of a class or module by dotted name ("Par", "td", "tdu.Position"), with signature and first words.

    Raises:
        ToolFailure: `operator_type_unknown`, when there is nothing of that name.
    """
    found = _named(td, name)
    members: dict[str, Json] = {}
    for member in sorted(dir(found)):
        if member.startswith("_") or (pattern and not fnmatchcase(member.lower(), pattern.lower())):
            continue
        members[member] = _member(found, member)
    bases = [base.__name__ for base in found.__mro__[1:-1]] if isinstance(found, type) else []
    return {
        "kind": "class" if isinstance(found, type) else "module",
        "bases": bases,
        "doc": _doc(found),
        "members": members,
    }


def _named(td: ModuleType, name: str) -> Any:
    found: Any = td
    parts = name.split(".")
    for part in parts[1:] if parts[0] == "td" else parts:
        if found is td:
            try:
                found = script_name(td, part)
            except AttributeError:
                found = None
        elif isinstance(found, ModuleType):
            found = getattr(found, part, None)
        else:
            found = inspect.getattr_static(found, part, None)
        if found is None:
            break
    if found is None or not isinstance(found, (type, ModuleType)):
        known = [n for n in (*dir(td), *script_types()) if not n.startswith("_")]
        raise ToolFailure(
            Code.OPERATOR_TYPE_UNKNOWN,
            f"This build has no operator type, class or module {name!r}.",
            hint="Operator types are written like noiseTOP, classes like Par, modules like td or tdu.",
            suggestions=near(parts[-1], known),
        )
    return found


def _member(owner: Any, name: str) -> Json:
    # Static: reading a property of a class runs nothing.
    member = inspect.getattr_static(owner, name, None)
    if isinstance(member, property):
        return cut("property" + (f": {_doc(member)}" if _doc(member) else ""), 160)
    if isinstance(member, type):
        return "class"
    if isinstance(member, ModuleType):
        return "module"
    if callable(member) or isinstance(member, (staticmethod, classmethod)):
        function = getattr(member, "__func__", member)
        try:
            signature = str(inspect.signature(function))
        except (ValueError, TypeError):
            signature = "(…)"
        return cut(signature + (f": {_doc(function)}" if _doc(function) else ""), 160)
    return type(member).__name__


def _doc(found: Any) -> str:
    text = inspect.getdoc(found) or ""
    return clean(text.strip().split("\n\n")[0].replace("\n", " "))[:300]

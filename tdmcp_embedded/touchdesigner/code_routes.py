"""Every way in which an edit could bring code into a project, in one place.

At level *edit* an agent may shape networks but not run code, by any route: expressions and binds, Python-typed
parameters, text that Python would execute, operators whose purpose is to run scripts or to load components, callbacks,
extensions, external files, and the component's own settings (which hold the levels). Each test says no where in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_policy.reach import is_executor, is_unknown, reason
from tdmcp_embedded.touchdesigner.code_text import does_nothing, holds_code, is_code, is_code_cell
from tdmcp_embedded.touchdesigner.exports import (
    exported,
    exporting,
    extension,
    inside,
    readers,
)

#: Text parameters that TD evaluates or runs as code, with the block numbers of sequences taken out.
_CODE_PARAMETERS = frozenset(
    {
        "expr", "exprexpr", "exprs", "expression", "datexpr", "rowexpr", "colexpr", "cellexpr", "fillsexpr",
        "replaceexpr", "parexpressionfilter", "script", "scriptcallback", "tscript", "aend", "dragscript",
        "dropscript", "dropdestscript", "dragdropcallbacks", "callbacks", "callback", "extobject", "extname",
        "extpromote", "ext", "reinitextensions", "clone", "enablecloning", "enablecloningpulse", "externaltox",
        "enableexternaltox", "enableexternaltoxpulse", "loadonstart", "loadonstartpulse", "syncfile", "write",
        "writepulse", "fromop", "executeloc", "initextonstart", "droptypescript", "activatecallbacks", "writefile",
        "savecaptfile",
    }
)  # fmt: skip
_CODE_STYLES = frozenset({"Python", "File", "FileSave", "Folder"})

#: What makes an operator that writes files write.
_RECORDING = frozenset({"record", "recordpulse", "addframe"})
_WRITER = re.compile(r"^[a-z0-9]+out[A-Z]+$")


@dataclass(frozen=True)
class Access:
    """What the present call may bring in.

    Args:
        code: whether the caller's level allows code (level full).
        component: path of the server's own component, whose settings only level full may touch.
    """

    code: bool = True
    component: str = ""

    def target(self, operator: Any) -> None:
        """Refuse to touch the server's own component below level full: its parameters hold the levels."""
        if not self.code and self.component and inside(operator.path, self.component):
            raise _denied(f"changing {operator.path}, which belongs to this server's own component,")

    def type(self, type_name: str) -> None:
        """Refuse to make an operator whose purpose is running code, or that reaches outside the project."""
        if self.code:
            return
        if (why := reason(type_name)) is not None:
            raise _denied(f"making a {type_name}, which {why},")
        if is_executor(type_name):
            raise _denied(f"making a {type_name}, which runs code or loads files,")
        if is_unknown(type_name):
            raise _denied(f"making a {type_name}, a type that this server does not know,")

    def made(self, operator: Any) -> None:
        """The same, asked of a new operator: a type that the list does not know shows itself by its callbacks."""
        self.retyped(operator, False)

    def retyped(self, operator: Any, held: bool) -> None:
        """The same of one that has another type now; whether it held code before."""
        if self.code or not operator.isDAT:
            return
        if operator.par["callbacks"] is not None:
            raise _denied(f"making a {op_type(operator)}, which runs callbacks,")
        if not held and operator.isEditable and holds_code(operator):
            raise _denied(f"making {operator.path} a {op_type(operator)}, which makes code of what it holds,")

    def parameter(self, operator: Any, par: Any, form: str = "constant") -> None:
        """Refuse a write that would bring in code. `form` is constant, expr, bind, reset or pulse."""
        if self.code:
            return
        self.target(operator)
        where = f"{operator.path} {par.name}"
        if form in ("expr", "bind"):
            raise _denied(f"{'an expression' if form == 'expr' else 'a bind'} on {where}")
        if (why := reason(op_type(operator))) is not None:
            raise _denied(f"setting {where}: a {op_type(operator)} {why}; that")
        if is_executor(op_type(operator)):
            raise _denied(f"setting {where}: a {op_type(operator)} runs code; that")
        if par.style in _CODE_STYLES or par.isPython:
            raise _denied(f"setting {where}, which names {'code' if par.isPython else 'a file'},")
        if re.sub(r"\d+", "", par.name) in _CODE_PARAMETERS:
            raise _denied(f"setting {where}, which can bring in code,")
        if par.name in _RECORDING and _WRITER.match(op_type(operator)) and operator.par["file"] is not None:
            raise _denied(f"setting {where}, which writes a file,")

    def custom(self, operator: Any, definition: Mapping[str, Any], present: Mapping[str, Any]) -> None:
        """Refuse a custom parameter whose definition holds code that is not there already (`present`)."""
        if self.code:
            return
        self.target(operator)
        style = definition["style"]
        same = present.get("style") == style and definition.get("default") in (None, present.get("default"))
        if style in _CODE_STYLES and (style == "Python" or definition.get("default")) and not same:
            raise _denied(f"a custom parameter of style {style}")
        for name in ("menu_source", "enable_expr"):
            if definition.get(name) and definition[name] != present.get(name):
                raise _denied(f"a custom parameter with {name}, which is an expression,")

    def text(self, dat: Any, text: str) -> None:
        """Refuse text that could run, or that goes where text is run."""
        if self.code:
            return
        self.target(dat)
        if is_executor(op_type(dat)):
            raise _denied(f"writing into {dat.path}: a {op_type(dat)} runs its text; that")
        if is_code(text):
            raise _denied(f"writing Python into {dat.path}")

    def cells(self, dat: Any, rows: Iterable[Iterable[str]]) -> None:
        """The same of a table: what is prose as a whole can hold an expression in a cell, which some read singly."""
        if self.code:
            return
        rows = [list(row) for row in rows]
        for cell in {cell for row in rows for cell in row}:
            if is_code_cell(cell):
                raise _denied(f"writing the Python {cell[:60]!r} into a cell of {dat.path}")
        self.text(dat, "\n".join("\t".join(row) for row in rows))

    def wire(self, target: Any) -> None:
        """Refuse to change what flows into a DAT that holds code."""
        if self.code or not target.isDAT:
            return
        for dat in (target, *readers(target)):
            # What makes its text of others is left to the comparison; asking for the text would cook it.
            if dat.isEditable and holds_code(dat):
                raise _denied(f"wiring into {target.path}: {dat.path} holds code; that")

    def left(self, operators: Iterable[Any]) -> None:
        """Refuse exports that an edit leaves behind, to where code is started."""
        if not self.code:
            for each in exporting(each for each in operators if each.valid):
                self._exports(each)

    def flags(self, operator: Any, flags: Mapping[str, bool]) -> None:
        """Refuse flags that wake code, or (at every level) that stop this server."""
        if flags.get("allowCooking") is False and self.component and inside(self.component, operator.path):
            raise ToolFailure(
                Code.PRECONDITION_FAILED,
                f"{operator.path} is or holds this server's own component, which would stop.",
                hint="A person can do it in TouchDesigner.",
            )
        if self.code:
            return
        if flags.get("bypass") is False and operator.bypass:
            if (why := reason(op_type(operator))) is not None:
                raise _denied(f"waking {operator.path}: a {op_type(operator)} {why}; that")
            if is_executor(op_type(operator)):
                raise _denied(f"waking {operator.path}: a {op_type(operator)} runs code; that")
        if flags.get("export") and not operator.export:
            if operator.isCHOP and operator.par.exportmethod != "autoname" and operator.par.exporttable.val:
                raise _denied(f"exporting {operator.path} through a table")
            self._exports(operator)

    def carries(self, operator: Any) -> None:
        """Refuse to copy or move an operator that holds code, itself or below it."""
        if self.code:
            return
        for each in (operator, *(operator.findChildren() if operator.isCOMP else ())):
            if (why := reason(op_type(each))) is not None:
                raise _denied(f"copying {each.path}, a {op_type(each)}, which {why},")
            code = each.isDAT and holds_code(each) and (each.isTable or not does_nothing(each.text))
            if is_executor(op_type(each)) or code or extension(each):
                raise _denied(f"copying {each.path}, which holds code,")

    def needs_full(self, what: str) -> None:
        """Refuse something that always needs level full."""
        if not self.code:
            raise _denied(what)

    def _exports(self, operator: Any) -> None:
        for target, name, value in exported(operator):
            par = target.par[name] if name.isidentifier() else None
            if par is None:
                continue
            self.target(target)
            base = re.sub(r"\d+", "", name)
            if is_executor(op_type(target)) or par.style in _CODE_STYLES or base in _CODE_PARAMETERS:
                raise _denied(f"exporting {operator.path} to {target.path} {name}, which can start code,")
            if is_code_cell(value):
                raise _denied(f"exporting the expression {value[:60]!r} to {target.path} {name}")


def _denied(what: str) -> ToolFailure:
    return ToolFailure(
        Code.ACCESS_DENIED,
        f"{what[:1].upper()}{what[1:]} needs access level full; this key works at level edit.",
        hint="Use constant values and plain data, or ask the user for a key of level full.",
        details={"needs_level": "full"},
    )

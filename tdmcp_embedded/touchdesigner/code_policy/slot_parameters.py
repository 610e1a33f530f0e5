"""Which parameters may hold code, name it, or bring it in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_policy import reach
from tdmcp_embedded.touchdesigner.telling import told

#: Parameters that name the DAT whose functions or text TouchDesigner runs, block numbers taken out.
REFERRING = frozenset(
    {
        "callbacks", "callback", "scriptcallback", "dragdropcallbacks", "dragscript", "dropscript",
        "dropdestscript", "droptypescript", "script", "datexpr", "executedat",
    }
)  # fmt: skip


#: Text parameters that are Python, or another script language, though their style does not say so.
SCRIPTS = frozenset(
    {
        "expr", "exprexpr", "exprs", "expression", "rowexpr", "colexpr", "cellexpr", "fillsexpr", "replaceexpr",
        "parexpressionfilter", "tscript", "aend", "extobject", "extname", "extpromote", "multitexexpr",
    }
)  # fmt: skip


#: What brings in code from a file or from another component, or says that it is to be brought in.
SOURCES = frozenset(
    {
        "clone", "enablecloning", "externaltox", "enableexternaltox", "loadonstart", "syncfile", "plugin", "tox",
        "initextonstart", "executeloc", "fromop", "master",
    }
)  # fmt: skip


#: A COMP's shortcuts: not code, but code is found by them.
SHORTCUTS = frozenset({"opshortcut", "parentshortcut", "iopshortcut", "iopop"})


#: By type, and by the number of its built-in parameters: those of them that may hold code while they are constant. With
#: another number of blocks in a sequence there are other parameters.
_speaking: dict[tuple[str, int], tuple[str, ...]] = {}


_NUMBER = re.compile(r"\d+")


def base(name: str) -> str:
    """A parameter's name without the block number of its sequence."""
    return _NUMBER.sub("", name)


def possible_slots(operator: Any, kind: str) -> Iterator[Any]:
    """The parameters that may be slots: those that are not constant, and those whose constants may be code."""
    pars, custom = operator.pars(), operator.customPars
    constant: Any = None
    for par in pars:
        # The one question asked of every parameter in the project.
        mode = par.mode
        if constant is None:
            constant = type(mode).CONSTANT
        if mode is not constant:
            yield par
    key = (kind, len(pars) - len(custom))
    names = _speaking.get(key)
    if names is None:
        builtin = operator.builtinPars
        names = tuple(str(par.name) for par in builtin if may_be_code(par))
        if not any(par.isSequence for par in builtin):
            _speaking[key] = names
    for name in names:
        par = operator.par[name]
        if par is not None and par.mode is constant:
            yield par
    yield from (par for par in custom if par.mode is constant)


def may_be_code(par: Any) -> bool:
    plain = base(str(par.name))
    return bool(par.isPython) or plain in REFERRING or plain in SCRIPTS or plain in SOURCES


def starts_code(operator: Any, par: Any, name: str) -> bool:
    plain = base(name)
    return (
        reach.is_executor(op_type(operator))
        or bool(reach.reason(op_type(operator)))
        or bool(par.isPython)
        or plain in REFERRING
        or plain in SCRIPTS
        or plain in SOURCES
        or plain in SHORTCUTS
        or str(par.style) in ("File", "FileSave", "Folder")
    )


def setting(par: Any, name: str) -> str:
    """What a parameter is set to, if it was set."""
    if name == "pageindex" or par.isDefault or par.isPulse or par.isMomentary:
        return ""
    mode = par.mode.name
    held = par.expr if mode == "EXPRESSION" else par.bindExpr if mode == "BIND" else told(lambda: par.val)
    if mode == "EXPORT":
        held = par.exportOP.path if par.exportOP is not None else ""
    return f"{name} {mode} {getattr(held, 'path', held)}"

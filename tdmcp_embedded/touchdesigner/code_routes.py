"""Every way in which an edit could bring code into a project, in one place.

At level *edit* an agent may shape networks but not run code, by any route: expressions and binds, Python-typed
parameters, text that Python would execute, operators whose purpose is to run scripts or to load components, callbacks,
extensions, external files, and the component's own settings (which hold the levels). Each test says no where in doubt.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure

#: Types that exist to run scripts, plug-ins or whole components; `is_executor` adds the families below.
_EXECUTORS = frozenset(
    {
        "evaluateDAT", "expressionCHOP", "insertDAT", "examineDAT", "clipDAT", "clipCHOP", "clipblenderCHOP",
        "replicatorCOMP", "engineCOMP", "pipeinCHOP", "pipeoutCHOP", "serialCHOP", "webrenderTOP", "opfindDAT",
        "errorDAT", "fifoDAT", "keyboardinDAT", "midieventDAT", "midiinDAT", "multitouchinDAT", "mqttclientDAT",
        "oscinDAT", "oscoutDAT", "renderpickDAT", "serialDAT", "serialdevicesDAT", "socketioDAT", "tcpipDAT",
        "tuioinDAT", "udpinDAT", "udpoutDAT", "udtinDAT", "udtoutDAT", "webDAT", "webclientDAT", "webrtcDAT",
        "webserverDAT", "websocketDAT", "ndiDAT", "artnetDAT", "etherdreamDAT", "monitorsDAT", "audiodevicesDAT",
        "videodevicesDAT", "performDAT", "touchinDAT", "touchinCHOP", "touchinTOP",
    }
)  # fmt: skip
_EXECUTOR_NAME = re.compile(r"(execute|script|cplusplus)", re.IGNORECASE)

#: Text parameters that TD evaluates or runs as code, with the block numbers of sequences taken out.
_CODE_PARAMETERS = frozenset(
    {
        "expr", "exprexpr", "exprs", "expression", "datexpr", "rowexpr", "colexpr", "cellexpr", "fillsexpr",
        "replaceexpr", "parexpressionfilter", "script", "scriptcallback", "tscript", "aend", "dragscript",
        "dropscript", "dropdestscript", "dragdropcallbacks", "callbacks", "callback", "extobject", "extname",
        "extpromote", "ext", "reinitextensions", "clone", "enablecloning", "enablecloningpulse", "externaltox",
        "enableexternaltox", "enableexternaltoxpulse", "loadonstart", "loadonstartpulse", "syncfile", "write",
        "writepulse", "fromop", "executeloc",
    }
)  # fmt: skip
_CODE_STYLES = frozenset({"Python", "File", "FileSave", "Folder"})
_CODE_REFERENCES = ("callbacks", "dragdropcallbacks")

#: A comment that changes how Python reads the rest of the text: it could hide code from the test below.
_CODING_COOKIE = re.compile(r"\A[^\n]*\n?[ \t\f]*#[^\n]*coding[:=]|\A[ \t\f]*#[^\n]*coding[:=]")

_HARMLESS = (
    ast.Module, ast.Expr, ast.Constant, ast.Name, ast.Load, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.Attribute, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip

_MOST_SIBLINGS = 500
_MOST_READERS = 50


def is_executor(type_name: str) -> bool:
    """Whether operators of this type exist to run code."""
    return type_name in _EXECUTORS or _EXECUTOR_NAME.search(type_name) is not None


def is_code(text: str) -> bool:
    """Whether Python would do anything with this text: more than look at names and literals.

    Shaders, prose and JSON are not code: Python refuses to compile the first two, and the third only names things.
    Any text DAT can be imported or called by name, so what its text could do is what counts, not where it stands.
    """
    if _CODING_COOKIE.search(text):
        return True
    if len(text) > 50_000:
        # Large literals are slow to parse as Python; JSON cannot do anything.
        try:
            json.loads(text)
            return False
        except ValueError:
            pass
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return True
    return not all(isinstance(node, _HARMLESS) for node in ast.walk(tree))


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
        if not self.code and self.component and _inside(operator.path, self.component):
            raise _denied(f"changing {operator.path}, which belongs to this server's own component,")

    def type(self, type_name: str) -> None:
        """Refuse to make an operator whose purpose is running code."""
        if not self.code and is_executor(type_name):
            raise _denied(f"making a {type_name}, which runs code or loads files,")

    def made(self, operator: Any) -> None:
        """The same, asked of a new operator: a type that the list does not know shows itself by its callbacks."""
        if not self.code and operator.isDAT and operator.par["callbacks"] is not None:
            raise _denied(f"making a {operator.opType}, which runs callbacks,")

    def parameter(self, operator: Any, par: Any, form: str = "constant") -> None:
        """Refuse a write that would bring in code. `form` is constant, expr, bind, reset or pulse."""
        if self.code:
            return
        self.target(operator)
        where = f"{operator.path} {par.name}"
        if form in ("expr", "bind"):
            raise _denied(f"{'an expression' if form == 'expr' else 'a bind'} on {where}")
        if is_executor(operator.opType):
            raise _denied(f"setting {where}: a {operator.opType} runs code; that")
        if par.style in _CODE_STYLES or par.isPython:
            raise _denied(f"setting {where}, which names {'code' if par.isPython else 'a file'},")
        if re.sub(r"\d+", "", par.name) in _CODE_PARAMETERS:
            raise _denied(f"setting {where}, which can bring in code,")

    def custom(self, operator: Any, style: str, **texts: str | None) -> None:
        """Refuse a custom parameter whose definition holds code."""
        if self.code:
            return
        self.target(operator)
        if style == "Python":
            raise _denied("a custom parameter of style Python")
        for name, text in texts.items():
            if text:
                raise _denied(f"a custom parameter with {name}, which is an expression,")

    def text(self, dat: Any, text: str) -> None:
        """Refuse text that could run, or that goes where text is run."""
        if self.code:
            return
        self.target(dat)
        if is_executor(dat.opType):
            raise _denied(f"writing into {dat.path}: a {dat.opType} runs its text; that")
        if is_code(text):
            raise _denied(f"writing Python into {dat.path}")
        user = runs_text_of(dat)
        if user:
            raise _denied(f"writing into {dat.path}, which {user} runs,")

    def carries(self, operator: Any) -> None:
        """Refuse to copy or move an operator that holds code, itself or below it."""
        if self.code:
            return
        for each in (operator, *(operator.findChildren() if operator.isCOMP else ())):
            if (
                is_executor(each.opType)
                or (each.isDAT and each.isText and is_code(each.text))
                or _extension(each)
            ):
                raise _denied(f"copying {each.path}, which holds code,")

    def needs_full(self, what: str) -> None:
        """Refuse something that always needs level full."""
        if not self.code:
            raise _denied(what)


def runs_text_of(dat: Any) -> str:
    """The path of an operator near `dat` that runs its text as callbacks, extension or expressions; "" if none."""
    parent = dat.parent()
    if parent is None:
        return ""
    candidates = [dat.dock] if dat.dock is not None else []
    candidates += parent.children[:_MOST_SIBLINGS]
    for other in candidates:
        if any(_refers(other, name, dat) for name in _CODE_REFERENCES):
            return str(other.path)
        if other.opType == "evaluateDAT" and (_refers(other, "dat", dat) or _refers(other, "datexpr", dat)):
            return str(other.path)
    for reader in _readers(dat):
        if is_executor(reader.opType):
            return str(reader.path)
    if re.search(rf"\b{re.escape(dat.name)}\b", _extension(parent)):
        return str(parent.path)
    return ""


def _refers(operator: Any, name: str, dat: Any) -> bool:
    par = operator.par[name]
    return par is not None and any(found.path == dat.path for found in par.evalOPs())


def _readers(dat: Any) -> list[Any]:
    """Operators fed by `dat` over wires, nearest first, bounded."""
    found: list[Any] = []
    waiting = [dat]
    seen = {dat.path}
    while waiting and len(found) < _MOST_READERS:
        for connector in waiting.pop(0).outputConnectors:
            for other in connector.connections:
                if other.owner.path not in seen:
                    seen.add(other.owner.path)
                    found.append(other.owner)
                    waiting.append(other.owner)
    return found


def _extension(operator: Any) -> str:
    """The expressions that make a COMP's extensions, as text."""
    if not operator.isCOMP:
        return ""
    return "\n".join(f"{par.val}\n{par.expr}" for par in operator.pars("ext*object") if par.val or par.expr)


def _inside(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


def _denied(what: str) -> ToolFailure:
    return ToolFailure(
        Code.ACCESS_DENIED,
        f"{what[:1].upper()}{what[1:]} needs access level full; this key works at level edit.",
        hint="Use constant values and plain data, or ask the user for a key of level full.",
        details={"needs_level": "full"},
    )

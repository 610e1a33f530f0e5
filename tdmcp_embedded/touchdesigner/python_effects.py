"""What a piece of Python may do to the project, as far as its text tells; in doubt it may do everything.

Knowing this beforehand saves looking through the project (ten thousand operators take frames), and an undo block that
stays empty may clear what the user could redo.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Effects:
    """What code may do; with all of them false it only looks."""

    edits: bool = False
    """It may change something at all."""
    makes: bool = False
    """It may make, delete, move or rename operators."""
    stores: bool = False
    """It may change what operators hold in their storage."""
    opaque: bool = False
    """It runs what its text does not show, which may also end or switch off undo."""
    shows: bool = field(default=False, compare=False)
    """Its text itself speaks of making, deleting, moving or renaming."""
    computed: bool = field(default=False, compare=False)
    """It finds operators by names that its text does not spell out."""
    derived: bool = field(default=False, compare=False)
    """It goes from the operators it names to others: what they hold, or what is around them."""
    from_me: bool = field(default=False, compare=False)
    """It speaks of the operator it runs as."""
    from_root: bool = field(default=False, compare=False)
    names: frozenset[str] = field(default=frozenset(), compare=False)
    """Texts in it that may be names or paths of operators."""


EVERYTHING = Effects(True, True, True, True, shows=True, computed=True)

#: How code goes from one operator to others.
_DERIVING = frozenset(
    {
        "children", "findChildren", "findChild", "ops", "inputs", "outputs", "docked", "dock", "parent", "selectedChildren",
        "currentChild", "owner", "eval", "evalOP", "evalOPs", "val", "inputConnectors", "outputConnectors",
    }
)  # fmt: skip
_FINDERS = frozenset({"op", "ops", "opex"})
_PATH = re.compile(r"[\w./-]{1,200}")

#: What changes which operators there are.
_MAKING = frozenset(
    {
        "create", "copy", "copyOPs", "pasteOPs", "destroy", "changeType", "loadTox", "loadByteArray", "collapseSelected",
        "loadChildrenFromRecord", "insertCopy", "resetPars", "initializeExtensions", "name",
    }
)  # fmt: skip
_STORING = frozenset({"store", "unstore", "storage", "storeStartupValue", "unstoreStartupValue"})
#: What may end an undo block, switch undo off, or run code of others.
_UNSTEADY = frozenset(
    {"undo", "ext", "mod", "module", "modules", "extensions", "run", "runs", "annotateCOMP", "annotate"}
)  # fmt: skip
#: What changes operators without making any.
_WRITING = frozenset(
    {
        "pulse", "reset", "connect", "disconnect", "setInputs", "appendRow", "appendRows", "appendCol", "appendCols",
        "insertRow", "insertCol", "replaceRow", "replaceCol", "deleteRow", "deleteRows", "deleteCol", "deleteCols", "clear",
        "setSize", "tags", "play", "jumpToFrame", "clearScriptErrors", "write", "save", "saveExternalTox",
    }
)  # fmt: skip
#: Methods that only look, or change nothing but the code's own values.
_LOOKING = frozenset(
    {
        # operators and parameters
        "op", "ops", "opex", "parent", "par", "pars", "parGroup", "eval", "evalOPs", "evalOP", "evalNorm", "evalRow",
        "evalCol", "findChildren", "findChild", "errors", "warnings", "scriptErrors", "cook", "fetch", "relativePath",
        "shortcutPath", "row", "rows", "col", "cols", "cell", "cells", "findCell", "findCells", "chan", "chans",
        "numpyArray", "sample", "vals", "numPoints", "numPrims", "points", "prims", "childrenCPUMemory",
        "childrenGPUMemory", "dirty", "worldTransform", "localTransform", "isMainThread", "var",
        # text, containers, numbers
        "format", "join", "split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith",
        "lower", "upper", "title", "count", "index", "find", "rfind", "encode", "decode", "zfill", "ljust", "rjust",
        "partition", "rpartition", "isdigit", "isalpha", "isidentifier", "removeprefix", "removesuffix", "items", "keys",
        "values", "get", "append", "extend", "add", "update", "pop", "remove", "discard", "insert", "sort", "reverse",
        "setdefault", "most_common", "union", "intersection", "difference", "tolist", "mean", "min", "max", "sum", "std",
        "round", "astype", "reshape", "flatten", "any", "all", "is_integer", "group", "groups", "groupdict", "total",
    }
)  # fmt: skip
#: Functions that only look; of TouchDesigner and of Python.
_FUNCTIONS = frozenset(
    {
        "op", "ops", "opex", "parent", "var", "debug", "print", "abs", "all", "any", "ascii", "bin", "bool", "bytes", "chr",
        "dict", "dir", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "id", "int",
        "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "oct", "ord", "pow", "range",
        "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip", "callable", "hasattr",
        "Exception", "ValueError", "TypeError", "KeyError", "RuntimeError", "AssertionError", "ZeroDivisionError", "quit",
        "exit", "SystemExit", "KeyboardInterrupt",
    }
)  # fmt: skip
#: Modules whose functions know nothing of TouchDesigner.
_MODULES = frozenset(
    {
        "math", "json", "re", "time", "random", "itertools", "functools", "collections", "statistics", "string",
        "textwrap", "datetime", "platform", "fnmatch", "operator", "decimal", "fractions", "hashlib", "base64", "pprint",
        "numpy",
    }
)  # fmt: skip
#: What a capitalised attribute may follow without being a member of somebody's extension.
_NAMESPACES = frozenset({"par", "parGroup", "seq", "op", "parent", "iop", "ipar", "td", "tdu"})


def of(code: str) -> Effects:
    """What this code may do; code that does not parse does nothing."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Effects()
    reader = _Reader(tree)
    try:
        reader.visit(tree)
    except RecursionError:
        return EVERYTHING
    opaque = reader.opaque
    return Effects(
        reader.edits or opaque, reader.makes or opaque, reader.stores or opaque, opaque,
        shows=reader.makes, computed=reader.computed, derived=reader.derived,
        from_me=bool(reader.spoken & {"me", "parent"}), from_root="root" in reader.spoken, names=frozenset(reader.names),
    )  # fmt: skip


class _Reader(ast.NodeVisitor):
    def __init__(self, tree: ast.AST) -> None:
        self.edits = self.makes = self.stores = self.opaque = self.computed = self.derived = False
        self.names: set[str] = set()
        self.spoken: set[str] = set()
        self._modules = {"tdu"}
        # Names that only ever stand for something the code defines itself.
        self._functions = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        self._containers = _containers(tree)
        rebound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        rebound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        self._functions -= rebound
        self._known = (_FUNCTIONS | self._functions) - rebound

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.partition(".")[0] not in _MODULES:
                self.opaque = True
            self._modules.add(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or (node.module or "").partition(".")[0] not in _MODULES:
            self.opaque = True
        self._known |= {alias.asname or alias.name for alias in node.names}

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        if name in _FINDERS and not all(_is_name(each) for each in node.args):
            self.computed = True
        if isinstance(called, ast.Name):
            if called.id == "getattr" and len(node.args) > 1:
                self._named(node.args[1])
            elif called.id == "setattr" and len(node.args) > 1:
                self.edits = True
                self._named(node.args[1])
            elif called.id not in self._known:
                self.opaque = True
        elif isinstance(called, ast.Attribute):
            of_module = isinstance(called.value, ast.Name) and called.value.id in self._modules
            if called.attr not in _LOOKING | _WRITING | _MAKING | _STORING and not of_module:
                self.opaque = True
        elif not isinstance(called, ast.Lambda):
            self.opaque = True
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._member(node.attr)
        self.derived = self.derived or node.attr in _DERIVING
        # A shortcut: `op.Tool`, `parent.Tool`, `iop.part`.
        self.computed = self.computed or (
            isinstance(node.value, ast.Name) and node.value.id in ("op", "parent", "iop", "ipar")
        )
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.edits = True
            self.makes = self.makes or node.attr == "name"
        if node.attr[:1].isupper() and node.attr != "OPType" and not self._is_namespace(node.value):
            # It may be promoted from an extension: reading it may run code.
            self.opaque = True
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        own = isinstance(node.value, ast.Name) and node.value.id in self._containers
        if isinstance(node.ctx, (ast.Store, ast.Del)) and not own:
            self.edits = True
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if any(not isinstance(each, ast.Name) or each.id not in self._known for each in node.decorator_list):
            self.opaque = True
        self.generic_visit(node)

    def _named(self, name: ast.expr) -> None:
        """A member that is named by a value."""
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._member(name.value)
            self.makes = self.makes or name.value == "name"
            self.opaque = self.opaque or name.value[:1].isupper()
        else:
            self.opaque = True

    def _member(self, name: str) -> None:
        if name in _UNSTEADY or (name.startswith("__") and name != "__name__"):
            self.opaque = True
        elif name in _MAKING - {"name"}:
            self.edits = self.makes = True
        elif name in _STORING:
            self.edits = self.stores = True
        elif name in _WRITING:
            self.edits = True

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str):
            return
        if "annotateCOMP" in node.value:
            self.opaque = True
        if _PATH.fullmatch(node.value):
            self.names.add(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        self.spoken.add(node.id)
        if node.id in _UNSTEADY or node.id in ("exec", "eval", "compile", "globals", "vars", "__builtins__"):
            self.opaque = True

    def _is_namespace(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in _NAMESPACES or (
                node.attr[:1].isupper() and isinstance(node.value, ast.Name) and node.value.id in _NAMESPACES
            )
        return isinstance(node, ast.Name) and (
            node.id in _NAMESPACES | self._modules | self._functions or node.id[:1].isupper()
        )


def _is_name(given: ast.expr) -> bool:
    """Whether an argument spells out one operator, which is no pattern."""
    return (
        isinstance(given, ast.Constant)
        and isinstance(given.value, str)
        and _PATH.fullmatch(given.value) is not None
    )


def _containers(tree: ast.AST) -> set[str]:
    """Names that only ever stand for a list, a dictionary or a set that the code has written out itself."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            targets, value = [node.target], node.value
        for target in targets:
            if isinstance(target, ast.Name):
                own = isinstance(
                    value, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
                )
                found[target.id] = own and found.get(target.id, True)
    stored = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {name for name, own in found.items() if own and stored.count(name) == _assigned(tree, name)}


def _assigned(tree: ast.AST, name: str) -> int:
    """How often a name is given a value by a plain assignment; a loop or a `with` may give it anything."""
    return sum(
        isinstance(target, ast.Name) and target.id == name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )

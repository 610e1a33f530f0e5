"""What a script or an expression names when it runs code that stands elsewhere.

Reading a value of an operator is no reference to code: `op('noise1').par.period` and `op('table1')[0, 0]` are data.
`op('lib').module.go()`, `mod.lib`, `import lib`, `run(op('job').text)` and `op('tool').Reset()` are code. A script that
puts a name together while it runs cannot be read: docs/security.md says so.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

#: Attributes of an operator that lead to the code it holds.
_RUNNING = frozenset({"module", "mod", "run", "ext", "extensions", "evalExpression"})
#: Functions that run what they are given.
_EXECUTING = frozenset(
    {"exec", "eval", "run", "compile", "__import__", "import_module", "getattr", "attrgetter"}
)
#: Calls and attributes that lead from one operator to another.
_FINDING = frozenset(
    {"op", "opex", "ops", "parent", "findChildren", "children", "inputs", "outputs", "eval", "val"}
)
#: Those of them that give several, of whatever is in a place.
_SEVERAL = frozenset({"ops", "findChildren", "children", "inputs", "outputs"})
#: What is written on an operator for people, by which a script may choose, or which it may execute.
_WORDS = frozenset({"comment", "tags"})
_FINDERS = frozenset({"op", "opex", "ops", "mod", "findChildren"})
_SHORTCUTS = frozenset({"op", "opex", "parent", "iop", "ipar", "ext"})

#: Nothing but data is named where none of these words stands; most scripts and nearly all expressions end here.
_MAY_RUN = re.compile(
    r"\b(?:import|module|mod|run|exec|eval|compile|ext|extensions|getattr|attrgetter|evalExpression|iop)\b"
    r"|\bop\.|\bparent\.|\)\s*\.\s*[A-Z]|__"
)
_PATH = re.compile(r"[\w./*?\[\]^ -]{1,200}")
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([\w., \t]+)", re.MULTILINE)
_QUOTED = re.compile(r"(['\"])([\w./*?-]{1,200})\1")
_AFTER = re.compile(r"\b(?:mod|op|parent|iop|ext)\.(\w+)")

#: Characters beyond which a text is searched for names instead of being parsed: parsing would cost a frame.
_LONGEST_PARSED = 8_000


@dataclass(frozen=True)
class References:
    """Names in a text through which it may run other code."""

    paths: frozenset[str] = frozenset()
    """Operator paths or patterns, as `op()` takes them."""
    modules: frozenset[str] = frozenset()
    """Names of modules, which may be DATs."""
    shortcuts: frozenset[str] = frozenset()
    """Global, parent and internal shortcuts of operators, and names of extensions."""
    computed: frozenset[str] = frozenset()
    """Expressions that give a path and only read values, such as `parent().par.Library`."""
    words: bool = False
    """Whether comments and tags of the operators it names count."""


NONE = References()


@lru_cache(maxsize=4096)
def references(text: str) -> References:
    """What a text names where it runs code; `NONE` where it only reads data."""
    if not _MAY_RUN.search(text):
        return NONE
    if len(text) <= _LONGEST_PARSED:
        try:
            tree = ast.parse(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return _searched(text)
        return _Reader(tree).found()
    return _searched(text)


def _searched(text: str) -> References:
    """Of what cannot be parsed, or is long: every name that might matter."""
    modules = {
        name.strip().split(".")[0].split(" ")[0]
        for match in _IMPORT.finditer(text)
        for name in match[1].split(" import ")[0].split(",")
    }
    words = set(_AFTER.findall(text))
    return References(
        frozenset(match[2] for match in _QUOTED.finditer(text)),
        frozenset((modules | words) - {""}),
        frozenset(words),
        words=not _WORDS.isdisjoint(re.findall(r"\w+", text)),
    )


class _Reader(ast.NodeVisitor):
    """Sorts what a tree names into code and data; in doubt it is code."""

    def __init__(self, tree: ast.AST) -> None:
        self._up: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._paths: set[str] = set()
        self._modules: set[str] = set()
        self._shortcuts: set[str] = set()
        self._loose: set[str] = set()
        """Paths of operators that are kept in a variable or handed on: code if anything is run through a variable."""
        self._computed: set[str] = set()
        self._indirect = False
        self._tree = tree
        self._named = {
            name
            for node in ast.walk(tree)
            if (name := node.attr if isinstance(node, ast.Attribute) else getattr(node, "arg", None))
        }
        """Every attribute and every keyword in it."""
        self._holders = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, (ast.Assign, ast.NamedExpr, ast.For))
            for target in ast.walk(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            if isinstance(target, ast.Name)
            and any(
                isinstance(part, ast.Call) and _name(part.func) in _FINDING
                for part in ast.walk(node.iter if isinstance(node, ast.For) else node.value)
            )
        }
        """Variables that may hold an operator."""

    def found(self) -> References:
        self.visit(self._tree)
        if self._indirect:
            texts = (node.value for node in ast.walk(self._tree) if isinstance(node, ast.Constant))
            self._paths |= self._loose
            self._paths |= {text for text in texts if isinstance(text, str) and _PATH.fullmatch(text)}
        if self._named & {"children", "findChildren"}:
            self._paths |= {f"{path}/*" for path in self._paths if not path.endswith("*")}
        return References(
            frozenset(self._paths),
            frozenset(self._modules),
            frozenset(self._shortcuts),
            frozenset(self._computed),
            not self._named.isdisjoint(_WORDS),
        )

    def visit_Import(self, node: ast.Import) -> None:
        self._modules |= {alias.name.split(".")[0] for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module:
            self._modules.add(node.module.split(".")[0])

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if name in _FINDERS:
            paths = {
                part.value
                for argument in [*node.args, *(keyword.value for keyword in node.keywords)]
                for part in ast.walk(argument)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            }
            if name == "mod":
                self._paths |= paths
                self._modules |= {path for path in paths if path.isidentifier()}
            else:
                self._take(node, paths, self._paths)
            self._take(node, {ast.unparse(each) for each in node.args if _is_readable(each)}, self._computed)
        if name in _EXECUTING and not (name == "eval" and isinstance(node.func, ast.Attribute)):
            self._executed(node)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        up = self._up.get(node)
        if node.id in _EXECUTING and not (isinstance(up, ast.Call) and up.func is node):
            # Handed on, or under another name: whoever has it executes anything.
            self._indirect = True

    def visit_Attribute(self, node: ast.Attribute) -> None:
        base = node.value
        name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
        if name == "mod":
            self._modules.add(node.attr)
        elif name in _SHORTCUTS and not (node.attr in _FINDING or node.attr.startswith("__")):
            if name == "ext":
                self._shortcuts.add(node.attr)
            else:
                self._take(node, {node.attr}, self._shortcuts)
        if self._runs(node) and not _is_finder(base):
            root = _root(base)
            self._indirect |= node.attr in _RUNNING or root is None or root in self._holders
        self.generic_visit(node)

    def _runs(self, node: ast.Attribute) -> bool:
        """Whether an attribute leads from an operator to code: `x.module`, `x.run()`, or a promoted method."""
        if node.attr in _RUNNING:
            return True
        up = self._up.get(node)
        return (
            node.attr[:1].isupper() and isinstance(up, ast.Call) and up.func is node and not _is_known(node)
        )

    def _take(self, node: ast.AST, names: set[str], into: set[str]) -> None:
        """Follow an operator that is named to what is done with it."""
        while True:
            up = self._up.get(node)
            if isinstance(up, ast.Attribute):
                if self._runs(up):
                    into |= names
                    return
                if up.attr in _FINDING or (isinstance(up.value, ast.Name) and up.value.id in _SHORTCUTS):
                    node = up
                    continue
                # `.text`, `.par`: data, unless the whole is handed to something that executes.
                break
            if isinstance(up, ast.Call) and up.func is node:
                node = up
                continue
            if isinstance(up, ast.Subscript) and up.value is node:
                name = _name(node.func) if isinstance(node, ast.Call) else _name(node)
                if name in _SEVERAL:
                    node = up
                    continue
                break
            self._loose |= names if into is self._paths else set()
            if into is self._shortcuts:
                self._shortcuts |= names
            break
        above: ast.AST | None = node
        while above is not None and not isinstance(above, ast.stmt):
            if isinstance(above, ast.Call) and _name(above.func) in _EXECUTING and above is not node:
                into |= names
                return
            above = self._up.get(above)

    def _executed(self, node: ast.Call) -> None:
        """What is executed is a text of the script's own, or it comes from anywhere."""
        given = node.args[0] if node.args else None
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            if _name(node.func) in ("__import__", "import_module"):
                self._modules.add(given.value.split(".")[0])
                return
            inner = references(given.value)
            self._paths |= inner.paths
            self._modules |= inner.modules
            self._shortcuts |= inner.shortcuts
            return
        direct = given is not None and any(
            isinstance(part, ast.Call) and _name(part.func) in _FINDERS for part in ast.walk(given)
        )
        if _name(node.func) == "getattr":
            # `getattr(op('x'), 'module')` is code; `getattr(me.par, name)` is not.
            texts = {part.value for part in node.args[1:2] if isinstance(part, ast.Constant)}
            if texts and texts.isdisjoint(_RUNNING):
                return
        if not direct:
            self._indirect = True


def _name(function: ast.AST) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _is_finder(node: ast.AST) -> bool:
    """Whether an expression is an operator found by a literal name, so that `_take` has seen it."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Call):
            literal = any(isinstance(each, ast.Constant) or _is_readable(each) for each in node.args)
            if _name(node.func) in _FINDERS:
                return literal
            if _name(node.func) == "parent":
                return True
            node = node.func
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in _SHORTCUTS:
                return True
            node = node.value
        else:
            return False
    return isinstance(node, ast.Name) and node.id in ("me", "mod", "parent", "op", "ext", "iop")


def _is_readable(node: ast.AST) -> bool:
    """Whether an expression is more than a literal, and only reads values of operators: evaluating it runs no code."""
    if isinstance(node, ast.Constant):
        return False
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if _name(part.func) not in ("op", "parent", "eval", "str"):
                return False
        elif isinstance(part, ast.Attribute):
            if part.attr not in (
                "par",
                "eval",
                "val",
                "name",
                "digits",
                "base",
                "path",
                "text",
                "parent",
                "op",
            ) and not (isinstance(part.value, ast.Attribute) and part.value.attr == "par"):
                return False
        elif isinstance(part, ast.Name):
            if part.id not in ("me", "op", "parent", "str"):
                return False
        elif not isinstance(
            part,
            (
                ast.Constant,
                ast.Subscript,
                ast.Tuple,
                ast.BinOp,
                ast.Add,
                ast.Mod,
                ast.JoinedStr,
                ast.FormattedValue,
                ast.Load,
            ),
        ):
            return False
    return True


def _root(node: ast.AST) -> str | None:
    """The variable that a chain of attributes, calls and items begins with."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_known(node: ast.Attribute) -> bool:
    """Whether a capitalised call is of Python's or TouchDesigner's own modules, not a promoted method."""
    return _root(node) in ("tdu", "TDF", "TDJ", "np", "numpy", "cv2", "math", "td")

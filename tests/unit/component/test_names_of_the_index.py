"""Every name that the product asks of TouchDesigner's objects is in the index of its Python API, or listed here.

The walk reads source text, so it goes by what variables are called: `par` is a parameter wherever it stands. What it
cannot tell by that, in the only package that touches TouchDesigner, is our own name, Python's, or in the index.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fakes import api_index, catalogue
from td_component.description import TDMCP

ROOT = Path(__file__).parents[3]
FOLDERS = ("tdmcp_embedded", "td_component")
#: Where every attribute is judged, whatever it is asked of.
TOUCHING = ("tdmcp_embedded/touchdesigner", "td_component/scripts")

_OPERATORS = (
    "OP",
    "COMP",
    "TOP",
    "CHOP",
    "DAT",
    "SOP",
    "POP",
    "MAT",
    "timeCOMP",
    "windowCOMP",
    "annotateCOMP",
    "glslTOP",
)

#: Names of variables, and of attributes that lead to an object -> the classes of the index that they may be.
RECEIVERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("op", "comp", "component", "dat", "chop", "child", "_owner", "me", "operator"), _OPERATORS
    ),
    "par": ("Par", "ParGroup"),
    "connector": ("Connector",),
    "sequence": ("Sequence",),
    "td": ("module td",),
    "_td": ("module td",),
    ".ui": ("UI",),
    ".undo": ("Undo",),
    ".app": ("App",),
    ".project": ("Project",),
    ".time": ("timeCOMP",),
    ".root": _OPERATORS,
}

#: (receiver, name) that the index lacks: why it is asked all the same.
NOT_IN_THE_INDEX: dict[tuple[str, str], str] = {
    (".project", "modified"): "fact 62: read with a default",
    ("operator", "OPType"): "fact 54: in every build",
}

#: (file, variable) that is called like an object of TouchDesigner's and is another one: its classes there, or none.
OURS: dict[tuple[str, str], tuple[str, ...]] = {
    ("tdmcp_embedded/tools/building.py", "operator"): (),
    ("tdmcp_embedded/tools/outline.py", "operator"): (),
    ("tdmcp_embedded/touchdesigner/sequences.py", "sequence"): ("Par", "Sequence"),
}


@cache
def trees() -> tuple[tuple[str, ast.Module], ...]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple((p.relative_to(ROOT).as_posix(), ast.parse(p.read_text(encoding="utf-8"))) for p in paths)


def asked(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """(receiver, name, line) of every attribute, and of every `getattr` or `hasattr` of a constant name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield receiver(node.value), node.attr, node.lineno
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr")
            and len(node.args) > 1
            and isinstance(node.args[1], ast.Constant)
        ):
            yield receiver(node.args[0]), str(node.args[1].value), node.lineno


def receiver(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f".{node.attr}" if isinstance(node, ast.Attribute) else ""


@cache
def of_touchdesigner() -> frozenset[str]:
    """Every name of the index: classes, members, methods, what `td` and `tdu` have."""
    index = api_index.index()
    return frozenset(index).union(*(api_index.names_of(c) for c in index))


def test_what_is_asked_of_an_object_of_touchdesigner_is_in_the_index() -> None:
    wrong = []
    for path, tree in trees():
        imported = {alias.asname or alias.name for node in ast.walk(tree)
                    if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}  # fmt: skip
        for whose, name, line in asked(tree):
            classes = OURS.get((path, whose), RECEIVERS.get(whose))
            if not classes or whose in imported or name.startswith("_"):
                continue
            if api_index.exists(classes, name) or (whose, name) in NOT_IN_THE_INDEX:
                continue
            if "module td" in classes and name in api_index.index():
                continue
            wrong.append(f"{path}:{line} {whose}.{name}")
    assert wrong == []


def test_a_parameter_that_is_named_is_one_of_some_operator_type_or_our_own() -> None:
    own = {par.name for page in TDMCP.pages for par in page.parameters}
    known = own | {name for kind in catalogue.types().values() for name in kind.pars}
    wrong = [
        f"{path}:{line} par.{name}"
        for path, tree in trees()
        for whose, name, line in asked(tree)
        if whose == ".par" and name not in known and not api_index.exists(("ParCollection",), name)
    ]
    assert wrong == []


def ours() -> frozenset[str]:
    """Names that the product itself gives to anything."""
    found: set[str] = set()
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if receiver(node.value) == "self":
                    found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.alias):
                found.update((node.asname or node.name).split("."))
    return frozenset(found | {path.stem for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")})


@cache
def of_module(name: str) -> frozenset[str]:
    """Names in a module of Python's library or a dependency, and of its classes."""
    if name.split(".")[0] not in sys.stdlib_module_names | {"pydantic", "numpy", "cv2"}:
        return frozenset()
    try:
        module = importlib.import_module(name)
    except ImportError:  # of another system
        return frozenset()
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return frozenset(dir(module)).union(*((*dir(c), *getattr(c, "_fields", ())) for c in classes))


def pythons(tree: ast.AST) -> frozenset[str]:
    """Names of Python's own types and of what a file imports from its library or from a dependency."""
    found = {name for value in vars(builtins).values() if isinstance(value, type) for name in dir(value)}
    found.update(dir(os.path))
    for node in ast.walk(tree):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in modules:
            found |= of_module(name)
    return frozenset(found)


#: Names in the package that touches TouchDesigner that are in no list: why.
OTHERS: dict[str, str] = {
    "OPType": "fact 54: in every build",
    "TDResources": "a global OP shortcut, which every project has",
    "isCompleted": "fact 70: of FileSaveStatus, asked with a fall-back",
    "CONSTANT": "a mode of parameters, fact 57",
    "dtype": "of arrays",
    "loader": "of a module's spec",
    **dict.fromkeys(("winerror", "locking", "LK_NBLCK", "LK_UNLCK"), "Windows"),
    **dict.fromkeys(("CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS"), "Windows"),
}


def test_every_other_name_is_our_own_pythons_or_in_the_index() -> None:
    known = ours() | of_touchdesigner() | set(OTHERS)
    parameters = {name for kind in catalogue.types().values() for name in kind.pars}
    wrong = []
    for path, tree in trees():
        if not path.startswith(TOUCHING):
            continue
        python = pythons(tree)
        wrong += [
            f"{path}:{line} {whose}.{name}"
            for whose, name, line in asked(tree)
            if not name.startswith("_") and name not in known and name not in python
            and not (whose == ".par" and name in parameters)
        ]  # fmt: skip
    assert wrong == []


def test_the_lists_of_exceptions_hold_only_what_is_asked() -> None:
    every = {(whose, name) for _, tree in trees() for whose, name, _ in asked(tree)}
    assert set(NOT_IN_THE_INDEX) <= every
    assert set(OTHERS) <= {name for _, name in every}

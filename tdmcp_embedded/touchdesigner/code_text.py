"""What counts as code in a DAT: what Python would do with its text, not what the DAT is for."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

#: A comment that changes how Python reads the rest of the text: it could hide code from the test below.
_CODING_COOKIE = re.compile(r"\A[^\n]*\n?[ \t\f]*#[^\n]*coding[:=]|\A[ \t\f]*#[^\n]*coding[:=]")

#: Statements of one word are among them (`pass`, `return`): they are words of prose as well, and do nothing.
_HARMLESS = (
    ast.Module, ast.Expr, ast.Constant, ast.Name, ast.Load, ast.List, ast.Tuple, ast.Dict, ast.Set,
    ast.Attribute, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
    ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Global,
)  # fmt: skip

#: Characters of the longest callbacks that TouchDesigner brings; parsing longer texts would cost a frame.
_LONGEST_TEMPLATE = 8_000

#: What nearly all cells are: words and numbers, without a sign or a word that Python would act on.
_PLAIN_CELL = re.compile(r"(?!\s*(?:import|from|del|raise|assert|await|yield)\b)[\w .,/#%+*-]*")


def is_code(text: str) -> bool:
    """Whether Python would do anything with this text: more than look at names and literals.

    Shaders, prose and JSON are not code: Python refuses to compile the first two, and the third only names things.
    Any text DAT can be imported or called by name, so what its text could do is what counts, not where it stands.
    """
    return any(_does_something(each) for each in _readings(text))


def runnable(text: str) -> str:
    """The text as TouchDesigner would run it: without a byte order mark, and up to a NUL, where C's texts end."""
    return text.lstrip("\ufeff").partition("\0")[0]


def runs_nothing(text: str) -> bool:
    """Whether nothing happens when Python runs this text: nothing in it, or only functions that do nothing.

    Stricter than `does_nothing`: of prose, which Python refuses, nobody knows what another language makes.
    """
    text = runnable(text)
    if not text.strip():
        return True
    if len(text) > _LONGEST_TEMPLATE or _CODING_COOKIE.search(text):
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(
        _is_empty_function(each) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in tree.body
    )


def _readings(text: str) -> Iterator[str]:
    """The ways in which something could read a text as Python: `ast` alone refuses what others run."""
    yield text
    if "\ufeff" in text:
        yield text.replace("\ufeff", "")
    if "\0" in text:
        yield text.partition("\0")[0]
        yield text.replace("\0", "")
        yield text.replace("\0", "\n")
    if text[:1].isspace() or text.startswith("\ufeff"):
        # `eval` and expressions begin behind the blanks.
        yield text.replace("\ufeff", "").partition("\0")[0].strip()


def _does_something(text: str) -> bool:
    tree = _read(text)
    if isinstance(tree, bool):
        return tree
    # "Score: 12" annotates a name that is never bound: prose and settings look like that.
    return not all(
        isinstance(each, _HARMLESS)
        or (isinstance(each, ast.AnnAssign) and each.value is None and isinstance(each.target, ast.Name))
        or isinstance(each, ast.Store)
        for each in ast.walk(tree)
    )


def does_nothing(text: str) -> bool:
    """Whether it is no code, or only functions that do nothing, as new callbacks come from TouchDesigner."""
    tree = _read(text)
    if isinstance(tree, bool):
        return not tree
    rest = [each for each in tree.body if not _is_empty_function(each)]
    return not is_code(ast.unparse(ast.Module(rest, [])))


def holds_code(dat: Any) -> bool:
    """Whether a DAT holds code: as a text, or in a cell, which an Evaluate DAT or an export takes for an expression."""
    if is_code(str(dat.text)):
        return True
    return bool(dat.isTable) and any(map(is_code_cell, {str(cell.val) for row in dat.rows() for cell in row}))


def is_code_cell(cell: str) -> bool:
    """The same of one cell. Most are words and numbers, for which no parser is needed."""
    # Writing a table as one text flattens line breaks in cells (fact 40), which may make code of what was none.
    return _PLAIN_CELL.fullmatch(cell) is None and (is_code(cell.strip()) or is_code(" ".join(cell.split())))


def _read(text: str) -> ast.Module | bool:
    """The text as Python reads it; or at once whether it counts as code."""
    if _CODING_COOKIE.search(text):
        return True
    if len(text) > 50_000:
        # Large literals are slow to parse as Python; JSON cannot do anything.
        try:
            json.loads(text)
            return False
        except (ValueError, RecursionError):
            pass
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return True


def _is_empty_function(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.FunctionDef) or statement.decorator_list:
        return False
    arguments = statement.args
    # These are evaluated where the function is defined, not where it is called.
    given = [each.annotation for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    given += [statement.returns, *arguments.defaults, *arguments.kw_defaults]
    given += [each.annotation for each in (arguments.vararg, arguments.kwarg) if each is not None]
    if not all(isinstance(part, _HARMLESS) for each in given if each for part in ast.walk(each)):
        return False
    return all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or (isinstance(each, ast.Return) and (each.value is None or isinstance(each.value, ast.Constant)))
        for each in statement.body
    )

"""Running an agent's Python: its output, its last value, its errors with its own line numbers."""

from __future__ import annotations

import ast
import builtins
import io
import linecache
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from types import CodeType, ModuleType, TracebackType
from typing import Any

from tdmcp_embedded.touchdesigner import surroundings
from tdmcp_embedded.touchdesigner.script_names import script_name
from tdmcp_embedded.touchdesigner.values import Bounds, Json, clean, cut, json_value, short_repr

#: What an agent's code is called in its tracebacks.
FILENAME = "<agent>"

#: Characters kept of each output stream: they travel twice, and a loop that prints must not fill the memory.
MOST_OUTPUT = 6_000
_LONGEST_TRACEBACK = 8_000
_VALUE_BOUNDS = Bounds(depth=6, items=200, chars=2000, leaves=600, total=8_000)

#: Names of `td` that scripts expect in any case, also inside text they evaluate.
_SCOPE = (
    "op", "ops", "opex", "parent", "me", "mod", "root", "project", "app", "ui", "absTime", "run", "runs", "tdu",
    "iop", "ipar", "ext", "sysinfo", "families", "licenses", "monitors", "var", "ParMode", "OP", "COMP", "TOP",
    "CHOP", "SOP", "POP", "DAT", "MAT", "Par", "tdError",
)  # fmt: skip

#: Those among them that mean something else from every operator.
_OWN = ("parent", "op", "ops", "opex", "mod", "iop", "ipar", "ext")


@dataclass
class Outcome:
    """What a piece of code did. `error` is "" when it ran to its end."""

    stdout: str = ""
    stderr: str = ""
    value: Json = None
    repr: str = ""
    error: str = ""
    """Type and message of the exception that ended it."""
    error_type: str = ""
    traceback: str = ""
    line: int | None = None
    """The agent's own line at which it ended."""
    timed_out: bool = False


def execute(
    td: ModuleType, code: str, me: Any, limit: AbstractContextManager[Any], time_limit: type[BaseException]
) -> Outcome:
    """Run code on the main thread; the value is that of its last line if that is an expression.

    Args:
        me: the operator the code runs as: `me`, and where relative paths start.
        limit: entered around the code; ends it by raising `time_limit` in it.

    Never raises what the code raises, `SystemExit` and `KeyboardInterrupt` included.
    """
    outcome = Outcome()
    lines = code.splitlines(keepends=True)
    # Tracebacks show source lines; the entry stays, for functions that are called later (callbacks, run()).
    linecache.cache[FILENAME] = (len(code), None, lines, FILENAME)
    try:
        body, last = _compiled(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        _fail(outcome, error)
        return outcome
    namespace = scope(td, me, [c for c in (body, last) if c is not None])
    value: Any = None
    with _captured() as (out, err):
        try:
            with limit:
                with surroundings.kept():
                    exec(body, namespace)  # noqa: S102 - running the agent's code is what this is for
                    if last is not None:
                        value = eval(last, namespace)
                # Inside the limit as well: a value's own __repr__ may never return.
                outcome.value = json_value(value, _VALUE_BOUNDS)
                outcome.repr = "" if value is None else short_repr(value, 2000)
        except time_limit as error:
            outcome.timed_out = True
            _fail(outcome, error)
        except SystemExit as error:
            # A script that ends itself with success is done; anything else is its error.
            if error.code not in (None, 0):
                _fail(outcome, error)
        except BaseException as error:  # noqa: BLE001 - the agent's code may raise anything; TD's loop must not see it
            _fail(outcome, error)
    outcome.stdout, outcome.stderr = out.text(), err.text()
    return outcome


def scope(td: ModuleType, me: Any, codes: list[CodeType]) -> dict[str, Any]:
    """The names code meets: TD's, as scripts in the project see them. One namespace, so functions see each other."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins, "td": td}
    used = {name for code in codes for name in _names(code)}
    for name in (*_SCOPE, *sorted(used)):
        # TD has some 700 names in scope, one for each operator type; only those the code speaks of are fetched.
        if name not in namespace and not hasattr(builtins, name) and not name.startswith("__"):
            # What this build does not have is simply not in scope.
            with suppress(Exception):
                namespace[name] = script_name(td, name)
    for name in _OWN if me is not None else ():
        # From an operator these start at that operator, as they do in a script that stands in it.
        with suppress(Exception):
            namespace[name] = getattr(me, name)
    if me is not None:
        namespace["me"] = me
    # TD's debug() writes to the Textport, where the agent would not see it.
    namespace["debug"] = lambda *args: print(*args, file=sys.stderr)
    return namespace


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _compiled(code: str) -> tuple[CodeType, CodeType | None]:
    tree = ast.parse(code, FILENAME)
    last: CodeType | None = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        # dont_inherit: this module's own __future__ imports must not change what the agent wrote.
        last = compile(ast.Expression(expression.value), FILENAME, "eval", dont_inherit=True)
    return compile(tree, FILENAME, "exec", dont_inherit=True), last


def _fail(outcome: Outcome, error: BaseException) -> None:
    outcome.error_type = type(error).__name__
    try:
        message = clean(str(error))
    except Exception:  # noqa: BLE001 - an exception's own __str__ may fail
        message = "(its message cannot be shown)"
    outcome.error = cut(f"{outcome.error_type}: {message}" if message else outcome.error_type, 1000)
    own = _own_frames(error.__traceback__)
    if own is not None:
        outcome.line = own.tb_lineno
    elif isinstance(error, SyntaxError):
        outcome.line = error.lineno
    try:
        shown = traceback.TracebackException(type(error), error, own, capture_locals=False, max_group_depth=3)
        text = "".join(shown.format())
    except Exception:  # noqa: BLE001 - formatting runs the user's __str__ and __repr__
        text = outcome.error
    outcome.traceback = cut(clean(text).rstrip(), _LONGEST_TRACEBACK)


def _own_frames(tb: TracebackType | None) -> TracebackType | None:
    """The traceback from the agent's first frame on; ours before it say nothing to the agent."""
    while tb is not None and tb.tb_frame.f_code.co_filename != FILENAME:
        tb = tb.tb_next
    return tb


class _Stream(io.TextIOBase):
    """Collects what this thread prints; other threads go on writing where they wrote."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, original: Any) -> None:
        self._original = original
        self._thread = threading.get_ident()
        self._parts: list[str] = []
        self._length = 0

    def write(self, text: str) -> int:
        if threading.get_ident() != self._thread:
            return int(self._original.write(text) or 0) if self._original is not None else len(text)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._length < MOST_OUTPUT:
            self._parts.append(text[: MOST_OUTPUT - self._length])
        self._length += len(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def text(self) -> str:
        """What was printed, saying how much is missing."""
        text = clean("".join(self._parts))
        return text if self._length <= MOST_OUTPUT else f"{text}… ({self._length} characters)"


@contextmanager
def _captured() -> Iterator[tuple[_Stream, _Stream]]:
    before = sys.stdout, sys.stderr, sys.stdin
    out, err = _Stream(before[0]), _Stream(before[1])
    # An empty stdin: input() and debuggers end at once instead of waiting for somebody to type.
    sys.stdout, sys.stderr, sys.stdin = out, err, io.StringIO()
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr, sys.stdin = before

"""What a piece of foreign code may leave changed in the interpreter that TouchDesigner and everybody in it share."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept() -> Iterator[None]:
    """Put back, at the end, built-ins that were replaced or deleted, the recursion limit, trace and profile functions.

    Names that were added to the built-ins stay: scripts of the project may rely on them.
    """
    names = dict(vars(builtins))
    depth, trace, profile = sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()
    try:
        yield
    finally:
        # Nothing here may need a built-in before they are back, nor run under a foreign profile function.
        sys.setprofile(profile)
        sys.settrace(trace)
        builtins.__dict__.update(names)
        sys.setrecursionlimit(depth)

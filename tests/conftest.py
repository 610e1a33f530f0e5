"""Options of the whole test run, and what holds for every process that it starts."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The tests start dozens of processes. Each would compile every module again where the machine's settings forbid to
# write bytecode into a source tree, and that takes longer than all else it does.
if sys.prefix != sys.base_prefix:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(sys.prefix) / "bytecode"))
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fuzz-long",
        action="store_true",
        help="fuzz the HTTP and JSON-RPC entrances for a long time, with new random input each run",
    )


@pytest.fixture(scope="module", autouse=True)
def _garbage_is_looked_for_in_what_is_new() -> Iterator[None]:
    """What one module leaves (its test items, caches of schemas and catalogues) is not walked again in the next ones:
    of the whole run, a third of the time went into that."""
    yield
    gc.collect()
    gc.freeze()

"""At level edit the code that a project can run stays what it was: attempts by kind.

Each attempt is made twice: as the server is, and with every early refusal taken away, so that only the comparison of
the project's code before and after decides. A new idea is one more line, in `attempts_by_reference`, `attempts_by_name`
or `attempts_by_script`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.touchdesigner.code_routes import Access
from tests.unit.tools.edit import attempts_by_name, attempts_by_reference, attempts_by_script
from tests.unit.tools.edit.code_calls import Attempt
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench

ATTEMPTS = {**attempts_by_reference.ATTEMPTS, **attempts_by_name.ATTEMPTS, **attempts_by_script.ATTEMPTS}


def attempt(bench: Bench, what: Attempt) -> Any:
    """Make an attempt at level edit; the refusal."""
    what.scene(bench)
    bench.frame()
    bench.level = Level.EDIT
    for name, arguments in what.first:
        bench.run(name, **arguments)
    name, arguments = what.call
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run(name, **arguments)
    return caught.value


@pytest.mark.parametrize("name", ATTEMPTS)
def test_no_code_changes_by(bench: Bench, name: str) -> None:
    assert "full" in attempt(bench, ATTEMPTS[name]).message


@pytest.mark.parametrize("name", [name for name, what in ATTEMPTS.items() if what.slot and not what.early])
def test_the_comparison_alone_refuses(bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(aftermath, "access", lambda call: Access(code=True, component="/project1/tdmcp"))
    failure = attempt(bench, ATTEMPTS[name])
    assert failure.details["slot"]["path"] == ATTEMPTS[name].slot and ATTEMPTS[name].slot in failure.message

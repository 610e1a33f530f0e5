"""A refused edit is put back at once, and judged while others work."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.runner import run_steps
from tdmcp_embedded.settings import Level
from tdmcp_embedded.touchdesigner.code_policy import invariant
from tests.unit.tools.harness import Bench, tool


def _timer_with_callbacks(bench: Bench) -> None:
    bench.make("textDAT", "work").text = "def onDone(*a):\n    return op('noise1').width\n"
    bench.make("timerCHOP", "timer1", callbacks="work")
    bench.make("noiseTOP", "noise1")
    bench.level = Level.EDIT


class _Due:
    """A frame that is over after each operator, however fast the machine is."""

    def __init__(self, every: int = 1) -> None:
        pass

    def due(self, cost: int = 1) -> bool:
        return True


def test_a_refused_edit_is_put_back_in_its_own_step_and_judged_in_later_ones(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _timer_with_callbacks(bench)
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    monkeypatch.setattr(invariant, "Pace", _Due)
    row = tool("update_operator")
    steps = run_steps(bench.call(row), row, parse(row, {"path": "/project1/work", "name": "gone"}))
    edited = 0
    with pytest.raises(ToolFailure) as caught:
        for signal in steps:
            # Whatever step it is, others see the project as it was.
            assert bench.op("/project1/work") is not None and bench.op("/project1/gone") is None
            edited += signal is None
            bench.frame()
            # Work of a person between the steps changes nothing of the judgement.
            bench.op("/project1/noise1").par.period = 3 + edited
    assert caught.value.code is Code.ACCESS_DENIED
    # One step for the edit, and one for each operator that is read again: the script, and the timer that it runs for.
    assert edited == 3
    assert bench.op("/project1/noise1").par.period == 3 + edited
    # What was read again is right: an edit beside it is still fine, and the same one is refused again.
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    with pytest.raises(ToolFailure):
        bench.run("update_operator", path="/project1/work", name="gone")


def test_a_call_that_is_cancelled_while_it_is_judged_leaves_the_index_right(bench: Bench) -> None:
    _timer_with_callbacks(bench)
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    row = tool("update_operator")
    steps = run_steps(bench.call(row), row, parse(row, {"path": "/project1/work", "name": "gone"}))
    next(steps)
    steps.close()
    assert bench.op("/project1/work") is not None
    with pytest.raises(ToolFailure):
        bench.run("update_operator", path="/project1/work", name="gone")
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 2}}])

"""What does it cost that an edit of level *edit* changes no code, in a large project?

    python -m tests.benchmarks.code_index [operators]

A project of so many operators in which one component in ten has a timer with callbacks, an extension or an expression
that calls a function. Driven by hand in this process: how many steps the first edit takes (it reads the code of the
project), its longest one, and the same of edits after it, beside what they take at level full. Milliseconds are of this
thread's own processor time. The last edit is an attempt that is put back.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from dataclasses import dataclass
from typing import Any

from fakes.scenes import large
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.runner import run_steps
from tdmcp_embedded.settings import Level
from tdmcp_embedded.touchdesigner.code_policy import invariant
from tests.unit.tools.harness import Bench, tool

BUDGET_MS = 4.0
P = "/project1"

#: One edit each; `{scene}` is a network with a chain of operators and a timer.
EDITS: list[tuple[str, dict[str, Any]]] = [
    ("set_parameters", {"changes": [{"path": "{scene}/noise1", "params": {"period": 7}}]}),
    ("set_parameters", {"changes": [{"path": "{scene}/noise1", "params": {"period": 8}}]}),
    ("update_operator", {"path": "{scene}/noise1", "name": "grain"}),
    ("update_operator", {"path": "{scene}", "name": "{new}"}),
    ("wire_operators", {"connect": [{"from": "{scene}/constant0", "to": "{scene}/level2"}]}),
    ("create_operator", {"parent": "{scene}", "type": "timerCHOP", "name": "clock"}),
    ("write_data", {"path": "{scene}/text8", "text": "good evening"}),
    ("delete_operators", {"paths": ["{scene}/blur3"]}),
    ("undo", {}),
]


@dataclass
class Measured:
    """One call: its steps, the longest of them, all of them together, and whether it was refused."""

    steps: int = 0
    longest: float = 0.0
    total: float = 0.0
    refused: bool = False


def drive(bench: Bench, name: str, given: dict[str, Any]) -> Measured:
    """Run a call step by step."""
    row = tool(name)
    generator = run_steps(bench.call(row), row, parse(row, given))
    measured = Measured()
    while True:
        began = time.thread_time()
        try:
            signal = next(generator, StopIteration)
        except ToolFailure:
            signal, measured.refused = StopIteration, True
        spent = (time.thread_time() - began) * 1000
        measured.longest, measured.total = max(measured.longest, spent), measured.total + spent
        measured.steps += 1
        if signal is StopIteration:
            return measured
        if signal is NEXT_FRAME:
            bench.life.step()


def prepare(bench: Bench, operators: int) -> list[str]:
    """The project; gives the networks with code."""
    large.build(bench.world, operators)
    scenes = [
        str(comp.path)
        for area in bench.op(P).children
        if area.isCOMP
        for comp in area.children
        if comp.isCOMP and comp.op("noise1") is not None and comp.op("text8") is not None
    ]
    with_code = scenes[::10]
    for number, path in enumerate(with_code):
        scene = bench.op(path)
        for index in range(3):
            bench.make("timerCHOP", f"timer{index}", parent=path, callbacks="work")
        bench.make(
            "textDAT", "work", parent=path
        ).text = f"import math\n\ndef onDone(*a):\n    return {number}\n"
        scene.par.ext0object = "op('./work').module.Work(me)"
        bench.op(f"{path}/level2").par.opacity.expr = "op('work').module.go()"
    bench.frame()
    return with_code


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("operators", nargs="?", type=int, default=10_000)
    given = parser.parse_args()
    bench = Bench()
    fine = True
    try:
        scenes = prepare(bench, given.operators)
        gc.collect()
        gc.freeze()
        print(f"{'level':<6} {'call':<18} {'steps':>6} {'longest ms':>11} {'all ms':>9}")
        for level, scene in ((Level.FULL, scenes[1]), (Level.EDIT, scenes[2])):
            bench.level = level
            for name, arguments in EDITS:
                measured = drive(bench, name, _placed(arguments, scene))
                if name == "update_operator" and arguments["path"] == "{scene}":
                    scene += "x"
                print(
                    f"{level.value:<6} {name:<18} {measured.steps:>6} {measured.longest:>11.2f} "
                    f"{measured.total:>9.1f}{' refused' if measured.refused else ''}"
                )
                fine = fine and measured.longest <= BUDGET_MS and not measured.refused
        attempt = drive(bench, "update_operator", {"path": f"{scenes[3]}/work", "name": "gone"})
        print(
            f"{'edit':<6} {'an attempt':<18} {attempt.steps:>6} {attempt.longest:>11.2f} {attempt.total:>9.1f} "
            f"{'refused' if attempt.refused else 'DONE'}"
        )
        index = invariant.index_of(bench.queue)
        slots = sum(len(entry.slots) for entry in index.entries.values())
        print(f"{index.operators} operators, {len(index.entries)} of them with {slots} slots")
        return 0 if fine and attempt.refused else 1
    finally:
        bench.close()


def _placed(value: Any, scene: str) -> Any:
    if isinstance(value, str):
        return value.replace("{scene}", scene).replace("{new}", scene.rpartition("/")[2] + "x")
    if isinstance(value, dict):
        return {key: _placed(each, scene) for key, each in value.items()}
    return [_placed(each, scene) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main())

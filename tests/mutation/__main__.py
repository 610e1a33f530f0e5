"""`python -m tests.mutation`: runs a quick part of the product's tests with each fact un-faked; each time one must fail.

With names of mutants, only those.

Ends with 0 if the tests are green as they are and every mutant is caught, with 1 otherwise.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.mutants import MUTANTS

ROOT = Path(__file__).resolve().parents[2]

#: The product's own tests that know the most about TouchDesigner for their time; none of them tests the stand-in.
SUITE = [
    f"tests/unit/tools/{name}.py"
    for name in (
        "edit/test_create_operator",
        "edit/test_set_parameters",
        "edit/test_wire_operators",
        "edit/test_update_and_copy",
        "edit/test_undo",
        "edit/test_write_data",
        "edit/test_delete_operators",
        "edit/test_build_network",
        "edit/test_traps",
        "read/test_finding",
        "read/test_capturing",
        "read/test_checking",
    )
]
#: Seconds after which a run counts as failed: a mutant may well hang what it breaks.
PATIENCE = 300
#: Runs at a time.
AT_ONCE = 2


def run(mutant: str = "") -> tuple[int, str, float]:
    """Exit code of the tests, the first one that failed, seconds."""
    began = time.monotonic()
    # Green without any mutant: what fails by itself would catch everything.
    suite = list(dict.fromkeys([*SUITE, *(_near(name) for name in MUTANTS)]))
    if mutant:
        first = _near(mutant)
        suite = [first, *(s for s in SUITE if s != first)]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *suite]
    if mutant:
        command += ["-p", "tests.mutation.plugin", "--mutant", mutant]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, "(ran out of time)", time.monotonic() - began
    failed = re.search(r"^(?:FAILED|ERROR) \S+::(\S+)", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1):
        print(done.stdout[-2000:] + done.stderr[-2000:], file=sys.stderr)
    return done.returncode, failed[1] if failed else "", time.monotonic() - began


def _near(mutant: str) -> str:
    return f"tests/unit/tools/{MUTANTS[mutant].near}.py"


def main(wanted: Sequence[str] = ()) -> int:
    unknown = [name for name in wanted if name not in MUTANTS]
    if unknown:
        print(f"no such mutant: {', '.join(unknown)}; there are {', '.join(MUTANTS)}", file=sys.stderr)
        return 2
    names = list(wanted) or list(MUTANTS)
    code, failed, seconds = run()
    print(f"{'as TouchDesigner is':58} {'green' if not code else failed:60} {seconds:5.1f} s", flush=True)
    if code:
        return 1
    survivors = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name, (code, failed, seconds) in zip(names, pool.map(run, names), strict=True):
            mutant = MUTANTS[name]
            # 1 is pytest's word for failing tests; anything else means that nothing was tested.
            if code != 1:
                survivors.append(name)
            said = failed if code == 1 else f"NOT CAUGHT (pytest ended with {code})"
            print(f"fact {mutant.fact:2}: {mutant.instead:49} {said:60} {seconds:5.1f} s", flush=True)
    if survivors:
        print(f"not caught: {', '.join(survivors)}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

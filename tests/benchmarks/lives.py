"""A hundred deletions and drops of the component, and a hundred new extensions, under a client that is attached.

python -m tests.benchmarks.lives [--rounds 100]
"""

from __future__ import annotations

import argparse
import sys

import anyio

from tests.benchmarks.table import Row, text
from tests.integration.component import on_a_fixed_port
from tests.integration.lives import Figures, built_anew, deleted_and_dropped

#: Megabytes, whatever the rounds: the allocator has found its size after some thirty of them, and stays there.
MOST_MB = 6.0


def rows(rounds: int) -> list[Row]:
    with on_a_fixed_port() as td:
        anew = anyio.run(built_anew, td, rounds)
        dropped = anyio.run(deleted_and_dropped, td, rounds)
    return [
        *compared(f"after {rounds} new extensions", *anew),
        *compared(f"after {rounds} deletions and drops", *dropped),
    ]


def compared(when: str, before: Figures, after: Figures) -> list[Row]:
    return [
        Row(f"threads more {when}", 0, max(0, after.threads - before.threads)),
        Row(f"sockets more {when}", 0, max(0, after.sockets - before.sockets)),
        Row(f"operators more {when}", 0, max(0, after.operators - before.operators)),
        Row(f"pending runs more {when}", 0, max(0, after.pending_runs - before.pending_runs)),
        Row(f"memory more {when}", MOST_MB, max(0.0, after.megabytes - before.megabytes), "MB"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    found = rows(parser.parse_args().rounds)
    print(text(found))
    return 0 if all(row.held for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())

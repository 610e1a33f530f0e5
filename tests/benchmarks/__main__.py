"""The numbers to hold, as a table.

    python -m tests.benchmarks [latency] [frames] [sizes] [starts] [restarts] [--quick] [--coarse-clocks]

Ends with 1 if a bound was missed. The bounds are for a quiet machine with two cores: run nothing else beside it.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from fakes import coarse_clocks
from tests.benchmarks.table import Row, text

PARTS = ("latency", "frames", "sizes", "starts", "restarts")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, to see that it works")
    parser.add_argument(
        "--coarse-clocks",
        action="store_true",
        help="with the clocks of Windows, steps of 15.6 ms, in the stand-in",
    )
    arguments = parser.parse_args()
    if arguments.coarse_clocks:
        os.environ["FAKES_CLOCK_STEP"] = str(coarse_clocks.STEP * 1000)
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    rows: list[Row] = []
    for part in arguments.parts or PARTS:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        rows += import_module(f"tests.benchmarks.{part}").rows(arguments.quick)
    print(text(rows))
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

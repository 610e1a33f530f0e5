"""The fork server that most tests start stand-ins with."""

from __future__ import annotations

import subprocess
import sys


def test_everything_it_is_to_import_before_is_there() -> None:
    # The fork server passes over an import that fails, and each start would do the rest of it again.
    done = subprocess.run(
        [sys.executable, "-c", "import fakes.preloaded"],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-1000:]

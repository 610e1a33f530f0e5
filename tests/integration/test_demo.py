"""The demo tells its story on the build that is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fakes.builds import BUILDS, OLDEST


def demo(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tdmcp_embedded.cli", "demo", *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_the_demo_goes_right_on_the_oldest_build_and_names_it(tmp_path: Path) -> None:
    done = demo("--build", OLDEST, "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All went right." in done.stdout and OLDEST in done.stdout
    assert list(tmp_path.glob("*.png"))


def test_a_build_that_there_is_no_profile_of_is_refused_with_those_there_are(tmp_path: Path) -> None:
    done = demo("--build", "2022.1", "--out", str(tmp_path))
    assert done.returncode == 2
    assert all(name in done.stderr for name in BUILDS)

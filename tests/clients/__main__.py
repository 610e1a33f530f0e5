"""Real clients against the stand-in: `python -m tests.clients [--oauth] [NAME...]`, or `python run.py clients`.

Each comes from its own package, lists the tools, takes a picture, is refused once, and goes on after a restart of the
server. The converters of client libraries get the whole list of tools. What is installed is pinned; the clients run cut
off from the network, where the system allows that.

Needs npm and Linux on x86-64; elsewhere it says why it did nothing, and that is no failure.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clients import agents, converters, network, node, protocol_clients, python_packages, tries
from tests.integration.component import on_a_fixed_port

CLIENTS: Mapping[str, tries.Attempt] = {**protocol_clients.CLIENTS, **agents.CLIENTS}
#: Seconds for a client to get ready for the restart, and for all of it.
_READY_WITHIN = 150
_CUT_OFF = "--cut-off"
#: Try those that sign in instead (`oauth`).
_OAUTH = "--oauth"


def main(arguments: list[str]) -> int:
    if _CUT_OFF in arguments:
        return run([each for each in arguments if each != _CUT_OFF])
    reason = node.missing()
    if reason:
        print(f"The clients were not run: {reason}.")
        return 0
    python_packages.install()
    node.install()
    prefix = network.shut_off()
    if not prefix:
        print("The clients are not cut off from the network here; they are only told not to use it.")
    if _OAUTH in arguments:
        names = [each for each in arguments if each != _OAUTH]
        return subprocess.call([*prefix, sys.executable, "-m", "tests.clients.oauth", *names])
    return subprocess.call([*prefix, sys.executable, "-m", "tests.clients", _CUT_OFF, *arguments])


def run(wanted: list[str]) -> int:
    """Run the clients whose names contain one of the words, and the converters; what went wrong is printed."""
    began = time.monotonic()
    complaints = []
    for name, trouble in converters.run(python_packages.PYTHON).items():
        print(f"{name}: {trouble or 'every tool converts'}")
        complaints += [name] if trouble else []
    chosen = {name: attempt for name, attempt in CLIENTS.items() if _is_wanted(name, wanted)}
    for name, troubles in _try(chosen).items():
        for what, trouble in troubles.items():
            print(f"{name}: {what}: {trouble or 'yes'}")
            complaints += [f"{name}: {what}"] if trouble else []
    print(f"{len(complaints)} complaints, {time.monotonic() - began:.0f} s", *complaints, sep="\n  ")
    return 1 if complaints else 0


def _is_wanted(name: str, wanted: list[str]) -> bool:
    return not wanted or any(word.lower() in name.lower() for word in wanted)


def _try(clients: Mapping[str, tries.Attempt]) -> dict[str, dict[str, str]]:
    """All clients at the same time, with one stand-in."""
    if not clients:
        return {}
    with on_a_fixed_port() as td, TemporaryDirectory(ignore_cleanup_errors=True) as homes:
        tries.prepare(td)
        shared = tries.SharedRestart(td, len(clients), _READY_WITHIN)

        def attempt(name: str) -> dict[str, str]:
            home = Path(homes, name.replace(" ", "-"))
            home.mkdir()
            try:
                return shared.attempt(clients[name], td, home).troubles
            except Exception as error:  # noqa: BLE001 - whatever a client does is the finding
                return {"runs": f"{type(error).__name__}: {error}"[:1500]}

        with ThreadPoolExecutor(len(clients)) as threads:
            return dict(zip(clients, threads.map(attempt, clients), strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

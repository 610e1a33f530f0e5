"""Running the official suite, and judging what it found."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.conformance import node
from tests.conformance.site import Site

REVISIONS: Final = ("2025-11-25", "2026-07-28")

#: Seconds for one revision; it takes a few.
_TIMEOUT: Final = 600

_NO_FIXTURE: Final = "needs no fixture: the server itself answers"
_SHARED: Final = "shares a fixture whose absence input-required-result-basic-elicitation shows"

#: Scenarios that pass without the fixtures too, and why that says nothing against them. Any other that does would be
#: one that passes whatever the server does, and fails the run.
STANDS_ALONE: Final = {
    "server-initialize": _NO_FIXTURE,
    "logging-set-level": _NO_FIXTURE,
    "ping": _NO_FIXTURE,
    "completion-complete": "an unknown prompt has no completions, which is an answer; our own are tested elsewhere",
    "tools-list": _NO_FIXTURE,
    "server-sse-multiple-streams": _NO_FIXTURE,
    "resources-list": _NO_FIXTURE,
    "resources-subscribe": "any address can be subscribed to; that it is heard of is tested elsewhere",
    "resources-unsubscribe": "any address can be subscribed to; that it is heard of is tested elsewhere",
    "sep-2164-resource-not-found": _NO_FIXTURE,
    "prompts-list": _NO_FIXTURE,
    "dns-rebinding-protection": _NO_FIXTURE,
    "caching": _NO_FIXTURE,
    "input-required-result-validate-input": _SHARED,
    "input-required-result-unsupported-methods": _NO_FIXTURE,
}


#: How the names of an extension's scenarios begin. No revision requires them; this server promises them.
EXTENSIONS: Final = {"io.modelcontextprotocol/tasks": "tasks-"}

#: Scenarios that check nothing yet, and what the suite says of that.
EMPTY: Final = {"tasks-status-notifications": "the suite has no check of it yet, and it is optional"}


#: Scenarios that nothing requires and that do not pass, and why that is as it should be.
NOT_OFFERED: Final = {
    "server-sse-polling": "an answer whose stream broke is looked up with get_status and get_job, in every protocol version: a long call is followed as a task or job",
}


@dataclass(frozen=True)
class Scenario:
    """What one scenario found: how many of its checks came out how."""

    name: str
    passed: int
    failed: int
    warned: int

    @property
    def ok(self) -> bool:
        return self.failed == 0 and self.warned == 0 and self.passed > 0


def required(revision: str) -> list[str]:
    """The scenarios a revision requires of servers, as the suite itself lists them."""
    text = (node.SUITE.parent.parent / "requirements" / f"{revision}.yaml").read_text("utf-8")
    section = text.split("\nserver:\n", 1)[1]
    names = re.match(r"(?:  - [^\n]+\n|\s*#[^\n]*\n|\n)*", section)
    assert names is not None
    return re.findall(r"^  - (\S+)$", names[0], re.MULTILINE)


def promised(found: dict[str, Scenario]) -> dict[str, list[str]]:
    """The scenarios of each extension, of those a run has found."""
    return {
        extension: names
        for extension, start in EXTENSIONS.items()
        if (names := [name for name in found if name.startswith(start)])
    }


def run(revision: str, *, fixtures: bool) -> dict[str, Scenario]:
    """Run everything a revision asks for against a new server.

    Raises:
        RuntimeError: the suite did not come to its end.
    """
    with TemporaryDirectory() as folder, Site(fixtures=fixtures) as site:
        command = [str(node.NODE), str(node.SUITE), "server", "--url", site.url, "--requirements", revision]
        ended = site.run([*command, "-o", folder], _TIMEOUT, node.HERE)
        if "=== SUMMARY ===" not in ended.stdout:
            raise RuntimeError(f"The suite broke off:\n{ended.stdout[-3000:]}")
        return {found.name: found for found in map(_read, sorted(Path(folder).iterdir()))}


def _read(folder: Path) -> Scenario:
    """One scenario's folder: `server-NAME-TIME`, with its checks."""
    name = re.sub(r"-\d{4}-\d\d-\d\dT[-\d]+Z$", "", folder.name).removeprefix("server-")
    checks = json.loads((folder / "checks.json").read_text("utf-8"))
    count = Counter(check["status"] for check in checks)
    return Scenario(name, count["SUCCESS"], count["FAILURE"], count["WARNING"])


def complaints(revision: str, found: dict[str, Scenario], without: dict[str, Scenario]) -> list[str]:
    """What is wrong, each in a sentence; nothing means that the revision is conformed to."""
    said: list[str] = []
    extensions = [name for names in promised(found).values() for name in names if name not in EMPTY]
    for name in [*required(revision), *extensions]:
        scenario = found.get(name)
        if scenario is None:
            said.append(f"{revision} {name}: did not run.")
            continue
        if not scenario.ok:
            said.append(
                f"{revision} {name}: {scenario.failed} failed, {scenario.warned} warned, {scenario.passed} passed."
            )
        alone = name in without and without[name].ok
        if alone and name not in STANDS_ALONE:
            said.append(f"{revision} {name}: passes without its fixture too, so it shows nothing.")
        if name in STANDS_ALONE and not alone:
            said.append(f"{revision} {name}: is listed as standing alone, but needs the fixtures.")
    return said

"""Conformance, measured: `python -m tests.conformance` runs the official suite and the Inspector against this server.

    python -m tests.conformance           fails if anything required fails, or if docs/conformance.md is out of date
    python -m tests.conformance --write   writes docs/conformance.md

Needs npm and Linux on x86-64; elsewhere it says why it did nothing, and that is no failure.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.conformance import inspector, node, suite

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"


def main(arguments: list[str]) -> int:
    reason = node.missing()
    if reason:
        print(f"Conformance was not run: {reason}.")
        return 0
    node.install()
    complaints: list[str] = []
    results: dict[str, tuple[dict[str, suite.Scenario], dict[str, suite.Scenario]]] = {}
    for revision in suite.REVISIONS:
        print(f"{revision} ...", file=sys.stderr, flush=True)
        found, without = suite.run(revision, fixtures=True), suite.run(revision, fixtures=False)
        results[revision] = (found, without)
        complaints += suite.complaints(revision, found, without)
    print("Inspector ...", file=sys.stderr, flush=True)
    tried = inspector.run()
    complaints += [
        f"Inspector, {era}, {what}: {trouble}" for (era, what), trouble in tried.items() if trouble
    ]
    written = document(results, tried)
    if "--write" in arguments:
        DOCUMENT.write_text(written, encoding="utf-8", newline="\n")
    elif not DOCUMENT.exists() or DOCUMENT.read_text("utf-8") != written:
        complaints.append("docs/conformance.md is out of date: python -m tests.conformance --write")
    for complaint in complaints:
        print(complaint)
    if not complaints:
        print("Everything required passes.")
    return 1 if complaints else 0


def document(
    results: dict[str, tuple[dict[str, suite.Scenario], dict[str, suite.Scenario]]],
    tried: dict[tuple[str, str], str],
) -> str:
    """The page of the documentation."""
    lines = [
        "# Conformance",
        "",
        "<!-- Made by `python -m tests.conformance --write`. Do not edit. -->",
        "",
        "The official MCP conformance suite (`@modelcontextprotocol/conformance`, version in",
        "`tests/conformance/package-lock.json`) runs in CI against the real HTTP stack: the gates, the server thread, the",
        "SDK's server and the frame queue, with a stand-in for TouchDesigner behind. The tools, prompts and resources the",
        "suite calls by name are one more offer beside the server's own, on the same factory; the key is switched off,",
        "since the suite cannot show one.",
        "",
        "The suite runs a second time without those fixtures. A scenario that passes then too would pass whatever the",
        "server did; the last column says for each such one why it does not.",
    ]
    for revision, (found, without) in results.items():
        names = suite.required(revision)
        passed = sum(found[name].passed for name in names if name in found)
        good = sum(1 for name in names if name in found and found[name].ok)
        lines += [
            "",
            f"## {revision}",
            "",
            f"{good} of {len(names)} required scenarios pass, with {passed} checks.",
            *_table(names, found, without),
        ]
        extensions = suite.promised(found)
        for extension, those in extensions.items():
            lines += [
                "",
                f"Extension `{extension}`, which no revision requires and this server has:",
                *_table(those, found, without),
            ]
        told_of = {*names, *(name for those in extensions.values() for name in those)}
        others = [scenario for name, scenario in found.items() if name not in told_of]
        if others:
            told = ", ".join(f"{scenario.name} ({_told(scenario)})" for scenario in others)
            lines += ["", f"Not required, run for information: {told}."]
    lines += [
        "",
        "## Inspector",
        "",
        "The command line of `@modelcontextprotocol/inspector`, a second client, in both protocol eras:",
        "",
        "| what it does | " + " | ".join(inspector.ERAS) + " |",
        "|---|" + "---|" * len(inspector.ERAS),
    ]
    for attempt in inspector.TRIES:
        outcomes = ("works" if not tried[era, attempt.what] else "fails" for era in inspector.ERAS)
        lines.append(f"| {attempt.what} | " + " | ".join(outcomes) + " |")
    return "\n".join(lines) + "\n"


def _told(scenario: suite.Scenario) -> str:
    if scenario.ok:
        return "passes"
    return f"does not pass: {suite.NOT_OFFERED.get(scenario.name, 'UNEXPLAINED')}"


def _table(
    names: Sequence[str], found: Mapping[str, suite.Scenario], without: Mapping[str, suite.Scenario]
) -> list[str]:
    lines = ["", "| scenario | checks passed | failed | without fixtures |", "|---|---|---|---|"]
    for name in names:
        scenario = found.get(name, suite.Scenario(name, 0, 0, 0))
        if name in suite.EMPTY:
            lines.append(f"| {name} | – | – | {suite.EMPTY[name]} |")
            continue
        alone = name in without and without[name].ok
        why = f"passes: {suite.STANDS_ALONE.get(name, 'UNEXPLAINED')}" if alone else "fails, as it must"
        lines.append(f"| {name} | {scenario.passed} | {scenario.failed + scenario.warned} | {why} |")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The Inspector's command line as a second client: another implementation of the protocol than the suite's."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.conformance import node
from tests.conformance.site import Site

ERAS: Final = ("legacy", "modern")
_TIMEOUT: Final = 120


@dataclass(frozen=True)
class Try:
    """One thing done with the Inspector: its options, and text that must be in its JSON answer."""

    what: str
    options: Sequence[str]
    expected: str


TRIES: Final = (
    Try(
        "lists the tools, without an error in a schema",
        ("--method", "tools/list", "--strict"),
        "build_network",
    ),
    Try("calls a tool", ("--method", "tools/call", "--tool-name", "find_operators"), "/project1"),
    Try("lists the resources", ("--method", "resources/list"), "td://project"),
    Try("lists the templates", ("--method", "resources/templates/list"), "td://network/{path}"),
    Try("reads a resource", ("--method", "resources/read", "--uri", "td://network/project1"), "operators"),
    Try("lists the prompts", ("--method", "prompts/list"), "fix_errors"),
    Try("gets a prompt", ("--method", "prompts/get", "--prompt-name", "fix_errors"), "check_errors says now"),
)


def run() -> dict[tuple[str, str], str]:
    """What went wrong with each try in each era; nothing when it went well."""
    found: dict[tuple[str, str], str] = {}
    with Site(fixtures=False) as site, TemporaryDirectory() as home:
        for era in ERAS:
            for attempt in TRIES:
                found[era, attempt.what] = _attempt(site, Path(home), era, attempt)
    return found


def _attempt(site: Site, home: Path, era: str, attempt: Try) -> str:
    command: list[str] = [str(node.NODE), str(node.INSPECTOR), "--cli", site.url]
    env: dict[str, Any] = {**os.environ, "HOME": str(home)}
    command += ["--transport", "http", "--protocol-era", era, *attempt.options]
    ended = site.run(command, _TIMEOUT, node.HERE, env)
    if ended.returncode:
        return f"ended with {ended.returncode}: {ended.stdout[-600:].strip()}"
    return "" if attempt.expected in _unescaped(ended.stdout) else f"said: {ended.stdout[:600].strip()}"


def _unescaped(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except ValueError:
        return text

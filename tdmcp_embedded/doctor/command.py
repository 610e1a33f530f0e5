"""`tdmcp doctor`: what is wrong, and what mends it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from tdmcp_embedded.clients.machine import Machine
from tdmcp_embedded.doctor import checks

_SIGNS = {checks.OK: "ok  ", checks.NOTE: "note", checks.PROBLEM: "BAD "}


@click.command()
@click.option("--project", "folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="DIR",
              help="The project folder whose client files are looked at; the current one by default.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(folder: Path, as_json: bool) -> None:
    """Look for what keeps clients from reaching TouchDesigner. The exit code is 1 if something is wrong."""
    findings = list(checks.examine(Machine(), folder.absolute()))
    wrong = [finding for finding in findings if finding.level == checks.PROBLEM]
    if as_json:
        click.echo(json.dumps({"ok": not wrong, "findings": [f.as_dict() for f in findings]}, indent=1))
    else:
        for finding in findings:
            click.echo(f"{_SIGNS[finding.level]} {finding.subject}: {finding.sentence}")
            if finding.remedy:
                click.echo(f"       -> {finding.remedy}")
        click.echo(f"\n{len(wrong)} problems." if len(wrong) != 1 else "\n1 problem.")
    sys.exit(1 if wrong else 0)

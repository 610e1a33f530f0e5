"""Writes docs/facts.md: every fact about TouchDesigner, the tests that prove it on the stand-in, and how they ended.

python scripts/fact_table.py            # runs the tests and writes the page
python scripts/fact_table.py --check    # says whether the page would be the same, without running anything
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "facts.md"
sys.path.insert(0, str(ROOT))

from tests.contract.fact_list import FACTS, HELD_TO_BY

HEAD = """# Facts about TouchDesigner

TouchDesigner is developed against here without being there: the stand-in (`fakes/`) behaves by numbered facts, and each
is proven by tests. This page is made by `python scripts/fact_table.py`, which runs them.

Marks: **L** seen live by a public source, **D** documented by Derivative, **R** reported by public projects, **I** inferred,
**?** not established (the stand-in raises `NotFaked` or has a switch). Tests of `tests/contract` also run inside
TouchDesigner (*Self Test*); the others are about the stand-in alone.
"""


class Proof(NamedTuple):
    """A test that names a fact."""

    path: str
    name: str

    @property
    def sentence(self) -> str:
        return self.name.removeprefix("test_").replace("_", " ")

    @property
    def place(self) -> str:
        return self.path.removeprefix("tests/").removesuffix(".py").replace("/test_", "/")


def proofs() -> dict[int, list[Proof]]:
    """Every test that names facts, by fact, read from the tests' text."""
    found: dict[int, list[Proof]] = {number: [] for number in FACTS}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "@fact(" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                for number in _named(node):
                    found[number].append(Proof(path.relative_to(ROOT).as_posix(), node.name))
    for number, names in HELD_TO_BY.items():
        for path, _, name in (n.partition("::") for n in names):
            if f"def {name}(" not in (ROOT / path).read_text("utf-8"):
                raise LookupError(f"{path} has no {name} any more: mend HELD_TO_BY")
            found[number].append(Proof(path, name))
    return found


def _named(test: ast.FunctionDef) -> Iterator[int]:
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "fact":
            for argument in mark.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, int):
                    yield argument.value


def outcomes(wanted: dict[int, list[Proof]]) -> dict[Proof, str]:
    """How each of these tests ends: `holds` or `differs`; one with several cases is only as good as its worst."""
    import pytest

    ended: dict[Proof, str] = {}

    class Listener:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            path, _, name = report.nodeid.partition("::")
            proof = Proof(path, re.sub(r"\[.*", "", name))
            if report.failed:
                ended[proof] = "differs"
            elif report.when == "call":
                ended.setdefault(proof, "holds")

    # A test with cases is named by itself: pytest then takes all of them.
    names = sorted({f"{p.path}::{p.name}" for tests in wanted.values() for p in tests})
    os.chdir(ROOT)
    pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", *names], plugins=[Listener()])
    return ended


def page(ended: dict[Proof, str], tests: dict[int, list[Proof]]) -> str:
    """The whole page."""
    lines = [HEAD]
    proven = sum(bool(t) for t in tests.values())
    lines.append(
        f"{len(FACTS)} facts; {proven} have tests here, {len({p for t in tests.values() for p in t})} in all.\n"
    )
    lines += ["| fact | subject | marks | tests | result |", "|---:|---|---|---:|---|"]
    for number, fact in FACTS.items():
        lines.append(
            f"| [{number}](#fact-{number}) | {fact.subject} | {fact.marks} | {len(tests[number])} | {_result(tests[number], ended)} |"
        )
    for number, fact in FACTS.items():
        lines += ["", f"## Fact {number}", "", f"{fact.text} ({fact.marks})"]
        if tests[number]:
            lines += ["", "| test | result |", "|---|---|"]
            lines += [f"| {p.place}: {p.sentence} | {ended.get(p, 'not run')} |" for p in tests[number]]
        if fact.elsewhere:
            word = "Not tested here" if not tests[number] else "Beyond these tests"
            lines += ["", f"{word}: {fact.elsewhere}."]
    return "\n".join(lines) + "\n"


def _result(tests: list[Proof], ended: dict[Proof, str]) -> str:
    if not tests:
        return "not testable here"
    results = {ended.get(p, "not run") for p in tests}
    return next(w for w in ("differs", "not run", "holds") if w in results)


def main() -> int:
    tests = proofs()
    if "--check" in sys.argv[1:]:
        # As if all had ended well: what the page must say of a green tree.
        same = PAGE.read_text("utf-8") == page({p: "holds" for t in tests.values() for p in t}, tests)
        print(
            "docs/facts.md is current"
            if same
            else "docs/facts.md is out of date: python scripts/fact_table.py"
        )
        return 0 if same else 1
    ended = outcomes(tests)
    PAGE.write_text(page(ended, tests), "utf-8")
    bad = sorted({f"{p.path}::{p.name}" for t in tests.values() for p in t if ended.get(p) != "holds"})
    print("\n".join([f"{PAGE.relative_to(ROOT)} written", *(f"does not hold: {b}" for b in bad)]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

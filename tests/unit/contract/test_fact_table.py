"""The table of facts: current, and no fact without a proof or a reason."""

from __future__ import annotations

from scripts import fact_table
from tests.contract.fact_list import FACTS


def test_the_page_is_current() -> None:
    tests = fact_table.proofs()
    green = {proof: "holds" for found in tests.values() for proof in found}
    assert fact_table.PAGE.read_text("utf-8") == fact_table.page(green, tests), "python scripts/fact_table.py"


def test_every_fact_has_a_test_or_says_why_not() -> None:
    tests = fact_table.proofs()
    assert sorted(FACTS) == list(range(1, len(FACTS) + 1))
    assert [n for n, fact in FACTS.items() if not tests[n] and not fact.elsewhere] == []


def test_what_is_not_established_says_what_happens_instead() -> None:
    assert [n for n, fact in FACTS.items() if "?" in fact.marks and not fact.elsewhere] == []


def test_a_fact_with_a_test_that_fails_differs() -> None:
    tests = fact_table.proofs()
    ended = {proof: "holds" for found in tests.values() for proof in found}
    ended[tests[23][0]] = "differs"
    told = fact_table.page(ended, tests)
    assert f"| [23](#fact-23) | Parameters | RL | {len(tests[23])} | differs |" in told
    assert f"| [22](#fact-22) | Parameters | DL | {len(tests[22])} | holds |" in told

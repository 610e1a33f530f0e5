"""A pytest plugin: `-p tests.mutation.plugin --mutant NAME` runs the tests with one fact un-faked."""

from __future__ import annotations

import pytest

from tests.mutation.mutants import MUTANTS


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutant", choices=sorted(MUTANTS), help="the fact to un-fake")


def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("--mutant")
    if name:
        MUTANTS[name].apply()

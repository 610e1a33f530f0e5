"""Counts are told in English, whatever they are."""

from __future__ import annotations

from tests.unit.tools.harness import Bench


def test_one_is_singular(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("nullTOP", "o")
    one = bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"period": 3}}])
    assert one.text().startswith("1 parameter changed")
    wire = bench.run("wire_operators", connect=[{"from": "/project1/n", "to": "/project1/o"}])
    assert wire.text().startswith("1 wire changed")
    assert bench.run("delete_operators", paths=["/project1/o"]).text().startswith("Deleted 1 operator:")


def test_none_and_many_are_plural(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    many = bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"period": 3, "seed": 4}}])
    assert many.text().startswith("2 parameters changed")
    none = bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"period": 3}}])
    assert none.text().startswith("0 parameters changed")

"""The dump of a running build's catalogue: the stand-in, dumped, gives the catalogue that it was made from."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fakes
from fakes import catalogue, life
from tests.contract import catalogue_dump


@pytest.fixture(scope="module")
def dumped() -> dict[str, dict[str, Any]]:
    """Every type of the stand-in, written down once for all tests here."""
    world = fakes.install()
    import td

    dump = catalogue_dump.CatalogueDump(td, types=list(catalogue.types()))
    for _ in dump.steps():
        life.of(world).step()
    assert dump.failed == {}
    assert td.op("/project1").children == []
    fakes.uninstall()
    return dump.catalogue


def test_every_type_comes_back_with_its_chain_its_inputs_and_all_its_parameters(
    dumped: dict[str, dict[str, Any]],
) -> None:
    assert dumped.keys() == catalogue.types().keys()
    for name, known in catalogue.types().items():
        told = dumped[name]
        assert (told["family"], tuple(told["mro"])) == (known.family, known.bases), name
        assert {p["name"] for p in told["pars"]} == known.pars.keys(), name
        if known.family != "COMP":  # Theirs depend on the In operators inside (fact 32).
            assert told.get("maxInputs") == known.max_inputs, name


def test_the_stand_in_can_read_a_dump_as_its_catalogue(dumped: dict[str, dict[str, Any]]) -> None:
    parts = ("label", "page", "style", "menu_names", "menu_labels", "default", "sequence")
    different: list[str] = []
    for name, known in catalogue.types().items():
        told = dumped[name]
        read = catalogue.TypeInfo(
            name, told["family"], tuple(told["mro"]), tuple(told["inputs"]), told.get("maxInputs"),
            known.listed, told["pars"],
        )  # fmt: skip
        different += [
            f"{name}.{par}.{part}"
            for par, info in known.pars.items()
            for part in parts
            if getattr(read.pars[par], part) != getattr(info, part)
            # Where nobody knows a value, a dump of the stand-in has none.
            and not (part == "default" and info.default is None)
        ]
    assert different == []


def test_values_at_creation_are_told_where_they_differ_from_the_default(
    dumped: dict[str, dict[str, Any]],
) -> None:
    known = next(p for p in catalogue.types()["cameraCOMP"].pars.values() if p.creation != p.default)
    told = next(p for p in dumped["cameraCOMP"]["pars"] if p["name"] == known.name)
    assert (told["default"], told["creation"]) == (known.default, known.creation)


def test_types_that_open_devices_are_left_out_unless_asked_for(td: ModuleType) -> None:
    dump = catalogue_dump.CatalogueDump(td)
    assert dump.progress == (
        0,
        len(catalogue.types()) - len(catalogue_dump.LEFT_OUT & catalogue.types().keys()),
    )
    assert catalogue_dump.LEFT_OUT - catalogue.types().keys() == set()


def test_the_same_facts_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json.gz", tmp_path / "two.json.gz"
    catalogue_dump.write({"b": {"x": 1}, "a": {}}, one)
    catalogue_dump.write({"a": {}, "b": {"x": 1}}, two)
    assert one.read_bytes() == two.read_bytes()
    assert json.loads(gzip.decompress(one.read_bytes())) == {"a": {}, "b": {"x": 1}}

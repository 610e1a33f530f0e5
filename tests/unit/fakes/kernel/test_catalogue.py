"""The catalogue keeps its schema, and every type in it can be made."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from fakes import api_index, catalogue
from fakes.catalogue import BUTTON_STYLES, NUMBER_STYLES, OP_STYLES
from fakes.errors import NotFaked
from fakes.world import World

STYLES = NUMBER_STYLES | BUTTON_STYLES | OP_STYLES | {
    "Str", "StrMenu", "Menu", "File", "FileSave", "Folder", "Python", "Sequence", "Header",
}  # fmt: skip
PAR_KEYS = {
    "name", "label", "page", "style", "group", "vecIndex", "menu", "default", "norm", "clamp", "creation",
    "defaultFrom", "defaultCut", "defaultRaw", "styleFrom", "menuFrom", "only",
}  # fmt: skip


def raw() -> dict[str, Any]:
    return json.loads(gzip.decompress(catalogue._FILE.read_bytes()))  # type: ignore[no-any-return]


def test_the_file_keeps_its_schema() -> None:
    for name, entry in raw().items():
        assert set(entry) <= {"family", "mro", "inputs", "maxInputs", "pars"}, name
        assert name.endswith(entry["family"])
        assert entry["mro"][-1] == "OP"
        for par in entry["pars"]:
            assert set(par) <= PAR_KEYS, (name, par["name"])
            assert isinstance(par["name"], str)
            assert all(len(item) == 2 for item in par.get("menu", ()))
            assert ("group" in par) == ("vecIndex" in par)
            assert all(len(par[key]) == 2 for key in ("norm", "clamp") if key in par)


def test_every_family_is_there_in_full() -> None:
    families = Counter(t.family for t in catalogue.types().values())
    assert families == {"CHOP": 165, "TOP": 146, "SOP": 112, "POP": 100, "DAT": 71, "COMP": 40, "MAT": 13}
    assert sum(len(t.pars) for t in catalogue.types().values()) > 20_000


def test_every_parameter_has_a_style_that_touchdesigner_knows() -> None:
    styles = {p.style for t in catalogue.types().values() for p in t.pars.values()}
    assert styles <= STYLES


def test_defaults_have_the_type_of_their_style() -> None:
    for kind in catalogue.types().values():
        for par in kind.pars.values():
            for value in (par.default, par.creation):
                if value is None:
                    assert not par.known
                elif par.style in ("Int", "Sequence"):
                    assert type(value) is int, (kind.name, par.name)
                elif par.style in NUMBER_STYLES:
                    assert type(value) is float, (kind.name, par.name)
                elif par.style in BUTTON_STYLES:
                    assert type(value) is bool, (kind.name, par.name)
                else:
                    assert type(value) is str, (kind.name, par.name)


def test_well_known_values_are_as_touchdesigner_has_them() -> None:
    noise = catalogue.types()["noiseTOP"].pars
    assert (noise["period"].default, noise["harmon"].default, noise["type"].default) == (1.0, 2, "simplex3d")
    assert catalogue.types()["noiseTOP"].groups["t"] == ("tx", "ty", "tz")
    assert catalogue.types()["compositeTOP"].max_inputs == 9999
    assert catalogue.types()["cameraCOMP"].pars["tz"].creation == 5.0
    assert catalogue.types()["constantCHOP"].sequences["const"] == ("name", "value")


def test_every_type_can_be_made_and_each_of_its_parameters_is_a_value_or_honestly_unknown(
    world: World, td: ModuleType
) -> None:
    scratch = td.op("/project1")
    for name in catalogue.types():
        made = scratch.create(name)
        assert made.opType == name
        for par in made.pars():
            try:
                par.eval()
                _ = par.val, par.mode, par.isDefault, par.label, par.style, par.menuNames, par.page
            except NotFaked as error:
                assert name in str(error)


def test_an_unknown_number_of_a_type_that_no_listing_covers_is_refused_not_guessed(
    world: World, td: ModuleType
) -> None:
    unlisted = [t for t in catalogue.types().values() if not t.listed]
    assert len(unlisted) == 138
    kind, par = next(
        (t, p) for t in unlisted for p in t.pars.values() if p.creation is None and not p.sequence
    )
    made = td.op("/project1").create(kind.name)
    with pytest.raises(NotFaked, match=f"{kind.name}.par.{par.name}"):
        made.par[par.name].eval()
    made.par[par.name].val = 2
    assert made.par[par.name].eval() == 2


def test_the_api_index_tells_what_exists_from_what_does_not(world: World, td: ModuleType) -> None:
    noise = td.op("/project1").create(td.noiseTOP)
    assert api_index.exists(("noiseTOP",), "openMenu")
    with pytest.raises(NotFaked, match=r"td\.noiseTOP\.openMenu"):
        _ = noise.openMenu
    with pytest.raises(td.tdAttributeError, match="'td.noiseTOP' object has no attribute 'openMenus'"):
        _ = noise.openMenus
    with pytest.raises(td.tdAttributeError):
        noise.openMenus = 3


def test_not_faked_is_not_hidden_by_hasattr_or_getattr(world: World, td: ModuleType) -> None:
    noise = td.op("/project1").create(td.noiseTOP)
    with pytest.raises(NotFaked):
        hasattr(noise, "openMenu")
    with pytest.raises(NotFaked):
        getattr(noise, "openMenu", 0)
    assert getattr(noise, "nosuch", 0) == 0

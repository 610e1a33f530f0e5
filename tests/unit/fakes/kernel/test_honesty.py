"""Where the stand-in does not know, it says so: nothing plausible is handed out in its place."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from fakes import catalogue
from fakes.errors import NotFaked


@pytest.fixture
def scratch(td: ModuleType) -> Any:
    return td.op("/project1").create(td.baseCOMP, "scratch")


@pytest.mark.parametrize(
    ("unknown", "filter", "read"),
    [
        ("leapmotionCHOP", "mathCHOP", lambda o: o.numChans),
        ("oscinDAT", "nullDAT", lambda o: o.text),
        ("glslPOP", "transformPOP", lambda o: o.numPoints()),
        ("extrudeSOP", "nullSOP", lambda o: o.numPoints),
    ],
)
def test_an_input_that_nobody_described_is_not_taken_for_an_empty_one(
    scratch: Any, unknown: str, filter: str, read: Callable[[Any], Any]
) -> None:
    source, reader = scratch.create(unknown), scratch.create(filter)
    reader.inputConnectors[0].connect(source)
    with pytest.raises(NotFaked, match=f"what a {unknown} cooks to"):
        read(reader)


@pytest.mark.parametrize("button", ["recreateall", "recreatemissing"])
def test_a_replicator_does_not_pretend_to_make_operators(scratch: Any, button: str) -> None:
    with pytest.raises(NotFaked):
        scratch.create("replicatorCOMP").par[button].pulse()


def test_a_component_does_not_pretend_to_be_a_clone(td: ModuleType, scratch: Any) -> None:
    master, copy = scratch.create(td.baseCOMP), scratch.create(td.baseCOMP)
    with pytest.raises(NotFaked):
        copy.par.clone = master
    with pytest.raises(NotFaked):
        copy.par.enablecloningpulse.pulse()
    copy.par.clone = ""


def test_every_toggle_has_the_words_off_and_on() -> None:
    wrong = [
        f"{kind}.{name}"
        for kind, info in catalogue.types().items()
        for name, par in info.pars.items()
        if par.style == "Toggle" and par.menu_names != ("off", "on")
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("kind", "name", "style"),
    [
        ("geometryCOMP", "instanceop", "OP"),
        ("geometryCOMP", "instancetx", "Str"),
        ("cameraCOMP", "lookat", "Object"),
        ("glslTOP", "tops", "TOP"),
        ("phongMAT", "targetsop", "SOP"),
        ("geometryCOMP", "xformmatrixop", "OP"),
        ("containerCOMP", "helpdat", "DAT"),
        ("glslCOMP", "builtindrop", "Str"),
    ],
)
def test_a_reference_whose_style_no_source_gives_is_known_by_name_and_label(
    kind: str, name: str, style: str
) -> None:
    info = catalogue.types()[kind].par(name)
    assert info is not None and info.style == style

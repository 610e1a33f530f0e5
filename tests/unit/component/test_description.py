"""The description agrees with the settings, with TouchDesigner's rules, and with the scripts it names."""

import ast
import gzip
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from td_component.description import TDMCP
from td_component.model import SCRIPTS, Style
from tdmcp_embedded.settings import Settings, from_parameters, parameter_name

VALUES = {p.name: p for p in TDMCP.custom() if p.style is not Style.PULSE and not p.read_only}
FIELDS = {parameter_name(field): info for field, info in Settings.model_fields.items()}


@pytest.fixture
def extension(monkeypatch):
    """The extension's script as a module, beside an empty `td`."""
    monkeypatch.setitem(sys.modules, "td", ModuleType("td"))
    spec = importlib.util.spec_from_file_location("extension_script", SCRIPTS / "extension.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_setting_is_one_parameter_and_every_value_parameter_one_setting():
    assert set(VALUES) == set(FIELDS)


def test_the_pages_are_those_a_user_is_told_of():
    assert [page.name for page in TDMCP.pages] == ["Server", "Security", "Performance", "Clients", "About"]
    assert all(page.parameters for page in TDMCP.pages)


def test_defaults_of_the_component_are_the_defaults_of_the_settings():
    assert from_parameters({name: p.default for name, p in VALUES.items()}) == Settings()


@pytest.mark.parametrize("name", [name for name, p in VALUES.items() if p.range])
def test_every_value_within_a_parameters_limits_is_a_valid_setting(name):
    limits = VALUES[name].range
    for value in (limits.low, limits.high, limits.slider_low, limits.slider_high):
        if value is not None:
            kind = int if VALUES[name].style is Style.INT else float
            from_parameters({name: kind(value)})


@pytest.mark.parametrize("name", [name for name, p in VALUES.items() if p.menu])
def test_every_word_of_a_menu_is_a_valid_setting(name):
    for word, _ in VALUES[name].menu:
        from_parameters({name: word})


def test_custom_names_follow_touchdesigners_rule_and_are_unique():
    names = [p.name for p in TDMCP.custom()]
    assert all(re.fullmatch("[A-Z][a-z0-9]*", name) for name in names)
    assert len(set(names)) == len(names)


def test_every_parameter_has_a_label_and_a_help_sentence():
    for parameter in TDMCP.custom():
        assert parameter.label and parameter.help.endswith("."), parameter.name


def test_the_access_key_is_no_parameter():
    # Parameters are saved in the user's .toe, which people pass on.
    assert not {"Key", "Token", "Accesskey"} & {p.name for p in TDMCP.custom()}


def test_built_in_parameters_of_the_dats_exist_in_touchdesigner():
    data = Path(__file__).parents[3] / "fakes" / "data"
    catalogue = json.loads(gzip.decompress(next(data.glob("*catalog*.gz")).read_bytes()))
    for dat in TDMCP.dats:
        known = {par["name"] for par in catalogue[dat.type]["pars"]}
        assert {name for name, _ in dat.parameters} <= known, dat.name


def test_docked_dats_name_their_host_and_no_two_tiles_overlap():
    names = {dat.name for dat in TDMCP.dats}
    assert all(dat.dock in names for dat in TDMCP.dats if dat.dock)
    for a in TDMCP.dats:
        for b in TDMCP.dats:
            apart = abs(a.x - b.x) >= a.width or abs(a.y - b.y) >= a.height
            assert a is b or apart, f"{a.name} lies on {b.name}"


def test_every_script_belongs_to_a_dat():
    used = {dat.script for dat in TDMCP.dats if dat.script}
    # Those of the full build, which `tox_build.payload` adds, and the one whose text gets the pages.
    used |= {"payload.py", "unpacking.py", "parameters.py"}
    assert used == {path.name for path in SCRIPTS.glob("*.py")} - {"__init__.py"}


def test_the_extension_knows_the_read_outs_and_the_comment(extension):
    custom = TDMCP.custom()
    assert set(extension.READ_OUTS) == {p.name for p in custom if p.read_only}
    assert extension.COMMENT == TDMCP.comment


def test_every_pulse_does_something(extension):
    source = (SCRIPTS / "extension.py").read_text(encoding="utf-8")
    for parameter in TDMCP.custom():
        if parameter.style is Style.PULSE:
            assert f'"{parameter.name}"' in source


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.py")))
def test_scripts_neither_print_nor_open_dialogs_nor_store(script):
    source = (SCRIPTS / script).read_text(encoding="utf-8")
    assert not re.search(r"\b(print|debug|messageBox|store)\(", source)


def test_the_component_carries_the_pages_it_is_described_by():
    (dat,) = [dat for dat in TDMCP.dats if dat.name == "parameters"]
    scope = {}
    exec(dat.text(), scope)  # noqa: S102 - it is a script of ours
    carried = [p["name"] for page in scope["PAGES"] for p in page["parameters"]]
    assert carried == [p.name for p in TDMCP.custom()]


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.py")))
def test_scripts_can_be_read_by_the_python_of_builds_that_are_refused(script):
    # Else they could not say so: builds of 2022 have Python 3.9.
    ast.parse((SCRIPTS / script).read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize(
    ("build", "refused"),
    [("2022.35320", True), ("2021.16960", True), ("2023.11340", False), ("2025.30060", False), ("?", False)],
)
def test_builds_before_2023_are_refused_in_a_sentence(extension, build, refused):
    td = SimpleNamespace(app=SimpleNamespace(build=build))
    if refused:
        with pytest.raises(ImportError, match=f"needs TouchDesigner 2023 or newer.*this is {build}"):
            extension.refuse_old_build(td)
    else:
        extension.refuse_old_build(td)

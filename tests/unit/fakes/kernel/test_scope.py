"""Names in scripts and expressions, paths and patterns, and tdu."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import pytest

import fakes
from fakes import paths, scope, tdu
from fakes.errors import NotFaked, tdAttributeError
from fakes.world import World


def test_td_is_importable_while_installed_only() -> None:
    fakes.install()
    assert importlib.import_module("td").op("/project1").path == "/project1"
    fakes.uninstall()
    assert "td" not in sys.modules


def test_every_name_touchdesigner_puts_in_scope_is_there_or_refuses(world: World, td: ModuleType) -> None:
    dat = td.op("/project1").create(td.textDAT)
    names = scope.for_script(dat._node)
    expected = (
        "op ops opex parent me app project absTime ui run runs root tdu families licenses sysinfo mod ext iop "
        "noiseTOP COMP OP ParMode Page Connector Par ParGroup tdError tdAttributeError isMainThread"
    )
    for name in expected.split():
        assert name in names, name
    assert names["me"] == dat
    assert names["parent"]() == td.op("/project1")


def test_a_name_that_is_not_faked_refuses_when_it_is_used_not_when_it_is_in_scope(
    world: World, td: ModuleType
) -> None:
    names = scope.for_script(td.op("/project1")._node)
    with pytest.raises(NotFaked, match="monitors"):
        _ = names["monitors"].primary


def test_star_import_brings_the_names(world: World, td: ModuleType) -> None:
    names: dict[str, Any] = {}
    exec("from td import *", names)  # noqa: S102  A function cannot star-import.
    assert names["op"]("/project1") == td.op("/project1")
    assert names["noiseTOP"] is td.noiseTOP


def test_a_name_touchdesigner_does_not_have_is_an_attribute_error(world: World, td: ModuleType) -> None:
    with pytest.raises(AttributeError, match="nosuch"):
        _ = td.nosuch


def test_relative_paths_begin_beside_whoever_asks(world: World, td: ModuleType) -> None:
    base = td.op("/project1").create(td.baseCOMP)
    noise = base.create(td.noiseTOP)
    level = base.create(td.levelTOP)
    with world.context(level._node):
        assert td.op("noise1") == noise
        assert td.op("../noise1") == noise
        assert td.op(".") == level
        assert td.op("..") == base
        assert td.me == level
    assert td.me is None


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("noise*", ["noise1", "noise2"]),
        ("noise?", ["noise1", "noise2"]),
        ("noise[2-9]", ["noise2"]),
        ("* ^noise*", ["level1"]),
        ("noise1 level1", ["noise1", "level1"]),
        ("Noise*", []),
    ],
)
def test_patterns(pattern: str, names: list[str]) -> None:
    assert [n for n in ("noise1", "noise2", "level1") if paths.match_any(pattern, n)] == names


def test_internal_operator_shortcuts_are_found_from_inside(world: World, td: ModuleType) -> None:
    base = td.op("/project1").create(td.baseCOMP)
    noise = base.create(td.noiseTOP)
    base.par.iop0shortcut = "Main"
    base.par.iop0op = noise
    assert noise.iop.Main == noise
    with pytest.raises(tdAttributeError):
        _ = noise.iop.Other


def test_tdu_helpers() -> None:
    assert tdu.digits("noise12") == 12
    assert tdu.digits("noise") is None
    assert tdu.base("noise12") == "noise"
    assert tdu.remap(2, 0, 4, 10, 20) == 15
    assert (tdu.clamp(-1, 0, 1), tdu.clamp(2, 0, 1), tdu.clamp(0.5, 0, 1)) == (0, 1, 0.5)
    assert tdu.rand(3) == tdu.rand(3)
    assert 0 <= tdu.rand(3) < 1
    assert tdu.rand(3) != tdu.rand(4)
    assert tdu.match("a*", ["ab", "b", "A"]) == ["ab"]
    assert tdu.validName("a b-c") == "a_b_c"
    assert tdu.tryExcept(lambda: 1 / 0, 7) == 7


@pytest.mark.parametrize("text", ["it's", 'a"b"', "'a b'", '"open'])
def test_tdu_refuses_to_split_quotes_that_nobody_established(text: str) -> None:
    with pytest.raises(NotFaked, match="split"):
        tdu.split(text)


@pytest.mark.parametrize("member", ["dir", "absPath", "exists", "isDir", "isFile"])
@pytest.mark.parametrize("path", ["a/b.wav", "/a/../b.wav"])
def test_tdu_refuses_to_say_where_a_path_that_is_not_plain_leads(path: str, member: str) -> None:
    with pytest.raises(NotFaked, match="FileInfo"):
        getattr(tdu.FileInfo(path), member)


def test_tdu_refuses_what_it_does_not_fake() -> None:
    with pytest.raises(NotFaked):
        _ = tdu.Timecode
    with pytest.raises(tdAttributeError):
        _ = tdu.nosuch


def test_a_dat_beside_is_a_module_of_mod(world: World, td: ModuleType) -> None:
    td.op("/project1").create(td.textDAT, "helpers").text = "def twice(x):\n    return 2 * x\n"
    noise = td.op("/project1").create(td.noiseTOP)
    assert noise.mod.helpers.twice(4) == 8
    noise.par.period.expr = "mod.helpers.twice(3)"
    assert noise.par.period == 6

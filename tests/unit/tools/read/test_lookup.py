"""What an agent named and did not get right: the refusal names what it may have meant."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import lookup
from tests.unit.tools.harness import Bench


def suggestions(bench: Bench, path: str) -> list[str]:
    with pytest.raises(ToolFailure) as refusal:
        lookup.operator(bench.td, path)
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND
    return refusal.value.suggestions


def test_siblings_of_a_like_name_come_first_then_the_same_name_elsewhere(bench: Bench) -> None:
    bench.make("baseCOMP", "a")
    bench.make("noiseTOP", "noise1", parent="/project1/a")
    bench.make("nullTOP", "noise2")
    assert suggestions(bench, "/project1/noise1") == ["/project1/noise2", "/project1/a/noise1"]


def test_a_path_of_the_wrong_case_or_without_a_slash_is_understood(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    assert "/project1/noise1" in suggestions(bench, "/Project1/noise1")
    assert suggestions(bench, "project1/noise1") == ["/project1/noise1"]
    assert suggestions(bench, "noise1") == ["/project1/noise1"]


def test_a_pattern_is_no_path(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    suggestions(bench, "/project1/noise*")


@pytest.mark.parametrize(
    "path", ["/project1/noise1/", "//project1//noise1", "\\project1\\noise1", " /project1/noise1 "]
)
def test_slashes_may_be_doubled_reversed_or_trailing(bench: Bench, path: str) -> None:
    bench.make("noiseTOP", "noise1")
    assert lookup.operator(bench.td, path).path == "/project1/noise1"


def test_the_root_is_an_operator(bench: Bench) -> None:
    assert lookup.operator(bench.td, "/").path == "/"


def test_a_parameter_by_its_label_its_case_or_its_vector_is_suggested(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    assert lookup.parameter(noise, "period").name == "period"
    for wrong, right in (("Period", "period"), ("perod", "period"), ("t", "tx"), ("Harmonics", "harmon")):
        with pytest.raises(ToolFailure) as refusal:
            lookup.parameter(noise, wrong)
        assert refusal.value.code is Code.PARAMETER_NOT_FOUND and right in refusal.value.suggestions


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("noiseTop", "noiseTOP"), ("noise", "noiseTOP"), ("Noise TOP", "noiseTOP"), ("nosieTOP", "noiseTOP")],
)
def test_a_misspelt_type_is_corrected_from_this_build(bench: Bench, wrong: str, right: str) -> None:
    with pytest.raises(ToolFailure) as refusal:
        lookup.operator_type(bench.td, wrong)
    assert refusal.value.code is Code.OPERATOR_TYPE_UNKNOWN and right in refusal.value.suggestions


@pytest.mark.parametrize("name", ["TOP", "OP", "PanelCOMP", "Par", "ui"])
def test_a_base_class_is_no_operator_type(bench: Bench, name: str) -> None:
    with pytest.raises(ToolFailure):
        lookup.operator_type(bench.td, name)


def test_only_comps_hold_a_network(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    with pytest.raises(ToolFailure) as refusal:
        lookup.component(bench.td, "/project1/n")
    assert refusal.value.suggestions == ["/project1"]

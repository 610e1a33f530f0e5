"""The lines of the expanded form are, byte for byte, those seen in TouchDesigner's own output."""

import struct

import pytest

from td_component.model import Page, Parameter, Range, Style
from tox_build import contents, parameters
from tox_build.expanded import files
from tox_build.words import NotWritable


def test_a_toggle_that_is_off_keeps_its_word():
    assert parameters.setting("enableexternaltox", False) == "enableexternaltox 0 off"


def test_an_expression_stands_behind_the_constant():
    line = parameters.setting("divs", 40, expression="parent().par.Numpoints")
    assert line == "divs 17 40 parent().par.Numpoints"


def test_a_bind_stands_behind_the_constant_under_its_own_flags():
    assert parameters.setting("tx", 0, bind="parent().par.Tx") == "tx 515 0 parent().par.Tx"


def test_a_custom_value_carries_the_custom_flags():
    assert parameters.setting("Enable", True, is_custom=True) == "Enable 67108928 on"


@pytest.mark.parametrize(
    ("parameter", "page", "order", "line"),
    [
        (
            Parameter("Enable", "Enable", Style.TOGGLE, ""),
            "UI Fixes",
            0,
            '772804867 Enable Enable 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 0',
        ),
        (
            Parameter("Numpoints", "Num Points", Style.INT, "", 200, Range(16, 2000, 16, 2000)),
            "Knot",
            0,
            '772804866 Numpoints "Num Points" 1 3 16 16 3 2000 2000 2 200 "" "" Knot 0',
        ),
        (
            Parameter(
                "Knottype",
                "Knot Type",
                Style.MENU,
                "",
                "trefoil",
                menu=(
                    ("trefoil", "Trefoil"),
                    ("figure8", "Figure-Eight"),
                    ("torus", "Torus (2,3)"),
                    ("circle", "Circle"),
                ),
            ),
            "Knot",
            2,
            (
                '772804879 Knottype "Knot Type" 1 1 0 0 1 1 1 2 0 trefoil "" Knot 4097 4 trefoil Trefoil figure8 '
                'Figure-Eight torus "Torus (2,3)" circle Circle 2'
            ),
        ),
        (
            Parameter("Fixnow", "Fix Now", Style.PULSE, ""),
            "UI Fixes",
            1,
            '772804869 Fixnow "Fix Now" 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 1',
        ),
    ],
)
def test_definitions_of_custom_parameters_are_written_as_seen(parameter, page, order, line):
    assert parameters.definition(parameter, page, order) == line


def test_help_and_enable_expression_are_announced_in_the_leading_word_and_stand_last():
    parameter = Parameter("Enable", "Enable", Style.TOGGLE, "Switches it.")
    line = parameters.definition(parameter, "Fix", 3, menu_source="op('m')", enable_expression="me.par.On")
    assert line == (
        f'{772804867 | 0x20000 | 0x40000} Enable Enable 1 1 0 0 1 1 10 2 0 "" "" Fix 3 2 op(\'m\') me.par.On '
        '1 "Switches it."'
    )


def test_definitions_stand_under_the_list_of_pages_between_question_marks():
    page = Page("UI Fixes", (Parameter("Fixnow", "Fix Now", Style.PULSE, ""),))
    assert parameters.definitions_file([page]) == (
        b'?\npages 1 "UI Fixes"\n772804869 Fixnow "Fix Now" 1 1 0 0 1 1 10 2 0 "" "" "UI Fixes" 0\n?\n'
    )


def test_a_wired_docked_coloured_operator_is_written_as_seen():
    made = contents.node(
        "parameterexecuteDAT", (0, -130, 130, 90), inputs={0: "table1"}, color=(0.5, 0.25, 1), dock="host"
    )
    assert made == (
        b"DAT:parexec\ntile 0 -130 130 90\nflags =  viewer 1 parlanguage 0\ninputs\n{\n0 \ttable1\n}\n"
        b"color 0.5 0.25 1 \ndock host\nend\n"
    )


@pytest.mark.parametrize(
    ("op_type", "contracted"),
    [
        ("baseCOMP", "COMP:base"),
        ("textDAT", "DAT:text"),
        ("tableDAT", "DAT:table"),
        ("executeDAT", "DAT:execute"),
        ("parameterexecuteDAT", "DAT:parexec"),
        ("webserverDAT", "DAT:webserver"),
    ],
)
def test_types_are_written_by_their_contracted_names(op_type, contracted):
    assert contents.node(op_type, (0, 0, 1, 1)).startswith(contracted.encode() + b"\n")


def test_a_text_carries_its_length_in_bytes_not_characters():
    assert contents.text("ü") == b"2\n*" + struct.pack(">6I", 1, 1, 1, 1, 2, 2) + "ü".encode()


def test_a_table_is_written_cell_by_cell():
    cell = struct.pack(">2I", 2, 1)
    assert contents.table([["a", "b"]]) == (
        b"1\n*" + struct.pack(">4I", 1, 1, 2, 0) + cell + b"a" + cell + b"b"
    )


def test_rows_of_unlike_length_are_refused():
    with pytest.raises(ValueError, match="one length"):
        contents.table([["a"], ["b", "c"]])


@pytest.mark.parametrize("text", ['a "quoted" word', "two\nlines"])
def test_text_for_which_no_escape_is_known_is_refused(text):
    with pytest.raises(NotWritable):
        parameters.setting("text", text)


def test_a_default_outside_its_menu_is_refused():
    # TouchDesigner would silently take the first entry.
    with pytest.raises(NotWritable, match="not in the menu"):
        parameters.definition(Parameter("Mode", "Mode", Style.MENU, "", "c", menu=(("a", "A"),)), "P", 0)


def test_the_build_stamp_and_the_extension_are_in_the_component():
    made = files()
    assert made[".build"].startswith(b"version 099\nbuild 2025.")
    assert made["tdmcp.parm"] == (
        b"?\next0object 0 op('./Tdmcp').module.Tdmcp(me)\next0name 0 Tdmcp\next0promote 0 on\n"
        b"enableexternaltox 0 off\nreloadcustom 0 off\n?\n"
    )

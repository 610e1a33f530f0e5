"""Exports: channels and table rows that drive parameters of other operators."""

from .facts import fact


def table(t, *rows):
    dat = t.scratch.create(t.td.tableDAT, "exports")
    dat.clear()
    for row in rows:
        dat.appendRow(row)
    return dat


@fact(22)
def test_rows_of_a_table_drive_the_parameters_they_name(t):
    circle = t.scratch.create(t.td.circleTOP, "circle")
    dat = table(t, ["path", "parameter", "value"], ["circle", "radiusx", 0.125], ["circle", "radiusy", 0.25])
    dat.export = True
    yield
    yield
    assert circle.par.radiusx.mode.name == "EXPORT"
    assert (circle.par.radiusx.eval(), circle.par.radiusy.eval()) == (0.125, 0.25)
    assert circle.par.radiusx.exportOP == dat
    dat.export = False
    yield
    assert circle.par.radiusx.mode.name == "CONSTANT"


@fact(22)
def test_a_table_exports_texts_as_well_as_numbers(t):
    text = t.scratch.create(t.td.textTOP, "text")
    dat = table(t, ["path", "parameter", "value"], ["text", "text", "good evening"])
    dat.export = True
    yield
    yield
    assert text.par.text.eval() == "good evening"
    dat[1, "value"] = "good night"
    yield
    yield
    assert text.par.text.eval() == "good night"


@fact(22)
def test_a_row_whose_enable_is_0_exports_nothing(t):
    circle = t.scratch.create(t.td.circleTOP, "circle")
    rows = [["circle", "radiusx", 0.125, 0], ["circle", "radiusy", 0.25, 1]]
    dat = table(t, ["path", "parameter", "value", "enable"], *rows)
    dat.export = True
    yield
    yield
    assert circle.par.radiusx.mode.name == "CONSTANT"
    assert circle.par.radiusy.eval() == 0.25


@fact(22)
def test_a_channels_name_may_part_operator_and_parameter_by_a_slash(t):
    circle = t.scratch.create(t.td.circleTOP, "circle")
    chop = t.scratch.create(t.td.constantCHOP)
    chop.par.const0name, chop.par.const0value = "circle/radiusx", 0.125
    chop.par.exportmethod = "autoname"
    chop.export = True
    yield
    yield
    assert circle.par.radiusx.eval() == 0.125

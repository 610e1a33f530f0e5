"""Errors and warnings: one string, one frame late, and raised at once on evaluation."""

from .facts import fact, needs, raises


@fact(33)
def test_errors_are_one_string_and_empty_when_all_is_well(t):
    noise = t.scratch.create(t.td.noiseTOP)
    yield
    assert noise.errors() == ""
    assert noise.warnings() == ""
    assert noise.scriptErrors() == ""


@fact(34)
def test_a_broken_expression_raises_on_evaluation(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "op('missing').par.x"
    with raises(AttributeError):
        noise.par.period.eval()


@fact(11, 66)
def test_an_error_shows_one_frame_after_the_cook_and_goes_one_frame_after_the_next(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "op('missing').par.x"
    noise.cook()
    assert noise.errors() == ""
    yield
    assert "'NoneType' object has no attribute 'par'" in noise.errors()
    noise.par.period = 1
    noise.cook()
    yield
    assert noise.errors() == ""


@fact(66)
def test_an_operator_that_nothing_cooks_has_no_error(t):
    blur = t.scratch.create(t.td.blurTOP)
    blur.par.size.expr = "1 / 0"
    yield
    yield
    assert blur.errors() == ""
    blur.cook()
    yield
    assert "ZeroDivisionError" in blur.errors()
    assert "Not enough sources specified" in blur.errors()


@fact(33)
def test_a_component_tells_errors_below_it_only_when_it_recurses(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "op('missing').par.x"
    noise.cook()
    yield
    assert t.scratch.errors() == ""
    assert noise.path in t.scratch.errors(recurse=True)


@fact(33)
def test_an_expression_error_names_its_operator_and_parameter(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "1 / 0"
    noise.cook()
    yield
    lines = noise.errors().split("\n")
    assert lines[0].strip() == "Error: ZeroDivisionError: division by zero"
    assert lines[-1] == f"Context:(Parameter: Period) ({noise.path})"


@fact(33)
def test_errors_can_only_be_added_while_cooking(t):
    noise = t.scratch.create(t.td.noiseTOP)
    with raises(t.td.tdError):
        noise.addError("no")
    with raises(t.td.tdError):
        noise.addWarning("no")


@fact(33)
def test_a_reference_that_leads_nowhere_is_a_warning(t):
    select = t.scratch.create(t.td.selectTOP)
    select.par.top = "/nowhere/at/all"
    select.cook()
    yield
    assert 'Invalid path for node "/nowhere/at/all"' in select.warnings()


@fact(33, 11)
def test_a_reference_that_led_nowhere_is_well_once_the_operator_appears(t):
    select = t.scratch.create(t.td.selectTOP)
    select.par.top = "later"
    select.cook()
    yield
    assert 'Invalid path for node "later"' in select.warnings()
    t.scratch.create(t.td.constantTOP, "later")
    select.cook()
    yield
    assert select.warnings() == ""


@fact(33)
def test_script_errors_stay_until_they_are_cleared(t):
    dat = t.scratch.create(t.td.executeDAT, "broken")
    dat.text = "def onFrameStart(frame):\n    raise ValueError('out of tune')\n"
    dat.par.framestart = True
    dat.par.active = True
    yield
    yield
    assert "out of tune" in dat.scriptErrors()
    dat.par.active = False
    yield
    assert "out of tune" in dat.scriptErrors()
    dat.clearScriptErrors()
    yield
    assert dat.scriptErrors() == ""


@fact(90)
@needs("POP")
def test_a_pop_without_its_input_has_the_error_of_every_family(t):
    for kind in ("particlePOP", "transformPOP", "nullPOP"):
        pop = t.scratch.create(kind)
        pop.cook(force=True)
        yield
        assert "Not enough sources specified" in pop.errors(), kind

"""Parameters: looking up, modes, coercion, menus, references, comparing, resetting."""

from .facts import fact, needs, raises


def noise(t):
    return t.scratch.create(t.td.noiseTOP)


@fact(21)
def test_a_missing_parameter_raises_as_an_attribute_and_is_none_as_an_item(t):
    n = noise(t)
    with raises(t.td.tdAttributeError) as caught:
        n.par.nosuch  # noqa: B018  The look-up is the test.
    assert caught.text == "'td.ParCollection' object has no attribute 'nosuch'"
    assert n.par["nosuch"] is None
    assert n.par["period"].name == "period"
    assert not hasattr(n.par, "nosuch")


@fact(21)
def test_writing_a_missing_parameter_raises_as_well(t):
    with raises(t.td.tdAttributeError):
        noise(t).par.nosuch = 1


@fact(21)
def test_pars_finds_by_pattern(t):
    assert [p.name for p in noise(t).pars("t?")] == ["tx", "ty", "tz"]
    assert noise(t).pars("nosuch*") == []


@fact(22)
def test_val_is_the_constant_even_in_expression_mode(t):
    n = noise(t)
    n.par.period = 3
    n.par.period.expr = "1 + 1"
    assert n.par.period.mode.name == "EXPRESSION"
    assert n.par.period.val == 3
    assert n.par.period.eval() == 2


@fact(22)
def test_setting_val_drops_the_expression(t):
    n = noise(t)
    n.par.period.expr = "1 + 1"
    n.par.period.val = 5
    assert n.par.period.mode.name == "CONSTANT"
    assert n.par.period.eval() == 5


@fact(22)
def test_setting_a_bind_expression_enters_bind_at_once(t):
    one, two = noise(t), noise(t)
    one.par.period = 4
    two.par.period.bindExpr = f"op('{one.name}').par.period"
    assert two.par.period.mode.name == "BIND"
    assert two.par.period.eval() == 4


@fact(22)
def test_a_bind_goes_both_ways(t):
    one, two = noise(t), noise(t)
    two.par.period.bindExpr = f"op('{one.name}').par.period"
    one.par.period = 7
    assert two.par.period.eval() == 7
    two.par.period = 9
    assert one.par.period.eval() == 9
    assert two.par.period.mode.name == "BIND"


@fact(22)
def test_switching_the_mode_keeps_both_texts(t):
    n = noise(t)
    n.par.period = 3
    n.par.period.expr = "1 + 1"
    n.par.period.mode = type(n.par.period.mode).CONSTANT
    assert (n.par.period.eval(), n.par.period.expr) == (3, "1 + 1")
    n.par.period.mode = type(n.par.period.mode).EXPRESSION
    assert n.par.period.eval() == 2


@fact(22)
def test_a_channel_that_exports_takes_over_the_parameter(t):
    n = noise(t)
    chop = t.scratch.create(t.td.constantCHOP)
    chop.par.const0name = f"{n.name}:period"
    chop.par.const0value = 6
    chop.par.exportmethod = "autoname"
    chop.export = True
    yield
    assert n.par.period.mode.name == "EXPORT"
    assert n.par.period.eval() == 6
    assert n.par.period.exportOP == chop
    chop.export = False
    yield
    assert n.par.period.mode.name == "CONSTANT"
    assert n.par.period.eval() == 1


@fact(23)
def test_an_unknown_menu_word_silently_becomes_the_first_entry(t):
    n = noise(t)
    n.par.type = "sparse"
    assert n.par.type == "sparse"
    n.par.type = "no such noise"
    assert n.par.type.menuIndex == 0
    assert n.par.type == n.par.type.menuNames[0]


@fact(23)
def test_a_free_menu_takes_anything_and_only_the_style_tells(t):
    page = t.scratch.appendCustomPage("Show")
    free = page.appendStrMenu("Free")[0]
    closed = page.appendMenu("Closed")[0]
    for par in (free, closed):
        par.menuNames = ["a", "b"]
    free.val = "something else"
    assert free.eval() == "something else"
    assert (free.isMenu, closed.isMenu) == (True, True)
    assert (free.style, closed.style) == ("StrMenu", "Menu")


@fact(23)
def test_a_toggle_has_the_menu_names_off_and_on(t):
    assert noise(t).par.mono.menuNames == ["off", "on"]


@fact(24)
def test_floats_are_not_held_to_their_limits_and_whole_numbers_are(t):
    n = noise(t)
    assert n.par.period.clampMin
    n.par.period = -5
    assert n.par.period.val == -5
    n.par.harmon = 3.25
    assert n.par.harmon.val == 3
    n.par.harmon = -1
    assert n.par.harmon.val == n.par.harmon.min


@fact(24)
def test_read_only_does_not_stop_scripts(t):
    par = t.scratch.appendCustomPage("Show").appendFloat("Speed")[0]
    par.readOnly = True
    par.val = 3
    assert par.eval() == 3


@fact(24)
def test_text_that_is_no_number_is_refused_by_a_number(t):
    n = noise(t)
    with raises(Exception) as caught:
        n.par.period = "fast"
    assert caught.text == "Cannot cast value to a numeric object. Set .expr member instead."
    assert n.par.period == 1


@fact(24)
def test_references_take_operators_and_paths(t):
    geometry = t.scratch.create(t.td.geometryCOMP)
    material = t.scratch.create(t.td.phongMAT)
    geometry.par.material = material
    assert geometry.par.material.eval() == material
    geometry.par.material = material.name
    assert geometry.par.material.eval() == material
    geometry.par.material = ""
    assert geometry.par.material.eval() is None


@fact(24)
def test_some_references_take_several(t):
    render = t.scratch.create(t.td.renderTOP)
    made = [t.scratch.create(t.td.geometryCOMP) for _ in range(2)]
    render.par.geometry = "geo*"
    assert render.par.geometry.evalOPs() == [] or set(render.par.geometry.evalOPs()) <= set(made)
    render.par.geometry = " ".join(g.name for g in made)
    assert render.par.geometry.evalOPs() == made


@fact(76)
def test_a_parameter_that_takes_several_operators_evaluates_to_a_list(t):
    render = t.scratch.create(t.td.renderTOP)
    made = [t.scratch.create(t.td.geometryCOMP) for _ in range(2)]
    for value, expected in (
        (" ".join(g.name for g in made), made),
        (made[1].name, made[1:]),
        ("nothing_of_this_name", []),
    ):
        render.par.geometry = value
        assert list(render.par.geometry.eval()) == expected
    render.par.geometry.expr = f"op('{made[0].name}')"
    assert list(render.par.geometry.eval()) == made[:1]


@fact(25)
def test_definitions_can_be_changed_on_custom_parameters_only(t):
    built_in = noise(t).par.period
    custom = t.scratch.appendCustomPage("Show").appendFloat("Speed")[0]
    for name, value in (("label", "Other"), ("default", 2), ("normMax", 5), ("clampMin", True), ("order", 3)):
        setattr(custom, name, value)
        assert getattr(custom, name) == value
        with raises(Exception):
            setattr(built_in, name, value)


@fact(26)
def test_comparing_compares_values_and_two_fetches_are_not_the_same_object(t):
    n = noise(t)
    assert n.par.tx == n.par.ty
    assert n.par.tx is not n.par.tx
    assert n.par.tx.isSamePar(n.par.tx)
    assert not n.par.tx.isSamePar(n.par.ty)


@fact(26)
def test_the_truth_of_a_parameter_is_its_value_and_may_raise(t):
    n = noise(t)
    assert bool(n.par.period)
    n.par.period = 0
    assert not n.par.period
    n.par.period.expr = "1 / 0"
    with raises(ZeroDivisionError):
        bool(n.par.period)


@fact(26)
def test_a_group_has_no_truth(t):
    with raises(Exception):
        bool(noise(t).parGroup.t)


@fact(27)
def test_custom_names_are_a_capital_then_lower_case_and_digits(t):
    page = t.scratch.appendCustomPage("Show")
    assert page.appendFloat("Speed2").name == "Speed2"
    for bad in ("speed", "SpeedUp", "Speed_up", "2Speed", "Speed up", ""):
        with raises(t.td.tdError):
            page.appendFloat(bad)


@fact(27)
def test_only_components_take_custom_pages(t):
    with raises(Exception):
        noise(t).appendCustomPage("Show")


@fact(27)
def test_appending_again_wipes_the_defaults(t):
    page = t.scratch.appendCustomPage("Show")
    first = page.appendFloat("Speed")[0]
    first.default, first.val = 4, 3
    again = page.appendFloat("Speed")[0]
    assert (again.default, again.eval()) == (0, 0)


@fact(27)
def test_several_members_are_numbered_from_one(t):
    group = t.scratch.appendCustomPage("Show").appendFloat("Speed", size=3)
    assert [p.name for p in group] == ["Speed1", "Speed2", "Speed3"]


@fact(27)
def test_vector_styles_report_their_longest_relative(t):
    page = t.scratch.appendCustomPage("Show")
    reported = {
        "RGB": page.appendRGB("A").style,
        "RGBA": page.appendRGBA("B").style,
        "UV": page.appendUV("C").style,
        "UVW": page.appendUVW("D").style,
        "XY": page.appendXY("E").style,
        "XYZ": page.appendXYZ("F").style,
        "XYZW": page.appendXYZW("G").style,
    }
    assert reported == {
        "RGB": "RGBA", "RGBA": "RGBA", "UV": "UVW", "UVW": "UVW",
        "XY": "XYZW", "XYZ": "XYZW", "XYZW": "XYZW",
    }  # fmt: skip
    assert [p.name for p in t.scratch.parGroup.A] == ["Ar", "Ag", "Ab"]


@fact(27)
def test_every_append_method_gives_a_group(t):
    page = t.scratch.appendCustomPage("Show")
    text = (
        "CHOP COMP DAT File FileSave Float Folder Header Int MAT Menu Momentary OP Object PanelCOMP POP Pulse "
        "Python RGB RGBA SOP Sequence Str StrMenu TOP Toggle UV UVW WH XY XYZ XYZW"
    )
    styles = text.split()
    for number, style in enumerate(styles):
        group = getattr(page, f"append{style}")(f"Par{number}", label=style)
        assert type(group).__name__ == "ParGroup"
        assert group.isCustom
        assert group.label == style
    assert len(t.scratch.customParGroups) == len(styles)


@fact(27)
def test_a_sequence_gets_its_blocks_first_and_refuses_none(t):
    glsl = t.scratch.create(t.td.glslTOP)
    assert glsl.par["vec1name"] is None
    glsl.par.vec.sequence.numBlocks = 3
    glsl.par.vec1name = "uSpeed"
    assert glsl.par.vec1name == "uSpeed"
    assert glsl.seq.vec.numBlocks == 3
    with raises(t.td.tdError) as caught:
        glsl.par.vec.sequence.numBlocks = 0
    assert "Minimum size is 1 block" in caught.text


@fact(28)
def test_the_default_may_differ_from_the_value_at_creation(t):
    camera = t.scratch.create(t.td.cameraCOMP)
    assert (camera.par.tz.eval(), camera.par.tz.default) == (5, 0)


@fact(28)
def test_reset_goes_back_to_the_default_and_tells_whether_it_did(t):
    n = noise(t)
    n.par.period = 5
    assert n.par.period.reset() is True
    assert n.par.period == n.par.period.default
    assert n.par.period.reset() is False


@fact(28)
def test_a_pulse_sets_a_value_for_a_frame(t):
    n = noise(t)
    n.par.seed.pulse(9)
    assert n.par.seed == 9
    yield
    yield
    assert n.par.seed == 1


@fact(19)
def test_destroying_a_custom_parameter_invalidates_held_ones(t):
    page = t.scratch.appendCustomPage("Show")
    page.appendFloat("Speed")
    page.appendFloat("Size")
    held = t.scratch.par.Speed
    t.scratch.par.Size.destroy()
    assert not held.valid
    with raises(t.td.tdError):
        held.eval()
    assert t.scratch.par.Speed == 0


@fact(22)
def test_an_expression_sees_the_operator_time_and_helpers(t):
    n = noise(t)
    for text, value in (
        ("me.digits", 1),
        ("parent().numChildren", 1),
        ("op('.').digits + len(op('..').children)", 2),
        ("tdu.remap(5, 0, 10, 0, 1)", 0.5),
        ("math.floor(2.5)", 2),
        ("absTime.frame * 0 + 1", 1),
        ("max(x * 2 for x in (1, 2))", 4),
    ):
        n.par.period.expr = text
        assert n.par.period.eval() == value, text


@fact(22)
def test_a_group_is_set_and_read_as_one(t):
    n = noise(t)
    n.parGroup.t = (1, 2, 3)
    assert n.parGroup.t.eval() == (1, 2, 3)
    assert n.parGroup.t.val == (1, 2, 3)
    assert n.par.ty == 2


@fact(24)
def test_a_few_parameters_do_not_take_what_is_written_and_say_nothing(t):
    sprite = t.scratch.create(t.td.pointspriteMAT)
    before = sprite.par.attensizenear.eval()
    sprite.par.attensizenear = before + 1
    assert sprite.par.attensizenear.eval() == before


@fact(65)
@needs("POP")
def test_sequences_of_a_fresh_pop_exist_once_somebody_goes_through_them(t):
    line = t.scratch.create(t.td.linePOP)
    assert line.par["attr"] is not None
    assert line.par["pt"] is None and line.par["pt0posx"] is None
    names = {sequence.name for sequence in line.seq}
    assert "pt" in names
    assert line.par["pt0posx"] is not None


@fact(65)
def test_a_custom_sequence_takes_the_parameters_behind_it_as_its_block(t):
    base = t.scratch.create(t.td.baseCOMP)
    page = base.appendCustomPage("Show")
    page.appendSequence("Items")
    page.appendStr("Label")
    base.seq.Items.blockSize = 1
    assert base.par["Items0label"] is not None and base.par["Label"] is None
    assert base.par.Items0label.sequence.name == "Items"


@fact(72)
def test_a_parameter_is_set_and_found_as_an_item(t):
    one, two = noise(t), noise(t)
    one.par["period"] = 4
    assert one.par.period == 4
    assert two.par[one.par.period].owner == two
    assert two.par[one.par.period].name == "period"


@fact(76)
def test_a_pattern_in_a_render_top_names_operators_of_its_kind(t):
    for kind, name in (
        ("geometryCOMP", "geo"),
        ("lightCOMP", "light"),
        ("cameraCOMP", "cam"),
        ("noiseTOP", "n"),
    ):
        t.scratch.create(getattr(t.td, kind), name)
    render = t.scratch.create(t.td.renderTOP)
    render.par.geometry, render.par.lights = "*", "*"
    assert [o.name for o in render.par.geometry.eval()] == ["geo"]
    assert [o.name for o in render.par.lights.eval()] == ["light"]


@fact(78)
def test_a_pulse_fires_with_the_pulse_that_its_expression_names(t):
    t.scratch.appendCustomPage("Show").appendPulse("Go")
    timer = t.scratch.create(t.td.timerCHOP)
    timer.par.length = 100
    timer.par.start.expr = "parent().par.Go"
    timer.par.initialize.pulse()
    timer.cook(force=True)
    yield
    timer.cook(force=True)
    before = timer["running"].eval()
    t.scratch.par.Go.pulse()
    yield
    timer.cook(force=True)
    yield
    timer.cook(force=True)
    assert (before, timer["running"].eval()) == (0, 1)


@fact(81)
def test_names_that_the_present_pages_omit_are_there(t):
    # A stand-in may refuse to say more; what it must not do is to call the name unknown.
    constant = t.scratch.create(t.td.constantCHOP)
    for owner, name in (
        (noise(t).par.tx, "tuplet"),
        (noise(t).par.tx, "tupletName"),
        (constant.par, "value0"),
        (constant.par, "name0"),
    ):
        try:
            getattr(owner, name)
        except AttributeError:
            raise AssertionError(f"{name} is unknown") from None
        except Exception as error:  # noqa: BLE001
            assert name in str(error)


@fact(65)
def test_a_custom_sequence_has_as_many_blocks_as_it_is_given(t):
    base = t.scratch.create(t.td.baseCOMP)
    page = base.appendCustomPage("Show")
    page.appendSequence("Items")
    page.appendStr("Label")
    page.appendFloat("Level")
    page.appendToggle("After")
    assert "Items" in [s.name for s in base.seq]
    base.seq.Items.blockSize = 2
    base.seq.Items.numBlocks = 3
    base.par.Items2label, base.par.Items2level = "third", 0.5
    assert (base.seq.Items.numBlocks, base.seq.Items.blockSize) == (3, 2)
    assert base.seq.Items[2].par.label.eval() == "third"
    assert [p.name for p in base.customPars if p.name.startswith("Items1")] == ["Items1label", "Items1level"]
    base.seq.Items.numBlocks = 1
    assert base.par["Items2label"] is None and base.par["After"] is not None

"""Creating, naming, copying, changing and destroying operators."""

from .facts import fact, needs, raises


@fact(16)
def test_a_class_or_its_exact_name_makes_an_operator(t):
    assert t.scratch.create(t.td.noiseTOP).OPType == "noiseTOP"
    assert t.scratch.create("noiseTOP").OPType == "noiseTOP"


@fact(16)
def test_an_unknown_type_is_refused_in_td_words(t):
    for wrong in ("noiseTop", "noise", "x"):
        with raises(t.td.tdError) as caught:
            t.scratch.create(wrong)
        assert caught.text == f"Unknown operator type. Value:'{wrong}' Type:<class 'str'>."
    assert t.scratch.children == []


@fact(16)
def test_a_retired_type_is_refused_in_other_words(t):
    with raises(t.td.tdError) as caught:
        t.scratch.create("webDAT")
    assert caught.text.startswith("Invalid number or type of arguments.")


@fact(17)
def test_a_taken_name_gets_the_next_number_silently(t):
    names = [t.scratch.create(t.td.noiseTOP, "noise1").name for _ in range(3)]
    assert names == ["noise1", "noise2", "noise3"]


@fact(17)
def test_without_a_name_an_operator_is_called_after_its_type(t):
    assert t.scratch.create(t.td.levelTOP).name == "level1"
    assert t.scratch.create(t.td.levelTOP).name == "level2"


@fact(17)
def test_new_operators_sit_at_the_origin(t):
    made = [t.scratch.create(t.td.noiseTOP) for _ in range(2)]
    assert [(o.nodeX, o.nodeY) for o in made] == [(0, 0), (0, 0)]


@fact(17)
def test_a_new_geometry_component_contains_a_torus_that_is_shown_and_rendered(t):
    torus = t.scratch.create(t.td.geometryCOMP).op("torus1")
    # A POP where there are POPs.
    assert torus.OPType == ("torusPOP" if hasattr(t.td, "POP") else "torusSOP")
    assert torus.display
    assert torus.render


@fact(17, 74)
def test_a_glsl_top_brings_its_docked_operators(t):
    glsl = t.scratch.create(t.td.glslTOP, "shader")
    assert {d.name for d in glsl.docked} == {"shader_pixel", "shader_compute", "shader_info"}
    assert all(d.dock == glsl for d in glsl.docked)
    assert glsl.par.pixeldat.eval().name == "shader_pixel"


@fact(17)
def test_renaming_to_a_taken_or_bad_name_is_refused(t):
    t.scratch.create(t.td.noiseTOP, "one")
    other = t.scratch.create(t.td.noiseTOP, "two")
    for bad in ("one", "with space", "a.b", ""):
        with raises(t.td.tdError) as caught:
            other.name = bad
        assert caught.text == "Invalid or duplicate operator name."
    assert other.name == "two"


@fact(18)
def test_a_copy_loses_wires_to_others_and_keeps_parameters(t):
    noise = t.scratch.create(t.td.noiseTOP)
    level = t.scratch.create(t.td.levelTOP)
    noise.outputConnectors[0].connect(level)
    level.par.opacity = 0.25
    double = t.scratch.copy(level)
    assert double.inputs == []
    assert double.par.opacity == 0.25
    assert double.name == "level2"


@fact(18)
def test_copying_several_keeps_the_wires_among_them(t):
    noise = t.scratch.create(t.td.noiseTOP)
    level = t.scratch.create(t.td.levelTOP)
    noise.outputConnectors[0].connect(level)
    place = t.scratch.create(t.td.baseCOMP)
    made = place.copyOPs([noise, level])
    assert [o.name for o in made] == ["noise1", "level1"]
    assert made[1].inputs == [made[0]]


@fact(18)
def test_a_copy_takes_everything_inside_along(t):
    base = t.scratch.create(t.td.baseCOMP)
    base.appendCustomPage("Show").appendFloat("Speed")
    base.par.Speed = 3
    base.create(t.td.noiseTOP).par.period = 9
    double = t.scratch.copy(base, name="again")
    assert double.name == "again"
    assert double.par.Speed == 3
    assert double.op("noise1").par.period == 9
    double.par.Speed = 4
    assert base.par.Speed == 3


@fact(18)
def test_docked_operators_are_copied_along(t):
    glsl = t.scratch.create(t.td.glslTOP, "shader")
    place = t.scratch.create(t.td.baseCOMP)
    double = place.copy(glsl)
    assert {d.name for d in double.docked} == {"shader_pixel", "shader_compute", "shader_info"}
    assert all(d.parent() == place for d in double.docked)


@fact(18)
def test_there_is_no_parent_setter(t):
    noise = t.scratch.create(t.td.noiseTOP)
    with raises(AttributeError):
        noise.parent = t.td.root


@fact(18)
def test_changing_the_type_gives_a_new_operator_with_the_wires(t):
    noise, level, out = (t.scratch.create(c) for c in (t.td.noiseTOP, t.td.levelTOP, t.td.nullTOP))
    noise.outputConnectors[0].connect(level)
    level.outputConnectors[0].connect(out)
    blur = level.changeType(t.td.blurTOP)
    assert blur.OPType == "blurTOP"
    assert blur.inputs == [noise]
    assert out.inputs == [blur]
    assert not level.valid


@fact(19)
def test_destroying_twice_raises(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.destroy()
    assert not noise.valid
    assert t.scratch.op("noise1") is None
    with raises(t.td.tdError):
        noise.destroy()


@fact(19)
def test_destroying_a_component_destroys_what_is_inside(t):
    base = t.scratch.create(t.td.baseCOMP)
    inner = base.create(t.td.noiseTOP)
    base.destroy()
    assert not inner.valid


@fact(19)
def test_destroying_an_operator_takes_its_wires_off(t):
    noise = t.scratch.create(t.td.noiseTOP)
    level = t.scratch.create(t.td.levelTOP)
    noise.outputConnectors[0].connect(level)
    noise.destroy()
    assert level.inputs == []


@fact(19)
def test_docked_operators_have_to_go_before_their_host(t):
    glsl = t.scratch.create(t.td.glslTOP, "shader")
    for docked in glsl.docked:
        docked.destroy()
    glsl.destroy()
    assert t.scratch.children == []


@fact(20)
def test_tiles_have_a_size_by_kind_and_a_smallest_one(t):
    noise, base = t.scratch.create(t.td.noiseTOP), t.scratch.create(t.td.baseCOMP)
    assert (noise.nodeWidth, noise.nodeHeight) == (130, 90)
    assert (base.nodeWidth, base.nodeHeight) == (160, 130)
    for o, height in ((noise, 29), (base, 49)):
        o.nodeWidth = o.nodeHeight = 1
        assert (o.nodeWidth, o.nodeHeight) == (54, height)


@fact(20)
def test_colours_are_kept_as_32_bit_floats(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.color = (0.1, 0.2, 0.3)
    assert noise.color[0] != 0.1
    assert all(abs(a - b) < 1e-6 for a, b in zip(noise.color, (0.1, 0.2, 0.3), strict=True))


@fact(20)
def test_docked_operators_do_not_follow_their_host(t):
    glsl = t.scratch.create(t.td.glslTOP, "shader")
    before = [(d.nodeX, d.nodeY) for d in glsl.docked]
    glsl.nodeX, glsl.nodeY = 400, 300
    assert [(d.nodeX, d.nodeY) for d in glsl.docked] == before


@fact(20)
def test_cooking_can_be_switched_off_on_components_only(t):
    base, noise = t.scratch.create(t.td.baseCOMP), t.scratch.create(t.td.noiseTOP)
    base.allowCooking = False
    assert base.allowCooking is False
    with raises(t.td.tdError):
        noise.allowCooking = False


@fact(17)
@needs("POP")
def test_a_glsl_pop_gets_its_docked_operators_with_its_first_cook(t):
    glsl = t.scratch.create(t.td.glslPOP, "shader")
    assert glsl.docked == []
    glsl.cook(force=True)
    assert glsl.docked != []
    assert glsl.par.computedat.eval() in glsl.docked


@fact(20)
def test_what_python_makes_has_its_viewer_off(t):
    assert not t.scratch.create(t.td.noiseTOP).viewer
    assert not t.scratch.create(t.td.baseCOMP).viewer


@fact(20)
def test_a_copy_has_the_viewer_of_its_original(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.viewer = True
    assert t.scratch.copy(noise).viewer


@fact(80)
def test_another_type_keeps_the_tags(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.tags = {"kept"}
    assert noise.changeType(t.td.constantTOP).tags == {"kept"}


@fact(79)
def test_panels_of_touchdesigners_own_have_children(t):
    for kind in ("buttonCOMP", "sliderCOMP", "fieldCOMP", "listCOMP", "animationCOMP"):
        assert t.scratch.create(getattr(t.td, kind)).children, kind


#: Type -> what is docked to a new one: the end of its name, its type, the parameter that names it, its language.
DOCKED = {
    "glslTOP": "pixel textDAT pixeldat glsl, compute textDAT computedat glsl, info infoDAT",
    "glslmultiTOP": "pixel textDAT pixeldat glsl, compute textDAT computedat glsl, info infoDAT",
    "glslMAT": "vertex textDAT vdat glsl, pixel textDAT pdat glsl, info infoDAT",
    "scriptTOP": "callbacks textDAT callbacks python",
    "scriptCHOP": "callbacks textDAT callbacks python",
    "scriptSOP": "callbacks textDAT callbacks python",
    "scriptDAT": "callbacks textDAT callbacks python",
    "timerCHOP": "callbacks textDAT callbacks python",
    "webserverDAT": "callbacks textDAT callbacks python",
    "oscinDAT": "callbacks textDAT callbacks python",
    "keyboardinDAT": "callbacks textDAT callbacks python",
    "rampTOP": "keys tableDAT dat",
}


@fact(74)
def test_new_operators_have_their_companions_docked(t):
    for kind, docked in DOCKED.items():
        host = t.scratch.create(getattr(t.td, kind), "host")
        for suffix, type_name, *more in (each.split() for each in docked.split(", ")):
            companion = t.scratch.op(f"host_{suffix}")
            assert companion is not None and companion.OPType == type_name, (kind, suffix)
            assert companion.dock == host, (kind, suffix)
            if more:
                assert host.par[more[0]].eval() == companion, (kind, suffix)
            if more[1:]:
                assert companion.par.language.eval() == more[1], (kind, suffix)
        for companion in list(host.docked):
            companion.destroy()
        host.destroy()


@fact(74)
def test_the_callbacks_of_a_new_script_operator_are_called(t):
    made = t.scratch.create(t.td.scriptCHOP)
    made.par.callbacks.eval().text = "def onCook(scriptOp):\n\tscriptOp.clear()\n\tscriptOp.appendChan('a')\n"
    yield
    made.cook(force=True)
    assert [c.name for c in made.chans()] == ["a"]


#: What wants an operator and is given a name.
GIVEN_A_NAME = (
    lambda comp, top: comp.copy("n"),
    lambda comp, top: comp.copyOPs(["n"]),
    lambda comp, top: top.inputConnectors[0].connect("n"),
    lambda comp, top: top.setInputs(["n"]),
    lambda comp, top: setattr(top, "dock", "n"),
)


@fact(91)
def test_a_name_is_no_operator_where_one_is_wanted(t):
    t.scratch.create(t.td.noiseTOP, "n")
    comp, top = t.scratch.create(t.td.baseCOMP), t.scratch.create(t.td.levelTOP)
    for given in GIVEN_A_NAME:
        with raises(t.td.tdError) as caught:
            given(comp, top)
        assert caught.text.startswith("Invalid number or type of arguments.")
    assert comp.children == [] and top.inputs == [] and top.dock is None


@fact(17, 74)
@needs("POP")
def test_a_glsl_pop_has_its_docked_operators_once_it_cooked(t):
    for kind, suffixes in (
        ("glslPOP", "compute info"),
        ("glslcopyPOP", "ptCompute vertCompute primCompute info"),
    ):
        made = t.scratch.create(kind, "shaded")
        made.cook(force=True)
        yield
        assert [o.name for o in made.docked] == [f"shaded_{suffix}" for suffix in suffixes.split()], kind
        for docked in list(made.docked):
            docked.destroy()
        made.destroy()

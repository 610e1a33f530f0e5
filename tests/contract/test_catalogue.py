"""Parameters and menus of operator types that documentation alone gets wrong."""

from .facts import fact, needs, raises

#: Parameters that documentation shows in one row with another.
SHARED_ROWS = {
    "trailPOP": "length lengthunit inc incunit reset resetpulse",
    "particlePOP": "birthrate birthrateunit life lifeunit play steppulse preroll prerollunit",
    "glsladvancedPOP": "maxpointsmode maxpoints lsmaxvertsoverride lsmaxverts",
    "topologyPOP": "maxtrianglesmode maxtriangles pointcountclass pointcountattr",
    "cachePOP": "active activepulse",
    "noisePOP": "noise noiseoutputattscope",
}

#: (type, parameter): words of its menu.
WORDS = {
    ("glsladvancedPOP", "maxpointsmode"): ["input", "custom"],
    ("geometryCOMP", "instancerottoorder"): ["rottoxform", "rotaterotto", "rottorotate"],
    ("pointspriteMAT", "sizingmodel"): ["constatten", "perspective"],
    ("poptoTOP", "layout"): ["square", "onerow", "wrapped", "popdim"],
}

#: Type -> parameters that the pages do not name, or name otherwise.
PRESENT = {
    "inTOP": "connectorder",
    "outCHOP": "connectorder",
    "inDAT": "connectorder",
    "outSOP": "connectorder",
    "logicCHOP": "boundmin boundmax",
    "glslmultiTOP": "buffer0pop buffer0attr buffer0name color0name color0rgbr",
    "rectanglePOP": "sizeu sizev",
    "quantizePOP": "quantize0 quantstep0",
    "limitPOP": "mintype0 maxtype0 min0 max0",
    "groupPOP": "removethin",
}


def made(t, kind):
    return t.scratch.create(getattr(t.td, kind))


@fact(85)
@needs("POP")
def test_what_shares_a_row_of_the_documentation_is_two_parameters(t):
    for kind, names in SHARED_ROWS.items():
        here = made(t, kind)
        missing = [name for name in names.split() if here.par[name] is None]
        assert not missing, (kind, missing)
        assert all(name not in here.par[name].menuNames for name in names.split()), kind


@fact(85)
@needs("POP")
def test_attributes_to_make_have_a_menu_of_names_and_a_custom_name(t):
    shader = made(t, "glslPOP")
    shader.seq.attr.numBlocks = 1
    assert shader.par.attr0name.menuNames == ["custom", "n", "color", "tex", "pointscale", "linewidth"]
    shader.par.attr0name = "custom"
    shader.par.attr0customname = "heat"
    assert (shader.par.attr0name.eval(), shader.par.attr0customname.eval()) == ("custom", "heat")
    assert shader.par.attr0numcomps.menuNames == ["1", "2", "3", "4"]


@fact(85)
@needs("POP")
def test_menus_hold_the_words_seen_live(t):
    for (kind, name), words in WORDS.items():
        assert made(t, kind).par[name].menuNames == words, (kind, name)
    assert "parpanel" in made(t, "glslTOP").par.outputresolution.menuNames


@fact(85)
@needs("POP")
def test_parameters_that_the_pages_do_not_name_are_there(t):
    for kind, names in PRESENT.items():
        here = made(t, kind)
        list(here.seq)  # brings the sequences of a POP (fact 65)
        missing = [name for name in names.split() if here.par[name] is None]
        assert not missing, (kind, missing)


@fact(85)
def test_blending_of_a_material_is_a_toggle(t):
    material = made(t, "phongMAT")
    material.par.blending = True
    assert material.par.blending.style == "Toggle"
    assert material.par.blending.eval() is True


@fact(86)
def test_fewer_blocks_than_one_are_refused(t):
    with raises(t.td.tdError) as caught:
        made(t, "constantCHOP").seq.const.numBlocks = 0
    assert caught.text == "Minimum size is 1 block. Value:0 Type:<class 'int'>."


@fact(86)
@needs("POP")
def test_combinations_begin_without_a_block(t):
    mix = made(t, "mathmixPOP")
    assert [s.numBlocks for s in mix.seq if s.name == "comb"] == [0]
    assert mix.par["comb0oper"] is None
    mix.seq.comb.numBlocks = 1
    assert mix.par["comb0oper"] is not None


@fact(87)
@needs("POP")
def test_types_that_have_a_class_only_are_refused(t):
    with raises(t.td.tdError) as caught:
        t.scratch.create("engineoutPOP", "engineoutpop")
    assert caught.text == (
        "Invalid number or type of arguments. See help for details. "
        "Value:('engineoutPOP', 'engineoutpop') Type:<class 'tuple'>."
    )
    for kind in ("glslcreatePOP", "linethickPOP", "scriptPOP", "timefilterPOP"):
        with raises(t.td.tdError) as caught:
            t.scratch.create(kind)
        assert caught.text == f"Unknown operator type. Value:'{kind}' Type:<class 'str'>."

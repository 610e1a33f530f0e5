"""Pictures: what TOPs draw, how large they are, and how scripts get at the pixels."""

from .facts import fact, raises


def chain(t, *types):
    """Operators of these types, each wired into the next; the list of them."""
    made = []
    for kind in types:
        new = t.scratch.create(getattr(t.td, kind))
        if made:
            new.inputConnectors[0].connect(made[-1])
        made.append(new)
    return made


def near(pixel, expected, by=0.01):
    return all(abs(a - b) <= by for a, b in zip(pixel, expected, strict=True))


@fact(41)
def test_a_constant_has_its_colour_everywhere(t):
    top = t.scratch.create(t.td.constantTOP)
    top.par.colorr, top.par.colorg, top.par.colorb = 0.2, 0.4, 0.8
    assert near(top.sample(x=0, y=0), (0.2, 0.4, 0.8, 1))
    assert near(top.sample(u=1, v=1), (0.2, 0.4, 0.8, 1))


def test_a_constant_multiplies_its_colour_by_alpha(t):
    top = t.scratch.create(t.td.constantTOP)
    top.par.alpha = 0.5
    assert near(top.sample(x=0, y=0), (0.5, 0.5, 0.5, 0.5))


@fact(41)
def test_numpy_array_is_float_height_width_channels(t):
    top = t.scratch.create(t.td.constantTOP)
    top.par.outputresolution = "custom"
    top.par.resolutionw, top.par.resolutionh = 64, 32
    pixels = top.numpyArray()
    assert pixels.shape == (32, 64, 4)
    assert str(pixels.dtype) == "float32"
    assert (top.width, top.height) == (64, 32)


@fact(41)
def test_a_delayed_numpy_array_is_none_at_first(t):
    top = t.scratch.create(t.td.constantTOP)
    assert top.numpyArray(delayed=True) is None
    yield
    assert top.numpyArray(delayed=True) is not None


@fact(41)
def test_a_numpy_array_is_read_only_unless_asked(t):
    top = t.scratch.create(t.td.constantTOP)
    with raises(ValueError):
        top.numpyArray()[0, 0, 0] = 1
    top.numpyArray(writable=True)[0, 0, 0] = 1


@fact(41)
def test_save_byte_array_wants_the_dot_and_is_tiff_by_itself(t):
    top = t.scratch.create(t.td.constantTOP)
    assert bytes(top.saveByteArray(".png")).startswith(b"\x89PNG")
    assert bytes(top.saveByteArray())[:2] in (b"II", b"MM")
    with raises(t.td.tdError):
        top.saveByteArray("png")


def test_a_filter_is_as_large_as_its_input(t):
    top, level, out = chain(t, "constantTOP", "levelTOP", "nullTOP")
    top.par.outputresolution = "custom"
    top.par.resolutionw, top.par.resolutionh = 320, 180
    assert (out.width, out.height) == (320, 180)
    level.par.outputresolution = "half"
    assert (out.width, out.height) == (160, 90)


def test_level_multiplies_brightness_and_an_eight_bit_picture_clamps(t):
    top, level = chain(t, "constantTOP", "levelTOP")
    top.par.colorr, top.par.colorg, top.par.colorb = 0.2, 0.4, 0.8
    level.par.brightness1 = 2
    assert near(level.sample(x=3, y=3), (0.4, 0.8, 1, 1))
    level.par.format = "rgba32float"
    assert near(level.sample(x=3, y=3), (0.4, 0.8, 1.6, 1))


def test_a_blur_keeps_the_mean_and_softens_the_edge(t):
    circle, blur = chain(t, "circleTOP", "blurTOP")
    blur.par.size = 20
    before, after = circle.numpyArray()[..., 0], blur.numpyArray()[..., 0]
    assert abs(before.mean() - after.mean()) < 0.01
    assert ((after > 0.1) & (after < 0.9)).sum() > 3 * ((before > 0.1) & (before < 0.9)).sum()


def test_a_circle_is_white_on_transparent_black(t):
    top = t.scratch.create(t.td.circleTOP)
    assert near(top.sample(u=0.5, v=0.5), (1, 1, 1, 1))
    assert near(top.sample(x=0, y=0), (0, 0, 0, 0))


def test_a_rectangle_covers_the_middle(t):
    top = t.scratch.create(t.td.rectangleTOP)
    assert near(top.sample(u=0.5, v=0.7), (1, 1, 1, 1))
    assert near(top.sample(u=0.5, v=0.9), (0, 0, 0, 0))


def test_a_horizontal_ramp_grows_to_the_right(t):
    top = t.scratch.create(t.td.rampTOP)
    left, right = top.sample(u=0.1, v=0.5), top.sample(u=0.9, v=0.5)
    assert near(left, (0.1, 0.1, 0.1, 1), 0.02)
    assert near(right, (0.9, 0.9, 0.9, 1), 0.02)


@fact(84)
def test_the_bottom_row_is_the_first_of_numpy_array(t):
    top = t.scratch.create(t.td.rampTOP)
    top.par.type = "vertical"
    rows = top.numpyArray()[:, 0, 0]
    below, above = top.sample(u=0.5, v=0.1)[0], top.sample(u=0.5, v=0.9)[0]
    assert below != above
    assert (rows[0] < rows[-1]) == (below < above)


def test_noise_is_grey_and_moves_with_its_translate_expression(t):
    top = t.scratch.create(t.td.noiseTOP)
    top.par.tz.expr = "absTime.seconds"
    first = top.numpyArray()
    assert first[..., 0].std() > 0.02
    assert (first[..., 0] == first[..., 1]).all()
    for _ in range(10):
        yield
    assert abs(top.numpyArray() - first).mean() > 0.005


def test_noise_changes_with_its_seed_and_its_period(t):
    top = t.scratch.create(t.td.noiseTOP)
    first = top.numpyArray()
    top.par.seed = 7
    second = top.numpyArray()
    assert abs(first - second).mean() > 0.02
    top.par.period = 0.1
    fine = top.numpyArray()
    assert abs(fine[:, 1:, 0] - fine[:, :-1, 0]).mean() > 2 * abs(second[:, 1:, 0] - second[:, :-1, 0]).mean()


def test_noise_with_mono_off_is_coloured(t):
    top = t.scratch.create(t.td.noiseTOP)
    top.par.mono = False
    pixels = top.numpyArray()
    assert abs(pixels[..., 0] - pixels[..., 1]).mean() > 0.01


def two_colours(t, kind):
    red, green = t.scratch.create(t.td.constantTOP), t.scratch.create(t.td.constantTOP)
    red.par.colorg = red.par.colorb = 0
    green.par.colorr = green.par.colorb = 0
    both = t.scratch.create(kind)
    both.inputConnectors[0].connect(red)
    both.inputConnectors[1].connect(green)
    return red, green, both


def test_composite_multiplies_until_told_otherwise(t):
    _red, _green, both = two_colours(t, t.td.compositeTOP)
    assert near(both.sample(x=0, y=0), (0, 0, 0, 1))
    both.par.operand = "add"
    assert near(both.sample(x=0, y=0), (1, 1, 0, 1))
    both.par.operand = "over"
    assert near(both.sample(x=0, y=0), (1, 0, 0, 1))
    both.par.operand = "under"
    assert near(both.sample(x=0, y=0), (0, 1, 0, 1))


def test_composite_hue_and_color_keep_the_brightness_below(t):
    # The layer is red; what is below it is a dark grey, which has no saturation to keep.
    _red, below, both = two_colours(t, t.td.compositeTOP)
    below.par.colorr = below.par.colorg = below.par.colorb = 0.25
    both.par.operand = "hue"
    assert near(both.sample(x=0, y=0), (0.25, 0.25, 0.25, 1))
    both.par.operand = "color"
    r, g, b, _alpha = both.sample(x=0, y=0)
    assert r > 0.5 and g == b < 0.1
    assert abs(0.3 * r + 0.59 * g + 0.11 * b - 0.25) < 0.01


def test_composite_takes_tops_by_name_as_well(t):
    _red, _green, both = two_colours(t, t.td.compositeTOP)
    blue = t.scratch.create(t.td.constantTOP, "blue")
    blue.par.colorr = blue.par.colorg = 0
    both.par.operand = "add"
    both.par.top = "blue"
    assert near(both.sample(x=0, y=0), (1, 1, 1, 1))


def test_over_puts_the_first_input_on_top(t):
    red, _green, over = two_colours(t, t.td.overTOP)
    red.par.alpha = 0.5
    assert near(over.sample(x=0, y=0), (0.5, 0.5, 0, 1))


def test_the_fixed_layer_decides_the_size(t):
    red, green, over = two_colours(t, t.td.overTOP)
    red.par.outputresolution = green.par.outputresolution = "custom"
    red.par.resolutionw, red.par.resolutionh = 100, 50
    green.par.resolutionw, green.par.resolutionh = 40, 40
    assert (over.width, over.height) == (40, 40)
    over.par.size = "input1"
    assert (over.width, over.height) == (100, 50)


def test_cross_runs_from_the_first_input_to_the_second(t):
    _red, _green, cross = two_colours(t, t.td.crossTOP)
    assert near(cross.sample(x=0, y=0), (0.5, 0.5, 0, 1))
    cross.par.cross = 1
    assert near(cross.sample(x=0, y=0), (0, 1, 0, 1))


def test_switch_shows_one_input_and_cooks_no_other(t):
    _red, green, switch = two_colours(t, t.td.switchTOP)
    assert near(switch.sample(x=0, y=0), (1, 0, 0, 1))
    assert green.totalCooks == 0
    switch.par.index = 1
    assert near(switch.sample(x=0, y=0), (0, 1, 0, 1))


def test_select_follows_the_top_it_names(t):
    top = t.scratch.create(t.td.constantTOP, "source")
    select = t.scratch.create(t.td.selectTOP)
    select.par.top = "source"
    top.par.colorr = 0
    assert near(select.sample(x=0, y=0), (0, 1, 1, 1))


def test_transform_moves_the_picture_by_fractions_of_it(t):
    circle, move = chain(t, "circleTOP", "transformTOP")
    circle.par.radiusx = circle.par.radiusy = 0.1
    move.par.tx = 0.25
    assert near(move.sample(u=0.75, v=0.5), (1, 1, 1, 1))
    assert near(move.sample(u=0.5, v=0.5), (0, 0, 0, 0))


def test_flip_mirrors_and_crop_cuts(t):
    _ramp, flip, crop = chain(t, "rampTOP", "flipTOP", "cropTOP")
    flip.par.flipx = True
    assert flip.sample(u=0.1, v=0.5)[0] > 0.85
    crop.par.cropright = 0.25
    assert (crop.width, crop.height) == (64, 256)
    assert crop.sample(u=0.9, v=0.5)[0] > 0.7


def test_text_leaves_ink_and_follows_its_text(t):
    top = t.scratch.create(t.td.textTOP)
    top.par.text = "."
    little = top.numpyArray()[..., 0].sum()
    top.par.text = "HELLO"
    assert top.numpyArray()[..., 0].sum() > 5 * little > 0


def test_a_filter_without_an_input_has_an_error_from_the_next_frame_on(t):
    top = t.scratch.create(t.td.blurTOP)
    top.cook(force=True)
    yield
    assert "Not enough sources specified" in top.errors()


@fact(11)
def test_feedback_shows_the_frame_before(t):
    top = t.scratch.create(t.td.constantTOP, "start")
    top.par.colorr = top.par.colorg = top.par.colorb = 0.125
    loop, add = t.scratch.create(t.td.feedbackTOP), t.scratch.create(t.td.addTOP, "add")
    loop.inputConnectors[0].connect(top)
    add.inputConnectors[0].connect(loop)
    add.inputConnectors[1].connect(top)
    loop.par.top = "add"
    seen = []
    for _ in range(4):
        seen.append(round(add.sample(x=0, y=0)[0], 2))
        yield
    assert seen == [0.25, 0.38, 0.5, 0.63] or seen == [0.25, 0.37, 0.5, 0.62]
    assert loop.warnings() == ""


@fact(11)
def test_a_forced_cook_does_not_advance_feedback(t):
    _, loop, level = chain(t, "constantTOP", "feedbackTOP", "levelTOP")
    level.par.brightness1 = 0.5
    loop.par.top = level.name
    first = level.sample(x=0, y=0)[0]
    for _ in range(3):
        level.cook(force=True)
        loop.cook(force=True)
    assert level.sample(x=0, y=0)[0] == first
    yield
    assert level.sample(x=0, y=0)[0] < first


@fact(11)
def test_an_op_viewer_is_blank_until_the_next_frame(t):
    top = t.scratch.create(t.td.constantTOP)
    viewer = t.scratch.create(t.td.opviewerTOP)
    viewer.par.opviewer = top
    assert viewer.numpyArray().max() == 0
    yield
    assert viewer.numpyArray().max() == 1


@fact(34, 41)
def test_a_broken_shader_passes_its_input_through_without_an_error(t):
    top, glsl = chain(t, "rampTOP", "glslTOP")
    pixel = t.scratch.op(f"{glsl.name}_pixel")
    pixel.text = "out vec4 fragColor;\nvoid main()\n{\n\tfragColor = vec4(nowhere);\n}\n"
    for _ in range(3):
        glsl.cook(force=True)
        yield
    assert near(glsl.sample(u=0.9, v=0.5), top.sample(u=0.9, v=0.5))
    assert glsl.errors() == ""
    assert f"ERROR: {pixel.path}:4: 'nowhere' : undeclared identifier" in glsl.compileResult
    info = t.scratch.op(f"{glsl.name}_info")
    assert "undeclared identifier" in info.text


@fact(17, 34)
def test_the_shader_of_a_new_glsl_top_compiles_and_is_white(t):
    glsl = t.scratch.create(t.td.glslTOP)
    assert "void main()" in t.scratch.op(f"{glsl.name}_pixel").text
    assert near(glsl.sample(x=0, y=0), (1, 1, 1, 1))
    assert glsl.compileResult.count("Compiled Successfully") == 2


@fact(11)
def test_a_shader_takes_effect_one_cook_after_its_text(t):
    glsl = t.scratch.create(t.td.glslTOP)
    assert glsl.compileResult.count("Compiled Successfully") == 2
    t.scratch.op(f"{glsl.name}_pixel").text = "broken"
    glsl.cook(force=True)
    assert glsl.compileResult.count("Compiled Successfully") == 2
    yield
    yield
    assert "ERROR" in glsl.compileResult


def test_a_picture_can_be_saved_to_a_file(t):
    import os
    import tempfile

    top = t.scratch.create(t.td.circleTOP)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "deep", "picture.jpg")
        top.save(path, createFolders=True)
        with open(path, "rb") as file:
            assert file.read(2) == b"\xff\xd8"


@fact(41, 70)
def test_a_picture_is_saved_on_another_thread_and_is_there_in_the_end(t):
    import os
    import tempfile
    import time

    top = t.scratch.create(t.td.constantTOP)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png").replace(os.sep, "/")
        status = top.save(path, asynchronous=True)
        late = time.monotonic() + 10
        over = getattr(status, "isCompleted", lambda: os.path.isfile(path) and os.path.getsize(path) > 0)
        while not over() and time.monotonic() < late:
            yield
        assert over()
        # A status, or in some builds a text (fact 70); as text both are the file.
        assert os.path.normpath(str(status)) == os.path.normpath(path)
        with open(path, "rb") as file:
            data = file.read()
        assert data.startswith(b"\x89PNG")
        assert data[-8:-4] == b"IEND"


SCRIPT_TOP = """
import numpy
def onCook(scriptOp):
\tpixels = numpy.zeros((20, 40, 4), dtype='float32')
\tpixels[..., 0] = 0.5
\tpixels[..., 3] = 1
\tscriptOp.copyNumpyArray(pixels)
"""


@fact(41)
def test_a_script_top_takes_pixels_inside_on_cook_only(t):
    callbacks = t.scratch.create(t.td.textDAT, "callbacks")
    callbacks.text = SCRIPT_TOP
    top = t.scratch.create(t.td.scriptTOP)
    top.par.callbacks = callbacks
    assert (top.width, top.height) == (40, 20)
    assert near(top.sample(x=3, y=3), (0.5, 0, 0, 1))
    with raises(t.td.tdError):
        top.copyNumpyArray(top.numpyArray())


def test_a_bypassed_filter_hands_its_input_on(t):
    _, level = chain(t, "constantTOP", "levelTOP")
    level.par.brightness1 = 0.5
    assert level.sample(x=0, y=0)[0] < 0.6
    level.bypass = True
    assert level.sample(x=0, y=0)[0] == 1


@fact(32)
def test_a_component_hands_pictures_through_its_in_and_out(t):
    box = t.scratch.create(t.td.baseCOMP)
    inside, level, out = box.create(t.td.inTOP), box.create(t.td.levelTOP), box.create(t.td.outTOP)
    level.inputConnectors[0].connect(inside)
    out.inputConnectors[0].connect(level)
    level.par.brightness1 = 0.5
    top, null = t.scratch.create(t.td.constantTOP), t.scratch.create(t.td.nullTOP)
    yield
    box.inputConnectors[0].connect(top)
    null.inputConnectors[0].connect(box)
    assert near(null.sample(x=0, y=0), (0.5, 0.5, 0.5, 1))
    top.par.colorr = 0
    assert near(null.sample(x=0, y=0), (0, 0.5, 0.5, 1))


@fact(75)
def test_a_shader_that_fails_is_a_warning_that_names_the_info_dat(t):
    glsl = t.scratch.create(t.td.glslTOP, "g")
    t.scratch.op("g_pixel").text = "out vec4 c;\nvoid main() { c = vec4(nothing); }\n"
    for _ in range(3):
        glsl.cook(force=True)
        yield
    assert "Info DAT" in glsl.warnings()
    assert glsl.errors() == ""
    assert "nothing" in t.scratch.op("g_info").text

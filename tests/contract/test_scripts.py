"""Scripts as tutorials have them, run from a Text DAT as a user would, and what must come of them."""

from pathlib import Path

from .facts import fact, uses_undo_stack

SCRIPTS = Path(__file__).parent / "scripts"


def run_script(t, name):
    """The script in a Text DAT of the scratch component, run."""
    dat = t.scratch.create(t.td.textDAT, "script")
    dat.text = (SCRIPTS / f"{name}.py").read_text("utf-8")
    dat.run()
    assert dat.scriptErrors() == "", dat.scriptErrors()


def listening(circle):
    """Frames in which something asks for the picture, as a viewer would."""
    for _ in range(60):
        circle.cook()
        yield


def until(condition):
    """Let frames pass until the condition holds; at most a thousand."""
    for _ in range(1000):
        if condition():
            return
        yield


@fact(11, 42)
def test_an_audio_reactive_chain_moves_a_circle_with_the_sound(t):
    run_script(t, "audio_reactive")
    sound, circle = t.scratch.op("sound"), t.scratch.op("circle1")
    sound.par.amp = 0
    yield from listening(circle)
    silent = circle.par.radiusx.eval()
    sound.par.amp = 1
    yield from listening(circle)
    radius = circle.par.radiusx.eval()
    assert radius > silent + 0.05
    assert circle.par.radiusy.eval() == radius
    level = t.scratch.op("level")
    assert level.numChans == 1
    assert abs(radius - (0.05 + level[0].eval() * 0.5)) < 1e-6
    assert t.scratch.op("picture").sample(u=0.5, v=0.5)[0] > 0.5
    assert t.scratch.errors(recurse=True) == ""


@fact(11)
def test_a_feedback_loop_leaves_a_trail_that_fades(t):
    run_script(t, "feedback_loop")
    trail, dot = t.scratch.op("trail"), t.scratch.op("dot")

    def lit(top, least):
        return int((top.numpyArray()[:, :, 3] > least).sum())

    for _ in range(25):
        trail.cook()
        yield
    assert lit(trail, 0.05) > 2 * lit(dot, 0.05)
    assert lit(trail, 0.95) < lit(trail, 0.05)
    assert "loop" not in t.scratch.warnings(recurse=True).lower()


@fact(17, 24, 41)
def test_a_geometry_is_instanced_from_a_table(t):
    run_script(t, "instanced_geometry")
    yield
    places, boxes = t.scratch.op("places"), t.scratch.op("boxes")
    assert [c.name for c in places.chans()] == ["tx", "ty", "tz", "ry", "scale"]
    assert places.numSamples == 12
    assert abs(places["tz"][3] - 1) < 1e-3
    assert [o.name for o in boxes.children] == ["box1"]
    assert boxes.op("box1").numPoints > 0
    assert boxes.par.instanceop.eval() == places
    assert boxes.par.material.eval().name == "paint"
    render = t.scratch.op("render1")
    assert render.par.camera.eval().par.lookat.eval() == boxes
    assert (render.width, render.height) == (640, 360)
    assert t.scratch.errors(recurse=True) == ""


@fact(27, 29, 38)
def test_a_table_drives_a_panel_through_its_extension(t):
    run_script(t, "table_driven_ui")
    deck = t.scratch.op("deck")
    yield
    yield
    assert [b.name for b in deck.findChildren(tags=["cue"])] == [
        "button_intro",
        "button_verse",
        "button_drop",
    ]
    assert deck.par.Scene.menuLabels == ["Intro", "Verse", "The Drop"]
    assert (deck.par.Scene, deck.par.Speed) == ("verse", 1)
    deck.par.Next.pulse()
    yield
    yield
    yield
    assert (deck.par.Scene, deck.par.Speed) == ("drop", 3.5)
    assert deck.fetch("last") == ("Speed", 3.5, 1)
    assert deck.op("readout").par.text.eval() == "The Drop x2"
    assert deck.Go("encore") is False
    deck.op("cues").appendRow(["encore", "Encore", 2])
    assert deck.Go("encore") is True
    # The menu does not know the word: it falls back to its first entry without a word (fact 23).
    assert deck.par.Scene == "intro"
    deck.op("cues").deleteRow("drop")
    deck.Build()
    assert deck.op("button_drop") is None and deck.op("button_encore") is not None


@fact(11, 34, 41)
def test_a_shader_with_an_error_is_found_and_mended(t):
    run_script(t, "glsl_error")
    shader = t.scratch.op("shader")
    for _ in range(3):
        shader.cook(force=True)
        yield
    assert "ERROR" in shader.compileResult
    assert "ERROR" in t.scratch.op("shader_info").text
    assert shader.errors() == ""
    # A shader that fails passes its input through.
    assert [round(v, 2) for v in shader.sample(u=0.5, v=0.5)] == [1, 0, 0, 1]
    for _ in range(200):
        shader.cook(force=True)
        yield
        if "ERROR" not in shader.compileResult:
            break
    assert "ERROR" not in shader.compileResult


@fact(8, 36)
def test_a_show_runs_by_callbacks_delays_and_presets(t):
    run_script(t, "cue_timer")
    picture = t.scratch.op("picture")
    assert (picture.par.period, picture.par.amp) == (8, 0.2)
    # What happens, and in which order; not in which frame, since a busy TouchDesigner leaves some out.
    amps = [0.2]
    for _ in range(200):
        yield
        if picture.par.amp != amps[-1]:
            amps.append(picture.par.amp.eval())
        if amps[-1] == 1:
            break
    assert amps == [0.2, 0.75, 1]
    assert t.scratch.fetch("log") == ["calm", "go", "wild"]
    assert picture.par.period == 0.5


@fact(20, 35)
@uses_undo_stack
def test_a_tool_tidies_the_selection_in_one_undo_step(t):
    run_script(t, "undo_and_presets")
    places = {o.name: (o.nodeX, o.nodeY) for o in t.scratch.selectedChildren}
    assert places == {
        "lfo1": (0, 0), "null1": (200, 0), "table1": (0, -150), "noise1": (0, -300), "level1": (200, -300),
    }  # fmt: skip
    assert t.td.ui.undo.undoStack[0] == "Tidy selection"
    t.td.ui.undo.undo()
    assert {(o.nodeX, o.nodeY) for o in t.scratch.selectedChildren} == {(0, 0)}
    assert len(t.scratch.selectedChildren) == 5


@fact(40, 42)
def test_scripted_operators_make_channels_and_tables(t):
    run_script(t, "scripted_operators")
    yield
    wave = t.scratch.op("wave")
    wave.par.setuppars.pulse()
    yield
    assert wave.par.Height == 2
    assert wave["size"].vals == [0, 10, 20, 30]
    assert float(t.scratch.op("report")[1, "last"]) == 3
    assert t.scratch.op("pick").text.splitlines()[2].startswith("size\t30")


@fact(11, 18, 22)
def test_a_bank_of_faders_is_copied_from_a_master_and_follows_its_panels(t):
    run_script(t, "fader_bank")
    bank, mix = t.scratch.op("bank"), t.scratch.op("mix")
    try:
        assert [f.name for f in bank.Faders] == ["fader1", "fader2", "fader3"]
        assert [c.name for c in bank.op("merge").chans()] == ["red", "green", "blue"]
        assert [round(p.eval(), 3) for p in mix.pars("color[rgb]")] == [0.2, 0.4, 0.6]
        bank.Save("dim")
        yield
        bank.op("fader2/knob").panel.u = 0.75
        yield
        yield
        assert bank.fetch("history") == [("fader2", 0.75)]
        assert round(bank.op("merge")["green"].eval(), 3) == 0.75
        assert round(mix.par.colorg.eval(), 3) == 0.75
        # The channel's value is bound to the fader's parameter: writing one writes the other.
        bank.op("fader1/level").par.const0value = 0.9
        assert round(bank.op("fader1").par.Level.eval(), 3) == 0.9
        bank.Recall("dim")
        assert [round(f.par.Level.eval(), 3) for f in bank.Faders] == [0.2, 0.4, 0.6]
        t.scratch.op("config").appendRow(["white", 1, "1 1 1"])
        assert bank.Rebuild() == 4
        assert bank.op("merge").numChans == 4
        assert bank.op("fader4").color == (1, 1, 1)
    finally:
        bank.par.opshortcut = ""


@fact(11)
def test_a_sequence_of_cues_is_told_by_a_timers_segments(t):
    run_script(t, "cue_sequence")
    sky, box = t.scratch.op("sky"), t.scratch.op("box")
    # Each waits for what it expects, within bounds: a busy TouchDesigner is late.
    yield from until(lambda: t.scratch.fetch("seen", []))
    assert t.scratch.fetch("seen") == ["warm"]
    assert (sky.par.colorr.eval(), sky.par.colorb.eval()) == (1, 0)
    assert [round(p.eval(), 3) for p in box.pars("t[xyz]")] == [2, 0, 0]
    yield from until(lambda: "done" in t.scratch.fetch("seen"))
    assert t.scratch.fetch("seen") == ["warm", "cold", "done"]
    assert (sky.par.colorr.eval(), sky.par.colorb.eval()) == (0, 1)
    assert [round(p.eval(), 3) for p in box.pars("t[xyz]")] == [-1, 0, 0]
    box.render = not box.render
    yield
    yield
    assert t.scratch.fetch("flags") == [("box", "render")]

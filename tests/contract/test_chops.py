"""Channels: what CHOPs hold, how they move with time, and how they read as numbers."""

from itertools import pairwise

from .facts import fact, raises


def constant(t, **channels):
    """A Constant CHOP with these channels."""
    chop = t.scratch.create(t.td.constantCHOP)
    chop.seq.const.numBlocks = len(channels)
    for place, (name, value) in enumerate(channels.items()):
        setattr(chop.par, f"const{place}name", name)
        setattr(chop.par, f"const{place}value", value)
    return chop


def largest_step(values):
    return max(abs(a - b) for a, b in pairwise(values))


def wired(t, kind, *sources):
    new = t.scratch.create(kind)
    for place, source in enumerate(sources):
        new.inputConnectors[place].connect(source)
    return new


@fact(42)
def test_channels_are_reached_by_name_index_and_pattern(t):
    chop = constant(t, tx=1, ty=2, rz=3)
    assert chop["ty"].name == "ty"
    assert chop[0].eval() == 1
    assert chop["nothing"] is None
    assert chop.chan("t*").name == "tx"
    assert [c.name for c in chop.chans("t*")] == ["tx", "ty"]
    assert [c.name for c in chop.chans()] == ["tx", "ty", "rz"]


@fact(42)
def test_numpy_array_is_channels_by_samples(t):
    chop = t.scratch.create(t.td.patternCHOP)
    chop.par.length = 8
    assert chop.numpyArray().shape == (1, 8)
    assert (chop.numChans, chop.numSamples, chop.rate, chop.start, chop.end) == (1, 8, 60, 0, 7)


def test_a_channel_is_a_number(t):
    chop = constant(t, a=2, b=3)
    assert chop["a"] + chop["b"] == 5
    assert chop["a"] * 2 == 4 and 1 - chop["a"] == -1
    assert float(chop["b"]) == 3 and round(chop["b"] / chop["a"], 2) == 1.5
    assert chop["a"] < chop["b"] and bool(chop["a"])


def test_a_channel_drives_a_parameter(t):
    chop = constant(t, speed=0.25)
    level = t.scratch.create(t.td.levelTOP)
    level.par.opacity.expr = f"op('{chop.name}')['speed']"
    assert level.par.opacity.eval() == 0.25
    chop.par.const0value = 0.75
    assert level.par.opacity.eval() == 0.75


def test_an_lfo_moves_with_time_between_its_extremes(t):
    lfo = t.scratch.create(t.td.lfoCHOP)
    lfo.par.frequency = 2
    values = []
    since = t.td.absTime.seconds
    while t.td.absTime.seconds - since < 1:
        values.append(lfo["chan1"].eval())
        yield
    assert max(values) > 0.9 and min(values) < -0.9
    assert lfo.numSamples == 1


def test_noise_moves_smoothly_when_time_sliced(t):
    noise = t.scratch.create(t.td.noiseCHOP)
    noise.par.timeslice = True
    values, times = [], []
    for _ in range(60):
        values.append(noise["chan1"].eval())
        times.append(t.td.absTime.seconds)
        yield
    # In units per second, since a busy TouchDesigner leaves frames out.
    steps = [
        abs(b - a) / (later - now)
        for a, b, now, later in zip(values, values[1:], times, times[1:], strict=False)
    ]
    assert 0 < max(steps) < 18
    assert len(set(values)) > 30


def test_a_wave_has_the_length_of_its_range(t):
    wave = t.scratch.create(t.td.waveCHOP)
    assert wave.numSamples == 600
    assert abs(wave["chan1"][15] - 1) < 0.01


def test_channel_names_spell_out_several_channels(t):
    noise = t.scratch.create(t.td.noiseCHOP)
    noise.par.channelname = "t[xyz] r"
    assert [c.name for c in noise.chans()] == ["tx", "ty", "tz", "r"]


def test_math_adds_inputs_and_scales(t):
    maths = wired(t, t.td.mathCHOP, constant(t, a=1, b=2), constant(t, c=10, d=20))
    maths.par.chopop = "add"
    maths.par.gain = 2
    assert [c.eval() for c in maths.chans()] == [22, 44]
    assert [c.name for c in maths.chans()] == ["a", "b"]


def test_math_maps_one_range_onto_another(t):
    maths = wired(t, t.td.mathCHOP, constant(t, a=0.5))
    maths.par.torange1, maths.par.torange2 = 10, 20
    assert maths["a"].eval() == 15


def test_ranges_are_vectors_of_two(t):
    maths = t.scratch.create(t.td.mathCHOP)
    assert [p.name for p in maths.parGroup.fromrange] == ["fromrange1", "fromrange2"]
    assert maths.parGroup.torange.eval() == (0, 1)
    assert maths.par["fromrange"] is None


def test_a_pattern_is_tapered_and_mapped_onto_a_range(t):
    pattern = t.scratch.create(t.td.patternCHOP)
    pattern.par.wavetype, pattern.par.length = "const", 3
    pattern.par.taper1, pattern.par.taper2 = 0, 1
    assert pattern["chan1"].vals == [0, 0.5, 1]
    pattern.par.torange1, pattern.par.torange2 = 10, 20
    assert pattern["chan1"].vals == [10, 15, 20]


def test_a_lag_may_be_given_in_frames(t):
    lags = [wired(t, t.td.lagCHOP, constant(t, a=0)) for _ in range(2)]
    for lag, (unit, amount) in zip(
        lags, (("seconds", 0.5), ("frames", 0.5 * t.td.project.cookRate)), strict=True
    ):
        lag.par.lagunit = unit
        lag.par.lag1 = lag.par.lag2 = amount
        lag.cook()
        lag.inputs[0].par.const0value = 1
    for _ in range(5):
        yield
        values = [lag["a"].eval() for lag in lags]
    assert 0 < values[0] < 1
    assert abs(values[0] - values[1]) < 1e-5


def test_merge_numbers_a_name_that_comes_twice(t):
    merge = wired(t, t.td.mergeCHOP, constant(t, a=1), constant(t, a=2))
    assert [c.name for c in merge.chans()] == ["a", "a1"]


def test_select_picks_and_renames(t):
    chop = constant(t, tx=1, ty=2, rz=3)
    select = t.scratch.create(t.td.selectCHOP)
    select.par.chop = chop.name
    select.par.channames = "t*"
    select.par.renamefrom = "tx"
    select.par.renameto = "left"
    assert [(c.name, c.eval()) for c in select.chans()] == [("left", 1), ("ty", 2)]


def test_lag_follows_late_and_arrives(t):
    source = constant(t, a=0)
    lag = wired(t, t.td.lagCHOP, source)
    assert lag["a"].eval() == 0
    source.par.const0value = 1
    yield
    first = lag["a"].eval()
    assert 0 < first < 0.6
    since = t.td.absTime.seconds
    while t.td.absTime.seconds - since < 1.5:
        yield
        lag.cook()
    assert lag["a"].eval() > 0.99


def test_speed_adds_up_over_time(t):
    speed = wired(t, t.td.speedCHOP, constant(t, a=2))
    assert speed["a"].eval() == 0
    # By the clock: a busy TouchDesigner leaves frames out.
    since = t.td.absTime.seconds
    for _ in range(30):
        yield
        speed.cook()
    assert abs(speed["a"].eval() - 2 * (t.td.absTime.seconds - since)) < 0.1


def test_limit_quantizes_and_normalizes(t):
    limit = wired(t, t.td.limitCHOP, constant(t, a=0.37))
    limit.par.quantvalue, limit.par.vstep = "floor", 0.25
    assert limit["a"].eval() == 0.25
    limit.par.quantvalue = "ceiling"
    assert limit["a"].eval() == 0.5
    ramp = t.scratch.create(t.td.patternCHOP)
    ramp.par.wavetype, ramp.par.length = "ramp", 5
    normal = wired(t, t.td.limitCHOP, ramp)
    normal.par.norm = True
    assert normal["chan1"].vals == [-1, -0.5, 0, 0.5, 1]


def test_a_filter_calms_a_jumpy_channel(t):
    pattern = t.scratch.create(t.td.patternCHOP)
    pattern.par.wavetype, pattern.par.length = "square", 120
    smooth = wired(t, t.td.filterCHOP, pattern)
    smooth.par.width = 0.2
    assert largest_step(smooth[0].vals) < largest_step(pattern[0].vals) / 3


def test_a_timer_runs_its_length_once_and_is_done(t):
    timer = t.scratch.create(t.td.timerCHOP)
    timer.par.length = 0.5
    assert timer["timer_fraction"].eval() == 0
    timer.par.start.pulse()
    since = t.td.absTime.seconds
    for _ in range(8):
        yield
    if (gone := t.td.absTime.seconds - since) < 0.45:  # longer only where TouchDesigner leaves frames out
        assert abs(timer["timer_fraction"].eval() - gone / 0.5) < 0.1
        assert timer["running"].eval() == 1
    while t.td.absTime.seconds - since < 0.6:
        yield
    assert (timer["done"].eval(), timer["running"].eval()) == (1, 0)


def test_a_null_hands_on_and_an_empty_one_has_no_channels(t):
    null = wired(t, t.td.nullCHOP, constant(t, a=1))
    assert null["a"].eval() == 1
    assert t.scratch.create(t.td.nullCHOP).numChans == 0


def test_a_channel_that_is_gone_is_not_valid(t):
    chop = constant(t, a=1)
    channel = chop["a"]
    chop.par.const0name = "b"
    assert not channel.valid
    with raises(t.td.tdError):
        channel.eval()


def test_sound_has_a_frame_of_samples(t):
    audio = t.scratch.create(t.td.audiooscillatorCHOP)
    assert audio.rate == 44100
    frame = 44100 / t.td.root.time.rate
    assert 0.9 * frame <= audio.numSamples <= 1.1 * frame


def test_a_script_chop_makes_its_channels_while_it_cooks(t):
    callbacks = t.scratch.create(t.td.textDAT, "callbacks")
    callbacks.text = (
        "def onCook(scriptOp):\n"
        "\tscriptOp.clear()\n"
        "\tscriptOp.numSamples = 3\n"
        "\tscriptOp.appendChan('a').vals = [1, 2, 3]\n"
        "\tscriptOp.appendChan('b')[1] = 5\n"
    )
    chop = t.scratch.create(t.td.scriptCHOP)
    chop.par.callbacks = callbacks
    assert chop["a"].vals == [1, 2, 3]
    assert chop["b"].vals == [0, 5, 0]
    with raises(t.td.tdError):
        chop.appendChan("c")


def test_analyze_and_limit(t):
    pattern = t.scratch.create(t.td.patternCHOP)
    pattern.par.wavetype, pattern.par.length = "ramp", 11
    average = wired(t, t.td.analyzeCHOP, pattern)
    assert (average.numSamples, round(average[0].eval(), 3)) == (1, 0.5)
    limit = wired(t, t.td.limitCHOP, pattern)
    limit.par.type, limit.par.min, limit.par.max = "clamp", 0.25, 0.5
    assert (limit[0].min(), limit[0].max()) == (0.25, 0.5)


def test_a_reset_pulse_starts_a_speed_again(t):
    speed = wired(t, t.td.speedCHOP, constant(t, a=2))
    since = t.td.absTime.seconds
    for _ in range(20):
        speed.cook()
        yield
    assert speed["a"].eval() > t.td.absTime.seconds - since > 0
    speed.par.resetpulse.pulse()
    assert speed["a"].eval() == 0


def test_a_table_becomes_channels_by_row_or_by_column(t):
    dat = t.scratch.create(t.td.tableDAT)
    for row in (["tx", 1, 2], ["ty", 3, "none"]):
        dat.appendRow(row)
    chop = t.scratch.create(t.td.dattoCHOP)
    chop.par.dat = dat
    yield
    assert [(c.name, c.vals) for c in chop.chans()] == [("tx", [1, 2]), ("ty", [3, 0])]
    chop.par.output = "chanpercol"
    chop.par.firstcolumn = "ignored"
    assert [c.vals for c in chop.chans()] == [[1, 3], [2, 0]]


def test_a_low_pass_takes_the_high_tone_out(t):
    tone = t.scratch.create(t.td.audiooscillatorCHOP)
    tone.par.frequency = 5000
    low = wired(t, t.td.audiofilterCHOP, tone)
    low.par.cutofflog = 2
    yield
    assert tone[0].max() > 0.9
    assert low[0].max() < 0.3


def test_a_spectrum_peaks_at_the_tone(t):
    tone = t.scratch.create(t.td.audiooscillatorCHOP)
    tone.par.frequency = 11025
    spectrum = wired(t, t.td.audiospectrumCHOP, tone)
    yield
    values = spectrum[0].vals
    assert abs(values.index(max(values)) / len(values) - 0.5) < 0.05


@fact(42)
def test_a_channel_is_rounded_and_formatted_as_its_value(t):
    chop = t.scratch.create(t.td.constantCHOP)
    chop.par.const0value = 1.2345
    channel = chop[0]
    assert (round(channel), round(channel, 2)) == (1, round(channel.eval(), 2))
    assert (f"{channel:.2f}", f"{channel:8.1f}") == ("1.23", "     1.2")


@fact(26)
def test_a_parameter_is_rounded_as_its_value(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period = 2.345
    assert (round(noise.par.period), round(noise.par.period, 1)) == (2, round(noise.par.period.eval(), 1))

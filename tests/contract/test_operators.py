"""What every operator is and keeps: identity, class, flags, tags, storage, cooking."""

from .facts import disturbs, fact, raises, send_to


@fact(16)
def test_an_operator_is_an_instance_of_its_type_and_family(t):
    n = t.scratch.create(t.td.noiseTOP)
    assert isinstance(n, t.td.noiseTOP)
    assert isinstance(n, t.td.TOP)
    assert isinstance(n, t.td.OP)
    assert (n.OPType, n.family, n.type) == ("noiseTOP", "TOP", "noise")
    assert n.isTOP
    assert not n.isCHOP


@fact(16)
def test_derived_types_are_instances_of_what_they_derive_from(t):
    camera = t.scratch.create(t.td.cameraCOMP)
    assert isinstance(camera, t.td.ObjectCOMP)
    assert camera.isObject
    panel = t.scratch.create(t.td.containerCOMP)
    assert isinstance(panel, t.td.PanelCOMP)
    assert panel.isPanel


@fact(13)
def test_operators_are_equal_when_they_are_the_same_operator(t):
    n = t.scratch.create(t.td.noiseTOP)
    assert t.td.op(n.path) == n
    assert n != t.scratch


@fact(21)
def test_a_name_that_operators_do_not_have_raises_td_attribute_error(t):
    with raises(t.td.tdAttributeError):
        t.scratch.nosuch  # noqa: B018  The look-up is the test.
    assert not hasattr(t.scratch, "nosuch")


@fact(41)
def test_display_and_render_are_attributes_not_parameters(t):
    torus = t.scratch.create(t.td.geometryCOMP).op("torus1")
    assert torus.par["render"] is None
    torus.render = False
    assert torus.render is False


@fact(14)
def test_tags_are_a_set_that_can_be_added_to(t):
    t.scratch.tags.add("loud")
    assert "loud" in t.scratch.tags
    t.scratch.tags = ["one", "two"]
    assert t.scratch.tags == {"one", "two"}


@fact(36)
def test_storage_keeps_python_objects(t):
    t.scratch.store("state", {"a": [1]})
    assert t.scratch.fetch("state") == {"a": [1]}
    assert t.scratch.fetch("nothing", 5) == 5
    t.scratch.unstore("state")
    assert "state" not in t.scratch.storage


@fact(36)
def test_fetching_searches_the_parents(t):
    t.scratch.store("state", 1)
    inner = t.scratch.create(t.td.baseCOMP)
    assert inner.fetch("state") == 1
    assert inner.fetch("state", 2, search=False) == 2


@fact(11)
def test_operators_cook_only_when_something_asks(t):
    n = t.scratch.create(t.td.constantTOP)
    n.cook(force=True)
    before = n.totalCooks
    n.par.alpha = 0.5
    yield
    assert n.totalCooks == before
    n.cook()
    assert n.totalCooks == before + 1
    n.cook()
    assert n.totalCooks == before + 1


@fact(11)
def test_a_change_upstream_cooks_what_is_downstream(t):
    source, level, out = (t.scratch.create(c) for c in (t.td.constantTOP, t.td.levelTOP, t.td.nullTOP))
    source.outputConnectors[0].connect(level)
    level.outputConnectors[0].connect(out)
    out.cook()
    counts = [o.totalCooks for o in (source, level, out)]
    source.par.colorr = 0.5
    out.cook()
    assert [o.totalCooks for o in (source, level, out)] == [c + 1 for c in counts]


@fact(11)
def test_a_change_that_an_expression_reads_cooks_the_operator(t):
    source, level = t.scratch.create(t.td.constantTOP), t.scratch.create(t.td.levelTOP)
    source.outputConnectors[0].connect(level)
    t.scratch.appendCustomPage("Show").appendFloat("Dim")
    level.par.opacity.expr = "parent().par.Dim"
    level.cook()
    before = level.totalCooks
    t.scratch.par.Dim = 0.5
    level.cook()
    assert level.totalCooks == before + 1


@fact(11)
def test_what_depends_on_time_cooks_again_in_a_new_frame(t):
    source, level = t.scratch.create(t.td.constantTOP), t.scratch.create(t.td.levelTOP)
    source.outputConnectors[0].connect(level)
    source.par.alpha.expr = "absTime.frame % 2"
    level.cook()
    before = source.totalCooks, level.totalCooks
    level.cook()
    assert (source.totalCooks, level.totalCooks) == before
    yield
    level.cook()
    assert (source.totalCooks, level.totalCooks) == (before[0] + 1, before[1] + 1)


@fact(11, 64)
def test_cook_times_and_frames_are_kept(t):
    n = t.scratch.create(t.td.constantTOP)
    yield
    n.cook(force=True)
    assert n.cpuCookTime >= 0
    assert n.gpuCookTime >= 0
    assert n.cookAbsFrame == t.td.absTime.frame or n.cookedThisFrame
    yield
    assert n.cookedPreviousFrame


@fact(64)
@disturbs("the timeline")
def test_cook_frame_counts_the_timeline_and_cook_abs_frame_the_process(t):
    clock = t.scratch.time
    before = clock.frame
    n = t.scratch.create(t.td.constantTOP)
    send_to(clock, 100)
    n.cook(force=True)
    found = n.cookFrame, n.cookAbsFrame
    send_to(clock, before)
    assert abs(found[0] - 100) <= 1
    assert abs(found[1] - t.td.absTime.frame) <= 1


@fact(20)
def test_docking_goes_both_ways(t):
    host, dat = t.scratch.create(t.td.baseCOMP), t.scratch.create(t.td.textDAT)
    dat.dock = host
    assert host.docked == [dat]
    dat.dock = None
    assert host.docked == []

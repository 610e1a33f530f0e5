"""Wires: connecting, disconnecting, what is refused, and what silently does nothing."""

from .facts import fact, raises


def make(t, *types):
    return [t.scratch.create(getattr(t.td, name)) for name in types]


@fact(30)
def test_a_connector_knows_its_index_side_owner_and_connections(t):
    noise, level = make(t, "noiseTOP", "levelTOP")
    noise.outputConnectors[0].connect(level.inputConnectors[0])
    end = level.inputConnectors[0]
    assert (end.index, end.isInput, end.owner) == (0, True, level)
    assert [c.owner for c in end.connections] == [noise]
    assert [c.owner for c in noise.outputConnectors[0].connections] == [level]


@fact(30)
def test_connecting_an_input_replaces_its_wire(t):
    one, two, level = make(t, "noiseTOP", "noiseTOP", "levelTOP")
    level.inputConnectors[0].connect(one)
    level.inputConnectors[0].connect(two)
    assert level.inputs == [two]
    assert one.outputs == []


@fact(30)
def test_connecting_an_output_appends_another_wire(t):
    noise, one, two = make(t, "noiseTOP", "levelTOP", "blurTOP")
    noise.outputConnectors[0].connect(one)
    noise.outputConnectors[0].connect(two)
    assert noise.outputs == [one, two]


@fact(30)
def test_disconnecting_an_input_takes_its_wire_off(t):
    noise, level = make(t, "noiseTOP", "levelTOP")
    level.inputConnectors[0].connect(noise)
    level.inputConnectors[0].disconnect()
    assert level.inputs == []
    assert noise.outputConnectors[0].connections == []


@fact(30)
def test_a_connector_has_no_op_and_a_negative_index_wraps(t):
    (composite,) = make(t, "crossTOP")
    assert composite.inputConnectors[-1].index == len(composite.inputConnectors) - 1
    with raises(AttributeError):
        composite.inputConnectors[0].op  # noqa: B018  The look-up is the test.


@fact(31)
def test_inputs_leaves_gaps_out_but_connectors_do_not(t):
    noise, cross = make(t, "noiseTOP", "crossTOP")
    cross.inputConnectors[1].connect(noise)
    assert cross.inputs == [noise]
    assert cross.inputConnectors[0].connections == []
    assert [c.owner for c in cross.inputConnectors[1].connections] == [noise]


@fact(31)
def test_an_operator_with_many_inputs_closes_the_gap_on_disconnect(t):
    one, two, three, composite = make(t, "noiseTOP", "rampTOP", "circleTOP", "compositeTOP")
    for source in (one, two, three):
        source.outputConnectors[0].connect(composite)
    composite.inputConnectors[1].disconnect()
    assert composite.inputs == [one, three]
    assert [c.owner for c in composite.inputConnectors[1].connections] == [three]


@fact(32)
def test_connecting_across_networks_silently_does_nothing(t):
    noise, base = make(t, "noiseTOP", "baseCOMP")
    level = base.create(t.td.levelTOP)
    noise.outputConnectors[0].connect(level)
    level.inputConnectors[0].connect(noise)
    assert level.inputs == []
    assert noise.outputs == []


@fact(32)
def test_a_fresh_component_has_no_inputs_until_it_holds_an_in_operator(t):
    (base,) = make(t, "baseCOMP")
    assert base.inputConnectors == []
    base.create(t.td.inTOP)
    base.cook(force=True)
    assert len(base.inputConnectors) == 1
    base.create(t.td.outTOP)
    base.cook(force=True)
    assert len(base.outputConnectors) == 1


@fact(32)
def test_a_component_can_be_wired_once_it_has_connectors(t):
    noise, base, level = make(t, "noiseTOP", "baseCOMP", "levelTOP")
    base.create(t.td.inTOP)
    base.create(t.td.outTOP)
    base.cook(force=True)
    base.inputConnectors[0].connect(noise)
    base.outputConnectors[0].connect(level)
    assert base.inputs == [noise]
    assert level.inputs == [base]


@fact(32)
def test_objects_are_wired_through_their_component_connectors(t):
    above, below = make(t, "nullCOMP", "geometryCOMP")
    below.inputCOMPConnectors[0].connect(above)
    assert below.inputCOMPs == [above]
    assert above.outputCOMPs == [below]
    below.inputCOMPConnectors[0].disconnect()
    assert above.outputCOMPs == []


@fact(32)
def test_components_of_different_kinds_cannot_be_wired(t):
    geometry, panel = make(t, "geometryCOMP", "containerCOMP")
    with raises(t.td.tdError):
        panel.inputCOMPConnectors[0].connect(geometry.outputCOMPConnectors[0])
    assert panel.inputCOMPs == []


@fact(41)
def test_a_wire_to_an_operator_without_inputs_is_refused(t):
    noise, movie = make(t, "noiseTOP", "moviefileinTOP")
    if movie.inputConnectors:
        return
    with raises(t.td.tdError):
        noise.outputConnectors[0].connect(movie)


@fact(69)
def test_a_cook_brings_the_connectors_of_in_and_out_operators_just_made(t):
    base = t.scratch.create(t.td.baseCOMP)
    base.create(t.td.inTOP)
    base.create(t.td.outTOP)
    assert len(base.inputConnectors) <= 1
    base.cook(force=True)
    assert (len(base.inputConnectors), len(base.outputConnectors)) == (1, 1)

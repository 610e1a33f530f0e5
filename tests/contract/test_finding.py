"""Finding operators: by path, id, pattern, shortcut, and with findChildren."""

from .facts import fact, raises, uses_undo_stack


def network(t):
    """base1 holding noise1, noise2 and base2, which holds level1."""
    base = t.scratch.create(t.td.baseCOMP, "base1")
    base.create(t.td.noiseTOP, "noise1")
    base.create(t.td.noiseTOP, "noise2")
    inner = base.create(t.td.baseCOMP, "base2")
    inner.create(t.td.levelTOP, "level1")
    return base


@fact(13)
def test_op_gives_the_operator_at_a_path_or_none(t):
    base = network(t)
    assert t.td.op(base.path + "/noise1").name == "noise1"
    assert t.td.op(base.path + "/missing") is None


@fact(13)
def test_opex_raises_where_op_gives_none(t):
    with raises(t.td.tdError):
        t.td.opex(t.scratch.path + "/missing")


@fact(13)
def test_ops_gives_every_match_as_a_list(t):
    base = network(t)
    assert [o.name for o in t.td.ops(base.path + "/noise*")] == ["noise1", "noise2"]
    assert t.td.ops(base.path + "/missing*") == []


@fact(13)
def test_a_number_is_an_id(t):
    base = network(t)
    assert t.td.op(base.id) == base


@fact(13)
def test_a_method_op_begins_inside_the_operator(t):
    base = network(t)
    assert base.op("base2/level1").name == "level1"
    assert base.op("base2").op("..") == base


@fact(13)
def test_a_missing_shortcut_raises_td_attribute_error_naming_the_context(t):
    with raises(t.td.tdAttributeError) as caught:
        t.scratch.op.Nowhere  # noqa: B018  The look-up is the test.
    assert caught.text == f"'td.OPShortcut' object has no attribute 'Nowhere' Context:{t.scratch.path}"


@fact(13)
def test_a_global_shortcut_finds_its_component(t):
    base = network(t)
    base.par.opshortcut = "Contractbase"
    assert t.td.op.Contractbase == base


@fact(13)
def test_a_parent_shortcut_finds_the_component_around(t):
    base = network(t)
    base.par.parentshortcut = "Contractbase"
    assert base.op("base2/level1").parent.Contractbase == base


@fact(13)
def test_parent_is_called_with_how_far_up(t):
    level = network(t).op("base2/level1")
    assert level.parent().name == "base2"
    assert level.parent(2).name == "base1"
    assert t.td.root.parent() is None


@fact(13)
def test_children_is_a_list_and_empty_off_components(t):
    base = network(t)
    assert [c.name for c in base.children] == ["noise1", "noise2", "base2"]
    assert base.op("noise1").children == []


@fact(14)
def test_find_children_finds_at_every_depth(t):
    base = network(t)
    assert {c.name for c in base.findChildren()} == {"noise1", "noise2", "base2", "level1"}


@fact(14)
def test_depth_is_exact_and_max_depth_a_range(t):
    base = network(t)
    assert {c.name for c in base.findChildren(depth=1)} == {"noise1", "noise2", "base2"}
    assert {c.name for c in base.findChildren(depth=2)} == {"level1"}
    assert {c.name for c in base.findChildren(maxDepth=2)} == {"noise1", "noise2", "base2", "level1"}


@fact(14)
def test_find_children_by_type_and_family(t):
    base = network(t)
    assert {c.name for c in base.findChildren(type=t.td.noiseTOP)} == {"noise1", "noise2"}
    assert {c.name for c in base.findChildren(type=t.td.TOP)} == {"noise1", "noise2", "level1"}


@fact(14)
def test_find_children_by_name_tags_and_comment(t):
    base = network(t)
    base.op("noise1").tags.add("loud")
    base.op("noise2").comment = "the second"
    assert [c.name for c in base.findChildren(name="level*")] == ["level1"]
    assert [c.name for c in base.findChildren(tags=["loud"])] == ["noise1"]
    assert [c.name for c in base.findChildren(comment="*second*")] == ["noise2"]


@fact(14)
def test_find_children_by_parameter_value_and_expression(t):
    base = network(t)
    base.op("noise1").par.seed.expr = "me.digits + 40"
    base.op("noise2").par.seed = 7
    assert [c.name for c in base.findChildren(parName="seed", parExpr="*digits*")] == ["noise1"]
    assert [c.name for c in base.findChildren(parName="seed", parValue="7*")] == ["noise2"]


@fact(14)
def test_find_children_asks_the_key_function(t):
    base = network(t)
    assert [c.name for c in base.findChildren(key=lambda o: o.name.endswith("2"))] == ["noise2", "base2"]


@fact(14, 55)
@uses_undo_stack
def test_annotations_are_hidden_unless_utility_operators_are_asked_for(t):
    note = t.scratch.create(t.td.annotateCOMP, "note1")
    assert not note.utility and note in t.scratch.children and t.scratch.op("note1") == note
    note.utility = True
    assert note not in t.scratch.findChildren() and note not in t.scratch.children
    assert note in t.scratch.findChildren(includeUtility=True)
    assert t.scratch.op("note1") is None and t.td.op(note.path) is None
    assert t.scratch.op("note1", includeUtility=True) == note
    assert t.td.op(note.path, includeUtility=True) == note


@fact(55)
@uses_undo_stack
def test_an_annotation_has_an_inside_that_its_path_leads_to(t):
    note = t.scratch.create(t.td.annotateCOMP, "note1")
    assert note.par.Mode == "annotate"
    assert note.numChildren > 0
    inside = note.children[0]
    note.utility = True
    assert t.td.op(inside.path) == inside


@fact(55)
@uses_undo_stack
def test_a_network_box_is_not_found_by_python(t):
    note = t.scratch.create(t.td.annotateCOMP, "note1")
    note.par.Mode = "networkbox"
    assert t.scratch.op("note1", includeUtility=True) is None
    assert note not in t.scratch.findChildren(includeUtility=True)


@fact(15)
def test_paths_are_case_sensitive(t):
    base = network(t)
    assert base.op("Noise1") is None


@fact(15)
@uses_undo_stack
def test_ids_change_when_a_destroy_is_undone(t):
    base = network(t)
    noise = base.op("noise1")
    before = noise.id
    t.td.ui.undo.startBlock("destroy")
    noise.destroy()
    t.td.ui.undo.endBlock()
    t.td.ui.undo.undo()
    assert base.op("noise1").id != before
    assert not noise.valid


@fact(14)
def test_find_children_by_text_and_by_what_is_not_at_its_default(t):
    note = t.scratch.create(t.td.textDAT, "note")
    note.text = "remember the milk"
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period = 9
    t.scratch.create(t.td.levelTOP)
    assert t.scratch.findChildren(text="*milk*") == [note]
    assert t.scratch.findChildren(parName="period") == [noise]
    assert t.scratch.findChildren(parName="period", onlyNonDefaults=True) == [noise]
    noise.par.period = noise.par.period.default
    assert t.scratch.findChildren(parName="period", onlyNonDefaults=True) == []


@fact(14)
def test_all_tags_wants_every_tag(t):
    one, both = t.scratch.create(t.td.noiseTOP), t.scratch.create(t.td.noiseTOP)
    one.tags = ["warm"]
    both.tags = ["warm", "slow"]
    assert t.scratch.findChildren(tags=["warm", "slow"]) == [one, both]
    assert t.scratch.findChildren(tags=["warm", "slow"], allTags=True) == [both]


@fact(72)
def test_a_parameter_stands_for_the_operator_it_refers_to(t):
    base = network(t)
    chosen = base.create(t.td.selectTOP, "chosen")
    chosen.par.top = "noise1"
    words = base.create(t.td.evaluateDAT, "words")
    assert t.td.op(chosen.par.top).name == "noise1"
    assert [o.name for o in t.td.ops(chosen.par.top)] == ["noise1"]
    assert base.op(chosen.par.top).name == "noise1"
    base.par.opshortcut = f"{base.path}/noise2"
    assert t.td.op(base.par.opshortcut).name == "noise2"
    base.par.opshortcut = ""
    assert t.td.op(words.par.dat) is None


@fact(77)
def test_references_by_name_do_not_follow_a_rename(t):
    noise = t.scratch.create(t.td.noiseTOP, "source")
    chosen = t.scratch.create(t.td.selectTOP)
    shader = t.scratch.create(t.td.glslTOP, "shader")
    chosen.par.top = "source"
    noise.name = "renamed"
    t.scratch.op("shader_pixel").name = "code"
    assert chosen.par.top.eval() is None
    assert shader.par.pixeldat.eval() is None

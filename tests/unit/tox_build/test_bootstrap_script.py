"""The bootstrap script, run in the stand-in, builds the very component that the expanded form describes."""

import pytest

import fakes
from fakes import life, tox
from tdmcp_embedded import embed
from tox_build.bootstrap import write_bootstrap
from tox_build.expanded import write_expanded


@pytest.fixture
def td(tmp_path, monkeypatch):
    """TouchDesigner with an unsaved project in a folder of its own; starting a server only leaves a note."""
    world = fakes.install()
    alive = life.of(world)
    alive.project.folder = tmp_path / "show"
    alive.project.folder.mkdir()
    import td

    started = []
    monkeypatch.setattr(embed, "find", lambda owner: None)
    monkeypatch.setattr(embed, "start", lambda owner, *rest, **more: started.append(owner.path))
    yield td, world, started
    fakes.uninstall()


def run(path):
    """As a person does: exec(open(path).read()) in the Textport."""
    scope = {"__name__": "__main__"}
    exec(compile(path.read_text("utf-8"), "<textport>", "exec"), scope)  # noqa: S102 - it is what people do with it


def facts(component):
    """All that can be seen of a component from outside, but for where it is."""
    operators = [component, *sorted(component.children, key=lambda child: child.name)]
    return {
        "custom": [
            (p.name, p.label, p.style, p.page.name, p.default, p.eval(), p.help, p.readOnly, p.startSection)
            for p in component.customPars
        ],
        "menus": [(p.name, p.menuNames, p.menuLabels) for p in component.customPars if p.style == "Menu"],
        "limits": [
            (p.name, p.clampMin, p.clampMax, p.clampMin and p.min, p.clampMax and p.max, p.normMin, p.normMax)
            for p in component.customPars
            if p.style in ("Int", "Float")
        ],
        "operators": [
            (o.name, o.type, o.nodeWidth, o.nodeHeight, o.dock and o.dock.name, o.comment, len(o.docked))
            for o in operators
        ],
        "color": [round(c, 5) for c in component.color],
        "places": [(o.name, o.nodeX, o.nodeY) for o in operators[1:]],
        "texts": [(o.name, o.text) for o in operators[1:]],
        "extension": [component.par[f"ext0{name}"].eval() for name in ("name", "promote")],
        "expression": component.par.ext0object.val,
        "built-in": [
            (o.name, name, str(getattr(o.par[name].eval(), "path", o.par[name].eval())))
            for o in operators[1:]
            for name in ("active", "start", "create", "exit", "framestart", "op", "pars", "custom", "builtin")
            if o.par[name] is not None
        ],
    }


def test_the_script_and_the_expanded_form_make_the_same_component(td, tmp_path):
    module, world, started = td
    loaded = tox.load_expanded(world, world.node("/project1"), write_expanded(tmp_path))
    life.of(world).step()  # onCreate: the extension sets what the file cannot say
    expanded = facts(module.op(loaded.path))
    assert started == ["/project1/tdmcp"]
    module.op(loaded.path).destroy()

    run(write_bootstrap(tmp_path))
    built = facts(module.op("/project1/tdmcp"))
    for what, seen in expanded.items():
        assert built[what] == seen, what


def test_the_script_starts_the_component_and_saves_it(td, tmp_path):
    module, _, started = td
    run(write_bootstrap(tmp_path))
    assert (tmp_path / "show" / "tdmcp.tox").is_file()
    assert started == ["/project1/tdmcp"]
    assert module.op("/project1/tdmcp").scriptErrors(recurse=True) == ""


def test_a_name_that_is_taken_is_said_and_nothing_is_built(td, tmp_path):
    module, _, started = td
    module.op("/project1").create("baseCOMP", "tdmcp")
    with pytest.raises(RuntimeError, match="already holds an operator called tdmcp"):
        run(write_bootstrap(tmp_path))
    assert len(module.op("/project1").children) == 1 and started == []


def test_the_script_works_within_a_function_as_well(td, tmp_path):
    _, _, started = td
    text = write_bootstrap(tmp_path).read_text("utf-8")

    def paste():
        exec(text)  # noqa: S102 - its names are this function's, not a module's

    paste()
    assert started == ["/project1/tdmcp"]


def test_a_file_that_is_there_is_left_as_it_is(td, tmp_path):
    module, _, started = td
    theirs = tmp_path / "show" / "tdmcp.tox"
    theirs.write_bytes(b"theirs")
    run(write_bootstrap(tmp_path))
    assert theirs.read_bytes() == b"theirs" and started == ["/project1/tdmcp"]
    assert "It was not saved" in module.op("/project1/tdmcp").comment


def test_what_is_half_made_is_removed(td, tmp_path, monkeypatch):
    module, _, started = td

    def failing(self, name):
        raise module.tdError("no more pages")

    monkeypatch.setattr(type(module.root), "appendCustomPage", failing)
    with pytest.raises(module.tdError, match="no more pages"):
        run(write_bootstrap(tmp_path))
    assert module.op("/project1").children == [] and started == []


def test_a_component_that_does_not_start_is_there_and_saved_all_the_same(td, tmp_path, monkeypatch):
    module, *_ = td

    def failing(owner, *rest, **more):
        raise RuntimeError("no thread")

    monkeypatch.setattr(embed, "start", failing)
    with pytest.raises(RuntimeError, match="no thread"):
        run(write_bootstrap(tmp_path))
    made = module.op("/project1/tdmcp")
    assert made.par.Status.eval() == "The server cannot start: RuntimeError: no thread"
    assert (tmp_path / "show" / "tdmcp.tox").is_file()


def test_a_build_whose_parameters_have_no_help_gets_the_component_without_it(td, tmp_path, monkeypatch):
    module, _, started = td
    par_class = type(module.root.pars()[0])

    def missing(self, *value):
        raise module.tdAttributeError("'td.Par' object has no attribute 'help'")

    monkeypatch.setattr(par_class, "help", property(missing, missing))
    run(write_bootstrap(tmp_path))
    made = module.op("/project1/tdmcp")
    assert started == ["/project1/tdmcp"]
    assert made.par.Port.label and made.par.Selftest.isPulse


def test_colours_are_given_as_tuples(td, tmp_path, monkeypatch):
    module, *_ = td
    given = []
    for cls in type(module.root).__mro__:
        if "color" in vars(cls):
            own = vars(cls)["color"]

            def put(self, color, own=own):
                given.append(color)
                own.fset(self, color)

            monkeypatch.setattr(cls, "color", property(own.fget, put))
    run(write_bootstrap(tmp_path))
    assert given and all(type(color) is tuple and len(color) == 3 for color in given)

"""Extensions: lazy, promoted by their capital, built again when their source changes."""

import importlib
import sys
import tempfile
from pathlib import Path

from .facts import fact, raises

SOURCE = """
class Player:
    def __init__(self, ownerComp):
        self.ownerComp = ownerComp
        self.Volume = 0.5
        self.count('built')

    def count(self, what):
        log = self.ownerComp.parent()
        log.store(what, log.fetch(what, 0) + 1)

    def Play(self, speed=1):
        return ('playing', speed)

    def stop(self):
        return 'stopped'

    def onInitTD(self):
        self.count('initialised')

    def onDestroyTD(self):
        self.count('destroyed')
"""


def player(t, promote=True):
    """A component with the extension Player, which counts its life in the storage of the scratch component."""
    comp = t.scratch.create(t.td.baseCOMP, "player")
    dat = comp.create(t.td.textDAT, "Player")
    dat.text = SOURCE
    comp.par.ext0object = "op('./Player').module.Player(me)"
    comp.par.ext0name = "Player"
    comp.par.ext0promote = promote
    return comp


def counts(t):
    return tuple(t.scratch.fetch(what, 0) for what in ("built", "initialised", "destroyed"))


@fact(38)
def test_an_extension_is_built_when_somebody_first_asks(t):
    comp = player(t)
    yield
    assert comp.Play(2) == ("playing", 2)
    assert counts(t) == (1, 1, 0)


@fact(38)
def test_capitalised_members_are_promoted_and_others_are_not(t):
    comp = player(t)
    yield
    assert comp.Volume == 0.5
    comp.Volume = 0.75
    assert comp.ext.Player.Volume == 0.75
    assert comp.ext.Player.stop() == "stopped"
    try:
        comp.stop  # noqa: B018  Asking is the point.
    except AttributeError:
        return
    raise AssertionError("a lower-case method was promoted")


@fact(38)
def test_without_promotion_the_extension_is_reached_by_name_only(t):
    comp = player(t, promote=False)
    yield
    assert comp.ext.Player.Play() == ("playing", 1)
    assert not hasattr(comp, "Play")


@fact(38)
def test_asking_again_does_not_build_again(t):
    comp = player(t)
    yield
    first = comp.ext.Player
    yield
    assert comp.ext.Player is first
    assert counts(t) == (1, 1, 0)


@fact(38)
def test_a_changed_source_builds_it_anew_and_destroys_the_old(t):
    comp = player(t)
    yield
    comp.Play()
    comp.op("Player").text = SOURCE.replace("'playing'", "'really playing'")
    yield
    yield
    yield
    assert comp.Play() == ("really playing", 1)
    assert counts(t) == (2, 2, 1)


@fact(38)
def test_the_re_init_pulse_builds_it_anew(t):
    comp = player(t)
    yield
    comp.Play()
    comp.par.reinitextensions.pulse()
    yield
    yield
    assert comp.Play() == ("playing", 1)
    assert counts(t) == (2, 2, 1)


@fact(38)
def test_destroying_the_component_calls_on_destroy(t):
    comp = player(t)
    yield
    comp.Play()
    comp.destroy()
    yield
    assert counts(t)[2] == 1


@fact(38)
def test_an_extension_that_fails_is_a_script_error_of_the_component(t):
    comp = t.scratch.create(t.td.baseCOMP, "failing")
    comp.create(
        t.td.textDAT, "Bad"
    ).text = "class Bad:\n    def __init__(self, ownerComp):\n        raise ValueError('no strings')\n"
    comp.par.ext0object = "op('./Bad').module.Bad(me)"
    comp.par.ext0promote = True
    yield
    assert not hasattr(comp, "Play")
    yield
    assert "no strings" in comp.scriptErrors()


@fact(38)
def test_an_extension_that_failed_is_built_once_its_source_is_mended(t):
    comp = player(t)
    comp.op("Player").text = "class Player:\n    def __init__(self, ownerComp):\n        1 / 0\n"
    yield
    assert not hasattr(comp, "Play")
    comp.op("Player").text = SOURCE
    yield
    yield
    yield
    assert comp.Play() == ("playing", 1)


@fact(39)
def test_an_imported_file_does_not_see_op_and_friends(t):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "contract_helper.py").write_text("def find(path):\n    return op(path)\n")
        sys.path.insert(0, folder)
        try:
            helper = importlib.import_module("contract_helper")
            with raises(NameError):
                helper.find("/")
            # Passing `td` on is what works.
            helper.op = t.td.op
            assert helper.find("/") == t.td.root
        finally:
            sys.path.remove(folder)
            sys.modules.pop("contract_helper", None)


TEMPLATE = """
from TDStoreTools import StorageManager
import TDFunctions as TDF

class Scores:
    def __init__(self, ownerComp):
        self.ownerComp = ownerComp
        TDF.createProperty(self, 'Level', value=1, dependable=True, readOnly=False)
        self.stored = StorageManager(self, ownerComp, [
            {'name': 'Best', 'default': 10, 'readOnly': False, 'property': True, 'dependable': True},
        ])
"""


@fact(38)
def test_what_an_extension_stores_outlives_it_and_its_properties_are_followed(t):
    comp = t.scratch.create(t.td.baseCOMP, "scores")
    comp.create(t.td.textDAT, "Scores").text = TEMPLATE
    comp.par.ext0object = "op('./Scores').module.Scores(me)"
    comp.par.ext0promote = True
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "op('scores').Level + op('scores').Best"
    assert noise.par.period == 11
    comp.Level = 2
    comp.Best = 30
    assert noise.par.period == 32
    comp.par.reinitextensions.pulse()
    yield
    assert (comp.Level, comp.Best) == (1, 30)


@fact(78)
def test_a_component_gives_the_modules_inside_it(t):
    comp = t.scratch.create(t.td.baseCOMP)
    comp.create(t.td.textDAT, "helper").text = "answer = 42"
    assert comp.mod.helper.answer == 42


@fact(88)
def test_what_a_script_lacks_is_not_called_a_missing_property(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "{}.nosuch"
    with raises(AttributeError) as caught:
        dat.module  # noqa: B018  The look-up is the test.
    assert caught.text == "'dict' object has no attribute 'nosuch'"


@fact(88)
def test_what_a_promoted_property_lacks_is_not_called_a_missing_member(t):
    comp = t.scratch.create(t.td.baseCOMP)
    comp.create(
        t.td.textDAT, "Ext"
    ).text = "class Ext:\n    def __init__(self, owner): pass\n    @property\n    def Broken(self): return {}.nosuch\n"
    comp.par.ext0object = "op('./Ext').module.Ext(me)"
    comp.par.ext0promote = True
    comp.par.reinitextensions.pulse()
    with raises(AttributeError) as caught:
        comp.Broken  # noqa: B018  The look-up is the test.
    assert caught.text == "'dict' object has no attribute 'nosuch'"

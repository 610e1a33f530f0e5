"""Extensions: lazy, promoted by their capital, built again when their source changes."""

from tests.contract.facts import fact

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

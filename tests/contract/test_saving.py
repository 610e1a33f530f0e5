"""Saving components to files and loading them again."""

import tempfile
import threading
from pathlib import Path

from .facts import fact

COUNTS_CREATION = """
def onCreate():
    me.parent(2).store('created', me.parent(2).fetch('created', 0) + 1)
"""


def instrument(t):
    """A component worth saving: values, an expression, wires, text, a custom parameter, storage, an Execute DAT."""
    comp = t.scratch.create(t.td.baseCOMP, "instrument")
    noise = comp.create(t.td.noiseTOP, "noise1")
    noise.par.period = 3
    noise.par.amp.expr = "parent().par.Gain"
    out = comp.create(t.td.nullTOP, "null1")
    out.inputConnectors[0].connect(noise)
    comp.create(t.td.textDAT, "notes").text = "läuft\nweiter"
    comp.appendCustomPage("Sound").appendFloat("Gain")
    comp.par.Gain = 0.75
    comp.store("tuning", {"a": 440})
    dat = comp.create(t.td.executeDAT, "life")
    dat.text = COUNTS_CREATION
    dat.par.create = True
    dat.par.active = True
    return comp


@fact(37)
def test_a_saved_component_comes_back_whole(t):
    comp = instrument(t)
    with tempfile.TemporaryDirectory() as folder:
        path = comp.save(str(Path(folder) / "instrument.tox"))
        comp.destroy()
        loaded = t.scratch.loadTox(path)
    assert loaded.name == "instrument"
    assert loaded.op("noise1").par.period == 3
    assert loaded.op("noise1").par.amp.expr == "parent().par.Gain"
    assert loaded.op("noise1").par.amp.eval() == 0.75
    assert [o.name for o in loaded.op("null1").inputs] == ["noise1"]
    assert loaded.op("notes").text == "läuft\nweiter"
    assert loaded.fetch("tuning") == {"a": 440}


@fact(6)
def test_loading_a_component_fires_on_create(t):
    comp = instrument(t)
    with tempfile.TemporaryDirectory() as folder:
        path = comp.save(str(Path(folder) / "instrument.tox"))
        comp.destroy()
        yield
        yield
        t.scratch.store("created", 0)
        t.scratch.loadTox(path)
    yield
    yield
    assert t.scratch.fetch("created") == 1


@fact(15)
def test_a_loaded_component_has_new_ids(t):
    comp = instrument(t)
    old = comp.id
    with tempfile.TemporaryDirectory() as folder:
        path = comp.save(str(Path(folder) / "instrument.tox"))
        comp.destroy()
        assert t.scratch.loadTox(path).id != old


@fact(17)
def test_a_component_loaded_beside_itself_gets_the_next_number(t):
    comp = instrument(t)
    with tempfile.TemporaryDirectory() as folder:
        path = comp.save(str(Path(folder) / "instrument.tox"))
        assert t.scratch.loadTox(path).name == "instrument1"


@fact(37)
def test_bytes_do_as_well_as_a_file(t):
    comp = instrument(t)
    data = comp.saveByteArray()
    comp.destroy()
    assert t.scratch.loadByteArray(data).par.Gain == 0.75


@fact(36)
def test_storage_that_cannot_be_pickled_cannot_be_saved(t):
    comp = instrument(t)
    comp.store("lock", threading.Lock())
    with tempfile.TemporaryDirectory() as folder:
        try:
            comp.save(str(Path(folder) / "instrument.tox"))
        except Exception:  # noqa: BLE001  Which one is not established.
            return
    raise AssertionError("a lock was pickled")


@fact(37)
def test_an_external_tox_loads_on_its_pulse(t):
    comp = instrument(t)
    shell = t.scratch.create(t.td.baseCOMP, "shell")
    with tempfile.TemporaryDirectory() as folder:
        shell.par.externaltox = comp.save(str(Path(folder) / "instrument.tox"))
        assert shell.op("noise1") is None
        shell.par.enableexternaltoxpulse.pulse()
        yield
        yield
        assert shell.op("noise1").par.period == 3


@fact(34)
def test_an_external_tox_that_is_missing_raises_nothing(t):
    shell = t.scratch.create(t.td.baseCOMP, "shell")
    shell.par.externaltox = "there/is/none.tox"
    shell.par.enableexternaltoxpulse.pulse()
    yield
    yield
    assert shell.children == []


@fact(36, 62)
def test_the_project_has_no_dirty_and_may_tell_whether_it_was_modified(t):
    assert isinstance(getattr(t.td.project, "modified", False), bool)
    assert not hasattr(t.td.project, "dirty")


@fact(37)
def test_a_component_with_an_external_file_is_written_into_it(t):
    comp = instrument(t)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "shell.tox")
        comp.par.externaltox = path
        comp.par.Gain = 0.25
        assert comp.saveExternalTox() == 1
        comp.destroy()
        assert t.scratch.loadTox(path).par.Gain == 0.25


@fact(80)
def test_a_startup_value_is_stored_at_once(t):
    t.scratch.storeStartupValue("begin", 3)
    assert t.scratch.fetch("begin") == 3

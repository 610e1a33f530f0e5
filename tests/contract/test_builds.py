"""What differs between builds, and the ways that hold in all of them."""

import importlib.util

from .facts import fact, needs, since


@fact(54)
def test_the_type_of_an_operator_is_its_op_type_in_every_build(t):
    noise = t.scratch.create(t.td.noiseTOP)
    assert noise.OPType == "noiseTOP"
    # The newer spelling, where it is known at all, says the same.
    assert getattr(noise, "opType", "noiseTOP") == "noiseTOP"
    assert type(noise).__name__ == "noiseTOP"


@fact(54)
@since(2025)
def test_there_are_pops_in_builds_of_2025(t):
    assert issubclass(t.td.POP, t.td.OP)
    assert t.scratch.create("gridPOP").family == "POP"


@fact(61)
@since(2025)
def test_python_brings_cryptography_in_builds_of_2025(t):
    assert importlib.util.find_spec("cryptography") is not None


@fact(5)
@needs("op.TDResources.ThreadManager")
def test_the_thread_manager_makes_tasks(t):
    assert callable(t.td.op.TDResources.ThreadManager.TDTask)

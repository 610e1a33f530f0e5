"""Importing beside a running show: polite, and without a trace afterwards."""

from __future__ import annotations

import builtins
import gc
import threading
from types import ModuleType

import pytest

from tdmcp_embedded.http import imports
from tdmcp_embedded.http.imports import Manners, in_small_bites


def test_afterwards_importing_is_as_it_was() -> None:
    before = builtins.__import__, builtins.__build_class__, gc.isenabled()
    with in_small_bites():
        import json  # noqa: F401 - any import
    assert (builtins.__import__, builtins.__build_class__, gc.isenabled()) == before


def test_also_after_an_import_that_fails() -> None:
    before = builtins.__import__, builtins.__build_class__, gc.isenabled()
    with pytest.raises(ModuleNotFoundError), in_small_bites():
        import no_such_module_at_all  # type: ignore[import-not-found]  # noqa: F401
    assert (builtins.__import__, builtins.__build_class__, gc.isenabled()) == before


def test_classes_made_meanwhile_are_ordinary_classes() -> None:
    class Meta(type):
        pass

    with in_small_bites():

        class Made(dict, metaclass=Meta):  # type: ignore[type-arg]
            field = 1

    assert type(Made) is Meta
    assert Made.field == 1


def test_it_pauses_while_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    monkeypatch.setattr(imports, "_BITE_S", 0.0)
    monkeypatch.setattr(imports.time, "sleep", naps.append)
    with in_small_bites():
        import json  # noqa: F401 - any import
    assert naps


def test_other_threads_are_not_slowed_down(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[int] = []
    monkeypatch.setattr(imports, "_BITE_S", 0.0)
    monkeypatch.setattr(imports.time, "sleep", lambda seconds: naps.append(threading.get_ident()))

    def elsewhere() -> None:
        import json  # noqa: F401 - any import

        class Made:
            pass

    with in_small_bites():
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
        ident = other.ident
    assert ident not in naps


def test_a_hook_that_somebody_puts_on_top_meanwhile_stays() -> None:
    real = builtins.__import__
    try:
        with in_small_bites():
            ours = builtins.__import__

            def theirs(*args: object, **options: object) -> ModuleType:
                return ours(*args, **options)  # type: ignore[arg-type]

            builtins.__import__ = theirs  # type: ignore[assignment]
        assert builtins.__import__ is theirs
        import json  # noqa: F401 - still works
    finally:
        builtins.__import__ = real


class Machine:
    """A clock, and naps that last as long as this machine makes them."""

    def __init__(self, nap: float) -> None:
        self.now = self.napped = 0.0
        self.nap = nap
        self.longest = self._since = 0.0

    def sleep(self, seconds: float) -> None:
        self.longest = max(self.longest, self.now - self._since)
        self.now += max(seconds, self.nap)
        self.napped += max(seconds, self.nap)
        self._since = self.now

    def import_for(self, seconds: float, step: float = 0.0001) -> None:
        manners = Manners(lambda: self.now, self.sleep)
        for _ in range(round(seconds / step)):
            self.now += step
            manners.breathe()


def test_on_a_quiet_machine_no_stretch_is_longer_than_a_bite() -> None:
    machine = Machine(nap=0.0001)
    machine.import_for(1.0)
    assert machine.longest < 0.0005


@pytest.mark.parametrize("nap", [0.005, 0.02, 0.5, 3.0])
def test_however_long_naps_last_a_start_takes_at_most_about_three_times_as_long(nap: float) -> None:
    machine = Machine(nap)
    machine.import_for(1.0)
    assert machine.now < 3 * 1.0 + 0.3 + nap
    assert machine.napped > 0, "it is still polite"

"""Importing beside a running show: polite, and without a trace afterwards."""

from __future__ import annotations

import builtins
import gc
import threading
from types import ModuleType

import pytest

from tdmcp_embedded.http import imports
from tdmcp_embedded.http.imports import bite_after, in_small_bites


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


def test_a_host_without_a_moment_to_spare_does_not_keep_us_waiting_for_ever() -> None:
    assert bite_after(1) == bite_after(3.9) < 0.0005
    assert bite_after(7) > 2 * bite_after(3)
    assert bite_after(1000) == bite_after(60) <= 0.01

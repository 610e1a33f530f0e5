"""A library that the system forbids is said to be that, with what to do, in every language of the system."""

from __future__ import annotations

import pytest

from tdmcp_embedded import blocked_libraries, checking
from tdmcp_embedded.http.thread import Phase, State

PATH = r"C:\Users\me\.tdmcp\lib\0123\win_amd64\pydantic_core\_pydantic_core.cp311-win_amd64.pyd"
MAC_PATH = "/Users/me/.tdmcp/lib/0123/pydantic_core/_pydantic_core.cpython-311-darwin.so"


def refused(code: int) -> OSError:
    error = OSError(22, "in the language of the system")
    error.winerror = code  # type: ignore[attr-defined,unused-ignore]  # Windows
    return error


def blocked(words: str, path: str | None = PATH) -> ImportError:
    return ImportError(words, name="_pydantic_core", path=path)


def explained(error: BaseException, code: int) -> str:
    def load(path: str) -> None:
        assert path == PATH
        if code:
            raise refused(code)

    return blocked_libraries.explained(error, system="win32", load=load)


DLL = "DLL load failed while importing _pydantic_core: Eine Richtlinie hat diese Datei blockiert."


@pytest.mark.parametrize("code", [1260, 4551, 4556, 577])
def test_smart_app_control_and_policies_are_named_by_their_code(code: int) -> None:
    sentence = explained(blocked(DLL), code)
    assert "Smart App Control" in sentence and f"code {code}" in sentence
    assert "_pydantic_core.cp311-win_amd64.pyd" in sentence and "\\" not in sentence


def test_a_virus_scanner_is_named_too() -> None:
    assert "Protection history" in explained(blocked(DLL), 225)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (blocked(DLL), 126),
        (blocked(DLL), 0),
        (blocked("cannot import name 'x'"), 4551),
        (ModuleNotFoundError(DLL, name="x", path=PATH), 4551),
        (ValueError(DLL), 4551),
        (blocked(DLL, None), 4551),
    ],
    ids=["a part is missing", "it loads by now", "a name", "no module", "no import", "no file"],
)
def test_other_failures_are_not_called_that(error: BaseException, code: int) -> None:
    assert explained(error, code) == ""


def test_what_another_error_was_raised_from_counts() -> None:
    outer = RuntimeError("pydantic cannot be used")
    outer.__cause__ = blocked(DLL)
    assert "code 4551" in explained(outer, 4551)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("not valid for use in process: mapping process and mapped file (non-platform) have different Team IDs", "derivative.ca"),
        ("not valid for use in process: mapped file has no Team ID and is not a platform binary", "derivative.ca"),
        ("library load disallowed by system policy", "xattr -dr com.apple.quarantine"),
    ],
)  # fmt: skip
def test_library_validation_of_macos_is_named(words: str, remedy: str) -> None:
    error = blocked(f"dlopen({MAC_PATH}, 0x0002): tried: '{MAC_PATH}' ({words})", MAC_PATH)
    sentence = blocked_libraries.explained(error, system="darwin")
    assert remedy in sentence and "_pydantic_core.cpython-311-darwin.so" in sentence
    assert blocked_libraries.explained(error, system="linux") == ""
    other = blocked(f"dlopen({MAC_PATH}): symbol not found", MAC_PATH)
    assert blocked_libraries.explained(other, system="darwin") == ""


def test_a_server_that_cannot_start_for_this_reason_says_so_and_does_not_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = blocked("dlopen: different Team IDs", MAC_PATH)
    monkeypatch.setattr(blocked_libraries.explained, "__kwdefaults__", {"system": "darwin", "load": None})
    sentence, final = checking.explained(State(Phase.FAILED, 0, "The server failed: ImportError", error))
    assert "library validation" in sentence and final


def test_a_file_that_was_taken_away_after_unpacking_is_not_said_to_be_touchdesigners(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(checking.sys.modules, "_tdmcp_private_imports", checking)
    error = ModuleNotFoundError("No module", name="pydantic_core._pydantic_core")
    sentence, final = checking.explained(State(Phase.FAILED, 0, "", error))
    assert "virus scanner" in sentence and "Restart" in sentence and "ships" not in sentence and final
    error = ModuleNotFoundError("No module", name="numpy")
    assert "ships itself" in checking.explained(State(Phase.FAILED, 0, "", error))[0]

"""Libraries that the operating system refuses to load because of who made them, said in words."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final

#: What Windows says when a policy forbids a file (WinError.h): access disabled by policy (AppLocker), the codes of
#: application control and Smart App Control, and a signature that it cannot verify.
_POLICY_CODES: Final = (1260, *range(4550, 4561), 577)
#: And when its virus scanner does.
_VIRUS_CODES: Final = (225, 226)
#: What macOS' loader says; it speaks English everywhere.
_MAC_WORDS: Final = re.compile(
    r"Team ID|not valid for use in process|disallowed by system policy|code signature|library validation",
    re.IGNORECASE,
)


def explained(
    error: BaseException | None, *, system: str = sys.platform, load: Callable[[str], object] | None = None
) -> str:
    """Why a library could not be loaded, and what to do, where the operating system forbids it; "" for anything else.

    Args:
        error: what was raised; what it was raised from counts as well.
        load: loads a library as Windows does; raises OSError.
    """
    for one in _chain(error):
        if isinstance(one, ImportError) and not isinstance(one, ModuleNotFoundError):
            sentence = _on_windows(one, load) if system == "win32" else _on_mac(one, system)
            if sentence:
                return sentence
    return ""


def _chain(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _on_windows(error: ImportError, load: Callable[[str], object] | None) -> str:
    # Python keeps only Windows' words, in the language of the system; asked again, it tells the code.
    if not error.path or "DLL load failed" not in str(error):
        return ""
    code = _code(error.path, load)
    name = PurePath(error.path.replace("\\", "/")).name
    if code in _VIRUS_CODES:
        return (
            f"The virus scanner of Windows blocks {name} (code {code}): allow it in Windows Security, Protection history, "
            "then pulse Restart."
        )
    if code in _POLICY_CODES:
        return (
            f"Windows blocks {name} (code {code}): Smart App Control, or a policy of this computer, does not allow libraries "
            "without a known signature. See Windows Security, App & browser control, Smart App Control; on a managed computer "
            "ask its administrator to allow the folder lib of the server's home. Then restart TouchDesigner."
        )
    return ""


def _code(path: str, load: Callable[[str], object] | None) -> int:
    library: Any = load or getattr(ctypes, "WinDLL", None)
    try:
        if library is not None:
            library(path)
    except OSError as refused:
        return int(getattr(refused, "winerror", None) or 0)
    return 0


def _on_mac(error: ImportError, system: str) -> str:
    if system != "darwin" or not _MAC_WORDS.search(str(error)):
        return ""
    name = PurePath(error.path or error.name or "a library").name
    if "disallowed by system policy" in str(error):
        return (
            f"macOS blocks {name}, because it takes it for something downloaded: run  xattr -dr com.apple.quarantine "
            "~/.tdmcp/lib  in Terminal, or allow it in System Settings, Privacy & Security. Then restart TouchDesigner."
        )
    return (
        f"macOS does not let this TouchDesigner load {name} (library validation): install TouchDesigner again from "
        "derivative.ca, as it is delivered and not signed again, then restart it."
    )

"""Unpacks what the component carries, once per version, under the user's home. No operators here: any thread.

Each version has a folder of its own, `lib/IDENTITY` in `$TDMCP_HOME` (default `~/.tdmcp`). It is made beside its place
and moved there whole, so it is complete or not there; a lock keeps two TouchDesigners that start at once from doing it
twice. Where the home cannot be written, the system's folder for temporary files serves.

This text is run as a plain module, by `payload.py`.
"""

from __future__ import annotations

import base64
import errno
import getpass
import hashlib
import importlib
import importlib.util
import io
import json
import os
import platform
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

#: Seconds to wait for another TouchDesigner that unpacks the same version.
PATIENCE = 120.0
#: Seconds that compiling may take; without it the first start is only slower.
COMPILING = 90.0
#: As `compileall`, but only with what nobody else wants of the processor.
_COMPILE = """
import compileall, os, sys
if hasattr(os, "nice"):
    os.nice(15)
compileall.compile_dir(sys.argv[1], quiet=2)
"""
#: Seconds that Windows is asked again while somebody, such as a virus scanner with new files, has one of them open; and
#: the first and the longest pause (seconds) between two tries.
HELD = 30.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0
#: What Windows says then: access denied, sharing violation.
_HELD_ERRORS = (5, 32)
#: Other versions that stay, for projects that still carry them: the ones used last.
KEPT = 1
LISTING = "complete.json"

#: Locks that are kept live here, since a DAT's own globals are lost whenever it is compiled anew.
HOME = "_tdmcp_unpacking"
_once_more = threading.Event()


class CannotUnpack(Exception):
    """Why not, in a sentence for the person in front of TouchDesigner."""


def system() -> str:
    """This system as archives are called: `win_amd64`, `macosx_arm64`, `macosx_x86_64`, `linux_x86_64`."""
    machine = platform.machine().lower()
    if sys.platform == "win32":
        return "win_arm64" if "arm" in sysconfig.get_platform() else "win_amd64"
    if sys.platform == "darwin":
        return f"macosx_{'arm64' if machine == 'arm64' else 'x86_64'}"
    return f"linux_{machine}"


class Unpacking:
    """The unpacking of one payload, on a thread of its own.

    Args:
        manifest: what `tox_build.payload` says of it.
        interpreter: TouchDesigner's own Python, which compiles; "" for none.

    `state` goes from `looking` to `done`, or to `wanted` (then `feed` what `missing` names), `unpacking` and `done`; then,
    with `bring`, to `bringing` and `brought`. Or it is `failed`, and `sentence` says why. Once it is done, `folder` is
    where it is, and `private` the module that makes it importable.
    """

    def __init__(self, manifest: dict[str, Any], interpreter: str = "") -> None:
        self.state = "looking"
        self.sentence = ""
        self.folder = Path()
        self.private: Any = None
        self._manifest, self._interpreter = manifest, interpreter
        self.identity = identity(manifest)
        self._parts: list[tuple[str, int]] = []
        self._texts: dict[str, list[str]] = {}
        self._start(self._look)

    def missing(self) -> tuple[str, int] | None:
        """The next part that is wanted: name of its archive, and number."""
        return self._parts[0] if self._parts else None

    def feed(self, text: str) -> None:
        """Hand over the part that `missing` named. After the last one the unpacking starts."""
        archive, _ = self._parts.pop(0)
        self._texts.setdefault(archive, []).append(text)
        if not self._parts:
            self.state = "unpacking"
            self._start(self._unpack)

    def bring(self, names: Sequence[str]) -> None:
        """Import modules, now that they can be; what is not there (in another version) is left out."""
        self.state = "bringing"
        self._start(lambda: self._bring(names))

    def _bring(self, names: Sequence[str]) -> None:
        for name in names:
            with suppress(ImportError):
                importlib.import_module(name)
        self.state = "brought"

    def _start(self, work: Callable[[], None]) -> None:
        threading.Thread(target=self._guarded, args=(work,), name="tdmcp-unpacking", daemon=True).start()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except CannotUnpack as refusal:
            self._fail(str(refusal))
        except OSError as error:
            self._fail(explained(error, self._manifest))
        except Exception as error:  # noqa: BLE001 - nobody is above this thread; whatever it was must be said
            self._fail(f"The server's libraries cannot be unpacked: {type(error).__name__}: {error}.")

    def _fail(self, sentence: str) -> None:
        self.sentence = sentence
        self.state = "failed"

    def _look(self) -> None:
        check_host(self._manifest)
        for place in places():
            with suppress(PermissionError):
                if is_whole(place / self.identity):
                    check_owner(place)
                    if hold(place, self.identity):
                        self._finish(place / self.identity)
                        return
        self._parts = [
            (name, number)
            for name in archives(self._manifest)
            for number in range(self._manifest["archives"][name]["parts"])
        ]
        self.state = "wanted"

    def _unpack(self) -> None:
        troubles = []
        for place in places():
            try:
                make_folder(place)
                check_owner(place)
                with locked(place, self.identity):
                    if not is_whole(place / self.identity):
                        unpack(self._manifest, self._texts, place)
                    hold(place, self.identity)
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    raise
                troubles.append(explained(error, self._manifest, place))
                continue
            self._texts.clear()
            compile_all(place / self.identity, self._interpreter)
            self._finish(place / self.identity)
            clean(place, self.identity)
            return
        raise CannotUnpack(troubles[0] if troubles else "There is no folder to unpack the libraries to.")

    def _finish(self, folder: Path) -> None:
        with suppress(OSError):
            os.utime(folder / LISTING)
        self.folder = folder
        self.private = module(folder / "private_imports.py")
        self.state = "done"


def module(file: Path) -> ModuleType:
    """The module in a file, under a name of its own.

    Raises:
        CannotUnpack: there is no such file.
    """
    spec = importlib.util.spec_from_file_location(f"_tdmcp_{file.stem}_code", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise CannotUnpack(f"{file} cannot be read: pulse Restart.")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def identity(manifest: dict[str, Any]) -> str:
    """A short name for what this system takes from a payload; the same content has the same name."""
    digests = [manifest["archives"][name]["sha256"] for name in archives(manifest)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:12]


def archives(manifest: dict[str, Any]) -> list[str]:
    """The archives that this system needs; those that are not there are left out (`check_host` says so)."""
    return [name for name in ("code", system()) if name in manifest["archives"]]


def check_host(manifest: dict[str, Any]) -> None:
    """See whether the payload is one for this machine and this Python.

    Raises:
        CannotUnpack: it is not.
    """
    if system() not in manifest["archives"]:
        built = ", ".join(sorted(set(manifest["archives"]) - {"code"}))
        raise CannotUnpack(
            f"This component was built for {built}, not for {system()}: take the build for all systems."
        )
    here = ".".join(str(number) for number in sys.version_info[:2])
    if here != manifest["python"]:
        raise CannotUnpack(
            f"This component needs Python {manifest['python']} (TouchDesigner 2023 or newer); this one has {here}."
        )


def places() -> list[Path]:
    """Where to unpack, best first."""
    found = []
    with suppress(RuntimeError):  # there is no home at all
        found.append(Path(os.environ.get("TDMCP_HOME") or Path.home() / ".tdmcp") / "lib")
    with suppress(OSError, KeyError, ImportError):
        found.append(Path(tempfile.gettempdir()) / f"tdmcp-{getpass.getuser()}" / "lib")
    return found


def make_folder(folder: Path, *, system: str = sys.platform) -> Path:
    """Make a folder, which only this user may read; it may be there already.

    On Windows without a mode: from 0o700 Python 3.11.10 makes rights that keep the user out after one start as
    administrator. There the rights of the profile protect.
    """
    if system == "win32":
        folder.mkdir(parents=True, exist_ok=True)
    else:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def check_owner(place: Path) -> None:
    """Other users must not be able to put code there; a folder for temporary files is everybody's.

    A file system that knows no modes, like FAT or some network shares, keeps nobody out and never will: it is taken, and
    the server's *Status* says so.

    Raises:
        PermissionError: they are.
    """
    if hasattr(os, "getuid"):
        for folder in (place, place.parent):
            facts = folder.stat()
            loose = facts.st_mode & 0o022 and folder == place
            if facts.st_uid != os.getuid() or loose and has_modes(folder):
                raise PermissionError(errno.EPERM, "it belongs to, or is open to, other users", str(folder))


def has_modes(folder: Path) -> bool:
    """Whether a folder that is made in `folder` is closed to others as it was asked to be; also if none can be made.

    The modes of what is there are left as they are: tightened, it would be trusted with what others put there.
    """
    try:
        made = make_folder(folder / f".modes.{secrets.token_hex(8)}")
        try:
            return not made.stat().st_mode & 0o022
        finally:
            made.rmdir()
    except OSError:
        return True


def is_whole(folder: Path) -> bool:
    """Whether everything is there as it was unpacked: every size, and the content of what would crash otherwise."""
    try:
        listing = json.loads((folder / LISTING).read_text(encoding="utf-8"))
        for path, (size, digest) in listing["files"].items():
            if (folder / path).stat().st_size != size:
                return False
            # A scanner that looks at it this moment has not damaged it.
            if digest and hashlib.sha256(patiently((folder / path).read_bytes)).hexdigest() != digest:
                return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def unpack(manifest: dict[str, Any], texts: dict[str, list[str]], place: Path) -> None:
    """Make `place/IDENTITY`; whoever calls this holds the lock.

    Raises:
        CannotUnpack: the payload is damaged, or this Python cannot read it.
        OSError: it cannot be written.
    """
    name = identity(manifest)
    for left in place.glob(f".{name}.*"):
        shutil.rmtree(left, ignore_errors=True)
    made = make_folder(place / f".{name}.{secrets.token_hex(8)}")
    try:
        files: dict[str, tuple[int, str]] = {}
        for archive in archives(manifest):
            for path, data in contents(manifest["archives"][archive], archive, texts[archive]):
                target = made / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                native = target.suffix in (".so", ".pyd")
                files[path] = (len(data), hashlib.sha256(data).hexdigest() if native else "")
        listing = {"version": manifest["version"], "files": files}
        (made / LISTING).write_text(json.dumps(listing), encoding="utf-8")
        target = place / name
        if target.exists():
            # Damaged, and perhaps in use by somebody: moved away whole, or not at all.
            move(target, make_folder(place / f".{name}.{secrets.token_hex(8)}") / "damaged")
        move(made, target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def patiently(work: Callable[[], Any]) -> Any:
    """Do what Windows refuses for as long as anybody has the file open, and again for `HELD` seconds if it is refused so.

    Raises:
        OSError: it is refused all the while, or for another reason.
    """
    until, pause = time.monotonic() + HELD, _FIRST_PAUSE
    while True:
        try:
            return work()
        except PermissionError as error:
            if not is_held(error) or time.monotonic() >= until:
                raise
        _once_more.wait(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def is_held(error: OSError) -> bool:
    """Whether Windows refuses because another program has a file open (or, with code 5, because it may not be changed)."""
    return getattr(error, "winerror", None) in _HELD_ERRORS


def move(source: Path, target: Path) -> None:
    """Rename a folder. On Windows that fails for as long as anybody has a file in it open, such as a virus scanner.

    Raises:
        OSError: it is held for longer than `HELD`, or another reason.
    """
    # Not `os.replace`: Windows replaces files only, and may deny it to folders.
    patiently(lambda: os.rename(source, target))


def contents(facts: dict[str, Any], archive: str, texts: list[str]) -> Iterator[tuple[str, bytes]]:
    """The files of one archive, from the texts of its parts.

    Raises:
        CannotUnpack: it is not what was built.
    """
    damaged = CannotUnpack(
        f"What the component carries is damaged ({archive}): put a fresh copy of the component in its place."
    )
    try:
        packed = b"".join(base64.b64decode(text) for text in texts)
    except ValueError:
        raise damaged from None
    if hashlib.sha256(packed).hexdigest() != facts["sha256"]:
        raise damaged
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(packed)), mode="r:") as tar:
        for member in tar:
            path = Path(member.name)
            file = tar.extractfile(member)
            if file is None or path.is_absolute() or ".." in path.parts:
                raise damaged
            yield member.name, file.read()


def compile_all(folder: Path, interpreter: str) -> None:
    """Compile the code in another process. In this one each long file would hold up the show for some frames."""
    if not interpreter or not os.path.isfile(interpreter):
        return
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(
        subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0
    )
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [interpreter, "-I", "-S", "-c", _COMPILE, str(folder)],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=COMPILING,
            creationflags=hidden,
        )


def clean(place: Path, current: str) -> None:
    """Remove former versions that no TouchDesigner uses, but for the ones used last."""

    def used(folder: Path) -> float:
        try:
            return (folder / LISTING).stat().st_mtime
        except OSError:
            return 0.0

    others = [f for f in place.iterdir() if f.is_dir() and f.name != current and not f.name.startswith(".")]
    for folder in sorted(others, key=used, reverse=True)[KEPT:]:
        with suppress(OSError), _lock(place, f"{folder.name}.use", shared=False):
            # Windows has no shared locks, but does not move a folder in which a file is open (see `hold`).
            away = folder.with_name(f".{folder.name}.old")
            os.rename(folder, away)
            shutil.rmtree(away, ignore_errors=True)


def hold(place: Path, name: str, *, system: str = sys.platform) -> bool:
    """Have `clean` of other processes leave a version alone for as long as this process lives.

    Returns:
        False if that version is being removed this moment.
    """
    home = sys.modules.setdefault(HOME, ModuleType(HOME, "What tdmcp-embedded unpacks, and holds."))
    held = home.__dict__.setdefault("held", [])
    if system == "win32":
        try:
            # Python opens files so that they can be neither moved nor removed meanwhile, nor the folders above them.
            held.append(patiently(lambda: (place / name / LISTING).open("rb")))
        except FileNotFoundError:
            return False
        except OSError:
            return True  # whoever must not read it can hardly remove it
        return is_whole(place / name)
    try:
        lock = _lock(place, f"{name}.use", shared=True)
        lock.__enter__()
    except BlockingIOError:
        return False
    except OSError:
        return True  # a read-only home: nobody can remove anything there
    held.append(lock)
    return is_whole(place / name)


@contextmanager
def locked(place: Path, name: str, patience: float | None = None) -> Iterator[None]:
    """Be the only one who unpacks a version.

    Raises:
        CannotUnpack: somebody else does, and takes too long.
    """
    patience = PATIENCE if patience is None else patience
    until = time.monotonic() + patience
    while True:
        try:
            lock = _lock(place, f"{name}.lock", shared=False)
            lock.__enter__()
            break
        except BlockingIOError:
            if time.monotonic() >= until:
                raise CannotUnpack(
                    f"Another TouchDesigner has been unpacking the same version for {patience:.0f} s: pulse Restart "
                    "to try again."
                ) from None
            _once_more.wait(0.05)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


@contextmanager
def _lock(place: Path, name: str, *, shared: bool) -> Iterator[None]:
    """A lock of the operating system, which goes with the process that has it, even if that crashes.

    Raises:
        BlockingIOError: somebody has it.
    """
    # The files stay: whoever removed one would take the lock away from under somebody who waits for it.
    folder = place / ".locks"
    make_folder(folder)
    with patiently(lambda: (folder / name).open("a+b")) as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError as error:
                raise BlockingIOError(errno.EAGAIN, "locked") from error
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                raise
            except OSError:
                pass  # a file system without locks: what is moved into place whole is still whole
            yield


def explained(error: OSError, manifest: dict[str, Any], place: Path | None = None) -> str:
    """Why files cannot be written, and what to do about it."""
    where = place or (places() or [Path("the home folder")])[0]
    if error.errno == errno.ENOSPC:
        megabytes = sum(manifest["archives"][name]["size"] for name in archives(manifest)) / 1e6
        return f"The disk of {where} is full: the server's libraries need {megabytes:.0f} MB there."
    longest = len(str(where)) + 14 + int(manifest.get("longest", 0))
    too_long = getattr(error, "winerror", None) == 206 or sys.platform == "win32" and longest > 259
    if error.errno == errno.ENAMETOOLONG or too_long:
        return f"The path {where} is too long for this system: set TDMCP_HOME to a shorter folder."
    reason = error.strerror or str(error)
    if is_held(error):
        code = getattr(error, "winerror", 0)
        return (
            f"Windows refuses access to {where} (code {code}: {reason}), probably because a virus scanner or "
            "another program has a file in it open. Wait a moment and pulse Restart; if it comes again, except that folder "
            "from scanning and from Controlled folder access, or set TDMCP_HOME to another one."
        )
    return (
        f"The server's libraries cannot be unpacked to {where} ({reason}): make it writable, or set TDMCP_HOME to a "
        "folder that is."
    )

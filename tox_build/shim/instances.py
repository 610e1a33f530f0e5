"""The running servers of this user, and which of them the calls go to."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.connections import Connection, Url
from tox_build.shim.messages import Refusal
from tox_build.shim.private_files import Unsafe, read_private
from tox_build.shim.processes import host_id
from tox_build.shim.targets import Target, _folder_of, _inside, _near, _same, _stem, lives, path_form

if TYPE_CHECKING:
    from typing import Any, NoReturn


class Instances:
    """The running servers, and which of them the calls go to."""

    def __init__(
        self,
        home: str,
        url: str = "",
        token: str = "",
        instance: str = "",
        project: str = "",
        folder: str = "",
    ) -> None:
        self.home = home
        self.fixed_url = url
        self.fixed_token = token
        self.instance = instance
        self.project = project
        self.folder = folder
        self._lock = threading.RLock()
        self._looked = 0.0
        self._entries: list[Target] = []
        self._files: dict[str, tuple[tuple[int, ...], Target | None]] = {}
        #: Why an entry is not used, by its file.
        self._unsafe: dict[str, str] = {}
        #: Entries of servers on other machines: used only where the user gave that address.
        self._remote: list[Target] = []
        #: Entries of other computers that share this home: theirs to use and to remove.
        self._elsewhere: list[Target] = []
        self._reached: dict[str, tuple[float, bool]] = {}
        self._selected: Target | None = None
        #: The last one there was, for what is said when it is gone.
        self.last: Target | None = None
        #: The last one that a tool call reached: further calls stay with it when others appear.
        self._reached_last: Target | None = None
        #: Those that ran beside it: none of them takes its place without being asked for.
        self._beside: set[Any] = set()

    def forget(self) -> None:
        """Look again at the next question; what was known has just proved wrong."""
        self._looked = 0.0

    def running(self) -> list[Target]:
        """Servers whose process lives, oldest first."""
        with self._lock:
            now = time.monotonic()
            if self._looked and now - self._looked < 0.2:
                return self._entries
            alive = [target for target in self._read() if lives(target)]
            if len(alive) > 1:
                # A process id may have been used again since a crash: do not call that a choice.
                answering = [target for target in alive if self._answers(target, now)]
                alive = answering or alive
            self._entries = sorted(alive, key=lambda t: (str(t.entry.get("started") or ""), t.pid))
            self._looked = now
            return self._entries

    def fitting(self) -> list[Target]:
        """Those of them that the options allow."""
        found = self.running()
        if self.instance:
            found = [target for target in found if target.answers_to(self.instance)]
        if self.project:
            found = [target for target in found if self._is_of_project(target)]
        return found

    def several(self) -> bool:
        if self.fixed_url:
            return False
        found = self.fitting()
        return len(found) > 1 or (len(found) == 1 and self._takes_over(found[0]))

    def _takes_over(self, target: Target) -> bool:
        """Whether this one is only left over from several, and not the one that calls went to."""
        last = self._reached_last
        return last is not None and target.key in self._beside and _same(last, [target]) is None

    def choose(self) -> Target:
        """The server that calls go to now. Raises Refusal."""
        with self._lock:
            if self.fixed_url:
                return self._fixed()
            looked = self._looked
            try:
                target = self._pick(self.fitting())
            except Refusal:
                if self._looked != looked:
                    raise
                # Refused on the strength of an older look: it may have come up in this very moment.
                self.forget()
                target = self._pick(self.fitting())
            self.last = target
            return target

    def reached(self, target: Target) -> bool:
        """Note that a tool call got there; returns whether that is another instance than the call before reached."""
        before, self._reached_last = self._reached_last, target
        return before is not None and before.identity != target.identity

    def select(self, word: str) -> Target:
        """Send calls to the instance of this name from now on. Raises Refusal."""
        with self._lock:
            self.forget()
            found = [target for target in self.fitting() if target.answers_to(word)]
            if len(found) == 1:
                self._selected = found[0]
                return found[0]
            if found:
                raise Refusal(
                    "value_invalid",
                    f"{len(found)} instances answer to {word!r}.",
                    "Name one by its process id: " + ", ".join(f"{t.pid} is {t}" for t in found) + ".",
                    [str(t.pid) for t in found],
                )
            raise Refusal(
                "value_invalid",
                f"No running TouchDesigner answers to {word!r}.",
                "list_instances shows those that run.",
                self.names(),
            )

    def names(self) -> list[str]:
        """A word for each fitting instance that means it alone."""
        found = self.fitting()
        names = [target.name for target in found]
        return [t.name if t.name and names.count(t.name) == 1 else str(t.pid) for t in found]

    def listing(self) -> list[dict[str, Any]]:
        try:
            chosen = self.choose().key
        except Refusal:
            chosen = None
        return [
            {
                "name": target.name,
                "project": target.project,
                "component": target.component,
                "pid": target.pid,
                "url": target.url.text,
                "build": str(target.entry.get("build") or ""),
                "started": str(target.entry.get("started") or ""),
                "selected": target.key == chosen,
            }
            for target in self.fitting()
        ]

    # -- reading the registry

    def _read(self) -> list[Target]:
        folder = os.path.join(self.home, "instances")
        seen: dict[str, tuple[tuple[int, ...], Target | None]] = {}
        unsafe: dict[str, str] = {}
        try:
            with os.scandir(folder) as listing:
                files = [entry for entry in listing if entry.name.endswith(".json")]
        except PermissionError:
            files = []
            unsafe[folder] = kept_out(folder)
        except OSError:
            files = []
        for file in files[:1000]:
            try:
                # Not the listing's own figures: Windows keeps those of an open directory entry late.
                facts = os.lstat(file.path)
                stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                known = self._files.get(file.path)
                seen[file.path] = known if known and known[0] == stamp else (stamp, self._load(file.path))
            except Unsafe as error:
                unsafe[file.path] = str(error)
            except PermissionError:
                known = self._files.get(file.path)
                if known is not None:
                    seen[file.path] = known  # it is being replaced this moment
                else:
                    unsafe[file.path] = kept_out(file.path)
            except OSError:
                continue  # removed meanwhile
        found = [target for _, target in seen.values() if target is not None]
        self._elsewhere = [target for target in found if is_elsewhere(target)]
        found = [target for target in found if not is_elsewhere(target)]
        self._remote = [target for target in found if not target.is_local]
        for target in self._remote:
            unsafe[target.url.text] = (
                f"{target} says that it is at {target.url.authority}, which is not this machine; to send it a key, start "
                f"the shim with --url {target.url.text}"
            )
        self._files, self._unsafe = seen, unsafe
        return [target for target in found if target.is_local]

    @staticmethod
    def _load(path: str) -> Target | None:
        try:
            entry = json.loads(read_private(path).decode("utf-8"))
            whole = json.dumps(entry, ensure_ascii=False).encode("utf-8")
            if rb"\u0000" in whole:
                return None  # half a character, or this one, would go wrong anywhere later
            return Target(str(entry["url"]), str(entry.get("token") or ""), entry)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _answers(self, target: Target, now: float) -> bool:
        known = self._reached.get(target.url.text)
        if known and now - known[0] < 2.0:
            return known[1]
        try:
            Connection(target.url, 0.3).close()
            answers = True
        except OSError:
            answers = False
        self._reached[target.url.text] = (now, answers)
        return answers

    # -- choosing

    def _fixed(self) -> Target:
        url = Url(self.fixed_url)
        for target in [*self.running(), *self._remote]:
            if target.url.text == url.text:
                # A key that the user gave for this address goes there, whatever an entry says of it.
                entry = (
                    {**target.entry, "instance_id": "", "instance_secret": ""}
                    if self.fixed_token
                    else target.entry
                )
                return Target(url.text, self.fixed_token or target.token, entry)
        return Target(url.text, self.fixed_token)

    def _pick(self, found: list[Target]) -> Target:
        if not found:
            self._refuse_absent()
        if self._selected is not None:
            again = _same(self._selected, found)
            if again is None:
                raise Refusal(
                    "precondition_failed",
                    f"The selected instance, {self._selected}, has ended; the call went to no other.",
                    "Call select_instance with one that runs.",
                    self.names(),
                )
            self._selected = again
            return again
        if len(found) == 1:
            if self._takes_over(found[0]):
                raise Refusal(
                    "precondition_failed",
                    f"{self._reached_last}, where calls went so far, has ended; the call went to no other.",
                    f"Still running: {found[0]}. Call select_instance to go on with it.",
                    self.names(),
                )
            return found[0]
        if self._reached_last is not None:
            again = _same(self._reached_last, found)
            if again is not None:
                self._beside = {target.key for target in found if target is not again}
                return again
        if self.folder:
            near = [t for t in found if t.project and _near(_folder_of(t.project), self.folder)]
            if len(near) == 1:
                return near[0]
        raise Refusal(
            "precondition_failed",
            f"{len(found)} TouchDesigner instances are running: {', '.join(str(t) for t in found)}.",
            "Call select_instance with the name of the one you mean; list_instances tells more about them.",
            self.names(),
        )

    def _is_of_project(self, target: Target) -> bool:
        project = target.project
        if not project:
            return False
        if _stem(project) == _stem(self.project):
            return True
        wanted = os.path.join(self.folder, os.path.expanduser(self.project))
        if wanted.lower().endswith(".toe"):
            return path_form(project) == path_form(wanted)
        return _inside(project, wanted)

    def _refuse_absent(self) -> NoReturn:
        others = self.running()
        if others:
            asked = f"--instance {self.instance}" if self.instance else f"--project {self.project}"
            raise Refusal(
                "precondition_failed",
                f"No running TouchDesigner is what {asked} asks for.",
                "Open that project, or change the option in the client's configuration. "
                f"Running: {', '.join(str(t) for t in others)}.",
                [t.name or str(t.pid) for t in others],
                retryable=True,
            )
        if self._unsafe:
            raise Refusal(
                "precondition_failed",
                f"A TouchDesigner may be running, but its entry is not used: {'; '.join(list(self._unsafe.values())[:3])}.",
                "Then repeat the call. Nothing needs to be restarted here.",
                retryable=True,
            )
        last = self.last
        if last is not None and lives(last):
            raise Refusal(
                "not_started",
                f"TouchDesigner is running ({last}), but the tdmcp component in it is off, restarting or deleted.",
                "Switch the component's Active parameter on, or put the component back; then repeat the call.",
                retryable=True,
            )
        crashed = [
            target for _, target in self._files.values() if target is not None and not is_elsewhere(target)
        ]
        if crashed:
            dead = max(crashed, key=lambda t: str(t.entry.get("started") or ""))
            raise Refusal(
                "not_started",
                f"TouchDesigner isn't running: {dead} ended without closing its server, so it probably crashed.",
                "Open the project again (look for a CrashAutoSave .toe beside it); then repeat the call. "
                "Nothing needs to be restarted here.",
                retryable=True,
            )
        other = (
            f" {self._elsewhere[0]} is entered by another computer that shares this home."
            if self._elsewhere
            else ""
        )
        raise Refusal(
            "not_started",
            f"TouchDesigner isn't running, or no open project has the tdmcp component switched on.{other}",
            "Open your project in TouchDesigner; then repeat the call. Nothing needs to be restarted here.",
            retryable=True,
        )


def is_elsewhere(target: Target) -> bool:
    """Whether an entry is of another computer, whose process ids and loopback address are not ours."""
    host = target.entry.get("host")
    return isinstance(host, str) and bool(host) and host != host_id()


def kept_out(path: str) -> str:
    """What to do about a file or folder of ours that is there but may not be read."""
    if sys.platform == "win32":
        return (
            f"{path} may not be read by this user: TouchDesigner probably ran as administrator once; quit it, run  "
            f'icacls "{path}" /reset /T  in a prompt opened as administrator, and start it without that'
        )
    return f"{path} may not be read by this user: it belongs to another one, or its mode forbids it"

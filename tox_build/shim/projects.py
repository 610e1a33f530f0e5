"""Starting TouchDesigner with a project that was open before."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from tox_build.shim.instances import Instances
from tox_build.shim.messages import Refusal
from tox_build.shim.private_files import Unsafe, read_private
from tox_build.shim.processes import packaged, start_command, start_outside, windows_kernel
from tox_build.shim.targets import _folder_of, _stem, path_form

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Projects:
    """The projects that were open before, as the servers have written them down, and starting one of them.

    Nothing else is ever started: neither the file nor the program can be named from outside.
    """

    def __init__(self, instances: Instances) -> None:
        self._instances = instances

    def listing(self) -> list[dict[str, Any]]:
        """The known projects, latest first; a server has written them, nobody else may."""
        try:
            path = os.path.join(self._instances.home, "projects.json")
            known = json.loads(read_private(path).decode("utf-8"))["projects"]
            found = [one for one in known if isinstance(one, dict) and isinstance(one.get("path"), str)]
        except Unsafe as error:
            # It says which program is started.
            raise Refusal("precondition_failed", f"The list of projects is not used: {error}.") from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return []
        return [{key: str(one.get(key) or "") for key in ("path", "build", "executable")} for one in found]

    def open(self, word: str) -> dict[str, Any]:
        """Start TouchDesigner with the project of this path or name. Raises Refusal."""
        one = self._find(word)
        path = _newest(one["path"])
        if any(_same_file(target.project, one["path"]) for target in self._instances.running()):
            return {"project": path, "build": one["build"], "started": False, "state": "It is open already."}
        if not path:
            raise Refusal(
                "precondition_failed", f"{one['path']} is no longer there.", suggestions=self._paths()
            )
        program = one["executable"]
        if not program or not os.path.exists(program):
            raise Refusal(
                "precondition_failed",
                f"The TouchDesigner that last ran it (build {one['build'] or 'unknown'}) is no longer there.",
                "Open the project by hand once, in the build that it should have.",
            )
        self._start(program, path)
        state = "TouchDesigner is starting; call get_status until it answers, which may take a minute."
        return {"project": path, "build": one["build"], "started": True, "state": state}

    def _find(self, word: str) -> dict[str, Any]:
        plain = word.replace("\\", "/").casefold()
        known = self.listing()
        found = [one for one in known if one["path"].replace("\\", "/").casefold() == plain]
        found = found or [one for one in known if _stem(one["path"]) == _stem(word)]
        if len(found) == 1:
            return found[0]
        raise Refusal(
            "value_invalid",
            f"{len(found)} known projects are called {word!r}."
            if found
            else f"No known project is called {word!r}.",
            "Name one by its path. A project becomes known once it was open with the component in it.",
            [one["path"] for one in found] or self._paths(),
        )

    def _paths(self) -> list[str]:
        return [one["path"] for one in self.listing()][:10]

    def _start(self, program: str, path: str) -> None:
        import subprocess

        folder = os.path.dirname(path)

        def begin(command: list[str], options: dict[str, Any]) -> Any:
            return subprocess.Popen(
                command,
                cwd=folder or None,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **options,
            )

        try:
            if sys.platform == "win32" and packaged(windows_kernel()):
                begin_outside(program, path, folder, begin)
                return
            command, options = start_command(program, path, sys.platform)
            try:
                begin(command, options)
            except PermissionError:
                if sys.platform != "win32":
                    raise
                # The job of the client lets nothing out of it.
                begin_outside(program, path, folder, begin)
        except OSError as error:
            raise Refusal("td_error", f"{program} cannot be started: {error}.") from None


def begin_outside(
    program: str, path: str, folder: str, begin: Callable[[list[str], dict[str, Any]], Any]
) -> None:
    """Have Windows start TouchDesigner outside the client's package and job. Raises Refusal, OSError."""
    import subprocess

    starter = begin(*start_outside(program, path, folder))
    try:
        code = starter.wait(30.0)
    except subprocess.TimeoutExpired:
        starter.kill()
        code = "no answer"
    if code != 0:
        raise Refusal(
            "td_error",
            f"This client is a packaged program, and Windows did not start {program} outside its package ({code}).",
            f"Open {path} by hand.",
        )


def _same_file(one: str, other: str) -> bool:
    """Whether two paths are of one project, whatever its version."""
    same_folder = path_form(_folder_of(one)) == path_form(_folder_of(other))
    return bool(one) and same_folder and _stem(one) == _stem(other)


def _newest(path: str) -> str:
    """The file itself, or the latest version of it; "" if there is none.

    TouchDesigner calls an open project by the number under which it will be saved next.
    """
    if os.path.isfile(path):
        return path
    folder = os.path.dirname(path)
    try:
        names = [
            name
            for name in os.listdir(folder)
            if name.lower().endswith(".toe") and _stem(name) == _stem(path)
        ]
        files = [os.path.join(folder, name) for name in names]
        return max(files, key=os.path.getmtime, default="")
    except OSError:
        return ""

"""The stdio shim: MCP on standard input and output for clients that speak nothing else, forwarded to TouchDesigner.

Desktop clients start their servers first, never restart them, and cannot reach a local URL. So this program is always
there: it answers the handshake, `ping` and the lists whether or not TouchDesigner runs, passes everything else on to
the MCP server inside TouchDesigner, and says in words what is wrong when it cannot. It ends at the end of its input.

    python -m stdio_shim [--instance NAME|PID|PATH] [--project PATH] [--url URL] [--token KEY] [--log-file FILE]
        [--contract NUMBER] [--allow-open]

Environment: TDMCP_URL and TDMCP_TOKEN stand for the options; TDMCP_HOME (default ~/.tdmcp) holds `instances/`, one
JSON file for each running server, and `cache/`, the lists that were last seen.

A client's entry says with --contract for which shim it was written. With --allow-open the tool `open_project` starts TouchDesigner with a project that was open before.

One file and the standard library only (Python 3.9 or newer), so that a client can start it by its path with whatever
Python there is. It starts often and must start fast: `argparse`, `http.client`, `typing` and `dataclasses` would take
as long to import as everything else together, so they are not used.

Threads: the main one reads standard input; each request being forwarded has one; one looks after sessions and tells
the client when TouchDesigner comes or changes; one posts notifications and answers in their order; one notices when
the client is gone.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.background import guarded, start_thread
from tox_build.shim.connections import Url
from tox_build.shim.constants import CONTRACT, LOOK_EVERY, OLDEST_ENTRY
from tox_build.shim.instances import Instances
from tox_build.shim.messages import plain
from tox_build.shim.processes import home_folder, windows_ended, windows_kernel
from tox_build.shim.projects import Projects
from tox_build.shim.proxy import Shim

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS = {
    "--url": "TDMCP_URL",
    "--token": "TDMCP_TOKEN",
    "--instance": "",
    "--project": "",
    "--log-file": "",
    "--contract": "",
}
#: Options without a value.
FLAGS = ("--allow-open",)


def options(arguments: list[str]) -> tuple[dict[str, str], str]:
    """The options given, and what is wrong with them ("" if nothing): a client shows a tool's error, not our end."""
    values = {name: os.environ.get(variable, "") if variable else "" for name, variable in OPTIONS.items()}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in FLAGS:
            values[word] = "yes"
            continue
        name, given, value = word.partition("=")
        if name not in OPTIONS:
            import difflib

            near = difflib.get_close_matches(name, [*OPTIONS, *FLAGS], 1)
            meant = f" Did you mean {near[0]}?" if near else f" There are {', '.join([*OPTIONS, *FLAGS])}."
            return values, f"The shim was started with {name}, which it does not know.{meant}"
        if not given:
            if not rest:
                return values, f"The shim was started with {name} but without its value."
            value = rest.pop(0)
        values[name] = value
    if values["--url"]:
        try:
            Url(values["--url"])
        except ValueError as error:
            return values, f"The shim was started with a wrong URL: {error}."
    values["--token"] = values["--token"].strip()
    if not plain(values["--token"]):
        return values, "The shim was started with an access key that has characters in it which no key has."
    written = values["--contract"]
    if written and not (written.isascii() and written.isdigit()):
        return values, f"The shim was started with --contract {written}, which is no number."
    if written and int(written) < OLDEST_ENTRY:
        return values, (
            f"This client's entry is too old for the shim that it starts (contract {int(written)}, needed "
            f"{OLDEST_ENTRY} or newer): {RENEW}."
        )
    return values, ""


RENEW = "pulse Install Client on the component's Clients page, or run `tdmcp client add`"


def entry_notice(written: str) -> str:
    """A sentence when a client's entry was written for another shim than this one, which still understands it."""
    if not written or int(written) == CONTRACT:
        return ""
    older = "entry is older than the shim that it starts"
    newer = "entry is newer than the shim that it starts"
    return f"This client's {older if int(written) < CONTRACT else newer}; {RENEW}."


def claim_stdout() -> tuple[Callable[[bytes], None], int]:
    """Keep the real standard output for messages alone: whatever else writes to it lands on standard error.

    Returns what writes to it, and its descriptor.
    """
    out = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(out, os.O_BINARY)
    else:
        for fd in (0, out):
            try:
                os.set_blocking(fd, True)
            except OSError:
                pass

    def write(line: bytes) -> None:
        view = memoryview(line)
        while view:
            try:
                view = view[os.write(out, view) :]
            except InterruptedError:
                continue
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    time.sleep(0.005)
                    continue
                # The client is gone without closing our input; nobody will ever read an answer.
                os._exit(0)

    return write, out


def leave_with_the_client(done: Callable[[], None], gone: Callable[[], bool]) -> None:
    """Call `done` when the client has died although our input has not ended; waits until then.

    A client that dies ends our input, unless another program of its has inherited the pipe, as happens on Windows.
    """
    parent = os.getppid()
    if sys.platform == "win32":
        if windows_ended(parent, windows_kernel()):
            done()
        return
    # What started us may have been a launcher that has done its work: only then look whether anybody still reads.
    while os.getppid() == parent or not gone():
        time.sleep(LOOK_EVERY)
    done()


def unread(out: int) -> bool:
    """Whether the other end of a pipe that we write to is closed."""
    import select

    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    # Writing must be asked for: macOS looks at nothing else of a pipe's writing end, not even at whether it is closed.
    poll.register(out, select.POLLOUT)
    return any(found & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, found in poll.poll(0))


def make_log(path: str) -> Callable[[str], None]:
    """One line for each event into `path`: methods, outcomes and times; no content and no keys."""
    if not path:
        return lambda text: None
    lock = threading.Lock()
    try:
        if os.path.exists(path) and os.path.getsize(path) > 5_000_000:
            os.replace(path, path + ".old")
        file = open(path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - open to the end
    except OSError as error:
        print(f"stdio_shim: no log: {error}", file=sys.stderr)
        return lambda text: None

    def log(text: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        line = text.replace("\r", " ").replace("\n", " ")
        with lock:
            try:
                file.write(f"{stamp} [{os.getpid()}] {line}\n")
                file.flush()
            except OSError:
                pass

    return log


def main(arguments: list[str]) -> int:
    """Run the shim; returns its exit code."""
    if "--help" in arguments or "-h" in arguments:
        # Standard output belongs to the protocol unless a person is looking at it.
        stream = sys.stdout if sys.stdout is not None and sys.stdout.isatty() else sys.stderr
        print((__doc__ or "").strip(), file=stream)
        return 0
    if sys.stdin is None or not hasattr(sys.stdin, "buffer"):
        return 0  # started without pipes: there is no client
    if not sys.stdin.isatty():
        import signal

        # Ctrl-C in a terminal reaches every process in it; it is meant for the client.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    write, out = claim_stdout()
    values, problem = options(arguments)
    log = make_log(values["--log-file"])
    if problem:
        print(f"stdio_shim: {problem}", file=sys.stderr)
        log(problem)
    log(f"started, Python {sys.version.split()[0]}, contract {CONTRACT}")
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    instances = Instances(
        home_folder(), values["--url"], values["--token"], values["--instance"], values["--project"], folder
    )
    projects = Projects(instances) if values.get("--allow-open") else None
    notice = "" if problem else entry_notice(values["--contract"])
    shim = Shim(instances, write, log, problem, projects, notice)

    def leave() -> None:
        log("the client is gone")
        guarded(shim.sessions.close, "Taking leave of the server", log)
        os._exit(0)

    start_thread(leave_with_the_client, "The watch for the client's end", log, leave, lambda: unread(out))
    shim.run(sys.stdin.buffer.readline)
    log("end of input")
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - whatever ends us, standard output stays clean
        sys.excepthook(*sys.exc_info())
        code = 1
    # Threads that still wait for a server must not keep the process: the client is gone.
    os._exit(code)

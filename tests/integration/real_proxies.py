"""nginx and Caddy as programs, with lines of docs/remote.md, bound to this machine only."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.integration.clients import ROOT

PAGE: Final = (ROOT / "docs" / "remote.md").read_text("utf-8")

#: A plain `proxy_pass`, as most people write it first.
PLAIN: Final = "location / { proxy_pass http://127.0.0.1:9988; }"


def nginx_lines() -> str:
    """The `location` block of the documentation."""
    found = re.search(r"```\n(location / \{.*?\n\})\n```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def caddy_lines() -> str:
    """The Caddyfile of the documentation."""
    found = re.search(r"`td\.example\.com (\{ reverse_proxy .*? \})`", PAGE)
    assert found is not None
    return found[1]


def _nginx(folder: Path, port: int, lines: str) -> list[str]:
    temporary = " ".join(
        f"{kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder / 'pid'}; error_log {folder / 'log'};\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n"
        f"server {{ listen 127.0.0.1:{port}; server_name 127.0.0.1;\n{lines}\n}} }}\n"
    )
    return [_program("nginx"), "-p", str(folder), "-e", str(folder / "log"), "-c", str(folder / "nginx.conf")]


def _caddy(folder: Path, port: int, lines: str) -> list[str]:
    # Its name stands for one that has a certificate; here it serves plain HTTP.
    (folder / "Caddyfile").write_text(
        f"{{\n admin off\n auto_https off\n}}\n"
        f"http://127.0.0.1:{port} {{\n bind 127.0.0.1\n {lines.strip('{} ')}\n}}\n"
    )
    return [_program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


PROGRAMS: Final[dict[str, Callable[[Path, int, str], list[str]]]] = {"nginx": _nginx, "caddy": _caddy}


def missing(name: str) -> bool:
    """Whether the program is not on this machine."""
    return shutil.which(name, path=_PATH) is None


@contextmanager
def running(name: str, folder: Path, lines: str, behind: int) -> Iterator[str]:
    """The program in front of a port of this machine; its address.

    Args:
        lines: its configuration, as in the documentation, with the port 9988.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = PROGRAMS[name](folder, port, lines.replace("127.0.0.1:9988", f"127.0.0.1:{behind}"))
    with (folder / "output").open("w") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            env={
                "PATH": _PATH,
                "HOME": str(folder),
                "XDG_CONFIG_HOME": str(folder),
                "XDG_DATA_HOME": str(folder),
            },
        )
        try:
            for _ in range(6000):
                with socket.socket() as line:
                    line.settimeout(0.01)
                    if line.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, (folder / "output").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin"


def _program(name: str) -> str:
    found = shutil.which(name, path=_PATH)
    assert found is not None
    return found

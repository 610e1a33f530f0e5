"""A network of its own for the clients: loopback and nothing else, so that none of them can reach out.

python -m tests.clients.network COMMAND...   runs the command with loopback up; meant to run below `unshare`
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys

_UNSHARE = ("unshare", "--map-root-user", "--net")
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41


def shut_off() -> list[str]:
    """The beginning of a command that shuts a process off from the network; nothing where the system forbids it."""
    prefix = [*_UNSHARE, sys.executable, "-m", "tests.clients.network"]
    if shutil.which("unshare") is None:
        return []
    tried = subprocess.run([*prefix, sys.executable, "-c", ""], check=False, capture_output=True)
    return prefix if tried.returncode == 0 else []


def _linux_loopback_up() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _UP_AND_RUNNING))


def main(command: list[str]) -> None:
    _linux_loopback_up()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Run a command in a network of its own, where nothing is but the loopback: no program in it reaches the outside.

    python tools/private_network.py python -m pytest tests/agents

Processes that the command leaves behind end with it. Where the system allows no such network, the command runs all the
same and the reason is said first. Spec: real command-line programs, sandbox.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence

INSIDE = "--inside"
AS_ROOT = ("unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")
AS_ANYBODY = (*AS_ROOT, "--user", "--map-root-user")
# Some containers allow a network of one's own but no /proc of one's own.
NETWORK_ALONE = ("unshare", "--net", "--user", "--map-root-user")
GET_FLAGS, SET_FLAGS, IS_UP = 0x8913, 0x8914, 0x1


def raise_loopback() -> None:
    """Switch the loopback of this network on, as `ip link set lo up` does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        _, flags, _ = struct.unpack("16sH14s", fcntl.ioctl(any_socket, GET_FLAGS, request))
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14s", b"lo", flags | IS_UP, b""))


def way_in() -> tuple[Sequence[str], str]:
    """The command that opens a private network, empty with the reason when none does."""
    if shutil.which("unshare") is None:
        return (), "there is no unshare here"
    reason = ""
    for way in (AS_ROOT, AS_ANYBODY, NETWORK_ALONE):
        tried = subprocess.run([*way, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return way, ""
        reason = tried.stderr.strip()
    return (), reason


def main(command: list[str]) -> None:
    if command[:1] == [INSIDE]:
        raise_loopback()
        os.execvp(command[1], command[1:])
    way, reason = way_in()
    if not way:
        print(f"no private network ({reason}): what runs now could reach the outside", file=sys.stderr)
        os.execvp(command[0], command)
    os.execvp(way[0], [*way, sys.executable, __file__, INSIDE, *command])


if __name__ == "__main__":
    main(sys.argv[1:])

"""Runs a program that would outlive us, and ends it when standard input does: `python guardian.py PROGRAM ARGUMENT…`.

Our end of that pipe closes when this process ends, however it ends; a server that does not watch its own input would
stay behind. The standard library alone: this file is run by its path. Spec: decision 44.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

NOT_STARTED = 127
PATIENCE_S = 3.0


def main(argv: list[str]) -> int:
    """The exit code of the program."""
    # A handler and not SIG_IGN, which the program would inherit: whoever ends the group waits for the program.
    signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        program = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"{argv[0]}: {error.strerror}", file=sys.stderr, flush=True)
        return NOT_STARTED
    threading.Thread(target=end_with_input, args=(program,), daemon=True).start()
    code = program.wait()
    return code if code >= 0 else 128 - code


def end_with_input(program: subprocess.Popen[bytes]) -> None:
    """End the program once nobody holds the other end of our input."""
    while os.read(0, 4096):
        pass
    program.terminate()
    try:
        program.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        program.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

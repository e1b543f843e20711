"""Runs a card's program so that it outlives nobody: `python supervised.py PROGRAM`, standard input a pipe to us.

Our end of that pipe closes when whoever started the program is gone, however that happened. Then the program is asked
to end, with all it started, and after a moment it is ended: a thread sees to that even while the program hangs. The
standard library alone: this file is run by its path. Spec: decision 44.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from types import ModuleType, TracebackType

PATIENCE_S = 2.0


def main(argv: list[str]) -> None:
    """Be the program, as if it had been started by itself."""
    threading.Thread(target=end_with_input, daemon=True).start()
    program = argv[0]
    sys.argv[:] = argv
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    sys.excepthook = _told_without_us
    module = ModuleType("__main__")
    module.__file__ = program
    sys.modules["__main__"] = module
    with io.open_code(program) as file:
        code = compile(file.read(), program, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - running this is what we are for


def end_with_input() -> None:
    """End this process, and the group that it leads, once nobody holds the other end of our input."""
    while os.read(0, 4096):
        pass
    if sys.platform == "win32":
        os._exit(1)
    end = os.killpg if os.getpgrp() == os.getpid() else os.kill
    end(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_S)
    end(os.getpid(), signal.SIGKILL)


def _told_without_us(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Tell of an error as Python does, without the two lines that are ours."""
    for _ in range(2):
        trace = trace.tb_next if trace is not None else None
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


if __name__ == "__main__":
    main(sys.argv[1:])

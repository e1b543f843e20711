"""The server's log: warnings and faults, in a file of the data folder that never grows large, and on the console.

No request, value or key is ever logged; faults come with their traceback under the reference that the caller got.
"""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

LOG_FILE: Final = "server.log"
_MAX_BYTES: Final = 1 << 20
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


_LOGS_VALUES: Final = frozenset(("acp",))
"""Libraries that log what the other side said, traceback and all, when it makes no sense to them."""


class _WithoutValues(logging.Filter):
    """Leaves one line of what such a library logs: the fault is another program's, and its words are not for logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and _LOGS_VALUES & set(Path(record.pathname).parent.parts[-2:]):
            record.exc_info, record.exc_text, record.levelno, record.levelname = None, None, logging.WARNING, "WARNING"
        return True


def log_into(folder: Path) -> None:
    """Send the process's log to a file of this folder, readable by its owner alone, and to the console.

    OSError says in words what is wrong with the folder.
    """
    path = folder / LOG_FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError as error:
        raise OSError(f"The data folder {folder} cannot be used: {error.strerror}.") from error
    quiet = _WithoutValues()
    to_file = RotatingFileHandler(path, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8")
    to_file.setFormatter(logging.Formatter(_FORMAT))
    to_console = logging.StreamHandler()
    to_console.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    for handler in (to_file, to_console):
        handler.addFilter(quiet)
    logging.basicConfig(level=logging.WARNING, handlers=[to_file, to_console], force=True)

"""Programs that are spoken to line by line, and what is told of their ends."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

import pytest

from cardloom.host.logs import LOG_FILE, log_into
from cardloom.host.piped import PipedProgram, ending
from cardloom.host.processes import Command


@pytest.mark.parametrize(
    ("code", "told"),
    [(None, ""), (0, " with 0"), (3, " with 3"), (128, " with 128"), (200, " with 200")],
)
def test_an_end_is_told_by_its_code(code: int | None, told: str) -> None:
    assert ending(code) == told


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_end_by_a_signal_is_told_by_its_name() -> None:
    assert ending(-signal.SIGKILL) == ending(128 + signal.SIGKILL) == " by SIGKILL"


async def test_last_words_say_something(tmp_path: Path) -> None:
    printing = "import sys; sys.stderr.write('{\\n  out of luck\\n}\\n\\n'); sys.exit(3)"
    program = await PipedProgram.start(Command([sys.executable, "-c", printing], tmp_path, dict(os.environ)))
    await program.settle()
    assert (program.last_words, program.ending) == ("out of luck", " with 3")
    await program.stop()


def test_what_another_program_said_is_no_matter_for_the_log(tmp_path: Path) -> None:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    try:
        log_into(tmp_path)
        from_library = Path("site-packages") / "acp" / "connection.py"
        for path in (from_library, Path("cardloom") / "app.py"):
            try:
                raise ValueError(f"a secret of {path.parent.name}")
            except ValueError:
                record = root.makeRecord("root", logging.ERROR, str(path), 1, "It failed.", (), sys.exc_info())
                root.handle(record)
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = before
        root.setLevel(level)
    written = (tmp_path / LOG_FILE).read_text()
    assert "WARNING root: It failed." in written
    assert "a secret of acp" not in written
    assert "a secret of cardloom" in written

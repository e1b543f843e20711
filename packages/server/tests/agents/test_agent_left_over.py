"""Programs that outlive a killed server."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardloom.features.agents.seats import left_over

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells when a program began")


@pytest.fixture
def program() -> Iterator[subprocess.Popen[bytes]]:
    """A program that leads its own group and ends by nothing milder than a kill."""
    script = "import signal,sys,time; signal.signal(1, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def test_what_an_agent_left_running_is_ended_before_it_starts_again(
    program: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    left_over.remember(tmp_path, program.pid)
    assert (tmp_path / "program").stat().st_mode & 0o777 == 0o600
    left_over.end(tmp_path)
    assert program.wait(60) == -signal.SIGKILL
    left_over.end(tmp_path)  # it is gone, and nobody else is ended for it


@pytest.mark.parametrize("mark", ["{pid} 1 other", "{pid}", "", "nonsense", "\x00"])
def test_another_program_of_that_number_is_left_alone(
    program: subprocess.Popen[bytes], tmp_path: Path, mark: str
) -> None:
    (tmp_path / "program").write_text(mark.format(pid=program.pid))
    left_over.end(tmp_path)
    left_over.end(tmp_path / "nowhere")
    assert program.poll() is None

"""The command line as a process, on one data folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CAP_S = 60


class Cli:
    """Runs commands on one data folder, for a person whose home has nothing in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        person = home.with_name(f"{home.name}-person")
        person.mkdir(exist_ok=True)
        self.environment = {**os.environ, "CARDLOOM_HOME": str(home), "HOME": str(person), "PYTHONUTF8": "1"}

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cardloom", *arguments],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def __call__(self, *arguments: str, given: str | None = None) -> tuple[int, str, str]:
        """Exit code, output and errors of a command."""
        process = self.start(*arguments)
        out, err = process.communicate(given, timeout=CAP_S)
        return process.returncode, out.strip(), err.strip()

    def bytes_in(self, *arguments: str, given: bytes) -> tuple[int, str, str]:
        """The same for a command whose standard input is no text, in a locale that is strict about it."""
        ended = subprocess.run(
            [sys.executable, "-m", "cardloom", *arguments],
            env={**self.environment, "PYTHONIOENCODING": "utf-8:strict"},
            input=given,
            capture_output=True,
            timeout=CAP_S,
            check=False,
        )
        return ended.returncode, ended.stdout.decode().strip(), ended.stderr.decode().strip()

    def json(self, *arguments: str, code: int = 0) -> Any:
        """The JSON that a command prints."""
        found = self(*arguments, "--json")
        assert found[0] == code, found
        return json.loads(found[1])

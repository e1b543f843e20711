"""A card's program under supervision is itself, and ends when nobody holds its input any more."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cardloom_sdk import supervised

CAP_S = 60


def start(folder: Path, source: str, *arguments: str) -> subprocess.Popen[str]:
    program = folder / "card.py"
    program.write_text(textwrap.dedent(source))
    return subprocess.Popen(
        [sys.executable, "-u", supervised.__file__, str(program), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code and both outputs of a program that ends by itself, its input held to its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        out, err = process.stdout.read(), process.stderr.read()
        return process.wait(CAP_S), out, err


def test_the_program_sees_what_it_would_see_alone(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("here = True\n")
    source = """
        import json, sys
        import beside
        class Kept: pass
        main = sys.modules["__main__"]
        print(json.dumps([__name__, __file__, sys.argv, sys.path[0], main.Kept is Kept, sorted(globals())]))
    """
    code, out, _ = outcome(start(tmp_path, source, "word"))
    assert code == 0
    program = str(tmp_path / "card.py")
    name, file, arguments, path, kept, names = json.loads(out)
    assert (name, file, arguments, path, kept) == ("__main__", program, [program, "word"], str(tmp_path), True)
    assert {one for one in names if not one.startswith("__")} == {"Kept", "beside", "json", "main", "sys"}


def test_an_error_is_told_from_the_programs_first_line_on(tmp_path: Path) -> None:
    source = "def open_it():\n    raise OSError('the pantry is empty')\nopen_it()\n"
    code, _, err = outcome(start(tmp_path, source))
    assert code == 1
    assert "supervised.py" not in err
    assert [line.strip() for line in err.splitlines()[-2:]] == [
        "raise OSError('the pantry is empty')",
        "OSError: the pantry is empty",
    ]


def test_a_way_to_end_is_the_programs_own(tmp_path: Path) -> None:
    assert outcome(start(tmp_path, "import sys\nsys.exit('no pantry')\n")) == (1, "", "no pantry\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize(
    ("prepared", "number"),
    [("", signal.SIGTERM), ("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)", signal.SIGKILL)],
)
def test_a_hanging_program_ends_with_its_starter(tmp_path: Path, prepared: str, number: signal.Signals) -> None:
    process = start(tmp_path, f"{prepared}\nprint('up')\nwhile True: pass\n")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "up\n"
    process.stdin.close()
    assert process.wait(CAP_S) == -number
    process.stdout.close()
    process.stderr.close()

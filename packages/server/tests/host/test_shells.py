"""How shells are started."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardloom.host.shells import SHELLS, find_shell, installed, launch, usual_shell
from cardloom_protocol.agents import HARNESSES
from cardloom_protocol.errors import CallError, ErrorCode


def _programs(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        program = folder / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return {"PATH": str(folder), "HOME": "/home/me"}


def test_every_shell_of_the_harness_table_has_a_row() -> None:
    assert set(SHELLS) == {harness.id for harness in HARNESSES.values() if harness.kind == "shell"}


@pytest.mark.parametrize("shell_id", list(SHELLS))
def test_the_secret_is_in_the_environment_and_never_in_the_arguments(shell_id: str, tmp_path: Path) -> None:
    environment = _programs(tmp_path, *SHELLS[shell_id].programs)
    made = launch(SHELLS[shell_id], "/work", "s3cr3t", environment)
    assert made.argv[0] == str(tmp_path / SHELLS[shell_id].programs[0])
    assert not any("s3cr3t" in argument or "{" in argument for argument in made.argv)
    assert any("s3cr3t" in value for value in made.env.values())
    assert made.cwd == "/work"
    assert "s3cr3t" not in repr(made)


def test_every_start_up_file_that_is_named_exists(tmp_path: Path) -> None:
    environment = _programs(tmp_path, "bash", "zsh", "pwsh")
    bash = launch(find_shell("shell-bash"), "/work", "n", environment)
    assert Path(bash.argv[2]).is_file()
    zsh = launch(find_shell("shell-zsh"), "/work", "n", environment)
    assert {".zshenv", ".zprofile", ".zshrc"} == {file.name for file in Path(zsh.env["ZDOTDIR"]).iterdir()}
    assert zsh.env["CARDLOOM_ZDOTDIR"] == "/home/me"
    pwsh = launch(find_shell("shell-powershell"), "/work", "n", environment)
    assert Path(pwsh.argv[-1].split("'")[1]).is_file()


def test_cmd_marks_its_prompt_by_its_prompt(tmp_path: Path) -> None:
    made = launch(find_shell("shell-cmd"), "/work", "n0nce", _programs(tmp_path, "cmd.exe"))
    assert made.env["PROMPT"] == "$E]633;D;;n0nce$E\\$E]633;A;n0nce$E\\$P$G$E]633;B;n0nce$E\\"
    assert find_shell("shell-cmd").marks_start is False


def test_a_shell_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallError) as refusal:
        launch(find_shell("shell-zsh"), "/work", "n", {"PATH": str(tmp_path)})
    assert refusal.value.code is ErrorCode.UNAVAILABLE
    assert refusal.value.message == "zsh is not installed"


def test_an_unknown_shell_is_not_found() -> None:
    with pytest.raises(CallError) as refusal:
        find_shell("shell-fish")
    assert refusal.value.code is ErrorCode.NOT_FOUND
    assert "shell-fish" in refusal.value.message


def test_the_users_own_shell_is_the_usual_one_when_we_know_it(tmp_path: Path) -> None:
    environment = _programs(tmp_path, "bash", "zsh")
    assert installed(environment) == ["shell-bash", "shell-zsh"]
    assert usual_shell({**environment, "SHELL": "/bin/zsh"}) == "shell-zsh"
    assert usual_shell({**environment, "SHELL": "/usr/bin/fish"}) == "shell-bash"
    assert usual_shell({"PATH": str(tmp_path / "none")}) == "shell-bash"

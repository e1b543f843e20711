"""terminals.run and terminals.write in real shells, through the whole server."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom.features.terminals.quiet import DEFAULT_TIMES, Times
from cardloom_protocol.errors import ErrorCode

from .conftest import until

NewShell = Callable[..., Awaitable[Any]]


@pytest.mark.parametrize(
    ("command", "exit_code"), [("true", 0), ("false", 1), ("(exit 3)", 3), ("no_such_command_here", 127)]
)
async def test_a_command_gives_its_exit_code(new_shell: NewShell, shell_id: str, command: str, exit_code: int) -> None:
    shell = await new_shell(shell_id)
    result = await shell.run(command)
    assert (result["exitCode"], result["timedOut"], result["truncated"]) == (exit_code, False, False)


async def test_the_output_is_what_the_command_printed_and_nothing_else(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    assert (await shell.run("printf 'one\\ntwo'"))["output"] == "one\ntwo"
    assert (await shell.run("printf '\\033[31mred\\033[0m\\n'; printf '10%%\\r100%%\\n'"))["output"] == "red\n100%\n"
    assert (await shell.run("true"))["output"] == ""


async def test_several_lines_are_one_command(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    result = await shell.run("for i in 1 2\ndo\n\techo line $i\ndone\n(exit 4)")
    assert result == {"exitCode": 4, "output": "line 1\nline 2\n", "truncated": False, "timedOut": False}


@pytest.mark.parametrize(
    "profile",
    [
        'PROMPT_COMMAND=\'echo "last was $?"; PS1="fresh> "\'\n',
        "PROMPT_COMMAND=('echo \"last was $?\"' 'PS1=\"fresh> \"')\n",
        'starship() { echo "last was $?"; PS1="fresh> "; }\nPROMPT_COMMAND=starship\nPS0=\'started \'\n',
    ],
)
async def test_the_users_prompt_commands_in_bash_go_on_working(new_shell: NewShell, home: Path, profile: str) -> None:
    (home / ".bashrc").write_text(profile)
    shell = await new_shell("shell-bash")
    assert (await shell.run("(exit 7)"))["exitCode"] == 7
    assert (await shell.run("true"))["exitCode"] == 0
    text = await shell.until_screen(lambda text: text.endswith("fresh>"))
    assert "last was 7" in text
    assert "last was 0" in text


async def test_the_users_hooks_in_zsh_go_on_working(new_shell: NewShell, home: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (home / ".zshenv").write_text("export FROM_ENV=1\n")
    (home / ".zprofile").write_text("export FROM_PROFILE=1\n")
    (home / ".zshrc").write_text(
        "precmd() { print last was $?; PS1='fresh> '; }\npreexec() { print running; }\nalias three='(exit 3)'\n"
    )
    (home / ".zlogin").write_text("export FROM_LOGIN=1\n")
    shell = await new_shell("shell-zsh")
    assert (await shell.run("three"))["exitCode"] == 3
    result = await shell.run("echo $FROM_ENV$FROM_PROFILE$FROM_LOGIN ${ZDOTDIR-none} $HISTFILE")
    assert result["output"] == "111 none\n"
    text = await shell.until_screen(lambda text: text.endswith("fresh>"))
    assert "last was 3" in text


async def test_profiles_are_read_as_a_login_shell_reads_them(new_shell: NewShell, home: Path) -> None:
    (home / ".profile").write_text("export ONE=profile\n")
    (home / ".bash_profile").write_text("export TWO=bash_profile\n")
    shell = await new_shell("shell-bash")
    assert (await shell.run("echo ${ONE-unset} $TWO"))["output"] == "unset bash_profile\n"


async def test_a_virtual_environment_of_the_server_stays_first_on_the_path(
    new_shell: NewShell, shell_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}/venv/bin:/usr/local/bin:/usr/bin:/bin")
    shell = await new_shell(shell_id)
    assert (await shell.run("echo $PATH"))["output"].startswith(f"{tmp_path}/venv/bin:")


async def test_a_command_over_time_gives_what_it_printed_and_goes_on(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    await shell.run("true")  # its start-up is over
    result = await shell.run_too_long("echo begun; read line; echo got $line", lambda text: text.endswith("\nbegun"))
    assert result == {"exitCode": None, "output": "begun\n", "truncated": False, "timedOut": True}
    assert shell.runtime["status"] == "working"
    assert (await shell.refused("true")).code is ErrorCode.BUSY
    await shell.type("it\r")
    await shell.until_screen(lambda text: "got it" in text)
    await until(lambda: shell.runtime["status"] == "finished")
    assert (await shell.run("true"))["exitCode"] == 0


async def test_of_a_megabyte_the_last_64_kib_are_given(shell: Any) -> None:
    result = await shell.run("i=0; while ((i < 16384)); do printf '%063d\\n' $i; ((i += 1)); done")
    assert result["exitCode"] == 0
    assert result["truncated"] is True
    assert len(result["output"]) == 65_536
    assert result["output"].endswith(f"{16383:063d}\n")


async def test_a_forged_end_mark_ends_nothing(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    forged = "printf '\\033]633;D;0\\007\\033]133;D;0\\007\\033]633;D;0;0123456789abcdef\\007'"
    result = await shell.run(f"{forged}; echo still here; (exit 5)")
    assert result["exitCode"] == 5
    assert result["output"] == "still here\n"


async def test_programs_do_not_find_the_secret_in_their_environment(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    assert (await shell.run("env | grep -ci nonce"))["output"] == "0\n"


async def test_a_full_screen_program_is_shown_and_its_end_is_seen(shell: Any, tmp_path: Path) -> None:
    if shutil.which("less") is None:
        pytest.skip("less is not installed")
    (tmp_path / "project" / "long.txt").write_text("\n".join(f"row {n}" for n in range(200)))
    await shell.run("true")  # its start-up is over
    result = await shell.run_too_long("less long.txt", lambda text: text.startswith("row 0\nrow 1\n"))
    assert result["timedOut"] is True
    await shell.type("q")
    await until(lambda: shell.runtime["status"] == "finished")
    assert "row 1" not in await shell.screen()
    assert (await shell.run("echo back"))["output"] == "back\n"


async def test_clearing_the_screen_loses_no_mark(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    result = await shell.run("echo before; printf '\\033[H\\033[2J\\033[3J'; echo after; false")
    assert (result["exitCode"], result["output"]) == (1, "before\nafter\n")


async def test_a_nested_shell_is_one_command_until_it_ends(shell: Any) -> None:
    await shell.run("true")  # its start-up is over
    result = await shell.run_too_long("PS1='inner> ' bash --norc", lambda text: text.endswith("\ninner>"))
    assert result["timedOut"] is True
    assert (await shell.refused("true")).code is ErrorCode.BUSY
    await shell.type("exit 6\r")
    await until(lambda: shell.runtime["status"] == "finished")
    assert (await shell.run("echo $?"))["output"] == "6\n"


async def test_an_open_quote_times_out_and_is_taken_back(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    result = await shell.run_too_long("echo 'open", lambda text: text.endswith(">"))
    assert (result["exitCode"], result["timedOut"]) == (None, True)
    assert (await shell.run("echo closed"))["output"] == "closed\n"


async def test_a_command_that_ends_the_shell_gives_the_shells_code(new_shell: NewShell, shell_id: str) -> None:
    shell = await new_shell(shell_id)
    result = await shell.run("echo bye; exit 9")
    assert (result["exitCode"], result["timedOut"]) == (9, False)
    assert result["output"].startswith("bye\n")
    assert shell.runtime["status"] == "exited"
    assert shell.runtime["exitCode"] == 9
    assert (await shell.refused("true")).code is ErrorCode.UNAVAILABLE


async def test_nobody_types_into_somebody_elses_line(shell: Any) -> None:
    await shell.run("true")
    await until(shell.app.terminals._terminals[shell.id]._ready.is_set)  # before, Ctrl+C may cost what follows
    await shell.type("git st")
    error = await shell.refused("true")
    assert error.code is ErrorCode.BUSY
    await shell.type("\x03")
    assert (await shell.run("echo free"))["output"] == "free\n"


async def test_two_commands_at_once_do_not_mix(shell: Any) -> None:
    await shell.run("true")
    first = asyncio.create_task(shell.run("read line; echo got $line"))
    await until(lambda: shell.runtime["status"] == "working")
    error = await shell.refused("echo second")
    assert error.code is ErrorCode.BUSY
    await shell.type("it\r")
    assert (await first)["output"] == "it\ngot it\n"


async def test_a_shell_that_tells_nothing_gives_output_without_a_code(
    new_shell: NewShell, home: Path, app: Any
) -> None:
    (home / ".bashrc").write_text("PS1='plain$ ' exec sh\n")
    shell = await new_shell()
    result = await shell.run("echo quiet; echo please")
    assert result == {"exitCode": None, "output": "quiet\nplease\n", "truncated": False, "timedOut": False}
    assert shell.runtime["integration"] is False
    assert (await shell.run("echo again"))["output"] == "again\n"


async def test_a_command_waits_for_start_up_files_that_are_slow(
    new_shell: NewShell, shell_id: str, home: Path, app: Any
) -> None:
    files = "echo starting\nwhile [[ ! -e ~/go ]]; do sleep 0.02; done\n"
    (home / ".bashrc").write_text(files)
    (home / ".zshrc").write_text(files)
    shell = await new_shell(shell_id)
    await shell.attach()
    await shell.until_screen(lambda text: "starting" in text)
    impatient = Times(marks_wait_s=0.02, quiet_s=0.02)
    app.terminals._terminals[shell.id]._times = impatient
    app.terminals._terminals[shell.id]._arm()
    assert (await shell.refused("echo early", timeoutMs=1000)).code is ErrorCode.BUSY
    app.terminals._terminals[shell.id]._times = DEFAULT_TIMES
    running = asyncio.create_task(shell.run("echo late; (exit 4)"))
    (home / "go").touch()
    result = await running
    assert (result["exitCode"], result["output"]) == (4, "late\n")
    assert shell.runtime["integration"] is True


async def _asking_shell(new_shell: NewShell, shell_id: str, home: Path, *, then: str) -> Any:
    """A shell whose start-up files stand at a question until `go` is written to: it counts as one without marks."""
    os.mkfifo(home / "go")
    files = f"printf 'name? '\nread go < ~/go\n{then}"
    (home / ".bashrc").write_text(files)
    (home / ".zshrc").write_text(files)
    shell = await new_shell(shell_id)
    await shell.attach()
    await shell.until_screen(lambda text: text.endswith("name?"))
    return shell


async def test_a_command_on_its_way_at_the_first_mark_gives_its_whole_output(
    new_shell: NewShell, shell_id: str, home: Path, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = await _asking_shell(new_shell, shell_id, home, then="")
    reserved, go_on = asyncio.Event(), asyncio.Event()
    record = app.terminals.hooks.record

    async def held(command: Any) -> Any:
        reserved.set()
        await go_on.wait()
        return await record(command)

    monkeypatch.setattr(app.terminals.hooks, "record", held)
    running = asyncio.create_task(shell.run("echo late; (exit 4)"))
    await asyncio.wait_for(reserved.wait(), 60)
    assert shell.runtime["integration"] is False
    await asyncio.to_thread((home / "go").write_text, "on\n")
    await until(lambda: shell.runtime["integration"] and shell.runtime["status"] == "idle")
    go_on.set()
    result = await running
    assert (result["exitCode"], result["output"]) == (4, "late\n")


async def test_a_command_typed_ahead_of_the_first_prompt_gives_its_own_output(
    new_shell: NewShell, shell_id: str, home: Path
) -> None:
    shell = await _asking_shell(new_shell, shell_id, home, then="echo welcome\n")
    running = asyncio.create_task(shell.run("echo late; (exit 4)"))
    await until(lambda: shell.runtime["status"] == "working")
    await asyncio.to_thread((home / "go").write_text, "on\n")
    result = await running
    assert (result["exitCode"], result["output"]) == (4, "late\n")


async def test_a_command_that_start_up_files_read_ends_at_the_prompt(
    new_shell: NewShell, shell_id: str, home: Path
) -> None:
    shell = await _asking_shell(new_shell, shell_id, home, then="read answer\necho hello $answer\n")
    running = asyncio.create_task(shell.run("Ann"))
    await until(lambda: shell.runtime["status"] == "working")
    await asyncio.to_thread((home / "go").write_text, "on\n")
    result = await running
    assert (result["exitCode"], result["timedOut"]) == (None, False)
    assert (await shell.run("echo $answer"))["output"] == "Ann\n"


async def test_writing_types_and_submits_only_when_asked(shell: Any) -> None:
    await shell.page.call("terminals.write", agentId=shell.id, text="echo wri", submit=False)
    await shell.page.call("terminals.write", agentId=shell.id, text="tten", submit=True)
    await shell.until_screen(lambda text: "\nwritten\n" in text)


async def test_a_card_that_is_no_terminal_is_not_found(page: Any, workspace_id: str) -> None:
    note = await page.call("canvas.addCard", workspaceId=workspace_id, kind="note", x=0, y=0)
    for method, params in [("terminals.run", {"command": "true"}), ("terminals.write", {"text": "x"})]:
        error = await page.refused(method, agentId=note["id"], **params)
        assert error.code is ErrorCode.NOT_FOUND
    assert (await page.refused("terminal.attach", cardId="c_none")).code is ErrorCode.NOT_FOUND

"""PowerShell and cmd through the whole server: PowerShell itself where it is installed, a stand-in for cmd."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode

from .conftest import until

NewShell = Callable[..., Awaitable[Any]]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
async def cmd(new_shell: NewShell, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PATH", os.pathsep.join([str(PROGRAMS), os.environ["PATH"]]))
    return await new_shell("shell-cmd")


async def test_a_command_in_cmd_gives_its_output_and_no_exit_code(cmd: Any) -> None:
    for command, output in (("echo one", "one"), ("nonsense", "'nonsense' is not recognized as an internal")):
        result = await cmd.run(command)
        assert result["exitCode"] is None
        assert not result["timedOut"]
        assert result["output"].startswith(output)
    assert cmd.runtime["integration"] is True


async def test_an_open_quote_and_a_cleared_screen_in_cmd_end_like_any_command(cmd: Any) -> None:
    result = await cmd.run('echo "open')
    assert (result["exitCode"], result["output"].strip(), result["timedOut"]) == (None, '"open', False)
    result = await cmd.run("cls")
    assert (result["exitCode"], result["output"].strip(), result["timedOut"]) == (None, "", False)
    assert (await cmd.run("echo after"))["output"].strip() == "after"


async def test_cmd_that_ends_during_a_command_is_exited_with_its_code(cmd: Any) -> None:
    result = await cmd.run("exit 9")
    assert result["timedOut"] is False
    assert (cmd.runtime["status"], cmd.runtime["exitCode"]) == ("exited", 9)
    assert (await cmd.refused("echo more")).code is ErrorCode.UNAVAILABLE


@pytest.fixture
async def powershell(new_shell: NewShell) -> Any:
    if shutil.which("pwsh") is None:
        pytest.skip("there is no PowerShell on PATH")
    return await new_shell("shell-powershell")


@pytest.mark.parametrize(
    ("command", "exit_code"),
    [("$null", 0), ("sh -c 'exit 3'", 3), ("throw 'up'", 1), ("Get-Item nowhere", 1), ("no_such_command_here", 1)],
)
async def test_a_command_in_powershell_gives_its_exit_code(powershell: Any, command: str, exit_code: int) -> None:
    result = await powershell.run(command)
    assert (result["exitCode"], result["timedOut"]) == (exit_code, False)


async def test_the_output_in_powershell_is_what_the_command_printed(powershell: Any) -> None:
    assert (await powershell.run("Write-Output one two"))["output"] == "one\ntwo\n"
    assert (await powershell.run('foreach ($n in 1, 2) {\n  "line $n"\n}'))["output"] == "line 1\nline 2\n"
    assert (await powershell.run("Clear-Host; 'after'"))["output"].strip() == "after"


async def test_powershell_in_powershell_is_one_command_until_it_ends(powershell: Any) -> None:
    await powershell.run("$null")  # its start-up is over
    result = await powershell.run("pwsh -NoLogo -NoProfile", timeoutMs=5000)
    assert result["timedOut"] is True
    assert (await powershell.refused("'more'")).code is ErrorCode.BUSY
    await powershell.type("exit 6\r")
    await until(lambda: powershell.runtime["status"] == "finished")
    assert (await powershell.run("$LASTEXITCODE"))["output"] == "6\n"


async def test_an_open_quote_in_powershell_times_out_and_is_taken_back(powershell: Any) -> None:
    await powershell.run("$null")  # its start-up is over
    result = await powershell.run("'open", timeoutMs=2000)
    assert (result["exitCode"], result["timedOut"]) == (None, True)
    assert (await powershell.run("'closed'"))["output"] == "closed\n"


async def test_powershell_that_ends_during_a_command_is_exited_with_its_code(powershell: Any) -> None:
    result = await powershell.run("'bye'; exit 9")
    assert (result["exitCode"], result["timedOut"]) == (9, False)
    assert result["output"].startswith("bye\n")
    assert powershell.runtime["status"] == "exited"

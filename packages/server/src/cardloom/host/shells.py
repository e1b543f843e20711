"""How each shell is started so that it tells of its prompts and commands, as one table.

No file of the user's is written: bash gets our start-up file by flag, zsh by the folder it looks in, PowerShell by a
command, cmd by its prompt. Each of our files first does what the shell would have done by itself. The secret of the
marks goes in by the environment and is taken out of it before anything else runs. Spec: harnesses, shell integration.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cardloom_protocol.errors import CallError, ErrorCode

from .environment import for_terminal
from .pty import Launch

_FILES: Final = Path(__file__).parent / "integration"
_CMD_PROMPT: Final = (
    "$E]633;D;;{nonce}$E\\$E]633;A;{nonce}$E\\$P$G$E]633;B;{nonce}$E\\"  # cmd knows no exit code to print
)


@dataclass(frozen=True, slots=True)
class Shell:
    """One shell. Its texts may hold {files}, {nonce} and {home_of_zsh}.

    `marks_start` is False where the shell cannot tell when a command begins: then the typed line end is the beginning.
    """

    id: str
    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    marks_start: bool = True


_ROWS = (
    Shell("shell-bash", ("bash",), ("--rcfile", "{files}/bash.sh", "-i"), {"CARDLOOM_NONCE": "{nonce}"}),
    Shell(
        "shell-zsh",
        ("zsh",),
        ("-i", "-l"),
        {"CARDLOOM_NONCE": "{nonce}", "ZDOTDIR": "{files}/zsh", "CARDLOOM_ZDOTDIR": "{home_of_zsh}"},
    ),
    Shell(
        "shell-powershell",
        ("pwsh", "powershell"),
        ("-NoLogo", "-NoExit", "-Command", ". '{files}/pwsh.ps1'"),
        {"CARDLOOM_NONCE": "{nonce}"},
    ),
    Shell("shell-cmd", ("cmd.exe",), ("/K",), {"PROMPT": _CMD_PROMPT}, marks_start=False),
)

SHELLS: Final[Mapping[str, Shell]] = MappingProxyType({row.id: row for row in _ROWS})


def find_shell(shell_id: str) -> Shell:
    """Give a shell's row. NOT_FOUND naming the id."""
    shell = SHELLS.get(shell_id)
    if shell is None:
        raise CallError(ErrorCode.NOT_FOUND, f"there is no shell {shell_id!r}; known are {', '.join(SHELLS)}")
    return shell


def installed(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The ids of the shells that can be started here."""
    return [row.id for row in _ROWS if _program(row, environment) is not None]


def usual_shell(environment: Mapping[str, str] = os.environ) -> str:
    """The id of the user's own shell where it is one we know and have, else of the first that is installed."""
    own = f"shell-{Path(environment.get('SHELL', '')).name}"
    found = installed(environment)
    return own if own in found else (found[0] if found else "shell-bash")


def new_nonce() -> str:
    """A secret for the marks of one life of a shell."""
    return secrets.token_hex(16)


def launch(shell: Shell, cwd: str, nonce: str, environment: Mapping[str, str] = os.environ) -> Launch:
    """Give what starts a shell in a folder. UNAVAILABLE naming the program that is not installed."""
    program = _program(shell, environment)
    if program is None:
        raise CallError(ErrorCode.UNAVAILABLE, f"{shell.programs[0]} is not installed")
    made = for_terminal(environment)
    fills = {
        "files": str(_FILES),
        "nonce": nonce,
        "home_of_zsh": environment.get("ZDOTDIR") or environment.get("HOME", ""),
    }
    made |= {name: _filled(text, fills) for name, text in shell.variables.items()}
    made |= {"SHELL": program, "PWD": cwd}
    return Launch((program, *(_filled(text, fills) for text in shell.arguments)), cwd, made)


def _filled(text: str, fills: Mapping[str, str]) -> str:
    for name, value in fills.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _program(shell: Shell, environment: Mapping[str, str]) -> str | None:
    path = environment.get("PATH", os.defpath)
    return next((found for program in shell.programs if (found := shutil.which(program, path=path))), None)

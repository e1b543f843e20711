"""The environment of programs that Cardloom starts: the user's own, without what speaks of the place it came from.

Spec: harnesses, environment; decisions 28, 44.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

# What a coding agent leaves for its children: with it, another agent started here would take itself for a child.
AGENT_MARKERS: Final = frozenset(
    (
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_PID",
        "CLAUDE_EFFORT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_PARENT_SESSION_ID",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "HERMES_SESSION",
        "HERMES_SESSION_ID",
        "KILO_PURE",
        "KILO_SESSION_ID",
        "OPENCODE_PURE",
        "OPENCODE_SESSION_ID",
    )
)

# What another terminal, or the shell in it, says about itself, which is not true here: bash's prompt means nothing to
# zsh, and an activated virtual environment exports it.
_TERMINAL_MARKERS: Final = frozenset(
    (
        "COLUMNS",
        "INSIDE_EMACS",
        "ITERM_SESSION_ID",
        "KITTY_WINDOW_ID",
        "LINES",
        "PS0",
        "PS1",
        "PS2",
        "PS4",
        "STY",
        "TERMCAP",
        "TERM_PROGRAM_VERSION",
        "TERM_SESSION_ID",
        "TMUX",
        "TMUX_PANE",
        "VSCODE_INJECTION",
        "VSCODE_NONCE",
        "VTE_VERSION",
        "WEZTERM_PANE",
        "WINDOWID",
        "WT_SESSION",
    )
)

_OURS: Final = "CARDLOOM_"
_KEPT: Final = frozenset(("CARDLOOM_HOME",))
"""Of our own variables only this reaches programs: which data folder their `cardloom` command talks to."""


def cleaned(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without markers, our own variables and empty PATH entries (which mean "here")."""
    kept = {
        name: value
        for name, value in environment.items()
        if name.upper() not in AGENT_MARKERS
        and name.upper() not in _TERMINAL_MARKERS
        and (not name.upper().startswith(_OURS) or name in _KEPT)
    }
    if "PATH" in kept:
        kept["PATH"] = os.pathsep.join(entry for entry in kept["PATH"].split(os.pathsep) if entry)
    return kept


def for_terminal(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of a program on one of our terminals."""
    made = cleaned(environment)
    made |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "cardloom"}
    if not any(made.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        made["LANG"] = "C.UTF-8"
    return made

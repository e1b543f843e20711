"""The shape of a harness: a row of pure functions. What they give, somebody else writes, starts and sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..facts import Fact, HookContext, HookResult, Question
from ..signals import Choice, LogView, TitleSaid
from ..state import Rules

Version: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class KeyWrite:
    """One write to the terminal, `pause_ms` after the one before it."""

    data: bytes
    pause_ms: int = 0


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A request to the harness's own loopback port, relative to the address it told us."""

    method: Literal["POST"]
    path: str
    body: str


Delivery: TypeAlias = tuple[KeyWrite, ...] | ApiCall
"""How a wish reaches the harness."""


@dataclass(frozen=True, slots=True)
class Detection:
    """How a harness is found: names of its program, arguments that print its version, the way to get it.

    `min_version`: older ones are told as such. `install` is a command for people.
    """

    programs: tuple[str, ...]
    version_arguments: tuple[str, ...] = ("--version",)
    min_version: Version | None = None
    install: str | None = None
    node_from: int | None = None


@dataclass(frozen=True, slots=True)
class McpServer:
    """The canvas's tools for this agent. The token goes into environment or 0600 files, never into arguments."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """All that a launch depends on.

    `program` is the path that was found, `layer` the agent's own folder (absolute, forward slashes, nobody else's).
    `session_id` continues that session; `new_session_id` is a fresh random UUID for harnesses that let us choose.
    `hook_url` ends without a slash, the event's name is put behind it. `poster` runs our small program that posts a
    hook's payload: its words, to which the path of a poster file and the event's name are added. `environment` is the
    cleaned one, for reading. `arguments` are the person's own, for a plain command or an ACP agent. `layer_is_roots`:
    root owns the layer and every folder above it, and nobody else writes there.
    """

    agent_id: str
    program: str
    cwd: str
    layer: str
    new_session_id: str
    hook_url: str
    poster: tuple[str, ...]
    environment: Mapping[str, str]
    session_id: str | None = None
    model: str | None = None
    prompt: str | None = None
    dangerous: bool = False
    mcp: McpServer | None = None
    version: Version | None = None
    arguments: tuple[str, ...] = ()
    layer_is_roots: bool = False
    layers_below: Mapping[str, str] = field(default_factory=dict)
    """The texts of the files that `Harness.reads` names, by path; those that are not there are left out."""


@dataclass(frozen=True, slots=True)
class LayerFile:
    """A file of the agent's own folder; `path` is relative to `LaunchSpec.layer`. Written with mode 0600."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start. `environment` is laid over the cleaned one; `unset` names leave it.

    `session_id` is known when we chose or continued it. `prompt_given`: the first prompt is among the arguments.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    files: tuple[LayerFile, ...] = ()
    session_id: str | None = None
    prompt_given: bool = False
    reviewed: bool = False
    """The person's settings let a program answer its permission requests (`HookContext.reviewed`)."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """One row of the table of what each harness can do.

    `status_from` lists its sources in the order they are trusted; `reply` tells where its last reply comes from.
    """

    status_from: tuple[str, ...]
    questions: bool
    resume: bool
    first_prompt: bool
    model_choice: bool
    dangerous: bool
    mcp: bool
    subagents: bool
    reply: Literal["hook", "log", "api", "none"]
    answers: Literal["keys", "api", "none"]
    always: bool
    tried: str | None = None
    """The version that was run for real, None when none was."""


@dataclass(frozen=True, slots=True)
class StartDialog:
    """A dialog of the first two minutes that stands in the way: its text without any spaces, and what to press."""

    marker: str
    keys: tuple[KeyWrite, ...]


ReadHook: TypeAlias = Callable[[str, Mapping[str, Any], HookContext], HookResult]
ReadTitle: TypeAlias = Callable[[str], TitleSaid]
ReadLog: TypeAlias = Callable[[LogView, str], LogView]
ReadOutput: TypeAlias = Callable[[str], tuple[Fact, ...]]


@dataclass(frozen=True, slots=True)
class Harness:
    """One kind of coding agent.

    `read_hook(event, payload, context)` understands what our hook, plugin or webhook posted. `read_title` understands
    the terminal's title. `read_log(view, line)` folds one line of its session log. `read_output` looks at the plain
    output since the status last changed, at its last 1500 characters, after each piece. `missing` are texts (without
    any spaces) by which a launch says that its session does not exist. `asking` is the pattern of a line that is on the
    screen while it waits for an answer, "" where that is not known. `answer` is None where only the terminal can
    answer. `clear_line` empties its input box.
    """

    id: str
    detection: Detection
    abilities: Abilities
    rules: Rules
    launch: Callable[[LaunchSpec], Launch]
    read_hook: ReadHook
    interrupt: tuple[KeyWrite, ...] = (KeyWrite(b"\x1b"),)
    answer: Callable[[Question, Choice], Delivery | None] = lambda question, choice: None
    read_title: ReadTitle | None = None
    read_log: ReadLog | None = None
    read_output: ReadOutput | None = None
    missing: tuple[str, ...] = ()
    asking: str = ""
    dialogs: tuple[StartDialog, ...] = ()
    clear_line: tuple[KeyWrite, ...] = ()
    reads: Callable[[Mapping[str, str]], tuple[str, ...]] = lambda environment: ()
    """Which settings of the person and of the system a launch must know, by the cleaned environment."""

"""What the scripted model answers: a reply as a list of steps, chosen by a mark in the person's words.

`[[text]]`        a plain answer, also without any mark
`[[think]]`       reasoning, then an answer
`[[tool:CMD]]`    one shell command that asks for permission, then a final text
`[[run:CMD]]`     the same without asking to leave a sandbox
`[[write:PATH]]`  a file written by a tool, then a final text
`[[two]]`         two shell commands at once, then a final text
`[[sub]]`         a sub-agent with a task of its own, then a final text
`[[slow:WORD]]`   words, one every quarter of a second, for most of a minute: WORD0, WORD1 and so on
`[[hold]]`        first words, then nothing until the test lets go, then the rest
`[[hang]]`        no byte until the test lets go
`[[500]]` `[[429x2]]`  that HTTP status for each request of the turn, or for the first two of them

The last mark counts, for some programs put two prompts into one request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .asked import Asked, JsonObject, Tool

FINAL_TEXT = "The tool finished; all done."
PLAIN_TEXT = "Hello from the scripted model. This is a plain reply."
HELD_TEXT = "Holding the stream open. "
RELEASED_TEXT = "Released."
TITLE = "Scripted title"
WORDS = 200
WORD_PAUSE_MS = 250

MARK = re.compile(r"\[\[(\w+?)(?:x(\d+))?(?::(.*?))?\]\]", re.S)
STATUSES = frozenset({"400", "401", "429", "500", "503", "529"})
SHELLS = ("Bash", "bash", "exec_command", "shell", "shell_command", "local_shell", "run_shell_command")
WRITERS = ("Write", "write", "write_file", "create_file")
DELEGATES = ("Task", "Agent", "task", "agent", "spawn_agent", "invoke_agent")
# Requests that programs make beside a turn although they offer tools in them.
ASIDE = ("[SUGGESTION MODE", "Managed memory")


@dataclass(frozen=True)
class Text:
    """Words of the answer; `pause_ms` after each."""

    text: str
    pause_ms: int = 0


@dataclass(frozen=True)
class Thought:
    """Words of the reasoning."""

    text: str


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool that the program offers."""

    tool: Tool
    arguments: JsonObject


@dataclass(frozen=True)
class Hold:
    """Nothing more until the test lets go."""


Step = Text | Thought | ToolCall | Hold


@dataclass(frozen=True)
class Reply:
    """One answer. `aside` marks titles and suggestions, which programs leave out of their logs."""

    scenario: str
    steps: Sequence[Step] = ()
    status: int = 200
    aside: bool = False
    silent: bool = field(default=False)

    @property
    def calls(self) -> list[ToolCall]:
        return [step for step in self.steps if isinstance(step, ToolCall)]

    @property
    def thinks(self) -> bool:
        return any(isinstance(step, Thought) for step in self.steps)


def reply_to(asked: Asked, earlier_failures: int) -> Reply:
    """The answer to a request; `earlier_failures` counts the refused requests of the same prompt."""
    marks = list(MARK.finditer(asked.prompt))
    name, times, argument = marks[-1].groups() if marks else ("text", None, None)
    if not asked.tools or asked.prompt.startswith(ASIDE):
        return Reply("aside", [Text(_title(asked.wants_json))], aside=True)
    if name in STATUSES:
        if times is None or earlier_failures < int(times):
            return Reply(name, status=int(name))
        return Reply(name, [Text(f"Recovered after {earlier_failures} failures.")])
    if asked.results:
        return Reply(name, [Text(FINAL_TEXT)])
    if calls := _calls(name, argument, asked.tools):
        return Reply(name, [Text("I will run a tool now."), *calls])
    return _words(name, argument)


def _words(name: str, argument: str | None) -> Reply:
    match name:
        case "think":
            return Reply(name, [Thought("Let me think about it."), Text("Scripted answer after thinking.")])
        case "slow":
            return Reply(name, [Text(" ".join(f"{argument or 'word'}{n}" for n in range(WORDS)), WORD_PAUSE_MS)])
        case "hold":
            return Reply(name, [Text(HELD_TEXT), Hold(), Text(RELEASED_TEXT)])
        case "hang":
            return Reply(name, [Text(RELEASED_TEXT)], silent=True)
        case _:
            return Reply(name, [Text(PLAIN_TEXT)])


def _calls(name: str, argument: str | None, tools: Sequence[Tool]) -> list[ToolCall]:
    match name:
        case "tool":
            wanted = [_shell(tools, argument or "echo hi > out.txt && cat out.txt", asks=True)]
        case "run":
            wanted = [_shell(tools, argument or "echo hi", asks=False)]
        case "two":
            wanted = [_shell(tools, f"echo {word}", asks=False) for word in ("one", "two")]
        case "write":
            path = argument or "hello.txt"
            texts = {"file_path": path, "filePath": path, "path": path, "content": "hello\n"}
            wanted = [_call(tools, WRITERS, texts)]
        case "sub":
            task = "[[text]] say hello"
            named = {"subagent_type": argument or "general-purpose", "agent_name": argument or "generalist"}
            wanted = [_call(tools, DELEGATES, {"prompt": task, "message": task, "description": "Say hello", **named})]
        case _:
            wanted = []
    return [call for call in wanted if call]


def _shell(tools: Sequence[Tool], command: str, *, asks: bool) -> ToolCall | None:
    tool = _named(tools, SHELLS)
    if tool is None:
        return None
    array = tool.property_type("command") == "array"
    texts: dict[str, object] = {
        "command": ["bash", "-lc", command] if array else command,
        "cmd": command,
        "description": "Run a scripted command",
    }
    if asks:
        # Codex asks a person only when the model itself asks to leave the sandbox.
        texts |= {"sandbox_permissions": "require_escalated", "justification": "May I run this outside the sandbox?"}
    return ToolCall(tool, tool.filled(texts))


def _call(tools: Sequence[Tool], names: Iterable[str], texts: JsonObject) -> ToolCall | None:
    tool = _named(tools, names)
    return ToolCall(tool, tool.filled(texts)) if tool else None


def _named(tools: Sequence[Tool], names: Iterable[str]) -> Tool | None:
    by_name = {tool.name: tool for tool in tools}
    return next((by_name[name] for name in names if name in by_name), None)


def _title(wants_json: bool) -> str:
    return json.dumps({"title": TITLE, "isNewTopic": True}) if wants_json else TITLE

"""What several harnesses share: hooks as commands with JSON on stdin, in the shape that Claude Code gave them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..facts import Fact, HookResult, ModelSeen, Question, QuestionKind, SessionSeen
from .payloads import Payload, about, iso_ms, one_line, table, tables, text
from .shape import LaunchSpec, LayerFile, McpServer

POST_FILE = "post.json"
"""The layer file that tells where hooks are posted; the address in it holds the agent's token."""

EDITS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "write_file", "edit", "replace", "write"))
MCP_NAME = "cardloom"


def post_file(spec: LaunchSpec, *, allows: bool = False) -> LayerFile:
    """The file that tells where to post. `allows`: a plugin allows by itself whatever its program asks."""
    return LayerFile(POST_FILE, json.dumps({"url": spec.hook_url} | ({"allows": True} if allows else {})))


def post_command(spec: LaunchSpec, event: str) -> str:
    """The shell command that posts this event."""
    return shlex.join((*spec.poster, f"{spec.layer}/{POST_FILE}", event))


def hook_groups(spec: LaunchSpec, events: Iterable[str], timeout: int) -> dict[str, Any]:
    """A `hooks` setting that posts these events. `timeout` is in the harness's own unit."""
    return {
        event: [{"hooks": [{"type": "command", "command": post_command(spec, event), "timeout": timeout}]}]
        for event in events
    }


def mcp_headers(server: McpServer) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


def result(payload: Payload, facts: Iterable[Fact], reply: str = "{}") -> HookResult:
    """A result of a payload that says whose it is and when."""
    return HookResult(tuple(facts), reply, text(payload, "session_id"), iso_ms(payload.get("timestamp")))


def session_facts(payload: Payload, *, fresh: bool = False) -> Iterator[Fact]:
    """What a payload says of its session and the model, in the names that Claude Code gave them."""
    session_id, model = text(payload, "session_id"), text(payload, "model")
    if session_id is not None:
        yield SessionSeen(session_id, text(payload, "transcript_path"), fresh)
    if model is not None:
        yield ModelSeen(model)


def question_of(payload: Payload, *, kind: QuestionKind = "permission", can_always: bool = True) -> Question:
    """The question about a call of a tool, in words for one line and in full."""
    tool = text(payload, "tool_name") or "tool"
    tool_input = table(payload, "tool_input")
    action = action_of(tool, tool_input)
    subagent = text(payload, "agent_type", "agent_id") if text(payload, "agent_id") else None
    words = action if action == tool else f"{tool} — {action}"
    detail = one_line(f"{subagent}: {words}" if subagent else words)
    return Question(kind, detail, action, tool, about(tool, tool_input), None, subagent, can_always)


def action_of(tool: str, tool_input: Mapping[str, Any]) -> str:
    """The exact thing a call would do: the command, the file, the question, else the tool's name."""
    questions = tables(tool_input, "questions")
    if questions:
        return text(questions[0], "question", "header") or tool
    if tool in EDITS:
        return text(tool_input, "file_path", "notebook_path", "path", "filePath") or tool
    return text(tool_input, "command", "cmd", "question", "plan", "file_path", "url", "pattern", "description") or tool

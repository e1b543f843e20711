"""OpenCode: a plugin of ours beside the person's own, told of by a configuration file of our own.

Spec: harnesses, OpenCode; agents' programs as they are, OpenCode. Decisions 22, 23.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from ..facts import (
    Answered,
    Asked,
    EndsAs,
    Fact,
    HookContext,
    HookResult,
    ModelSeen,
    Question,
    QuestionKind,
    Retrying,
    SessionSeen,
    Subagent,
    SubagentStarted,
    SubagentStopped,
    Titled,
    TurnEnded,
    TurnStarted,
)
from ..signals import Choice, TitleSaid
from ..state import Rules
from .hooking import MCP_NAME, mcp_headers, post_file
from .opencode_plugin import PLUGIN, PLUGIN_FILE
from .payloads import Payload, one_line, table, tables, text, whole
from .shape import Abilities, Delivery, Detection, Harness, KeyWrite, Launch, LaunchSpec, LayerFile

CONFIG_FILE: Final = "opencode.json"
ABORTED: Final = frozenset(("MessageAbortedError", "AbortError"))
KEY_GAP_MS: Final = 250
"""Two Escapes in one write are read as another key."""


def launch(spec: LaunchSpec) -> Launch:
    return launch_as(spec, "OPENCODE_")


def launch_as(spec: LaunchSpec, prefix: str, *, obeys: bool = True) -> Launch:
    """The launch of OpenCode or of a fork whose variables begin otherwise. `obeys`: it asks nothing when told so."""
    post = post_file(spec, allows=spec.dangerous and not obeys)
    files = (post, LayerFile(PLUGIN_FILE, PLUGIN), LayerFile(CONFIG_FILE, json.dumps(_config(spec, prefix))))
    argv = [spec.program]
    if spec.session_id:
        argv += ["--session", spec.session_id]
    if spec.model:
        argv += ["--model", spec.model]
    if spec.dangerous:
        argv.append("--auto")
    takes_prompt = (
        bool(spec.prompt) and not spec.session_id
    )  # seen with 1.18.33: with a session it is left out silently
    if takes_prompt:
        argv.append(f"--prompt={spec.prompt}")
    environment = {f"{prefix}CONFIG": f"{spec.layer}/{CONFIG_FILE}", f"{prefix}PURE": "false"}
    return Launch(tuple(argv), environment, files=files, session_id=spec.session_id, prompt_given=takes_prompt)


def reads_as(environment: Mapping[str, str], prefix: str) -> tuple[str, ...]:
    """The file that the person names in the variable that ours takes."""
    named = environment.get(f"{prefix}CONFIG")
    return (named,) if named else ()


def reads(environment: Mapping[str, str]) -> tuple[str, ...]:
    return reads_as(environment, "OPENCODE_")


def _config(spec: LaunchSpec, prefix: str) -> dict[str, Any]:
    """Our file, laid over the one that the person names in the same variable, so that theirs still counts."""
    theirs = spec.layers_below.get(spec.environment.get(f"{prefix}CONFIG", ""), "")
    config: dict[str, Any] = uncommented(theirs)
    plugins = config.get("plugin")
    config["plugin"] = [*(plugins if isinstance(plugins, list) else ()), f"file://{quote(spec.layer)}/{PLUGIN_FILE}"]
    if spec.mcp is not None:
        server = {"type": "remote", "url": spec.mcp.url, "enabled": True, "headers": mcp_headers(spec.mcp)}
        servers = config.get("mcp")
        config["mcp"] = {**(servers if isinstance(servers, dict) else {}), MCP_NAME: server}
    return config


def uncommented(words: str) -> dict[str, Any]:
    """The object of a JSON text with comments and trailing commas; an empty one when it is none."""
    try:
        value = json.loads(_plain_json(words))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _plain_json(words: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(words):
        if words[at] == '"':
            end = at + 1
            while end < len(words) and words[end] != '"':
                end += 2 if words[end] == "\\" else 1
            kept.append(words[at : end + 1])
            at = end + 1
        elif words.startswith("//", at):
            at = _after(words, "\n", at)
        elif words.startswith("/*", at):
            at = _after(words, "*/", at)
        else:
            if words[at] in "}]" and kept and kept[-1] == ",":
                kept.pop()
            if not words[at].isspace():
                kept.append(words[at])
            at += 1
    return "".join(kept)


def _after(words: str, mark: str, start: int) -> int:
    found = words.find(mark, start)
    return len(words) if found < 0 else found + len(mark)


def read_hook(event: str, payload: Payload, context: HookContext) -> HookResult:
    """Understand what the plugin posted: an event of the bus, whose session's parent it knows."""
    properties = table(payload, "properties")
    at_ms = whole(payload, "at")
    if text(payload, "parent") is None:
        return HookResult(tuple(_root(event, properties, payload)), at_ms=at_ms)
    return HookResult(tuple(_child(event, properties, payload)), at_ms=at_ms)


def _root(event: str, properties: Payload, payload: Payload) -> Iterator[Fact]:
    session_id = text(properties, "sessionID") or text(table(properties, "info"), "id")
    if session_id is not None:
        yield SessionSeen(session_id)
    title, model = text(payload, "title"), text(payload, "model")
    if title is not None and not title.startswith("New session"):
        yield Titled(title)
    if model is not None:
        yield ModelSeen(model)
    match event:
        case "session.status":
            yield from _status(table(properties, "status"), payload)
        case "session.error":
            yield from _error(table(properties, "error"))
        case "session.execution.started":
            yield TurnStarted()
        case "session.execution.succeeded":
            yield TurnEnded("done", reply=text(payload, "reply"))
        case "session.execution.failed":
            yield TurnEnded("failed", _reason(table(properties, "error")))
        case "session.execution.interrupted" if text(properties, "reason") != "superseded":
            yield TurnEnded("interrupted")
        case "session.retry.scheduled":
            yield Retrying(text(properties, "message") or "the model is asked again")
        case _:
            yield from _questions(event, properties, None)


def _status(status: Payload, payload: Payload) -> Iterator[Fact]:
    match text(status, "type"):
        case "idle":
            yield TurnEnded("done", reply=text(payload, "reply"))
        case "retry":
            yield Retrying(text(status, "message") or "the model is asked again")
        case None:
            return
        case _:
            yield TurnStarted()


def _error(error: Payload) -> Iterator[Fact]:
    """What an error says of the turn's end, which comes as rest; one of a full context may go on."""
    if text(error, "name") in ABORTED:
        yield EndsAs("interrupted")
    elif text(error, "name") != "ContextOverflowError":
        yield EndsAs("failed", _reason(error))


def _reason(error: Payload) -> str:
    return one_line(text(table(error, "data"), "message") or text(error, "message", "name") or "the model failed")


def _questions(event: str, properties: Payload, subagent: str | None) -> Iterator[Fact]:
    asked_id = text(properties, "requestID", "permissionID", "id")
    match event.replace(".v2.", ".").rpartition("."):
        case ("permission" | "question" | "form" as noun, _, "asked" | "created" | "updated"):
            yield Asked(_question(noun, properties, subagent))
        case ("permission", _, "replied") if text(properties, "reply", "response") == "reject":
            yield EndsAs("interrupted")
        case ("permission" | "question" | "form", _, "replied"):
            yield Answered(asked_id)
        case ("question", _, "rejected") | ("form", _, "cancelled"):
            yield EndsAs("interrupted")
        case _:
            pass


def _question(noun: str, properties: Payload, subagent: str | None) -> Question:
    asked_id = text(properties, "id")
    if noun == "permission":
        tool = text(properties, "permission", "type") or "tool"
        metadata = table(properties, "metadata")
        patterns = properties.get("patterns")
        named = ", ".join(str(one) for one in patterns) if isinstance(patterns, list) else ""
        action = text(metadata, "command", "filePath", "filepath", "url", "query") or named or tool
        words, kind = (action if action == tool else f"{tool} — {action}"), "permission"
    else:
        questions = tables(properties, "questions")
        action = (
            text(questions[0] if questions else properties, "question", "title", "header", "message") or "a question"
        )
        tool, words, kind = noun, action, "question"
    detail = one_line(f"{subagent}: {words}" if subagent else words)
    return Question(_kind(kind), detail, action, tool, asked_id, asked_id, subagent)


def _kind(word: str) -> QuestionKind:
    return "permission" if word == "permission" else "question"


def _child(event: str, properties: Payload, payload: Payload) -> Iterator[Fact]:
    """A sub-agent's session: its work is the sub-agent's, its questions are the agent's."""
    child_id = text(properties, "sessionID") or text(table(properties, "info"), "id") or ""
    name = one_line(text(payload, "agent") or text(table(properties, "info"), "agent") or "sub-agent", 48)
    state = text(table(properties, "status"), "type")
    if event == "session.status" and state is not None:
        yield SubagentStopped(child_id) if state == "idle" else SubagentStarted(Subagent(child_id, name))
        return
    for fact in _questions(event, properties, name):
        yield Answered(text(properties, "requestID", "id")) if isinstance(fact, EndsAs) else fact


def read_title(title: str) -> TitleSaid:
    """`OC | the session's title`."""
    _, found, name = title.partition(" | ")
    return TitleSaid(None, name.strip() or None if found else None)


def answer(question: Question, choice: Choice) -> Delivery | None:
    """The keys in its dialog: Allow once, Allow always (which asks again), Reject."""
    if choice == "deny":
        # A sub-agent's refusal opens a box for a reason; Enter there refuses.
        refused = (KeyWrite(b"\x1b"),)
        return (*refused, KeyWrite(b"\r", KEY_GAP_MS)) if question.subagent else refused
    if question.kind == "question":
        return None
    if choice == "always":
        return (KeyWrite(b"\x1b[C"), KeyWrite(b"\r", KEY_GAP_MS), KeyWrite(b"\r", KEY_GAP_MS))
    return (KeyWrite(b"\r"),)


RULES: Final = Rules(ask_hold_ms=700, escape="nothing", keys_answer=False)
INTERRUPT: Final = (KeyWrite(b"\x1b"), KeyWrite(b"\x1b", KEY_GAP_MS))

HARNESS: Final = Harness(
    id="opencode",
    detection=Detection(("opencode",), install="npm install -g opencode-ai"),
    abilities=Abilities(
        status_from=("plugin", "keys"),
        questions=True,
        resume=True,
        first_prompt=True,
        model_choice=True,
        dangerous=True,
        mcp=True,
        subagents=True,
        reply="hook",
        answers="keys",
        always=True,
        tried="1.18.33",
    ),
    rules=RULES,
    launch=launch,
    read_hook=read_hook,
    interrupt=INTERRUPT,
    answer=answer,
    asking="△ Permission required",
    read_title=read_title,
    missing=("Sessionnotfound:",),
    reads=reads,
)

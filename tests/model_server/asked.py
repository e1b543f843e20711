"""What a program asked the model: the person's last words, the tool results since, the tools on offer.

One reader a wire; each takes the decoded body of a request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

JsonObject = Mapping[str, object]

# What programs wrap around or add to the words of a person.
WRAPPERS = re.compile(
    r"<(system-reminder|environment_context|user_instructions|INSTRUCTIONS|turn_aborted)>.*?</\1>"
    r"|\[Request interrupted by user[^\]]*\]",
    re.S,
)
PREAMBLES = re.compile(r"<(permissions|apps_|skills_)")
SCHEMA_KEYS = ("response_format", "output_config", "output_format", "text")
PLACEHOLDERS: Mapping[str, object] = {"boolean": False, "number": 1000, "integer": 1000, "array": (), "object": {}}


@dataclass(frozen=True)
class Tool:
    """One tool as the program describes it; `namespace` and `freeform` are of the responses wire alone."""

    name: str
    schema: JsonObject = field(default_factory=dict)
    namespace: str | None = None
    freeform: bool = False

    @property
    def properties(self) -> JsonObject:
        return as_object(self.schema.get("properties"))

    def property_type(self, name: str) -> str:
        """The type of one argument in lower case, the first of several; "" when it has none."""
        kind = as_object(self.properties.get(name)).get("type")
        first = kind[0] if isinstance(kind, list) and kind else kind
        return str(first or "").lower()

    def filled(self, given: JsonObject) -> JsonObject:
        """Arguments that fit the schema: what is given and known, and something for each that is required."""
        filled = {name: value for name, value in given.items() if name in self.properties}
        for name in as_list(self.schema.get("required")):
            filled.setdefault(str(name), self._placeholder(str(name)))
        return filled

    def _placeholder(self, name: str) -> object:
        choices = as_list(as_object(self.properties.get(name)).get("enum"))
        return choices[0] if choices else PLACEHOLDERS.get(self.property_type(name), "scripted")


@dataclass(frozen=True)
class Asked:
    """One request. `results` counts the tool results after the prompt."""

    prompt: str
    results: int = 0
    tools: Sequence[Tool] = ()
    model: str = ""
    streams: bool = True
    wants_json: bool = False


def as_object(value: object) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def objects(value: object) -> list[JsonObject]:
    """The objects of a list; none when it is no list."""
    return [one for one in as_list(value) if isinstance(one, Mapping)]


def asked_of_messages(body: JsonObject) -> Asked:
    """Anthropic's messages. A denied call's result and the next prompt may share one message."""
    tools = [Tool(str(tool.get("name")), as_object(tool.get("input_schema"))) for tool in objects(body.get("tools"))]
    prompt, results = _last_prompt(objects(body.get("messages")), lambda message: _holds(message, "tool_result"))
    return _asked(body, prompt, results, tools)


def asked_of_chat(body: JsonObject) -> Asked:
    """OpenAI's chat completions."""
    tools = [_function(as_object(tool.get("function"))) for tool in objects(body.get("tools"))]
    prompt, results = _last_prompt(objects(body.get("messages")), lambda message: message.get("role") == "tool")
    return _asked(body, prompt, results, tools)


def asked_of_responses(body: JsonObject) -> Asked:
    """OpenAI's responses. Tools may lie in namespaces."""
    items = body.get("input")
    said: list[JsonObject] = [{"role": "user", "content": items}] if isinstance(items, str) else objects(items)
    prompt, results = _last_prompt(said, lambda item: str(item.get("type", "")).endswith("_output"))
    return _asked(body, prompt, results, list(_responses_tools(objects(body.get("tools")))))


def asked_of_gemini(body: JsonObject) -> Asked:
    """Gemini's generateContent; model and streaming are in its path, not in the body."""
    declared = [tool for group in objects(body.get("tools")) for tool in objects(group.get("functionDeclarations"))]
    tools = [
        Tool(str(tool.get("name")), as_object(tool.get("parametersJsonSchema") or tool.get("parameters")))
        for tool in declared
    ]
    contents = body.get("contents")
    said = objects([contents] if isinstance(contents, Mapping) else contents)
    prompt, results = _last_prompt(said, lambda message: _holds(message, "functionResponse"))
    config = as_object(body.get("generationConfig"))
    wants_json = "responseSchema" in config or "responseJsonSchema" in config
    return Asked(prompt, results, tools, wants_json=wants_json)


def _asked(body: JsonObject, prompt: str, results: int, tools: Sequence[Tool]) -> Asked:
    wants_json = any("json_schema" in str(body.get(key)) for key in SCHEMA_KEYS)
    return Asked(prompt, results, tools, str(body.get("model", "")), bool(body.get("stream")), wants_json)


def _function(described: JsonObject) -> Tool:
    return Tool(str(described.get("name")), as_object(described.get("parameters")))


def _responses_tools(described: Iterable[JsonObject], namespace: str | None = None) -> Iterator[Tool]:
    for tool in described:
        if tool.get("type") == "namespace":
            yield from _responses_tools(objects(tool.get("tools")), str(tool.get("name")))
            continue
        name = str(tool.get("name") or tool.get("type"))
        yield Tool(name, as_object(tool.get("parameters")), namespace, tool.get("type") == "custom")


def _last_prompt(said: Sequence[JsonObject], is_result: Callable[[JsonObject], bool]) -> tuple[str, int]:
    results = 0
    for message in reversed(said):
        own_words = _own_words(message) if message.get("role") == "user" else ""
        if own_words:
            return own_words, results
        results += is_result(message)
    return "", results


def _own_words(message: JsonObject) -> str:
    """What the person wrote in a message, without what the program wrapped around it; "" for a preamble."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        text = content
    else:
        text = "\n".join(str(part["text"]) for part in objects(content) if "text" in part)
    text = WRAPPERS.sub("", text).strip()
    return "" if PREAMBLES.match(text) else text


def _holds(message: JsonObject, kind: str) -> bool:
    parts = objects(message.get("content", message.get("parts")))
    return any(part.get("type") == kind or kind in part for part in parts)

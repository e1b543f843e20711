"""Tools as the engine uses them, and the questions before those that change something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.events import AskOption
from cardloom_protocol.session.json_text import JsonObject, is_object
from cardloom_protocol.session.profiles import CatalogTool
from cardloom_sdk.backend import Run

from .conversation import Offer

MAX_RESULT_CHARS: Final = 200_000
ASK_TIMEOUT_MS: Final = 600_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave: a text for the model, data where there is more, and whether it failed."""

    text: str
    data: JsonValue = None
    is_error: bool = False


Call: TypeAlias = Callable[[JsonObject], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `asks`: the person is asked before it is called; `title` says to them what a call would do."""

    offer: Offer
    call: Call
    source: str
    asks: bool = True
    title: Callable[[JsonObject], str] | None = None

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.offer.name

    def to_catalog(self) -> CatalogTool:
        """The tool in the catalogue."""
        return {
            "id": self.name,
            "name": self.name,
            "description": self.offer.description,
            "source": self.source,
        }


def failed(text: str) -> Outcome:
    """A call that failed, in words that the model can act on."""
    return Outcome(text, is_error=True)


def chosen(tools: Iterable[Tool], wanted: str | list[str] | None) -> list[Tool]:
    """The tools that a profile names; all of them where it says nothing."""
    match wanted:
        case None | "all":
            return list(tools)
        case list():
            return [tool for tool in tools if tool.name in wanted]
        case _:
            return []


class Permissions:
    """What the person allowed or refused for good, a session and tool at a time; gone with the process."""

    def __init__(self, *, ask_timeout_ms: int = ASK_TIMEOUT_MS) -> None:
        self._ask_timeout_ms = ask_timeout_ms
        self._settled: dict[tuple[str, str], bool] = {}

    async def allows(self, run: Run, tool: Tool, arguments: JsonObject, call_id: str) -> bool:
        """Whether a call may be made; asks where that is not settled. No answer in time means no."""
        if not tool.asks:
            return True
        key = (run.session_id, tool.name)
        if key in self._settled:
            return self._settled[key]
        answer = await run.ask(
            {
                "kind": "permission",
                "title": tool.title(arguments) if tool.title is not None else f"Call {tool.name}?",
                "options": _OPTIONS,
                "timeoutMs": self._ask_timeout_ms,
                "callId": call_id,
                "data": {"tool": tool.name, "arguments": arguments},
            }
        )
        option = (answer.get("optionIds") or [""])[0]
        if option in ("allow_always", "reject_always"):
            self._settled[key] = option == "allow_always"
        return option in ("allow_once", "allow_always")


_OPTIONS: Final[list[AskOption]] = [
    {"id": "allow_once", "label": "Allow once", "kind": "allow_once"},
    {"id": "allow_always", "label": "Allow in this session", "kind": "allow_always"},
    {"id": "reject_once", "label": "Reject", "kind": "reject_once"},
    {"id": "reject_always", "label": "Reject in this session", "kind": "reject_always"},
]


async def carry_out(
    run: Run, tools: dict[str, Tool], allowed: Permissions, name: str, call_id: str, data: JsonValue
) -> Outcome:
    """Make a call that the model asked for. Whatever is wrong with it becomes a result that the model reads."""
    tool = tools.get(name)
    if tool is None:
        known = ", ".join(sorted(tools)) or "none"
        return failed(f"There is no tool {name!r}. The tools are: {known}.")
    if not is_object(data):
        return failed("The arguments are not a JSON object; nothing was done. Call the tool again with valid JSON.")
    missing = [field for field in required(tool.offer.schema) if field not in data]
    if missing:
        return failed(f"The arguments lack {', '.join(missing)}; nothing was done.")
    if not await allowed.allows(run, tool, data, call_id):
        return failed("The person did not allow this call; nothing was done.")
    outcome = await tool.call(data)
    if len(outcome.text) > MAX_RESULT_CHARS:
        cut = f"{outcome.text[:MAX_RESULT_CHARS]}\n[{len(outcome.text) - MAX_RESULT_CHARS} characters left out]"
        return replace(outcome, text=cut)
    return outcome


def required(schema: JsonObject) -> list[str]:
    """The arguments that a tool cannot do without."""
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

"""What an agent of the client protocol tells, as lines of a terminal. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIM: Final = "\x1b[2m"
_BOLD: Final = "\x1b[1m"
_PLAIN: Final = "\x1b[0m"


def safe(text: object) -> str:
    """Text without anything that would act on the terminal."""
    return _CONTROLS.sub("", str(text or ""))


def prompt_line(text: str) -> str:
    return f"\r\x1b[K{_BOLD}> {safe(text)}{_PLAIN}\n"


def question(call: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> str:
    """The question whether a call is allowed."""
    names = ", ".join(safe(option.get("name")) for option in options)
    return f"\n{_BOLD}May it: {safe(call.get('title') or 'go on')}?{_PLAIN} (y yes, a always, n no: {names})\n"


def told(update: Mapping[str, Any]) -> str:
    """An update of the session."""
    content = update.get("content")
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            return _text(content)
        case "agent_thought_chunk":
            return f"{_DIM}{_text(content)}{_PLAIN}"
        case "user_message_chunk":
            return prompt_line(_text(content))
        case "tool_call":
            return f"\n● {safe(update.get('title'))}\n"
        case "tool_call_update" if update.get("status") in ("completed", "failed"):
            return f"  {_DIM}{safe(update['status'])}{_PLAIN}\n"
        case "plan":
            entries = update.get("entries") or []
            return "".join(f"\n  [{safe(one.get('status'))}] {safe(one.get('content'))}" for one in entries) + "\n"
        case _:
            return ""


def _text(content: object) -> str:
    if not isinstance(content, Mapping):
        return ""
    return safe(content.get("text")) if content.get("type") == "text" else f"[{safe(content.get('type'))}]"

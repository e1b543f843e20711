"""A program that speaks pi's RPC mode badly or rarely, by a word of the prompt: what the real one seldom does."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

ids = (f"p{number:07d}" for number in itertools.count(1))
entries: list[dict[str, Any]] = []
USAGE = {"input": 3, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 5, "cost": {"total": 0}}


def say(**record: Any) -> None:
    sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def add(**entry: Any) -> None:
    parent = entries[-1]["id"] if entries else None
    entries.append({"id": next(ids), "parentId": parent, "timestamp": "2026-01-01T00:00:01.000Z", **entry})


def message(**fields: Any) -> None:
    say(type="message_start", message={**fields, "content": []})
    say(type="message_end", message=fields)
    add(type="message", message=fields)


def answer(text: str, **more: Any) -> None:
    head = {"role": "assistant", "provider": "fake", "model": "m", "api": "fake", "usage": USAGE, "stopReason": "stop"}
    say(type="message_start", message={**head, "content": []})
    say(type="message_update", assistantMessageEvent={"type": "text_start", "contentIndex": 0})
    for word in text.split(" "):
        delta = {"type": "text_delta", "contentIndex": 0, "delta": f"{word} "}
        say(type="message_update", assistantMessageEvent=delta)
    whole = {**head, "content": [{"type": "text", "text": f"{text} "}], **more}
    say(type="message_end", message=whole)
    add(type="message", message=whole)


def asked(method: str, **fields: Any) -> dict[str, Any]:
    say(type="extension_ui_request", id=f"u-{method}", method=method, title=f"{method}?", **fields)
    found: dict[str, Any] = json.loads(sys.stdin.readline())
    return found


def run(word: str) -> None:
    say(type="agent_start")
    message(role="system", content="You are a fake.")
    message(role="user", content=word)
    match word:
        case "die":
            say(type="message_start", message={"role": "assistant", "content": []})
            delta = {"type": "text_delta", "contentIndex": 0, "delta": "so far"}
            say(type="message_update", assistantMessageEvent=delta)
            sys.stderr.write("\nout of luck\n")
            sys.stderr.flush()
            sys.exit(3)
        case "junk":
            sys.stdout.write("hello from an extension\n[1, 2]\n{broken\n\n")
            say(type="never_heard_of")
            say(type="message_update", assistantMessageEvent={"type": "text_delta", "contentIndex": 9, "delta": "lost"})
            answer("line\u2028separator stays")
        case "select":
            answer(f"you chose {asked('select', options=['red', 'blue']).get('value')}")
        case "input":
            answer(f"you said {asked('input', placeholder='name').get('value')}")
        case "retry":
            answer("no", stopReason="error", errorMessage="529 overloaded")
            say(type="auto_retry_start", attempt=1, errorMessage="529 overloaded")
            add(type="compaction", summary="short", firstKeptEntryId=entries[0]["id"], tokensBefore=9)
            answer("yes")
        case _:
            answer("fine")
    say(type="agent_settled", aborted=False)


def main() -> None:
    if "--session" in sys.argv:
        lines = Path(sys.argv[sys.argv.index("--session") + 1]).read_text("utf-8").splitlines()
        entries.extend(json.loads(line) for line in lines[1:])
    for line in sys.stdin:
        command = json.loads(line)
        reply = {"type": "response", "id": command.get("id"), "command": command["type"], "success": True}
        match command["type"]:
            case "get_entries":
                since = command.get("since")
                start = 0 if since is None else [entry["id"] for entry in entries].index(since) + 1
                say(**reply, data={"entries": entries[start:]})
            case "get_available_models":
                say(**reply, data={"models": [{"id": "m", "provider": "fake"}]})
            case "prompt" if command["message"] == "refuse":
                say(**{**reply, "success": False, "error": "not today"})
            case "prompt" if command["message"] == "/handled":
                say(**reply, data={"disposition": "handled"})
            case "prompt":
                say(**reply, data={"disposition": "started"})
                run(command["message"])
            case _:
                say(**reply)


if __name__ == "__main__":
    main()

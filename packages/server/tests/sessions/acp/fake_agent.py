"""An agent of the Agent Client Protocol that does what the last word of a prompt says. Nothing but JSON lines."""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

sessions = (f"s{number}" for number in itertools.count(1))
told: dict[str, list[str]] = {}
requests = itertools.count(100)


def send(**record: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **record}) + "\n")
    sys.stdout.flush()


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    found: dict[str, Any] = json.loads(line)
    return found


def update(session: str, kind: str, /, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **fields}})


def words(session: str, *pieces: str, kind: str = "agent_message_chunk") -> None:
    for piece in pieces:
        update(session, kind, content={"type": "text", "text": piece})


def tool(session: str, call_id: str, **raw_input: Any) -> None:
    update(session, "tool_call", toolCallId=call_id, title="look", kind="read", status="pending", rawInput=raw_input)
    content = [{"type": "content", "content": {"type": "text", "text": f"found {call_id}"}}]
    update(session, "tool_call_update", toolCallId=call_id, status="completed", content=content)


def permitted(session: str) -> str:
    options = [
        {"optionId": "go", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    call = {"toolCallId": "p1", "title": "Delete everything", "rawInput": {"path": "/"}}
    request = next(requests)
    send(
        id=request,
        method="session/request_permission",
        params={"sessionId": session, "toolCall": call, "options": options},
    )
    while (answer := read()).get("id") != request:
        pass
    outcome = answer["result"]["outcome"]
    return str(outcome.get("optionId", outcome["outcome"]))


def prompt(session: str, texts: list[str]) -> dict[str, Any]:
    told[session] += texts
    match texts[-1]:
        case "think":
            words(session, "Hm", ", ", "well.", kind="agent_thought_chunk")
            words(session, "Yes.")
        case "tool":
            words(session, "Looking.")
            tool(session, "c1", path="a")
            tool(session, "c2", path="b")
            words(session, "Both ", "found.")
        case "permission":
            words(session, f"You said {permitted(session)}.")
        case "hang":
            words(session, "so ", "far")
            while read().get("method") != "session/cancel":
                pass
            words(session, ", cancelled")
            return {"stopReason": "cancelled"}
        case "fail":
            words(session, "so far")
            raise ValueError("no more tokens")
        case "die":
            words(session, "so far")
            sys.stderr.write("out of luck\n")
            sys.exit(7)
        case "plan":
            update(session, "plan", entries=[{"content": "first", "priority": "high", "status": "pending"}])
            update(session, "never_heard_of", data=1)
            update(session, "agent_message_chunk", content={"type": "image", "mimeType": "image/png", "data": "AAAA"})
        case "recall":
            words(session, " | ".join(told[session][:-1]))
        case _:
            words(session, "one ", "two ", "three")
    return {"stopReason": "end_turn", "usage": {"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    params = request.get("params", {})
    match request["method"]:
        case "initialize" if "--old" in sys.argv:
            raise ValueError("never heard of that")
        case "initialize":
            return {"protocolVersion": 1, "agentCapabilities": {"promptCapabilities": {"image": True}}}
        case "session/new":
            session = next(sessions)
            told[session] = []
            return {"sessionId": session}
        case "session/prompt":
            return prompt(params["sessionId"], [str(block.get("text", block["type"])) for block in params["prompt"]])
        case _:
            return {}


def main() -> None:
    while True:
        request = read()
        if "id" not in request:
            continue
        try:
            send(id=request["id"], result=answer(request))
        except ValueError as error:
            send(id=request["id"], error={"code": -32603, "message": str(error)})


if __name__ == "__main__":
    main()

"""Small logs on which readers of usage differ, with the number a person would say and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

T0_S = 1_796_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """What is in the logs, whose they are, why numbers differ, and what writes them into a home."""

    what: str
    agent: str
    harness: str
    why: str
    write: Callable[[Path], None]


def _iso(at_s: float) -> str:
    stamp = datetime.fromtimestamp(T0_S + at_s, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


def _write(path: Path, *lines: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def _claude(at_s: float, key: str, session: str = "S", side: bool = False, **usage: Any) -> dict[str, Any]:
    counts = {
        "input_tokens": 100,
        "output_tokens": 200,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    request = usage.pop("request", "req_1")
    model = usage.pop("model", "claude-sonnet-4-5")
    return {
        "isSidechain": side,
        "sessionId": session,
        "type": "assistant",
        "version": "2.1.150",
        "message": {"id": key, "model": model, "role": "assistant", "content": [], "usage": counts | usage},
        "requestId": request,
        "uuid": f"{key}-{at_s}",
        "timestamp": _iso(at_s),
        "cwd": "/p",
    }


def _logs(home: Path, **logs: list[dict[str, Any]]) -> None:
    for name, lines in logs.items():
        _write(home / f".claude/projects/-p/{name}.jsonl", *lines)


def _plain(home: Path) -> None:
    _logs(home, S=[_claude(1, "msg_1"), _claude(2, "msg_2", request="req_2")])


def _placeholder(home: Path) -> None:
    _logs(home, S=[_claude(1, "msg_1", output_tokens=3), _claude(2, "msg_1", output_tokens=200)])


def _hour(home: Path) -> None:
    parts = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 10_000}
    _logs(home, S=[_claude(1, "msg_1", cache_creation_input_tokens=10_000, cache_creation=parts)])


def _lost_flat(home: Path) -> None:
    parts = {"ephemeral_5m_input_tokens": 10_000, "ephemeral_1h_input_tokens": 0}
    _logs(home, S=[_claude(1, "msg_1", cache_creation_input_tokens=0, cache_creation=parts)])


def _sessions(home: Path) -> None:
    _logs(home, a=[_claude(1, "msg_1", "a")], b=[_claude(1, "msg_1", "b", request="req_9")])


def _replay(home: Path) -> None:
    _logs(
        home, S=[_claude(1, "msg_1"), _claude(9, "msg_1", side=True, request="req_2", cache_read_input_tokens=50_000)]
    )


def _zeroed(home: Path) -> None:
    zeros: dict[str, Any] = {"input_tokens": 0, "output_tokens": 0}
    counts = [{"input_tokens": 100, "output_tokens": 200}]
    _logs(home, S=[_claude(1, "msg_1", **zeros, iterations=counts)])


def _neighbour(home: Path) -> None:
    _logs(home, S=[_claude(1, "msg_1", model="claude-sonnet-4-5-mini")])


def _reseller(home: Path) -> None:
    _logs(home, S=[_claude(1, "msg_bdrk_1")])


def _long(home: Path) -> None:
    _logs(home, S=[_claude(1, "msg_1", input_tokens=1000, cache_read_input_tokens=199_500)])


def _counts(fresh: int, cached: int, output: int) -> dict[str, int]:
    return {
        "input_tokens": fresh + cached,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": 0,
        "total_tokens": fresh + cached + output,
    }


def _codex(at_s: float, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": _iso(at_s), "type": kind, "payload": payload}


def _totals(at_s: float, total: dict[str, int], last: dict[str, int]) -> dict[str, Any]:
    return _codex(at_s, "event_msg", type="token_count", info={"total_token_usage": total, "last_token_usage": last})


def _codex_header(identifier: str, at_s: float = 0, **fields: Any) -> dict[str, Any]:
    return _codex(at_s, "session_meta", id=identifier, cwd="/p", model_provider="openai", source="cli", **fields)


def _codex_fork(home: Path) -> None:
    parent, child = "01a22af1-0000-7000-8000-000000000001", "01a22af9-0000-7000-8000-000000000002"
    one, own = _counts(300, 700, 50), _counts(40, 0, 9)
    model = _codex(0, "turn_context", model="gpt-5.4", turn_id=parent)
    folder = home / ".codex/sessions/2026/11/30"
    _write(folder / f"rollout-2026-11-30T00-00-00-{parent}.jsonl", _codex_header(parent), model, _totals(1, one, one))
    _write(
        folder / f"rollout-2026-11-30T00-05-00-{child}.jsonl",
        _codex_header(child, 300, session_id=parent, forked_from_id=parent, agent_role="review"),
        _codex_header(parent, 300),
        model,
        _totals(303, one, one),
        _codex(304, "event_msg", type="thread_settings_applied"),
        _totals(310, _counts(340, 700, 59), own),
    )


def _codex_records(home: Path) -> None:
    usage = _counts(300, 700, 50)
    _write(
        home / ".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-a.jsonl",
        _codex_header("a"),
        _codex(0, "turn_context", model="gpt-5.4"),
        _codex(1, "token_usage_record", response_id="resp_1", usage=usage, turn_token_usage=usage),
    )


def _qwen(home: Path) -> None:
    usage = {"promptTokenCount": 900, "cachedContentTokenCount": 600, "candidatesTokenCount": 30}
    _write(
        home / ".qwen/projects/-p/chats/q1.jsonl",
        {
            "uuid": "a1",
            "sessionId": "q1",
            "timestamp": _iso(1),
            "type": "assistant",
            "model": "qwen-x",
            "message": {"role": "model", "parts": [{"text": "ok"}]},
            "usageMetadata": usage | {"totalTokenCount": 930},
        },
    )


CASES = (
    Case("two requests", "claude", "claude-code", "", _plain),
    Case("a placeholder, then the answer", "claude", "claude-code", "largest count of each kind", _placeholder),
    Case("cache written for an hour", "claude", "claude-code", "twice the input price", _hour),
    Case("a sum of cache writes logged as 0", "claude", "claude-code", "the parts count", _lost_flat),
    Case("one id in two sessions", "claude", "claude-code", "an id is one request anywhere", _sessions),
    Case("a replay beside the conversation", "claude", "claude-code", "the main chain's numbers", _replay),
    Case("counts only in iterations", "claude", "claude-code", "they count where all else is 0", _zeroed),
    Case("a neighbour's name", "claude", "claude-code", "no price is guessed", _neighbour),
    Case("a reseller's id", "claude", "claude-code", "only the vendor's own is priced", _reseller),
    Case("a prompt of 200,500 tokens", "claude", "claude-code", "the price of long prompts, for all of it", _long),
    Case("a forked session", "codex", "codex-cli", "the copied history is the parent's", _codex_fork),
    Case("records without totals", "codex", "codex-cli", "newer logs' own records are read", _codex_records),
    Case("a prompt that contains the cached", "qwen", "qwen-code", "the cached is taken off", _qwen),
)

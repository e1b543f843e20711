"""A made-up tree of Claude Code logs as large as asked: what fills real ones, and copies that have to be seen.

Nine of ten sessions are plain; one in ten is a resumed copy of the one before it, as forking a session makes it. Tool
results are most of the bytes. Everything comes from a seed.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

WORDS = (
    "the",
    "test",
    "fails",
    "because",
    "a",
    "price",
    "is",
    "rounded",
    "twice",
    "before",
    "its",
    "total",
    "goes",
    "out",
)
BEGIN_MS = 1_793_000_000_000
SESSION_BYTES = 1_500_000
TOOLS = ("Bash", "Read", "Edit", "Grep", "Write")


def make_tree(folder: Path, most_bytes: int, seed: int = 1) -> int:
    """Write logs below `folder/projects` until they have so many bytes; gives how many bytes it became."""
    dice = random.Random(seed)
    filler = " ".join(dice.choice(WORDS) for _ in range(60_000))
    written, number, before = 0, 0, b""
    while written < most_bytes:
        session = f"{number:08d}-0000-4000-8000-{dice.getrandbits(48):012x}"
        if number % 10 == 9:
            text = before.replace(b'"sessionId":"', b'"forkedFrom":{"sessionId":"x"},"sessionId":"f')
        else:
            text = before = _session(session, number, filler, dice)
        path = folder / "projects" / f"-home-user-project-{number % 20}" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        written += len(text)
        number += 1
    return written


def _session(session: str, number: int, filler: str, dice: random.Random) -> bytes:
    lines: list[bytes] = []
    size, at_ms, turn = 0, BEGIN_MS + number * 3_600_000, 0
    while size < SESSION_BYTES:
        at_ms += dice.randrange(800, 20_000)
        text = _text(filler, dice, 200, 24_000)
        # As Claude Code writes it: once as the model sees it and once as the program shows it.
        shown = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        lines.append(_line(session, at_ms, {"toolUseResult": shown}, type="user", message=_result(turn, text)))
        tokens = _usage(dice)
        message_id = f"msg_{dice.getrandbits(80):020x}"
        for content in _blocks(filler, dice):
            at_ms += dice.randrange(200, 4000)
            lines.append(_answer(session, at_ms, message_id, content, tokens))
        size += sum(map(len, lines[-3:]))
        turn += 1
    return b"\n".join(lines) + b"\n"


def _line(session: str, at_ms: int, behind: dict[str, Any] | None = None, /, **fields: Any) -> bytes:
    stamp = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {
        "parentUuid": f"{at_ms:x}-p",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/user/project",
        "sessionId": session,
        "version": "2.1.150",
        "gitBranch": "main",
        **fields,
        "uuid": f"{at_ms:x}",
        "timestamp": stamp,
        **(behind or {}),
    }
    return json.dumps(line, separators=(",", ":")).encode()


def _answer(session: str, at_ms: int, message_id: str, content: dict[str, Any], usage: dict[str, Any]) -> bytes:
    message = {
        "model": "claude-sonnet-4-5-20250929",
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": [content],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return _line(session, at_ms, type="assistant", message=message, requestId=f"req_{message_id[4:]}")


def _usage(dice: random.Random) -> dict[str, Any]:
    hour = dice.randrange(0, 3000)
    return {
        "input_tokens": dice.randrange(1, 20),
        "cache_creation_input_tokens": hour + 500,
        "cache_read_input_tokens": dice.randrange(10_000, 150_000),
        "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": hour},
        "output_tokens": dice.randrange(20, 2500),
        "service_tier": "standard",
    }


def _result(turn: int, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"tool_use_id": f"toolu_{turn}", "type": "tool_result", "content": text}]}


def _blocks(filler: str, dice: random.Random) -> list[dict[str, Any]]:
    call = {
        "type": "tool_use",
        "id": f"toolu_{dice.getrandbits(60):x}",
        "name": dice.choice(TOOLS),
        "input": {"command": _text(filler, dice, 40, 2500)},
    }
    if dice.random() < 0.5:
        return [{"type": "text", "text": _text(filler, dice, 60, 1500)}, call]
    return [call]


def _text(filler: str, dice: random.Random, least: int, most: int) -> str:
    length = int(least * (most / least) ** dice.random())
    start = dice.randrange(0, len(filler) - length)
    return filler[start : start + length]

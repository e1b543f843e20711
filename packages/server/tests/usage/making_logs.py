"""Logs made up for tests, and an index over a home that holds them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardloom.features.usage.prices import Prices
from cardloom.features.usage.records import UsageRecord
from cardloom.features.usage.roots import roots_of
from cardloom.features.usage.scan import ScanReport, scan
from cardloom.features.usage.store import UsageStore

NOW_MS = 1_796_020_000_000
T0_MS = 1_796_000_000_000


def iso(at_ms: float) -> str:
    """A time as logs write it."""
    stamp = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


def line(**fields: Any) -> bytes:
    """One line with its end."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def claude_input(at_s: float, *, session: str = "S", side: bool = False, text: str = "go", **fields: Any) -> bytes:
    """A line that a person or a tool wrote, `at_s` seconds after the beginning."""
    return line(
        isSidechain=side,
        sessionId=session,
        type="user",
        message={"role": "user", "content": text},
        uuid=f"u-{at_s}",
        timestamp=iso(T0_MS + at_s * 1000),
        **fields,
    )


def claude_answer(
    at_s: float,
    key: str | None = "msg_1",
    *,
    session: str = "S",
    side: bool = False,
    tool: tuple[str, str] | None = None,
    usage: dict[str, Any] | None = None,
    model: str = "claude-sonnet-4-5",
    text: str = "ok",
    **fields: Any,
) -> bytes:
    """A line of an answer with its usage: 10 in, 20 out unless given."""
    content = [{"type": "text", "text": text}]
    if tool is not None:
        content = [{"type": "tool_use", "id": tool[0], "name": tool[1], "input": {}}]  # type: ignore[dict-item]
    message = {"id": key, "model": model, "role": "assistant", "content": content}
    return line(
        isSidechain=side,
        sessionId=session,
        message=message | {"usage": {"input_tokens": 10, "output_tokens": 20} | (usage or {})},
        type="assistant",
        uuid=f"a-{at_s}",
        timestamp=iso(T0_MS + at_s * 1000),
        cwd="/home/user/project",
        **fields,
    )


def codex_line(at_s: float, kind: str, **payload: Any) -> bytes:
    return line(timestamp=iso(T0_MS + at_s * 1000), type=kind, payload=payload)


def codex_counts(fresh: int, cached: int, output: int, reasoning: int = 0) -> dict[str, int]:
    """Counts as Codex writes them: the input contains what the cache gave."""
    return {
        "input_tokens": fresh + cached,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": fresh + cached + output,
    }


class Home:
    """A home folder with logs, and an index that is brought up to date on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = UsageStore(None, Prices())

    def claude(self, name: str, *lines: bytes) -> Path:
        """Write or replace a log of Claude Code."""
        return self.write(f".claude/projects/-p/{name}.jsonl", *lines)

    def codex(self, name: str, *lines: bytes) -> Path:
        return self.write(f".codex/sessions/2026/11/30/rollout-{name}.jsonl", *lines)

    def write(self, path: str, *lines: bytes) -> Path:
        whole = self.folder / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_bytes(b"".join(lines))
        return whole

    def scan(self, now_ms: int = NOW_MS) -> ScanReport:
        return scan(self.store, roots_of(self.folder, {}), now_ms)

    def records(self) -> list[UsageRecord]:
        """All requests after a scan."""
        self.scan()
        return self.store.records()

    def only(self) -> UsageRecord:
        """The one request there is."""
        (record,) = self.records()
        return record

    def reasons(self) -> dict[str, int]:
        """What was not counted: how often for each reason."""
        found: dict[str, int] = {}
        for skip in self.store.skips(NOW_MS):
            found[skip.reason] = found.get(skip.reason, 0) + skip.count
        return found

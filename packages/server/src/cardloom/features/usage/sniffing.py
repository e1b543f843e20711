"""Whose log a file is, told by its name and its first lines; for folders that lie anywhere."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

HEAD_BYTES: Final = 64 << 10
_SQLITE: Final = b"SQLite format 3\0"


def harness_of(path: str, head: bytes) -> str | None:
    """The harness that wrote a file with this beginning; None when it is no log that can be read."""
    name = PurePath(path).name
    if head.startswith(_SQLITE):
        return _of_database(name)
    compact = head.replace(b'": ', b'":')
    if name.endswith(".json"):
        return "gemini-cli" if b'"projectHash":' in compact and b'"messages":' in compact else None
    if not name.endswith(".jsonl"):
        return None
    if b'"type":"session_meta"' in compact or name.startswith("rollout-"):
        return "codex-cli"
    if b'"projectHash":' in compact:
        return "gemini-cli"
    if b'"type":"session"' in compact[:64] and b'"version":' in compact[:100]:
        return "pi"
    if b'"provenance":' in compact or (b'"parts":[' in compact and b'"parentUuid":' in compact):
        return "qwen-code"
    if (b'"sessionId":' in compact or b'"isSidechain":' in compact) and b'"type":' in compact:
        return "claude-code"
    return None


def _of_database(name: str) -> str | None:
    if name.startswith("kilo"):
        return "kilo-code"
    if name.startswith("opencode"):
        return "opencode"
    return "hermes-agent" if name == "state.db" else None

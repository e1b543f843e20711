"""Everything that reached one agent's status, with its times: recorded from a real program, played without it.

A tape is a compressed file of JSON lines. Only what status rests on is kept of the output: what the program says to
its terminal (OSC sequences), and that it printed. Spec: conformance; issue of the agents, real runs.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from cardloom.features.agents.signals import Choice


@dataclass(frozen=True, slots=True)
class Output:
    """What the program printed."""

    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Hook:
    """One post of the harness's hook, plugin or webhook."""

    at_ms: int
    event: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Log:
    """Lines that the harness wrote into its session's log."""

    at_ms: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of the person."""

    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Host:
    """Something that the host did for somebody; `choice` goes with an answer."""

    at_ms: int
    did: Literal["spawn", "prompt", "interrupt", "answer"]
    choice: Choice | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The process ended."""

    at_ms: int
    exit_code: int


@dataclass(frozen=True, slots=True)
class Scene:
    """From here on the recording shows this scene."""

    at_ms: int
    name: str


Entry: TypeAlias = Output | Hook | Log | Keys | Host | Gone | Scene
KINDS: Mapping[str, type[Entry]] = {kind.__name__: kind for kind in (Output, Hook, Log, Keys, Host, Gone, Scene)}


def write_tape(path: Path, entries: Iterable[Entry]) -> None:
    """Write a tape; the same entries give the same bytes."""
    lines = (json.dumps({"kind": type(entry).__name__, **asdict(entry)}, ensure_ascii=False) for entry in entries)
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data, mtime=0))


def read_tape(path: Path) -> Iterator[Entry]:
    """The entries of a tape in their order."""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        fields = json.loads(line)
        kind = KINDS[fields.pop("kind")]
        if "lines" in fields:
            fields["lines"] = tuple(fields["lines"])
        yield kind(**fields)

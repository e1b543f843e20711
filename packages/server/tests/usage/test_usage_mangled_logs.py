"""Real logs with anything done to their bytes: a scan never fails, and what it cannot count it tells."""

from __future__ import annotations

import json
import random
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from .making_logs import NOW_MS, Home

SAMPLES = Path(__file__).parent / "samples"
LOGS = sorted(path for path in SAMPLES.rglob("*.jsonl") if path.name != "oracle.jsonl")
VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    10**40,
    1e308,
    "",
    "x",
    "\udc80",
    [],
    {},
    [[[]]],
    {"type": {}},
    "2026-11-30T05:33:26.453Z",
)
_NUMBER = re.compile(rb"\b\d+\b")


def mangled(text: bytes, dice: random.Random) -> bytes:
    """The text with some of its bytes, numbers, lines or values changed."""
    match dice.randrange(5):
        case 0:
            at = dice.randrange(len(text))
            return text[:at] + dice.randbytes(dice.randrange(40)) + text[at + dice.randrange(200) :]
        case 1:
            return text[: dice.randrange(len(text))]
        case 2:
            lines = text.split(b"\n")
            dice.shuffle(lines)
            return b"\n".join(lines)
        case 3:
            return _NUMBER.sub(lambda _: dice.choice((b"1e999", b"-7", b"9" * 30, b"null", b"1")), text)
        case _:
            lines = [json.loads(line) for line in text.splitlines()]
            for line in lines:
                change(line, dice)
            return b"\n".join(json.dumps(line, ensure_ascii=True).encode() for line in lines) + b"\n"


def change(value: object, dice: random.Random) -> None:
    """Put something else in some places of a value."""
    if isinstance(value, dict):
        for key in list(value):
            if dice.random() < 0.05:
                value[key] = dice.choice(VALUES)
            change(value[key], dice)
    elif isinstance(value, list):
        for inner in value:
            change(inner, dice)


@given(seed=st.integers(0, 10**9), log=st.sampled_from(LOGS))
@settings(max_examples=150, deadline=None)
def test_no_log_makes_a_scan_fail(seed: int, log: Path) -> None:
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        place = Path(*log.parts[log.parts.index("home") + 1 :])
        home.write(str(place), mangled(log.read_bytes(), dice))
        assert home.scan().logs == 1
        work = home.store.work()
        assert work.requests <= 30
        assert all(count is None or count >= 0 for count in (work.tokens.total, work.cost_pico))
        home.store.skips(NOW_MS)
        home.store.close()

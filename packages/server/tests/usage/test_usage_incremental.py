"""Reading logs as they grow ends as reading them at once does, wherever a scan cuts them."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardloom.features.usage import parallel, reading
from cardloom.features.usage.reading import Cursor, LogFile, read_lines
from cardloom.features.usage.records import Seen, UsageRecord, merge, merge_logs
from cardloom.features.usage.roots import list_logs, roots_of

from .making_logs import T0_MS, Home, claude_answer, claude_input, codex_counts, codex_line, iso, line
from .test_usage_other_logs import GEMINI, GEMINI_HEADER, gemini, header, qwen_answer, qwen_telemetry, totals, used


def claude_lines(dice: random.Random, session: str) -> list[bytes]:
    """Lines of a session with everything that is hard about them."""
    lines = []
    for index in range(dice.randrange(1, 25)):
        key = f"msg_{dice.randrange(12)}"
        side = dice.random() < 0.3
        request = f"r{dice.randrange(4)}"
        choice = dice.random()
        if choice < 0.3:
            lines.append(claude_input(index, session=session, side=side, text="é" * dice.randrange(12_000)))
        elif choice < 0.4:
            lines.append(line(type="api-request", id=request, timestamp=iso(T0_MS + index * 1000 - 100)))
        elif choice < 0.5:
            lines.append(line(type="system", timestamp=iso(T0_MS + index * 1000), isSidechain=side))
        elif choice < 0.55:
            lines.append(b'{"broken\n')
        else:
            usage = {"output_tokens": dice.randrange(40), "cache_read_input_tokens": dice.randrange(3) * 100}
            tool = (f"t{dice.randrange(9)}", "Bash") if dice.random() < 0.5 else None
            fields = {"requestRef": request} if dice.random() < 0.3 else {}
            lines.append(
                claude_answer(index, key, session=session, side=side, usage=usage, tool=tool, agentId="a", **fields)
            )
    return lines


def codex_lines(dice: random.Random, name: str) -> list[bytes]:
    """Lines of a session that may begin with a copy of another one."""
    lines, total = [header(0, f"thread-{name}")], 0
    for index in range(dice.randrange(1, 12)):
        total += dice.choice((0, 5))
        choice = dice.random()
        if choice < 0.1:
            lines.append(header(index, "thread-parent"))
        elif choice < 0.2:
            lines.append(codex_line(index, "event_msg", type="thread_settings_applied"))
        elif choice < 0.7:
            lines.append(totals(index, codex_counts(total, 0, total)))
        else:
            lines.append(used(index, f"resp_{dice.randrange(9)}", codex_counts(5, index, 5)))
    return lines


def other_lines(dice: random.Random) -> tuple[list[bytes], list[bytes]]:
    counts = {"input": 9, "output": 3, "total": 12}
    chats = [gemini(f"m{dice.randrange(4)}", dice.choice((None, counts))) for _ in range(dice.randrange(5))]
    qwen: list[bytes] = []
    for index in range(dice.randrange(5)):
        qwen += dice.choice(([qwen_telemetry(index, 10)], [qwen_answer(index, f"a{index}")]))
    return [GEMINI_HEADER, *chats], qwen


def writings(seed: int) -> dict[str, bytes]:
    """Some logs by their paths, whole."""
    dice = random.Random(seed)
    chats, qwen = other_lines(dice)
    files = {GEMINI: chats, ".qwen/projects/-p/chats/q1.jsonl": qwen}
    for name in ("one", "two", "three"):
        files[f".claude/projects/-p/{name}.jsonl"] = claude_lines(dice, name)
    for name in ("a", "b"):
        files[f".codex/sessions/rollout-{name}.jsonl"] = codex_lines(dice, name)
    return {path: b"".join(lines) for path, lines in files.items()}


@example(seed=113309, cuts=[1, 1, 388])  # a log's first request is dropped when better records come
@example(seed=1309, cuts=[1, 1, 1, 1, 1, 745])  # only a later line of a message has an input before it
@given(seed=st.integers(0, 10**9), cuts=st.lists(st.integers(1, 3000), max_size=12))
@settings(max_examples=60, deadline=None)
def test_logs_read_in_pieces_end_as_logs_read_at_once(seed: int, cuts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        growing = Home(Path(folder))
        texts = writings(seed)
        written = dict.fromkeys(texts, 0)
        dice = random.Random(seed)
        for path in texts:
            growing.write(path)
        for cut in cuts:
            path = dice.choice(sorted(texts))
            with (growing.folder / path).open("ab") as file:
                file.write(texts[path][written[path] : written[path] + cut])
            written[path] += cut
            growing.scan()
        for path, text in texts.items():
            with (growing.folder / path).open("ab") as file:
                file.write(text[written[path] :])
        fresh = Home(Path(folder))
        assert growing.records() == fresh.records()
        assert growing.store.work() == fresh.store.work()
        assert growing.reasons() == fresh.reasons()
        growing.store.close()
        fresh.store.close()


@given(seed=st.integers(0, 10**9), block_bytes=st.integers(1, 5000))
@settings(max_examples=40, deadline=None)
def test_the_size_of_blocks_makes_no_difference(seed: int, block_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(b"".join(claude_lines(random.Random(seed), "S")))
        log = LogFile("claude-code", str(path), 0, 0, 0)
        whole = read_lines(log, Cursor())
        patched.setattr(reading, "BLOCK_BYTES", block_bytes)
        pieces = read_lines(log, Cursor())
        assert (pieces.records, pieces.skips) == (whole.records, whole.skips)
        assert pieces.cursor.offset == whole.cursor.offset


def sighting(dice: random.Random) -> UsageRecord:
    at_ms = dice.randrange(1000)
    calls = tuple((f"t{number}", "x") for number in sorted(dice.sample(range(6), dice.randrange(4))))
    return UsageRecord(
        "k",
        "s",
        at_ms,
        at_ms,
        "p",
        "m",
        dice.choice((None, 0, 5, 9)),
        dice.choice((None, 0, 5, 9)),
        cache_write=dice.choice((None, 0, 5)),
        started_ms=dice.choice((None, 3, 7)),
        inferred_ms=dice.choice((None, 2)),
        calls=calls,
        side=dice.random() < 0.3,
        copied=dice.random() < 0.3,
        offsets=(at_ms,),
    )


@given(seed=st.integers(0, 10**9))
@settings(max_examples=200, deadline=None)
def test_sightings_of_logs_merge_the_same_in_any_order(seed: int) -> None:
    dice = random.Random(seed)
    seen = [Seen(sighting(dice), dice.randrange(3), f"path{index}") for index in range(dice.randrange(1, 5))]
    expected = merge_logs(seen)
    dice.shuffle(seen)
    assert merge_logs(seen) == expected


@given(seed=st.integers(0, 10**9))
@settings(max_examples=200, deadline=None)
def test_sightings_that_follow_each_other_merge_the_same_in_any_grouping(seed: int) -> None:
    dice = random.Random(seed)
    first, second, third = sorted((sighting(dice) for _ in range(3)), key=lambda seen: seen.at_ms)
    assert merge(merge(first, second), third) == merge(first, merge(second, third))


def test_a_line_cut_in_half_by_a_scan_is_counted_once_when_it_is_whole(home: Home) -> None:
    answer = claude_answer(1)
    log = home.claude("S", claude_input(0), answer[:100])
    assert home.records() == []
    with log.open("ab") as file:
        file.write(answer[100:])
    assert home.only().key == "msg_1"
    assert home.reasons() == {}


def test_nothing_is_read_when_nothing_changed(home: Home) -> None:
    home.claude("S", claude_answer(1))
    assert (home.scan().read, home.scan().read) == (1, 0)


def test_several_processes_find_what_one_does(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(6):
        home.claude(f"S{index}", *claude_lines(random.Random(index), f"S{index}"))
    expected = Home(home.folder)
    monkeypatch.setattr(parallel, "WORTH_A_PROCESS_BYTES", 1)
    monkeypatch.setattr(parallel, "_is_ready", lambda reader: True)
    monkeypatch.setattr(parallel, "read_lines", None)
    assert home.records() == expected.records()
    assert home.store.work().requests > 5
    expected.store.close()


def test_each_log_is_read_once_here_or_by_a_process(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {str(home.claude(f"S{index}", claude_answer(index, f"msg_{index}"))) for index in range(9)}
    jobs = [(log, Cursor()) for log in list_logs(roots_of(home.folder, {})).logs]
    answers = iter([False] * 4)
    monkeypatch.setattr(parallel, "_is_ready", lambda reader: next(answers, True))
    read = [reading.log.path for reading in parallel.read_all(jobs, 2)]
    assert len(read) == 9
    assert set(read) == paths


@pytest.mark.parametrize("ready", [True, False])
def test_processes_end_when_nobody_takes_what_they_read(
    home: Home, monkeypatch: pytest.MonkeyPatch, ready: bool
) -> None:
    for index in range(9):
        home.claude(f"S{index}", claude_answer(index, f"msg_{index}"))
    jobs = [(log, Cursor()) for log in list_logs(roots_of(home.folder, {})).logs]
    begun = parallel._started(3)
    monkeypatch.setattr(parallel, "_started", lambda count: begun)
    monkeypatch.setattr(parallel, "_is_ready", lambda reader: ready)
    readings = parallel.read_all(jobs, 3)
    next(readings)
    readings.close()  # type: ignore[attr-defined]
    assert all(isinstance(reader.process.wait(60), int) for reader in begun)


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_what_a_failed_process_left_over_is_read_all_the_same(
    home: Home, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    for name in ("a", "b"):
        home.claude(name, claude_answer(1, f"msg_{name}"))
    monkeypatch.setattr(parallel, "WORTH_A_PROCESS_BYTES", 1)
    monkeypatch.setattr("sys.executable", program)
    assert [record.key for record in home.records()] == ["msg_a", "msg_b"]

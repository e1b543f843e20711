"""Event streams: what is written, what is read, and streams torn at every place."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cardloom_protocol.session import (
    BadRequest,
    SseFrame,
    SseParser,
    frame_text,
    is_known_run_event,
    parse_run_event,
    parse_sse_stream,
    parse_workspace_event,
    serialize_run_event,
    serialize_workspace_event,
)

DELTA: dict[str, Any] = {"type": "part_delta", "runId": "r1", "messageId": "m1", "part": 0, "delta": "hello"}
DELTA_FRAME = (
    'event: part_delta\ndata: {"type":"part_delta","runId":"r1","messageId":"m1","part":0,"delta":"hello"}\n\n'
)


def frames_of(*chunks: bytes | str) -> list[SseFrame]:
    parser = SseParser()
    return [frame for chunk in chunks for frame in parser.feed(chunk)]


def data_of(*chunks: bytes | str) -> list[str]:
    return [frame.data for frame in frames_of(*chunks)]


# Writing


def test_an_event_is_written_as_one_event_line_and_one_data_line() -> None:
    assert serialize_run_event(DELTA) == DELTA_FRAME
    assert serialize_run_event(DELTA, id="r1:7") == "id: r1:7\n" + DELTA_FRAME


def test_text_of_any_kind_stays_on_one_line_and_comes_back() -> None:
    event = {**DELTA, "delta": 'a\nb\r"\\\u2028\u2029\u0085\x0b привет 😀'}
    frame = serialize_run_event(event)
    assert frame.count("\n") == 3
    assert "привет 😀" in frame
    assert "\u2028" in frame
    assert parse_run_event(frame) == event


def test_half_a_character_is_written_as_an_escape() -> None:
    frame = serialize_run_event({**DELTA, "delta": "\ud800"})
    assert "\\ud800" in frame
    frame.encode("utf-8")


@pytest.mark.parametrize("kind", ["", None, 5, "a\nb", "a\rb"])
def test_a_type_that_would_break_the_frame_is_refused(kind: Any) -> None:
    with pytest.raises(BadRequest):
        serialize_run_event({"type": kind})


def test_an_id_or_data_that_would_break_the_frame_is_refused() -> None:
    for broken in ("a\nb", "a\rb", "a\0b"):
        with pytest.raises(BadRequest):
            serialize_run_event(DELTA, id=broken)
    with pytest.raises(BadRequest):
        frame_text("x", "a\nb")


# Reading one frame


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_end_with_any_line_end(line_end: str) -> None:
    assert parse_run_event(DELTA_FRAME.replace("\n", line_end)) == DELTA


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ('data: {"type":"a"}', "a"),
        ('data:{"type":"a"}\n\n', "a"),
        ('data: {"type":\ndata: "a"}\n\n', "a"),
        (': hello\nid: 5\nretry: 9\nother: x\ndata: {"type":"a"}\n\n', "a"),
        ('\ufeffdata: {"type":"a"}\n\n', "a"),
        ('event: b\ndata: {"type":"a"}\n\n', "a"),
        ('event: b\ndata: {"x":1}\n\n', "b"),
        ('event: b\ndata: {"type":null}\n\n', "b"),
        ('data: {"x":1}\nevent: b\n\n', "b"),
        ('\n\ndata: {"type":"a"}\n\n', "a"),
        ('data:  {"type":"a"} \n\n', "a"),
    ],
)
def test_a_frame_in_any_lawful_form_is_read(frame: str, kind: str) -> None:
    event = parse_run_event(frame)
    assert event is not None
    assert event["type"] == kind


@pytest.mark.parametrize(
    "frame",
    [
        None,
        5,
        b'data: {"type":"a"}\n\n',
        "",
        "\n\n",
        ": only a comment\n\n",
        "event: a\n\n",
        "event: a\ndata\n\n",
        "event: a\ndata: {\n\n",
        'event: a\ndata: [{"type":"a"}]\n\n',
        "event: a\ndata: 5\n\n",
        'data: {"x":1}\n\n',
        'event: a\ndata: {"type":5}\n\n',
        'event: a\ndata: {"type":""}\n\n',
        'data: {"type":"a","n":NaN}\n\n',
        "data: " + "[" * 100_000 + "\n\n",
    ],
)
def test_a_broken_frame_is_no_event(frame: object) -> None:
    assert parse_run_event(frame) is None


def test_an_unknown_type_is_passed_on() -> None:
    event = parse_run_event('data: {"type":"hologram","x":[1]}\n\n')
    assert event == {"type": "hologram", "x": [1]}
    assert not is_known_run_event(event)


# Reading whole streams


def test_broken_frames_are_dropped_and_the_order_is_kept() -> None:
    text = serialize_run_event({"type": "a"}) + "data: {oops\n\n" + serialize_run_event({"type": "b"})
    assert [event["type"] for event in parse_sse_stream(text)] == ["a", "b"]


def test_the_last_frame_counts_without_its_blank_line_in_a_whole_text_only() -> None:
    text = 'data: {"type":"a"}\n\ndata: {"type":"b"}'
    assert [event["type"] for event in parse_sse_stream(text)] == ["a", "b"]
    assert [event["type"] for event in SseParser().feed_events(text)] == ["a"]


def test_comments_yield_nothing_and_no_text_yields_nothing() -> None:
    assert parse_sse_stream(": one\n\n: two\n\n") == []
    assert parse_sse_stream(None) == []
    assert parse_sse_stream("") == []


def test_unicode_line_separators_are_no_line_ends() -> None:
    event = {"type": "a", "delta": "x\u2028y\u0085z\x0c\x0b"}
    assert parse_sse_stream(serialize_run_event(event)) == [event]


# Workspace events


def test_a_workspace_event_comes_back_and_a_run_event_is_none() -> None:
    frame = serialize_workspace_event({"type": "workspace_update", "paths": [""]})
    assert parse_workspace_event(frame) == {"type": "workspace_update", "paths": [""]}
    assert parse_workspace_event(DELTA_FRAME) is None
    assert parse_workspace_event('data: {"type":"workspace_update","paths":[1]}\n\n') is None


# The event stream format of the HTML standard, case by case


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        ("\ufeffdata:1\n\ndata:2\n\n", ["1", "2"]),
        ("\ufeff\ufeffdata:1\n\ndata:2\n\n", ["2"]),
        ("data:1\n\n\ufeffdata:2\n\ndata:3\n\n", ["1", "3"]),
        ("data:1\r:\0\n:\r\ndata:2\n:x\rdata:3\r:data:fail\r:x\ndata:4\n\n", ["1\n2\n3\n4"]),
        ("data:\n\ndata\ndata\n\ndata:test\n\n", ["", "\n", "test"]),
        ("data:test\n\ndata:test1\n\n", ["test", "test1"]),
        ("event\ndata:x\n\n", ["x"]),
        ("data\n\n", [""]),
        ("data: a\n\n", ["a"]),
        ("data:  a\n\n", [" a"]),
        ("data:\ta\n\n", ["\ta"]),
        (" data:x\n\ndata:y\n\n", ["y"]),
        ("data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n", ["test\n"]),
        ("data:ok\r\n\r\ndata:ok2\r\rdata:ok3\n\n", ["ok", "ok2", "ok3"]),
        ("data:\0\n\n", ["\0"]),
        ("Data:x\n\ndata:y\n\n", ["y"]),
        ("data:x\n\ndata:unfinished", ["x"]),
        ("data:x\n\ndata:unfinished\n", ["x"]),
        ("data:a\n\n\n\n\ndata:b\n\n", ["a", "b"]),
        ("data: {\n: {\ndata: }\n\n", ["{\n}"]),
    ],
)
def test_streams_are_read_as_the_standard_says(stream: str, data: list[str]) -> None:
    assert data_of(stream) == data
    assert data_of(stream.encode("utf-8")) == data
    assert data_of(*stream) == data


@pytest.mark.parametrize(
    ("stream", "ids"),
    [
        ("id:1\ndata:a\n\ndata:b\n\n", ["1", "1"]),
        ("id:1\ndata:a\n\nid\ndata:b\n\n", ["1", ""]),
        ("id:1\ndata:a\n\nid:2\0\ndata:b\n\n", ["1", "1"]),
        ("id:1\n\ndata:b\n\n", ["1"]),
        ("id: привет\ndata:a\n\n", ["привет"]),
        ("data:a\n\n", [""]),
    ],
)
def test_the_last_id_lasts_until_another_one_comes(stream: str, ids: list[str]) -> None:
    assert [frame.id for frame in frames_of(stream)] == ids


@pytest.mark.parametrize(
    ("stream", "retry_ms"),
    [
        ("retry:3000\ndata:x\n\n", 3000),
        ("retry:03000\n\n", 3000),
        ("retry:3000\nretry:1000x\n\n", 3000),
        ("retry\ndata:x\n\n", None),
        ("retry:-5\n\n", None),
        ("retry:٣\n\n", None),
    ],
)
def test_only_digits_are_a_reconnection_time(stream: str, retry_ms: int | None) -> None:
    parser = SseParser()
    parser.feed(stream)
    assert parser.retry_ms == retry_ms


def test_the_event_name_lasts_for_one_frame() -> None:
    assert [frame.event for frame in frames_of("event:a\ndata:1\n\ndata:2\n\nevent:b\n\ndata:3\n\n")] == ["a", "", ""]


# Torn streams

STREAM = (
    "\ufeff: hi\r\nretry: 2000\r\n\r\n"
    + serialize_run_event({"type": "run_start", "runId": "r"}, id="r:1")
    + serialize_run_event({**DELTA, "delta": "привет 😀 \u2028"}, id="r:2").replace("\n", "\r\n")
    + serialize_run_event(DELTA, id="r:3").replace("\n", "\r")
    + "data: {broken\n\n"
    + 'event: heartbeat\ndata: {"type":"heartbeat"}\n\r\n'
    + serialize_run_event({"type": "run_end", "status": "done"}, id="r:4")
).encode("utf-8")
EVENTS = ["run_start", "part_delta", "part_delta", "heartbeat", "run_end"]


def types_of(pieces: list[bytes]) -> list[Any]:
    parser = SseParser()
    found = [event["type"] for piece in pieces for event in parser.feed_events(piece)]
    assert parser.last_id == "r:4"
    return found


def test_a_stream_cut_once_at_any_byte_gives_the_same_events() -> None:
    for at in range(len(STREAM) + 1):
        assert types_of([STREAM[:at], STREAM[at:]]) == EVENTS, at


def test_a_stream_fed_byte_by_byte_gives_the_same_events() -> None:
    assert types_of([STREAM[at : at + 1] for at in range(len(STREAM))]) == EVENTS


def test_a_stream_cut_into_random_pieces_gives_the_same_events() -> None:
    source = random.Random(7)
    for _ in range(200):
        cuts = sorted(source.sample(range(len(STREAM)), source.randrange(1, 30)))
        assert types_of([STREAM[a:b] for a, b in zip([0, *cuts], [*cuts, len(STREAM)], strict=True)]) == EVENTS


def test_a_carriage_return_ends_a_frame_at_once() -> None:
    parser = SseParser()
    assert [frame.data for frame in parser.feed(b"data:a\r\r")] == ["a"]
    assert [frame.data for frame in parser.feed(b"\ndata:b\r\n\r\n")] == ["b"]


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    assert data_of(b"data:a\xffb\n\n") == ["a\ufffdb"]


def test_a_frame_that_never_ends_is_refused_before_it_fills_the_memory() -> None:
    parser = SseParser(max_frame_chars=100)
    assert parser.feed("data: " + "x" * 90) == []
    with pytest.raises(BadRequest):
        parser.feed("x" * 90)


def test_many_short_frames_are_no_long_one() -> None:
    parser = SseParser(max_frame_chars=100)
    for _ in range(50):
        assert len(parser.feed("data: x\n\ndata: ")) == 1
        assert parser.feed("y\n") == []
        assert len(parser.feed("\n")) == 1


def test_a_new_connection_forgets_the_torn_frame_and_keeps_the_id() -> None:
    parser = SseParser()
    parser.feed(b"id:9\ndata:a\n\ndata: torn\r" + b"\xd0")
    parser.end()
    assert [frame.data for frame in parser.feed("\ufeffdata:b\n\n")] == ["b"]
    assert parser.last_id == "9"

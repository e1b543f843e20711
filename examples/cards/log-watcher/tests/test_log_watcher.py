"""The log watcher, joined to a host and files in memory."""

from __future__ import annotations

import pytest

from cardloom_sdk import CallError, ErrorCode
from cardloom_sdk.testing import CardHost, Emitted, VirtualTiming, peer
from log_watcher import MAX_LINES, Place, make_card, new_lines

OLD = "INFO up\nERROR before anybody watched\n"


def hosted(log: str | None = OLD) -> CardHost:
    host = CardHost(make_card(timing=VirtualTiming()), peers=[peer("c_note", "note")])
    if log is not None:
        host.files.put("app.log", log)
    return host


async def test_what_stood_in_the_log_before_is_not_sent() -> None:
    async with hosted() as host:
        assert host.emitted == []
        assert host.shown.status == {"text": "0 found", "tone": "success"}


async def test_new_lines_with_the_word_are_sent_and_counted() -> None:
    async with hosted() as host:
        await host.change_file("app.log", OLD + "ERROR disk full\nINFO retry\nERROR again\n")
        assert host.emitted == [Emitted("lines", "ERROR disk full\nERROR again")]
        assert host.shown.status == {"text": "2 found", "tone": "danger"}


async def test_a_line_is_sent_once_it_is_whole() -> None:
    async with hosted() as host:
        await host.change_file("app.log", OLD + "ERROR disk")
        assert host.emitted == []
        await host.change_file("app.log", OLD + "ERROR disk full\n")
        assert host.emitted == [Emitted("lines", "ERROR disk full")]


async def test_a_log_that_comes_later_is_read_from_its_start() -> None:
    async with hosted(None) as host:
        await host.change_file("app.log", "ERROR at once\n")
        assert host.emitted == [Emitted("lines", "ERROR at once")]


async def test_a_log_that_was_rotated_is_read_from_its_start() -> None:
    async with hosted() as host:
        await host.change_file("app.log", None)
        await host.change_file("app.log", "ERROR in the new log\n")
        assert host.emitted == [Emitted("lines", "ERROR in the new log")]


async def test_other_settings_follow_another_file_for_another_word() -> None:
    async with hosted() as host:
        host.files.put("logs/web.log", "WARN old\n")
        await host.set_settings({"path": "logs/web.log", "word": "WARN"})
        await host.change_file("app.log", OLD + "WARN unheard\n")
        await host.change_file("logs/web.log", "WARN old\nWARN slow\n")
        assert host.emitted == [Emitted("lines", "WARN slow")]


async def test_a_host_that_was_away_is_caught_up_with() -> None:
    async with hosted() as host:
        await host.unmount(1006)
        host.files.put("app.log", OLD + "ERROR meanwhile\n")
        await host.mount()
        assert host.emitted == [Emitted("lines", "ERROR meanwhile")]


async def test_lines_wait_for_the_pace_that_the_host_allows() -> None:
    async with hosted() as host:
        host.refuse_next("ports.emit", CallError(ErrorCode.RATE_LIMITED, "slower", {"retryAfterMs": 400}))
        await host.change_file("app.log", OLD + "ERROR once\n")
        assert host.emitted == []
        await host.advance(400)
        assert host.emitted == [Emitted("lines", "ERROR once")]


async def test_a_folder_that_is_not_there_is_told() -> None:
    async with hosted() as host:
        await host.set_settings({"path": "nowhere/app.log"})
        assert host.shown.status is not None
        assert host.shown.status["tone"] == "danger"
        assert "nowhere" in host.shown.status["text"]


async def test_a_log_that_cannot_be_read_any_more_is_told_and_read_on_later() -> None:
    async with hosted() as host:
        host.refuse_next("fs.read", CallError(ErrorCode.FS_DENIED, "closed", {"reason": "closed"}))
        await host.change_file("app.log", OLD + "ERROR once\n")
        assert host.shown.status == {"text": "closed", "tone": "danger"}
        await host.change_file("app.log", OLD + "ERROR once\nERROR twice\n")
        assert host.emitted == [Emitted("lines", "ERROR once\nERROR twice")]


async def test_a_watch_that_ended_is_told() -> None:
    async with hosted() as host:
        watch = {"watchId": "f1", "path": "", "type": "ended"}
        await host.event("fs.changed", watch)
        assert host.shown.status is not None
        assert "elsewhere" in host.shown.status["text"]


async def test_starting_over_counts_from_nothing() -> None:
    async with hosted() as host:
        await host.change_file("app.log", OLD + "ERROR once\n")
        await host.deliver("reset", None)
        assert host.shown.status == {"text": "0 found", "tone": "success"}


async def test_of_very_many_lines_the_last_are_sent() -> None:
    async with hosted("") as host:
        await host.change_file("app.log", "".join(f"ERROR {number}\n" for number in range(MAX_LINES + 50)))
        (sent,) = host.emitted
        assert sent.data.split("\n")[0] == "ERROR 50"
        assert len(sent.data.split("\n")) == MAX_LINES


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", Place(), ([], Place())),
        ("a\nb", Place(), (["a"], Place(1, "a"))),
        ("a\nb\n", Place(1, "a"), (["b"], Place(2, "a"))),
        ("x\nb\n", Place(1, "a"), (["x", "b"], Place(2, "x"))),
        ("", Place(2, "a"), ([], Place())),
    ],
)
def test_lines_behind_a_place(text: str, place: Place, expected: tuple[list[str], Place]) -> None:
    assert new_lines(text, place) == expected

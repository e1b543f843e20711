"""Changes of one canvas that are asked for at once: decided in order, written as one, each with an end of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cardloom.app import App
from cardloom.core.graph import Graph
from cardloom.core.records import Change
from cardloom.host.database import Job
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import WorkspaceId


@contextmanager
def slow_disk(app: App) -> Iterator[list[Job]]:
    """Let nothing reach the disk inside; gives the writes that were queued."""
    free = threading.Event()
    queued: list[Job] = []
    submit = app.database.submit

    def note(job: Job) -> Any:
        queued.append(job)
        return submit(job)

    submit(lambda _: free.wait(60))
    app.database.submit = note  # type: ignore[method-assign]
    try:
        yield queued
    finally:
        app.database.submit = submit  # type: ignore[method-assign]
        free.set()


async def _turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def _notes(app: App, workspace_id: str, count: int) -> list[str]:
    return [(await app.canvas.add_card(workspace_id, "note", {"x": 0, "y": 0})).id for _ in range(count)]


async def test_what_is_asked_for_during_a_write_is_written_as_one(app: App, page: Any, workspace_id: str) -> None:
    (note,) = await _notes(app, workspace_id, 1)
    await page.call("canvas.subscribe", workspaceId=workspace_id)
    with slow_disk(app) as queued:
        moves = [asyncio.create_task(app.canvas.update_card(note, {"x": x})) for x in range(1, 21)]
        await _turns()
        assert len(queued) == 1
        assert app.graph.card(note).x == 0
    await asyncio.gather(*moves)
    changes = [await page.event("canvas.changed") for _ in moves]
    assert [change["changes"][0]["fields"]["x"] for change in changes] == list(range(1, 21))
    assert [change["seq"] for change in changes] == list(range(changes[0]["seq"], changes[0]["seq"] + 20))
    assert app.canvas.stored().cards[0].x == 20


async def test_each_change_is_decided_on_what_the_ones_before_it_make(app: App, page: Any, workspace_id: str) -> None:
    one, two = await _notes(app, workspace_id, 2)
    with slow_disk(app):
        first = asyncio.create_task(app.canvas.update_card(one, {"x": 1}))
        drawn = asyncio.create_task(app.canvas.connect(one, two))
        again = asyncio.create_task(app.canvas.connect(two, one))
        after = asyncio.create_task(app.canvas.update_card(two, {"z": "front"}))
        await _turns()
    await first
    arrow = await drawn
    (refusal,) = await asyncio.gather(again, return_exceptions=True)
    assert isinstance(refusal, CallError)
    assert (refusal.code, refusal.data) == (ErrorCode.INVALID_PARAMS, {"arrowId": arrow.id})
    await after
    stored = app.canvas.stored()
    assert [each.id for each in stored.arrows] == [arrow.id]
    assert sorted(stored.cards, key=lambda card: card.id) == sorted(
        app.graph.cards_of(WorkspaceId(workspace_id)), key=lambda card: card.id
    )


async def test_a_fault_in_one_change_stays_its_own(app: App, page: Any, workspace_id: str) -> None:
    one, two = await _notes(app, workspace_id, 2)

    def broken(_: Graph) -> list[Change]:
        raise ZeroDivisionError

    with slow_disk(app):
        before = asyncio.create_task(app.canvas.update_card(one, {"x": 1}))
        await _turns()
        faulty = asyncio.create_task(app.canvas.commit(WorkspaceId(workspace_id), broken))
        after = asyncio.create_task(app.canvas.update_card(two, {"x": 2}))
        await _turns()
    (error,) = await asyncio.gather(faulty, return_exceptions=True)
    assert isinstance(error, ZeroDivisionError)
    assert (await before).x == 1
    assert (await after).x == 2


async def test_a_listener_that_raises_costs_one_call_its_answer_and_nothing_else(
    app: App, page: Any, workspace_id: str
) -> None:
    one, two = await _notes(app, workspace_id, 2)

    def raise_once(_workspace_id: WorkspaceId, _changes: Sequence[Change]) -> None:
        app.canvas.listeners.changed.remove(raise_once)
        raise ZeroDivisionError

    with slow_disk(app):
        first = asyncio.create_task(app.canvas.update_card(one, {"x": 1}))
        await _turns()
        unlucky = asyncio.create_task(app.canvas.update_card(one, {"x": 2}))
        beside = asyncio.create_task(app.canvas.update_card(two, {"x": 3}))
        await _turns()
        app.canvas.listeners.changed.insert(0, raise_once)
    outcomes = await asyncio.gather(first, unlucky, beside, return_exceptions=True)
    assert [isinstance(outcome, ZeroDivisionError) for outcome in outcomes].count(True) == 1
    assert (await app.canvas.update_card(two, {"x": 4})).x == 4
    stored = {card.id: card.x for card in app.canvas.stored().cards}
    assert stored == {one: 2, two: 4} == {each: app.graph.card(each).x for each in (one, two)}


async def test_a_full_disk_refuses_all_that_would_be_written_as_one(app: App, page: Any, workspace_id: str) -> None:
    one, two = await _notes(app, workspace_id, 2)
    app.database.limit_pages(1)
    with slow_disk(app):
        first = asyncio.create_task(app.canvas.update_card(one, {"x": 1}))
        await _turns()
        large = asyncio.create_task(
            app.canvas.add_card(workspace_id, "note", {"x": 0, "y": 0}, content={"text": "x" * 200_000})
        )
        beside = asyncio.create_task(app.canvas.update_card(two, {"x": 2}))
        await _turns()
    await first
    refusals = await asyncio.gather(large, beside, return_exceptions=True)
    assert [isinstance(refusal, CallError) and refusal.code for refusal in refusals] == [ErrorCode.UNAVAILABLE] * 2
    assert app.graph.card(two).x == 0
    app.database.limit_pages(1_000_000)
    assert (await app.canvas.update_card(two, {"x": 2})).x == 2


async def test_undo_asked_for_at_once_with_the_removal_finds_what_was_removed(
    app: App, page: Any, workspace_id: str
) -> None:
    (note,) = await _notes(app, workspace_id, 1)
    with slow_disk(app):
        first = asyncio.create_task(app.canvas.update_card(note, {"x": 1}))
        await _turns()
        removed = asyncio.create_task(app.canvas.remove_card(note, force=False))
        back = asyncio.create_task(app.canvas.restore(workspace_id, [note], []))
        await _turns()
    await asyncio.gather(first, removed)
    assert [card.id for card in (await back).cards] == [note]
    assert app.graph.card(note).x == 1


async def test_who_goes_away_before_the_decision_changes_nothing(app: App, page: Any, workspace_id: str) -> None:
    (note,) = await _notes(app, workspace_id, 1)
    with slow_disk(app):
        first = asyncio.create_task(app.canvas.update_card(note, {"x": 1}))
        await _turns()
        gone = asyncio.create_task(app.canvas.update_card(note, {"x": 2}))
        last = asyncio.create_task(app.canvas.update_card(note, {"y": 3}))
        await _turns()
        gone.cancel()
        await _turns()
    await asyncio.gather(first, last)
    assert (app.graph.card(note).x, app.graph.card(note).y) == (1, 3)

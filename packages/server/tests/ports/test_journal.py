"""The journal: what it records, how it is read, what it forgets; arrows paused, resumed and sent along again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from cardloom.features.ports.journal_reading import Filter
from cardloom.features.ports.model import Page, Place, Receipt, Sheet, body_of
from cardloom.features.ports.store import SCHEMA, JournalLimits, PortsStore
from cardloom.host.database import Database
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import ChainId, WorkspaceId

from .conftest import Board, port

HOME = WorkspaceId("w_1")


async def test_a_delivery_is_on_disk_before_the_sender_hears_of_it(board: Board) -> None:
    sender = await board.custom(port("out", "ns:number"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    await sender.emit("out", 5)
    (entry,) = await board.journal(arrowId=arrow_id)
    assert {name: entry[name] for name in ("kind", "from", "output", "type", "to", "input", "inputType")} == {
        "kind": "delivery",
        "from": sender.id,
        "output": "out",
        "type": "ns:number",
        "to": receiver.id,
        "input": "in",
        "inputType": "ns:text",
    }
    assert {name: entry[name] for name in ("arrowId", "outcome", "code", "sizeBytes", "hop", "cause", "preview")} == {
        "arrowId": arrow_id,
        "outcome": "accepted",
        "code": None,
        "sizeBytes": 1,
        "hop": 0,
        "cause": None,
        "preview": "5",
    }
    assert entry["bodyKept"] is True


async def test_one_value_to_many_cards_keeps_one_body(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    for _ in range(3):
        await board.connect(sender, await board.custom(takes=(port("in", "ns:text"),)))
    await sender.emit("out", "shared")
    entries = await board.journal()
    assert len(entries) == 3
    assert len({entry["chain"] for entry in entries}) == 1
    counted = board.app.database.reader.execute("SELECT count(*) FROM journal_pages WHERE preview = 'shared'").get
    assert counted == 1
    for entry in entries:
        assert (await board.page.call("journal.body", entryId=entry["id"]))["body"] == "shared"


async def test_a_refusal_is_recorded_with_its_reason(board: Board) -> None:
    sender = await board.custom(port("out", "ns:tasks"), may=("cards.connected",))
    todo = await board.add("todo", items=[{"text": f"item {index}"} for index in range(200)])
    arrow_id = await board.connect(sender, todo)
    assert await sender.emit("out", [{"text": "one too many"}]) == 0
    entry = (await board.journal(arrowId=arrow_id))[-1]
    assert (entry["kind"], entry["outcome"], entry["code"]) == ("refusal", "refused", "QUOTA_EXCEEDED")
    assert "todoItems" in entry["message"]
    error = await sender.refused("ports.send", to=todo, port="out", data=[{"text": "again"}])
    assert error.code is ErrorCode.QUOTA_EXCEEDED


async def test_a_large_body_is_kept_as_head_and_hash(board: Board) -> None:
    note = await board.add("note")
    text = "é" * 40_000
    await board.give(note, text)
    (entry,) = [entry for entry in await board.journal() if entry["from"] == "owner"]
    found = await board.page.call("journal.body", entryId=entry["id"])
    encoded = json.dumps(text, ensure_ascii=False).encode()
    assert entry["bodyKept"] is False
    assert (found["body"], found["sizeBytes"]) == (None, len(encoded))
    assert found["sha256"] == hashlib.sha256(encoded).hexdigest()
    assert found["head"] == '"' + "é" * 4095
    assert (await board.page.refused("journal.body", entryId=10**9)).code is ErrorCode.NOT_FOUND


async def test_numbers_that_no_entry_and_no_time_can_have_are_refused(board: Board) -> None:
    endless = 2**63
    for method, params in (
        ("journal.body", {"entryId": endless}),
        ("journal.list", {"workspaceId": board.id, "beforeId": endless}),
        ("journal.replay", {"workspaceId": board.id, "fromId": endless}),
        ("journal.replay", {"workspaceId": board.id, "toMs": endless}),
        ("arrow.resend", {"arrowId": "a_1", "entryId": endless}),
    ):
        assert (await board.page.refused(method, **params)).code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize("by", ["arrowId", "cardId"])
async def test_half_a_character_is_nobodys_id(board: Board, by: str) -> None:
    assert await board.journal(**{by: "\ud800"}) == []


async def test_the_journal_is_read_in_pieces_by_arrow_and_by_card(board: Board) -> None:
    sender = await board.custom(port("out", "ns:number"))
    one, two = [await board.custom(takes=(port("in", "ns:number"),)) for _ in range(2)]
    arrow_id = await board.connect(sender, one)
    await board.connect(sender, two)
    for index in range(5):
        await sender.emit("out", index)
    first = await board.page.call("journal.list", workspaceId=board.id, arrowId=arrow_id, limit=3)
    assert [entry["preview"] for entry in first["entries"]] == ["4", "3", "2"]
    assert first["more"] is True
    rest = await board.page.call(
        "journal.list", workspaceId=board.id, arrowId=arrow_id, limit=3, beforeId=first["entries"][-1]["id"]
    )
    assert [entry["preview"] for entry in rest["entries"]] == ["1", "0"]
    assert rest["more"] is False
    assert len(await board.journal(cardId=two.id)) == 5
    assert len(await board.journal(cardId=sender.id)) == 10


async def test_what_follows_from_a_delivery_names_it_as_its_cause(board: Board) -> None:
    todo, note = await board.add("todo"), await board.add("note")
    await board.connect(todo, note)
    await board.give(todo, [{"text": "milk"}])
    followed = (await board.until(lambda: [entry for entry in board.entries() if entry["hop"] == 1]))[0]
    given = next(entry for entry in board.entries() if entry["from"] == "owner")
    assert (followed["from"], followed["to"]) == (todo, note)
    assert (followed["chain"], followed["cause"]) == (given["chain"], given["id"])


async def test_what_a_program_sends_soon_after_a_message_belongs_to_that_messages_chain(board: Board) -> None:
    first = await board.custom(port("out", "ns:text"))
    relay = await board.custom(port("out", "ns:text"), takes=(port("in", "ns:text"),))
    last = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(first, relay)
    await board.connect(relay, last)
    await relay.emit("out", "on its own")
    await first.emit("out", "ping")
    await relay.message()
    await relay.emit("out", "pong")
    alone, cause, caused = await board.journal()
    assert (alone["hop"], alone["cause"]) == (0, None)
    assert (caused["hop"], caused["cause"], caused["chain"]) == (1, cause["id"], cause["chain"])


async def test_a_paused_arrow_drops_what_comes_and_carries_again_when_resumed(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(
        takes=(port("in", "ns:text"), port("ask", "ns:text", mode="request", response={"type": "ns:any"}))
    )
    arrow_id = await board.connect(sender, receiver)
    assert (await board.page.call("arrow.pause", arrowId=arrow_id))["paused"] is True
    assert await sender.emit("out", "dropped") == 0
    assert await sender.call("ports.send", to=receiver.id, port="out", data="too") == {"delivered": 0}
    error = await sender.refused("ports.request", to=receiver.id, input="ask", data="x")
    assert error.code is ErrorCode.UNAVAILABLE
    assert [peer["cardId"] for peer in await sender.call("ports.peers")] == [receiver.id]
    error = await board.page.refused("arrow.resend", arrowId=arrow_id)
    assert error.code is ErrorCode.UNAVAILABLE
    assert (await board.page.call("arrow.resume", arrowId=arrow_id))["paused"] is False
    outcomes = [entry["outcome"] for entry in await board.journal(arrowId=arrow_id)]
    assert outcomes == ["dropped", "dropped", "refused"]
    sent = await board.page.call("arrow.resend", arrowId=arrow_id)
    assert sent == {"delivered": 1, "outcome": "accepted"}
    assert (await receiver.message())["data"] == "too"
    first = (await board.journal(arrowId=arrow_id))[0]
    await board.page.call("arrow.resend", arrowId=arrow_id, entryId=first["id"])
    assert (await receiver.message())["data"] == "dropped"
    assert (await board.journal(arrowId=arrow_id))[-1]["kind"] == "resend"


async def test_a_value_that_was_kept_while_the_arrow_was_paused_follows_when_it_is_resumed(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text", retain=True))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect(sender, receiver)
    await board.page.call("arrow.pause", arrowId=arrow_id)
    await sender.emit("out", "one")
    await sender.emit("out", "two")
    await board.page.call("arrow.resume", arrowId=arrow_id)
    assert (await receiver.message())["data"] == "two"
    assert not receiver.messages()


async def test_an_arrow_counts_what_it_carried_and_pages_see_the_pulse(board: Board) -> None:
    sender = await board.custom(port("out", "ns:number"))
    receiver = await board.custom(takes=(port("in", "ns:number", schema={"type": "number", "maximum": 10}),))
    arrow_id = await board.connect(sender, receiver)
    await board.page.call("canvas.subscribe", workspaceId=board.id)
    for value in (1, 2, 11):
        await sender.emit("out", value)
    pulse = await board.page.event("arrow.activity", lambda data: data["arrows"][0]["stats"]["refused"] == 1)
    (arrow,) = pulse["arrows"]
    assert (arrow["arrowId"], arrow["direction"], arrow["outcome"], arrow["type"]) == (
        arrow_id,
        "forward",
        "refused",
        "ns:number",
    )
    stats = {name: arrow["stats"][name] for name in ("passed", "dropped", "refused", "loops")}
    assert stats == {"passed": 2, "dropped": 0, "refused": 1, "loops": 0}
    snapshot = await board.page.call("canvas.snapshot", workspaceId=board.id)
    assert snapshot["arrows"][0]["stats"] == arrow["stats"]
    await board.app.activity.store()
    row = board.app.database.reader.execute("SELECT passed, refused FROM arrows WHERE id = ?", (arrow_id,)).fetchone()
    assert row == (2, 1)


def page_of(store: PortsStore, at_ms: int, value: str, entries: int = 1) -> Page:
    first = store.next_ids(entries)
    receipts = [
        Receipt(offset, "delivery", "emit", f"c_{offset + 2}", "in", "ns:text", None, "accepted")
        for offset in range(entries)
    ]
    sheet = Sheet(first, at_ms, HOME, "c_1", "out", "ns:text", Place(ChainId("h_1"), 0, None), receipts)
    return Page(body_of(value, 1 << 20), sheet)


DAY_MS = 86_400_000


def listed(store: PortsStore) -> list[str]:
    return [one.preview for one in store.journal.listed(Filter(HOME), 20)]


class WallClock:
    """A wall clock that anybody may set, forwards and back."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms

    def advance(self, ms: int) -> None:
        self.ms += ms


async def live(store: PortsStore, clock: WallClock, days: int, *, per_day: int = 4) -> int:
    """Let a server run for some days, which looks at its journal now and then; gives how many pages went."""
    gone = 0
    for _ in range(days * per_day):
        gone += await store.prune(clock.now_ms())
        clock.advance(DAY_MS // per_day)
    return gone + await store.prune(clock.now_ms())


async def test_the_journal_forgets_entries_older_than_its_days(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    clock = WallClock()
    store = PortsStore(database, JournalLimits(days=30))
    await store.write(page_of(store, clock.now_ms(), "old", entries=3))
    assert await live(store, clock, 20) == 0
    await store.write(page_of(store, clock.now_ms(), "young"))
    assert await live(store, clock, 9) == 0
    assert await live(store, clock, 2) == 1
    assert listed(store) == ["young"]
    assert await live(store, clock, 30) == 1
    looks = database.reader.execute("SELECT count(*) FROM journal_looks").get
    assert isinstance(looks, int)
    assert looks < 130
    database.close()


async def test_a_clock_that_jumps_far_ahead_does_not_empty_the_journal(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    clock = WallClock()
    store = PortsStore(database, JournalLimits(days=30))
    await store.write(page_of(store, clock.now_ms(), "before"))
    await live(store, clock, 1)
    clock.advance(3650 * DAY_MS)
    await store.write(page_of(store, clock.now_ms(), "during"))
    assert await live(store, clock, 1) == 0
    clock.advance(-3650 * DAY_MS)
    await store.write(page_of(store, clock.now_ms(), "after"))
    assert await live(store, clock, 1) == 0
    assert listed(store) == ["after", "during", "before"]
    # What was written by the wrong clock grows old like everything else.
    assert await live(store, clock, 31) == 3
    database.close()


async def test_a_clock_that_is_set_back_neither_breaks_the_order_nor_keeps_entries_for_ever(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    clock = WallClock()
    store = PortsStore(database, JournalLimits(days=30))
    await store.write(page_of(store, clock.now_ms(), "first"))
    await live(store, clock, 1)
    clock.advance(-400 * DAY_MS)
    await store.write(page_of(store, clock.now_ms(), "second"))
    assert listed(store) == ["second", "first"]
    assert await live(store, clock, 31) == 2
    database.close()


async def test_a_server_that_did_not_run_for_a_year_still_has_its_last_month(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    clock = WallClock()
    store = PortsStore(database, JournalLimits(days=30))
    await store.write(page_of(store, clock.now_ms(), "last year"))
    await live(store, clock, 2)
    clock.advance(365 * DAY_MS)
    assert await live(store, clock, 10) == 0
    assert listed(store) == ["last year"]
    assert await live(store, clock, 15) == 1
    database.close()


async def test_the_journal_forgets_its_oldest_pages_when_it_grows_too_large(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    store = PortsStore(database, JournalLimits(total_bytes=50_000))
    for index in range(1200):
        await store.write(page_of(store, index, "x" * 1000 + str(index), entries=2))
    assert await store.prune(1200) > 1100
    left = [listed.entry.at_ms for listed in store.journal.listed(Filter(HOME), 200)]
    assert 40 < len(left) < 80
    assert left[0] == 1199
    counted = database.reader.execute("SELECT count(*) FROM journal_pages").get
    assert isinstance(counted, int)
    assert counted * 2 == len(left)
    database.close()


async def test_receipts_are_stored_once_for_all_pages_and_forgotten_with_the_last(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    store = PortsStore(database, JournalLimits(days=1))

    def counted(table: str) -> object:
        return database.reader.execute(f"SELECT count(*) FROM {table}").get

    for index in range(3):
        await store.write(page_of(store, index, f"value {index}", entries=2))
    assert (counted("journal_pages"), counted("journal_routes"), counted("journal_ends")) == (3, 1, 3)
    assert await live(store, WallClock(), 1) == 3
    assert (counted("journal_pages"), counted("journal_routes"), counted("journal_ends")) == (0, 0, 0)
    # What memory knows of them does no harm.
    await store.write(page_of(store, 5, "again", entries=2))
    (again,) = store.journal.listed(Filter(HOME, card_id="c_3"), 10)
    assert (again.preview, again.entry.to_card) == ("again", "c_3")
    database.close()


async def test_a_page_that_the_disk_refused_takes_no_receipts_from_the_next(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    store = PortsStore(database)
    (pages,) = database.reader.execute("PRAGMA page_count").fetchone() or (0,)
    assert isinstance(pages, int)
    database.limit_pages(pages)
    with pytest.raises(CallError) as refused:
        await store.write(page_of(store, 1, "x" * 50_000, entries=2))
    assert refused.value.code is ErrorCode.UNAVAILABLE
    database.limit_pages(1 << 20)
    await store.write(page_of(store, 2, "room again", entries=2))
    assert [listed.preview for listed in store.journal.listed(Filter(HOME), 10)] == ["room again"] * 2
    database.close()


async def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    store = PortsStore(database)
    await store.write(page_of(store, 1, "one", entries=4))
    database.close()
    database = Database(tmp_path / "j.db", SCHEMA, now_ms=0)
    assert PortsStore(database).next_ids(1) == 5
    database.close()

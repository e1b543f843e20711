"""Values along arrows, through a whole server: emitted to all, sent to one, converted, checked, refused."""

from __future__ import annotations

from typing import Any

import pytest

from cardloom_protocol.errors import ErrorCode

from .conftest import Board, port

TASKS = [{"text": "pays with a saved card", "status": "error"}]


async def test_an_emitted_value_reaches_every_downstream_card_and_counts_them(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    one = await board.custom(takes=(port("in", "ns:text"),))
    two = await board.custom(takes=(port("in", "ns:text"),))
    for receiver in (one, two):
        await board.connect(sender, receiver)
    assert await sender.emit("out", "hello") == 2
    for receiver in (one, two):
        message = await receiver.message()
        at = message.pop("at")
        assert isinstance(at, int)
        assert message == {
            "from": sender.id,
            "fromKind": "custom",
            "output": "out",
            "input": "in",
            "type": "ns:text",
            "sourceType": "ns:text",
            "data": "hello",
        }


async def test_nothing_goes_against_an_arrow_or_without_one(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    upstream = await board.custom(takes=(port("in", "ns:text"),))
    stranger = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(upstream, sender)
    assert await sender.emit("out", "hello") == 0
    assert not upstream.messages()
    assert not stranger.messages()
    assert (await sender.refused("ports.send", to=upstream.id, port="out", data="x")).code is ErrorCode.NOT_CONNECTED
    assert (await sender.refused("ports.send", to=stranger.id, port="out", data="x")).code is ErrorCode.NOT_CONNECTED


async def test_a_two_way_arrow_carries_both_ways(board: Board) -> None:
    one = await board.custom(port("out", "ns:text"), takes=(port("in", "ns:text"),))
    two = await board.custom(port("out", "ns:text"), takes=(port("in", "ns:text"),))
    await board.connect(one, two, "both")
    assert await one.emit("out", "there") == 1
    assert (await two.message())["data"] == "there"
    assert await two.emit("out", "back") == 1
    assert (await one.message())["data"] == "back"


async def test_the_input_is_the_default_else_the_exact_type_else_the_first_that_fits(board: Board) -> None:
    sender = await board.custom(port("out", "ns:markdown"))
    default = await board.custom(takes=(port("exact", "ns:markdown"), port("chosen", "ns:text", default=True)))
    exact = await board.custom(takes=(port("first", "ns:text"), port("exact", "ns:markdown")))
    first = await board.custom(takes=(port("no", "ns:number"), port("first", "ns:text"), port("second", "ns:any")))
    for receiver in (default, exact, first):
        await board.connect(sender, receiver)
    assert await sender.emit("out", "*hi*") == 3
    assert (await default.message())["input"] == "chosen"
    assert (await exact.message())["input"] == "exact"
    assert (await first.message())["input"] == "first"


async def test_request_inputs_are_never_picked_for_a_value(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("ask", "ns:text", mode="request", response={"type": "ns:any"}),))
    await board.connect(sender, receiver)
    assert await sender.emit("out", "hello") == 0


async def test_a_value_is_converted_for_the_input_and_says_what_it_was(board: Board) -> None:
    sender = await board.custom(port("out", "ns:tasks"))
    receiver = await board.custom(takes=(port("in", "ns:markdown"),))
    await board.connect(sender, receiver)
    assert await sender.emit("out", [{"text": "a", "status": "done"}, {"text": "b"}]) == 1
    message = await receiver.message()
    assert (message["data"], message["type"], message["sourceType"]) == ("- [x] a\n- [ ] b", "ns:markdown", "ns:tasks")


async def test_a_refused_value_names_its_exact_path(board: Board) -> None:
    sender = await board.custom(port("out", "ns:tasks"))
    error = await sender.refused("ports.emit", port="out", data=[{"text": "fine"}, {"text": "x", "status": "later"}])
    assert error.code is ErrorCode.INVALID_PARAMS
    assert isinstance(error.data, list)
    assert error.data[0]["path"] == "/1/status"  # type: ignore[index, call-overload]


async def test_an_input_with_a_schema_of_its_own_refuses_what_does_not_fit_it(board: Board) -> None:
    sender = await board.custom(port("out", "ns:number"))
    picky = await board.custom(takes=(port("in", "ns:number", schema={"type": "number", "maximum": 10}),))
    open_ = await board.custom(takes=(port("in", "ns:number"),))
    await board.connect(sender, picky)
    await board.connect(sender, open_)
    assert await sender.emit("out", 11) == 1
    assert (await open_.message())["data"] == 11
    assert not picky.messages()
    error = await sender.refused("ports.send", to=picky.id, port="out", data=12)
    assert error.code is ErrorCode.INVALID_PARAMS
    assert "input in" in error.message


async def test_types_of_ones_own_meet_only_themselves_and_anything(board: Board) -> None:
    schema = {"type": "object", "properties": {"lines": {"type": "number"}}, "required": ["lines"]}
    sender = await board.custom(port("out", "test-radar/coverage", schema=schema))
    same = await board.custom(takes=(port("in", "test-radar/coverage", schema=schema),))
    anything = await board.custom(takes=(port("in", "ns:any"),))
    json = await board.custom(takes=(port("in", "ns:json"),))
    for receiver in (same, anything, json):
        await board.connect(sender, receiver)
    assert await sender.emit("out", {"lines": 81.5}) == 2
    assert (await same.message())["type"] == "test-radar/coverage"
    assert (await anything.message())["type"] == "ns:any"
    assert (await sender.refused("ports.emit", port="out", data={})).code is ErrorCode.INVALID_PARAMS


async def test_an_unknown_output_and_an_unknown_input_are_not_found(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    await board.connect(sender, receiver)
    assert (await sender.refused("ports.emit", port="other", data="x")).code is ErrorCode.NOT_FOUND
    error = await sender.refused("ports.send", to=receiver.id, port="out", data="x", input="other")
    assert error.code is ErrorCode.NOT_FOUND


async def test_send_reaches_one_card_at_the_named_input(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    one = await board.custom(takes=(port("a", "ns:text"), port("b", "ns:text")))
    two = await board.custom(takes=(port("a", "ns:text"),))
    for receiver in (one, two):
        await board.connect(sender, receiver)
    assert await sender.call("ports.send", to=one.id, port="out", data="x", input="b") == {"delivered": 1}
    assert (await one.message())["input"] == "b"
    assert not two.messages()


async def test_send_to_a_card_without_a_fitting_input_delivers_nothing(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:number"),))
    await board.connect(sender, receiver)
    assert await sender.call("ports.send", to=receiver.id, port="out", data="x") == {"delivered": 0}
    error = await sender.refused("ports.send", to=receiver.id, port="out", data="x", input="in")
    assert error.code is ErrorCode.INVALID_PARAMS


async def test_a_value_for_a_built_in_card_needs_the_senders_permission(board: Board) -> None:
    sender = await board.custom(port("out", "ns:markdown"), may=("cards.connected",))
    note = await board.add("note")
    await board.connect(sender, note)
    await board.allow(sender, "cards.connected", granted=False)
    assert await sender.emit("out", "# Done") == 0
    error = await sender.refused("ports.send", to=note, port="out", data="# Done")
    assert (error.code, error.data) == (ErrorCode.PERMISSION_DENIED, {"permission": "cards.connected"})
    assert board.content(note) == {"text": ""}
    await board.allow(sender, "cards.connected")
    assert await sender.emit("out", "# Done") == 1
    assert board.content(note) == {"text": "# Done"}


async def test_built_in_cards_need_no_grant_of_each_other(board: Board) -> None:
    todo = await board.add("todo")
    note = await board.add("note")
    await board.connect(todo, note)
    await board.page.call("todo.edit", cardId=todo, op={"do": "add", "text": "milk"})
    await board.until(lambda: "- [ ] milk" in board.content(note)["text"])


async def test_what_a_note_says_needs_no_grant_along_the_owners_arrow_unless_the_workspace_is_strict(
    board: Board,
) -> None:
    note = await board.add("note")
    reader = await board.custom(takes=(port("in", "ns:markdown"),))
    await board.connect(note, reader)
    await board.page.call("note.edit", cardId=note, baseRevision=0, text="one")
    await reader.message(lambda message: message["data"] == "one")
    await board.page.call("workspace.update", workspaceId=board.id, strict=True)
    await board.page.call("note.edit", cardId=note, baseRevision=1, text="two")

    def skipped() -> Any:
        return [entry for entry in board.entries() if entry["outcome"] == "skipped"]

    found = (await board.until(skipped))[0]
    assert (found["code"], found["to"]) == ("PERMISSION_DENIED", reader.id)
    assert not [message for message in reader.messages() if message["data"] == "two"]


async def test_a_value_that_a_peer_has_no_input_for_is_told_only_on_an_arrow_that_carries_nothing(board: Board) -> None:
    agent, note = await board.add("agent", harness="claude-code"), await board.add("note")
    terminal = await board.add("terminal")
    for source in (agent, terminal):
        await board.connect(source, note)
    status = {"type": "status", "data": {"status": "working"}}
    assert await board.app.ports.emit(agent, "status", status) == 0  # type: ignore[arg-type]
    event = {"type": "exit", "data": {"command": "true", "exitCode": 0}}
    assert await board.app.ports.emit(terminal, "exit", event) == 0  # type: ignore[arg-type]
    assert await board.app.ports.emit(agent, "reply", "done") == 1  # type: ignore[arg-type]
    told = [(one["from"], one["output"], one["outcome"]) for one in board.entries() if one["to"] == note]
    assert sorted(told) == sorted([(terminal, "exit", "skipped"), (agent, "reply", "accepted")])


async def test_what_a_terminal_says_always_needs_the_receivers_permission(board: Board) -> None:
    terminal = await board.add("terminal")
    reader = await board.custom(takes=(port("in", "ns:event"),))
    allowed = await board.custom(takes=(port("in", "ns:event"),), may=("agents.output",))
    for receiver in (reader, allowed):
        await board.connect(terminal, receiver)
    event = {"type": "exit", "data": {"command": "true", "exitCode": 0}}
    assert await board.app.ports.emit(terminal, "exit", event) == 1  # type: ignore[arg-type]
    assert (await allowed.message())["data"] == event
    assert not reader.messages()


async def test_an_arrow_that_a_card_drew_carries_nothing_until_the_owner_confirms_it(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receiver = await board.custom(takes=(port("in", "ns:text"),))
    arrow_id = await board.connect_as_card(sender, receiver, sender)
    assert await sender.emit("out", "early") == 0
    assert await sender.call("ports.peers") == []
    await board.page.call("canvas.updateArrow", arrowId=arrow_id, confirm=True)
    assert await sender.emit("out", "now") == 1
    assert (await receiver.message())["data"] == "now"


@pytest.mark.usefixtures("standing_clock")
async def test_more_than_twenty_messages_a_second_are_refused_with_the_time_to_wait(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"), port("other", "ns:text"))
    for index in range(20):
        await sender.emit("out", str(index))
    error = await sender.refused("ports.emit", port="out", data="one too many")
    assert error.code is ErrorCode.RATE_LIMITED
    assert isinstance(error.data, dict)
    assert 0 < error.data["retryAfterMs"] <= 1000  # type: ignore[operator]
    await sender.emit("other", "has a rate of its own")


async def test_a_value_over_a_mebibyte_is_too_large_and_one_below_passes(board: Board) -> None:
    note = await board.add("note")
    big = "x" * (1 << 20)
    error = await board.page.refused("ports.deliver", to=note, data=[big], input="append", type="ns:any")
    assert error.code is ErrorCode.TOO_LARGE
    assert (await board.give(note, "x" * 1_000_000))["delivered"] == 1


async def test_messages_of_one_output_arrive_in_order_and_peers_are_served_as_their_arrows_were_drawn(
    board: Board,
) -> None:
    sender = await board.custom(port("out", "ns:number"), may=("cards.connected",))
    first = await board.custom(takes=(port("in", "ns:number"),))
    note = await board.add("note")
    last = await board.custom(takes=(port("in", "ns:number"),))
    for receiver in (first, note, last):
        await board.connect(sender, receiver)
    emits = [sender.client.call("ports.emit", port="out", data=index) for index in range(10)]
    for emit in emits:
        assert (await emit)["delivered"] == 3
    for receiver in (first, last):
        assert [(await receiver.message())["data"] for _ in range(10)] == list(range(10))
    assert board.content(note)["text"] == "\n\n".join(str(index) for index in range(10))
    order = [entry["to"] for entry in await board.journal() if entry["outcome"] == "accepted" and entry["hop"] == 0]
    assert order[:3] == [first.id, note, last.id]


async def test_a_card_that_is_not_running_misses_what_streams(board: Board) -> None:
    sender = await board.custom(port("out", "ns:text"))
    asleep = await board.custom(takes=(port("in", "ns:text"),), running=False)
    await board.connect(sender, asleep)
    assert await sender.emit("out", "anybody?") == 0
    entry = (await board.journal())[-1]
    assert (entry["outcome"], entry["code"]) == ("dropped", "UNAVAILABLE")
    await asleep.start()
    assert not asleep.messages()


async def test_of_many_programs_those_that_run_get_a_value_and_the_others_are_told_of_in_the_journal(
    board: Board,
) -> None:
    sender = await board.custom(port("out", "ns:text"))
    receivers = [await board.custom(takes=(port("in", "ns:text"),), running=running) for running in (True, False, True)]
    arrows = [await board.connect(sender, receiver) for receiver in receivers]
    for value in ("one", "two"):
        assert await sender.emit("out", value) == 2
    assert [(await receivers[at].message())["data"] for at in (0, 2, 0, 2)] == ["one", "one", "two", "two"]
    outcomes = [[entry["outcome"] for entry in await board.journal(arrowId=arrow_id)] for arrow_id in arrows]
    assert outcomes == [["accepted"] * 2, ["dropped"] * 2, ["accepted"] * 2]
    await receivers[1].start()
    for value in ("three", "four"):
        assert await sender.emit("out", value) == 3
    await board.app.activity.store()
    snapshot = await board.page.call("canvas.snapshot", workspaceId=board.id)
    counts = {arrow["id"]: (arrow["stats"]["passed"], arrow["stats"]["dropped"]) for arrow in snapshot["arrows"]}
    assert [counts[arrow_id] for arrow_id in arrows] == [(4, 0), (2, 2), (4, 0)]
    assert len(await board.journal(cardId=receivers[2].id)) == 4


async def test_the_owner_gives_a_card_a_value_without_arrow_or_grant(board: Board) -> None:
    receiver = await board.custom(takes=(port("in", "ns:text"), port("count", "ns:number")))
    assert await board.give(receiver, "by hand") == {"delivered": 1, "outcome": "accepted"}
    message = await receiver.message()
    assert (message["from"], message["fromKind"], message["data"]) == ("owner", "other", "by hand")
    assert (await board.give(receiver, 5))["delivered"] == 1
    assert (await receiver.message())["input"] == "count"
    todo = await board.add("todo")
    await board.give(todo, "milk\nbread")
    await board.give(todo, TASKS)
    assert [item["text"] for item in board.content(todo)["items"]] == ["milk", "bread", "pays with a saved card"]


async def test_a_value_given_by_hand_that_does_not_fit_names_the_place(board: Board) -> None:
    todo = await board.add("todo")
    error = await board.page.refused("ports.deliver", to=todo, data=[{"text": ""}])
    assert error.code is ErrorCode.INVALID_PARAMS
    assert "/0/text" in error.message
    error = await board.page.refused("ports.deliver", to=todo, data="x", input="nowhere")
    assert error.code is ErrorCode.NOT_FOUND
    sleeper = await board.custom(takes=(port("in", "ns:text"),), running=False)
    assert await board.give(sleeper, "x") == {"delivered": 0, "outcome": "dropped"}

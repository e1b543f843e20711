"""What reaches a headless card, and in which order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_sdk import Card, Message
from cardloom_sdk.testing import CardHost, Emitted, VirtualTiming, peer, settle

MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "name": "echo-card",
    "displayName": "Echo",
    "version": "1.0.0",
    "protocol": 1,
    "permissions": [{"id": "cards.connected"}, {"id": "agents.output", "optional": True}],
    "ports": {
        "inputs": [
            {"id": "in", "label": "In", "type": "ns:text", "default": True},
            {"id": "other", "label": "Other", "type": "ns:text"},
            {
                "id": "lookup",
                "label": "Look up",
                "type": "ns:text",
                "mode": "request",
                "response": {"type": "ns:number"},
            },
        ],
        "outputs": [{"id": "out", "label": "Out", "type": "ns:text"}],
    },
}


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


async def test_a_value_reaches_the_handler_of_its_input_alone() -> None:
    card = make_card()
    heard: list[tuple[str, str]] = []
    card.on_message("in")(lambda data, message: heard.append((data, message.input)))
    async with CardHost(card) as host:
        await host.deliver("other", "no")
        await host.deliver("in", "yes")
    assert heard == [("yes", "in")]


async def test_a_handler_may_take_only_the_value_or_nothing_at_all() -> None:
    card = make_card()
    heard: list[Any] = []
    card.on_message("in")(lambda data: heard.append(data))
    card.on_message("in")(lambda: heard.append("called"))
    async with CardHost(card) as host:
        await host.deliver("in", "v")
    assert heard == ["v", "called"]


async def test_a_message_tells_where_the_value_came_from() -> None:
    card = make_card()
    heard: list[Message] = []
    card.on_message()(lambda _data, message: heard.append(message))
    async with CardHost(card) as host:
        await host.deliver("in", "x", sender="c_note", sender_kind="note", output="text", source_type="ns:markdown")
    message = heard[0]
    assert (message.sender, message.sender_kind, message.output) == ("c_note", "note", "text")
    assert (message.type, message.source_type, message.at_ms) == ("ns:text", "ns:markdown", 1_700_000_000_000)


async def test_a_handler_gets_the_next_value_when_it_is_done_with_the_last() -> None:
    card = make_card()
    steps: list[str] = []
    gate = asyncio.Event()

    @card.on_message("in")
    async def slow(data: str) -> None:
        steps.append(f"begin {data}")
        await gate.wait()
        steps.append(f"end {data}")

    async with CardHost(card) as host:
        await host.deliver("in", "a")
        await host.deliver("in", "b")
        assert steps == ["begin a"]
        gate.set()
        await settle()
    assert steps == ["begin a", "end a", "begin b", "end b"]


async def test_values_wait_for_the_first_listener_a_hundred_of_them() -> None:
    card = make_card()
    heard: list[str] = []
    async with CardHost(card) as host:
        for number in range(130):
            await host.deliver("in", str(number))
        card.on_message("in")(heard.append)
        later: list[str] = []
        card.on_message("in")(later.append)
        await settle()
    assert heard == [str(number) for number in range(100)]
    assert later == []


async def test_the_first_listeners_filter_discards_waiting_values_of_other_inputs() -> None:
    card = make_card()
    heard: list[str] = []
    async with CardHost(card) as host:
        await host.deliver("other", "a")
        await host.deliver("in", "b")
        card.on_message("in")(heard.append)
        other: list[str] = []
        card.on_message("other")(other.append)
        await settle()
    assert (heard, other) == (["b"], [])


async def test_a_failing_handler_is_reported_and_hears_the_next_value(capsys: pytest.CaptureFixture[str]) -> None:
    card = make_card()
    heard: list[str] = []

    @card.on_message("in")
    def picky(data: str) -> None:
        if data == "bad":
            raise ValueError("cannot eat bad")
        heard.append(data)

    async with CardHost(card) as host:
        await host.deliver("in", "bad")
        await host.deliver("in", "good")
        assert host.shown.log == [("error", "ports.message: ValueError: cannot eat bad")]
    assert heard == ["good"]
    assert "Traceback" in capsys.readouterr().err


async def test_a_handler_that_cannot_keep_up_loses_its_oldest_values_and_that_is_told() -> None:
    card = make_card()
    heard: list[str] = []
    gate = asyncio.Event()

    @card.on_message("in")
    async def slow(data: str) -> None:
        await gate.wait()
        heard.append(data)

    async with CardHost(card) as host:
        await host.deliver("in", "busy")
        for number in range(1003):
            await host.send_text(
                '{"ns":"nscard","v":1,"kind":"evt","event":"ports.message","data":{"from":"c","fromKind":"custom",'
                f'"output":"o","input":"in","type":"ns:text","data":"{number}","at":1}}}}'
            )
        await settle()
        gate.set()
        await host.advance(1000)
        assert ("error", "ports.message: BufferError: the handler is too slow: 3 values were dropped") in host.shown.log
    assert heard == ["busy", *(str(number) for number in range(3, 1003))]


async def test_events_before_the_handshake_ended_arrive_after_it_in_order() -> None:
    card = make_card()
    heard: list[str] = []
    card.on_message("in")(heard.append)

    async with CardHost(card) as host:
        await host.unmount()
        answer = host.world.answers["host.ready"]
        connection_text = (
            '{"ns":"nscard","v":1,"kind":"evt","event":"ports.message","data":{"from":"c","fromKind":"custom",'
            '"output":"o","input":"in","type":"ns:text","data":"%s","at":1}}'
        )

        def early(params: Any) -> Any:
            channel = host._channel
            assert channel is not None
            for word in ("one", "two"):
                channel._outbox.put_nowait(connection_text % word)
            channel._outbox.put_nowait('{"ns":"nscard","v":1,"kind":"evt","event":"host.ping","data":{"seq":7}}')
            return answer(params)

        host.answer_with("host.ready", early)
        await host.mount()
        assert heard == ["one", "two"]
        pongs = [call.params for call in host.calls if call.method == "host.pong"]
        assert pongs == [{"seq": 7}]


async def test_a_ping_is_answered_with_its_number() -> None:
    card = make_card()
    async with CardHost(card) as host:
        await host.event("host.ping", {"seq": 41})
        assert [(call.method, call.params) for call in host.calls[1:]] == [("host.pong", {"seq": 41})]


async def test_malformed_and_foreign_messages_change_nothing() -> None:
    card = make_card()
    heard: list[str] = []
    card.on_message("in")(heard.append)
    async with CardHost(card) as host:
        for text in ("", "[]", "{", '{"ns":"other","v":1,"kind":"evt","event":"ports.message"}', "null", "\ud800"):
            await host.send_text(text)
        await host.deliver("in", "still here")
    assert heard == ["still here"]


async def test_emit_counts_the_cards_that_took_the_value() -> None:
    card = make_card()
    peers = [peer("c_note", "note"), peer("c_todo", "todo", direction="upstream"), peer("c_sticky", "sticky")]
    async with CardHost(card, peers=peers) as host:
        assert await card.emit("out", "hello") == 2
        assert host.emitted == [Emitted("out", "hello")]


async def test_send_names_the_card_and_its_input() -> None:
    card = make_card()
    async with CardHost(card, peers=[peer("c_note", "note")]) as host:
        assert await card.send("c_note", "out", "text", input_id="replace") == 1
        assert host.emitted == [Emitted("out", "text", "c_note", "replace")]


async def test_read_gives_the_kept_value_or_nothing() -> None:
    card = make_card()
    async with CardHost(card, peers=[peer("c_note", "note")]) as host:
        assert await card.read("c_note", "text") is None
        host.keep("c_note", "text", "# Title")
        kept = await card.read("c_note", "text")
    assert kept is not None
    assert kept.data == "# Title"


def test_an_undeclared_port_is_named_when_the_handler_is_registered() -> None:
    with pytest.raises(ValueError, match=r"no input 'inn'; it has: in, other, lookup"):
        make_card().on_message("inn")


async def test_an_undeclared_output_is_named_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match=r"no output 'aut'; it has: out"):
        await make_card().emit("aut", 1)


async def test_peers_are_kept_up_and_handlers_are_told() -> None:
    card = make_card()
    seen: list[list[str]] = []
    card.on_peers_changed(lambda peers: seen.append([one.card_id for one in peers]))
    async with CardHost(card) as host:
        await host.set_peers(peer("c_note", "note"))
        assert [one.card_id for one in card.peers] == ["c_note"]
    assert seen == [["c_note"]]


async def test_visibility_and_permissions_follow_their_events() -> None:
    card = make_card()
    seen: list[str] = []
    card.on_visibility(seen.append)
    async with CardHost(card) as host:
        assert card.permissions.has("cards.connected")
        assert not card.permissions.has("agents.read")
        await host.set_visibility("hidden")
        await host.set_permissions("agents.output")
        assert (card.visibility, seen) == ("hidden", ["hidden"])
        assert card.permissions.has("agents.read"), "agents.output implies it"
        assert not card.permissions.has("cards.connected")


async def test_a_word_that_is_no_permission_is_told_apart_from_one_not_granted() -> None:
    card = make_card()
    async with CardHost(card):
        with pytest.raises(ValueError, match="no permission"):
            card.permissions.has("cards.conected")

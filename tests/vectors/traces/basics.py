"""The cards of the scenarios about the handshake, events, chrome and calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from cardloom_sdk import MenuItem
from cardloom_sdk.testing import settle

from .stage import Stage, outcome

# Handshake and events


async def handshake(stage: Stage) -> None:
    card = await stage.meet()
    stage.see(connected=card.connected, sdkVisible=list(card.context.wire))


async def refused_handshake(stage: Stage) -> None:
    attending = stage.start(outcome(stage.card.attend(stage.channel)))
    await stage.sdk()
    await stage.host()
    stage.see(sdkClosesPort=stage.channel.closed)
    stage.see(connectRejectsWith=await attending)


async def handshake_timeout(stage: Stage) -> None:
    attending = stage.start(outcome(stage.card.attend(stage.channel)))
    await stage.sdk()
    await stage.timing.advance(10_000)
    await settle()
    stage.see(sdkClosesPort=stage.channel.closed)
    stage.see(connectRejectsWith=await attending)


async def early_events(stage: Stage) -> None:
    stage.start(stage.card.attend(stage.channel))
    await stage.sdk()
    for _ in range(3):
        await stage.host()
    for number in range(600):
        stage.event("ports.message", {"input": "in", "data": number})
    stage.see(hostSilently="sent 600 more ports.message events")
    stage.see(sdkSentSoFar=1 + await stage.sent_count())
    await stage.host()
    await stage.sdk()
    got: list[Any] = []
    stage.card.on("ports.message", lambda message: got.append(message["data"]))
    await settle()
    stage.see(listenerGotCount=len(got), first=got[0], last=got[-1])


async def ping(stage: Stage) -> None:
    await stage.meet()
    for _ in range(2):
        await stage.host()
        await stage.sdk()
    stage.see(pongsExpectAnswer="they stay in the in-flight set until answered")


async def ping_unanswered_pongs_block(stage: Stage) -> None:
    await stage.meet_unseen()
    for seq in range(70):
        stage.event("host.ping", {"seq": seq})
    sent = await stage.sent_count()
    stage.see(hostSent="70 pings", sdkSent=sent)
    await stage.skip(sent)
    await stage.host()
    await stage.sdk()
    stage.see(afterOneAnswer=sent + 1)


async def unbuffered_event(stage: Stage) -> None:
    card = await stage.meet()
    for _ in range(3):
        await stage.host()
    calls = {"settings.changed": 0, "ui.menu": 0, "custom.thing": 0}

    def count(event: str) -> Callable[[Any], None]:
        def heard(_data: Any) -> None:
            calls[event] += 1

        return heard

    for event in list(calls):
        card.on(event, count(event))
    await settle()
    stage.see(listenerCalls=dict(calls), contextUpdated=card.context.wire["settings"]["values"])
    await stage.host()
    stage.see(unknownEventsReachListeners=calls["custom.thing"])


async def buffer_cap_and_first_listener(stage: Stage) -> None:
    card = await stage.meet()
    for number in range(130):
        head = {"from": "c9", "fromKind": "custom", "output": "out", "type": "ns:any", "at": 1}
        stage.event("ports.message", {**head, "input": "a" if number % 2 else "b", "data": number})
    stage.see(hostSent="130 ports.message events, inputs alternate b,a")
    await settle()
    first: list[Any] = []
    second: list[Any] = []
    card.on_message("a")(first.append)
    card.on_message()(second.append)
    before = len(first)
    await settle()
    stage.see(beforeMicrotask=before, firstListener=len(first), secondListener=len(second), lastSeen=first[-1])


# Chrome


async def chrome_coalescing(stage: Stage) -> None:
    card = await stage.meet()
    first = stage.start(outcome(card.set_status("s0")))
    await stage.sdk()
    calls = [first, *(stage.start(outcome(card.set_status(f"s{number}"))) for number in range(1, 5))]
    badge = stage.start(outcome(card.set_badge(3)))
    await stage.sdk()
    for _ in range(2):
        await stage.host()
    await stage.sdk()
    await stage.host()
    assert [await call for call in (*calls, badge)] == ["ok"] * 6
    stage.see(settled="all five setStatus calls")


async def chrome_rate_limited(stage: Stage) -> None:
    card = await stage.meet()
    one = stage.start(outcome(card.set_status("one")))
    await stage.sdk()
    two = stage.start(outcome(card.set_status("two")))
    await settle()
    await stage.host()
    await stage.timing.advance(84)
    stage.see(sdkSentSoFar=2 + await stage.sent_count())
    await stage.timing.advance(1)
    await stage.sdk()
    stage.see(retriedAfterAtLeastMs=85, ok=True)
    await stage.host()
    stage.see(bothResolved=await one == "ok" and await two == "ok")


async def chrome_other_error(stage: Stage) -> None:
    card = await stage.meet()
    one = stage.start(outcome(card.set_status("one")))
    await stage.sdk()
    two = stage.start(outcome(card.set_status("two")))
    await settle()
    await stage.host()
    await stage.sdk()
    await stage.host()
    stage.see(first=await one, second=await two)


async def attention_lane(stage: Stage) -> None:
    card = await stage.meet()
    levels: tuple[Literal["info", "none"], ...] = ("info", "none")
    for level in levels:
        stage.start(card.attention(level, ""))
        await stage.sdk()
        await stage.host()
    stage.see(attentionInContext=None)


# Calls


async def in_flight_limit(stage: Stage) -> None:
    card = await stage.meet_unseen()
    for number in range(70):
        stage.start(outcome(card.call("storage.get", {"scope": "instance", "key": f"k{number}"})))
    sent = await stage.sent_count()
    stage.see(requested=70, sent=sent)
    await stage.skip(sent)
    await stage.host()
    message = await stage.sdk()
    stage.see(afterOneAnswer=sent + 1, lastId=message["id"], lastKey=message["params"]["key"])


async def local_validation(stage: Stage) -> None:
    card = await stage.meet()
    key = {"scope": "instance", "key": "k"}
    non_json = await outcome(card.call("storage.set", {**key, "value": object()}))
    schema = await outcome(card.call("storage.get", {**key, "key": ""}))
    too_large = await outcome(card.call("storage.set", {**key, "value": "x" * 1_100_000}))
    stage.see(nonJson=non_json, schema=schema, tooLarge=too_large)
    stage.start(outcome(card.call("storage.get", key)))
    message = await stage.sdk()
    stage.see(nextIdUsed=message["id"])


async def large_methods(stage: Stage) -> None:
    card = await stage.meet()
    file = {"path": "a", "encoding": "utf8"}
    stage.start(outcome(card.call("fs.write", {**file, "data": "x" * 3_145_728})))
    await stage.sdk()
    over = await outcome(card.call("fs.write", {**file, "data": "x" * 14_000_000}))
    stage.see(sent=1, fsWriteOver=over)


async def unknown_method_unchecked(stage: Stage) -> None:
    card = await stage.meet()
    asked = stage.start(outcome(card.call("future.thing", {"a": 1})))
    await stage.sdk()
    await stage.host()
    assert await asked == "METHOD_NOT_FOUND"


async def bad_host_messages(stage: Stage) -> None:
    card = await stage.meet()
    asked = stage.start(outcome(card.call("card.getInfo", {})))
    await stage.sdk()
    for _ in range(5):
        await stage.host()
    stage.see(rejectedWith=await asked)


async def request_timeouts(stage: Stage) -> None:
    card = await stage.meet()
    asked = stage.start(outcome(card.call("card.getInfo", {})))
    await stage.sdk()
    await stage.timing.advance(3_600_000)
    stage.see(stillPending=not asked.done())


async def host_supports(stage: Stage) -> None:
    card = await stage.meet()
    first = stage.start(outcome(card.supports("agents.usage")))
    await stage.sdk()
    await stage.host()
    second = await outcome(card.supports("agents.usage"))
    stage.see(first=await first, second=second, sent=1 + await stage.sent_count())


async def close(stage: Stage) -> None:
    card = stage.card
    attending = stage.start(card.attend(stage.channel))
    await stage.sdk()
    await stage.host()
    pending = stage.start(outcome(card.call("card.getInfo", {})))
    await stage.sdk()
    attending.cancel()
    await settle()
    stage.see(sdkClosesPort=stage.channel.closed)
    stage.see(pending=await pending, later=await outcome(card.call("card.getInfo", {})))


async def settings_and_context(stage: Stage) -> None:
    card = await stage.meet()
    seen: list[Any] = []
    card.on("settings.changed", lambda _: seen.append(card.context.wire["settings"]["values"]["a"]))
    for _ in range(5):
        await stage.host()
    peer = {"cardId": "z", "kind": "note", "name": "Z", "direction": "both"}
    changed = {"ns": "nscard", "v": 1, "kind": "evt", "event": "ports.peersChanged", "data": [peer]}
    await stage.instead(changed)
    await stage.host()
    wire = card.context.wire
    stage.see(
        seen=seen,
        visibility=card.visibility,
        size=wire["instance"]["size"],
        expanded=wire["expanded"],
        perm=card.permissions.has("fs.read"),
        lang=card.language,
        secret=wire["settings"]["secrets"]["k"],
    )
    assert [one.card_id for one in card.peers] == ["z"]


async def menu(stage: Stage) -> None:
    card = await stage.meet()
    got: list[str] = []
    stage.start(card.ui.set_menu([MenuItem("a", "A", on_select=lambda: got.append("handler"))]))
    card.ui.on_menu(got.append)
    await stage.sdk()
    for _ in range(2):
        await stage.host()
    stage.see(got=got)

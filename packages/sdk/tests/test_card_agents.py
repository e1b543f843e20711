"""Agents and terminals as a headless card reaches them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cardloom_protocol.agents import AgentStatus
from cardloom_sdk import CallError, Card, CommandResult, ErrorCode, Output, StatusChange
from cardloom_sdk.testing import CardHost, VirtualTiming, peer, settle, shell

from .test_card_messages import MANIFEST

T1 = peer("c_t1", "terminal", direction="upstream")
T2 = peer("c_t2", "terminal", direction="upstream")


def make_card() -> Card:
    return Card(MANIFEST, timing=VirtualTiming())


def make_host(card: Card) -> CardHost:
    return CardHost(card, permissions=["agents.output"], peers=[T1, T2], agents=[shell("c_t1"), shell("c_t2")])


async def test_output_is_heard_of_the_named_ones_alone() -> None:
    card = make_card()
    heard: list[Output] = []
    card.on_agent_output(["c_t1"], heard.append)
    async with make_host(card) as host:
        await host.print_output("c_t1", "hello\n")
        await host.print_output("c_t2", "not this\n")
    assert [(output.agent_id, output.text) for output in heard] == [("c_t1", "hello\n")]


async def test_listeners_added_together_make_one_subscription_with_all_agents() -> None:
    card = make_card()
    async with make_host(card) as host:
        card.on_agent_output(["c_t1"], lambda: None)
        stop = card.on_agent_output(["c_t2"], lambda: None)
        await card.subscribed()
        subscribed = [call.params for call in host.calls if call.method == "events.subscribe"]
        assert subscribed == [{"topics": ["agents.output"], "agentIds": ["c_t1", "c_t2"]}]
        stop()
        await card.subscribed()
        assert host.world.output_of == {"c_t1"}


async def test_a_listener_that_is_ended_twice_takes_no_other_one_along() -> None:
    card = make_card()
    async with make_host(card) as host:
        stops = [card.on_agent_status(lambda: None), card.on_agent_output(["c_t1"], lambda: None)]
        card.on_agent_status(lambda: None)
        card.on_agent_output(["c_t1"], lambda: None)
        await card.subscribed()
        for stop in stops * 2:
            stop()
        await card.subscribed()
        assert host.world.topics == {"agents.output", "agents.status"}
        assert host.world.output_of == {"c_t1"}


async def test_the_last_listener_ends_the_subscription() -> None:
    card = make_card()
    async with make_host(card) as host:
        stop = card.on_agent_output(["c_t1"], lambda: None)
        await card.subscribed()
        stop()
        await card.subscribed()
        assert host.calls[-1].method == "events.unsubscribe"
        assert host.world.topics == set()


async def test_a_new_connection_is_told_what_the_card_listens_to() -> None:
    card = make_card()
    heard: list[str] = []
    card.on_agent_output(["c_t1"], lambda output: heard.append(output.text))
    card.on_agent_status(lambda change: heard.append(change.status))
    async with make_host(card) as host:
        await host.unmount()
        await host.mount()
        await host.print_output("c_t1", "again")
        await host.set_status("c_t2", AgentStatus.WORKING)
    assert heard == ["again", "working"]


async def test_a_topic_that_was_not_granted_is_told_in_the_log() -> None:
    card = make_card()
    card.on_agent_status(lambda: None)
    async with CardHost(card, permissions=[]) as host:
        await card.subscribed()
        assert host.shown.log == [("warn", "agents.status is not granted: nothing will come")]


async def test_an_agent_without_an_arrow_is_told_in_the_log_and_tried_again() -> None:
    card = make_card()
    async with make_host(card) as host:
        card.on_agent_output(["c_far"], lambda: None)
        await card.subscribed()
        assert "NOT_CONNECTED" in host.shown.log[0][1]
        await host.set_peers(T1, T2, peer("c_far", "terminal", direction="upstream"))
        card.on_agent_output(["c_t1"], lambda: None)
        await card.subscribed()
        assert host.world.output_of == {"c_far", "c_t1"}


async def test_status_changes_can_be_heard_of_one_agent() -> None:
    card = make_card()
    heard: list[StatusChange] = []
    card.on_agent_status(heard.append, "c_t2")
    turns: list[str] = []
    card.on_agent_turn(lambda turn: turns.append(turn.phase), "c_t2")
    async with make_host(card) as host:
        await host.set_status("c_t1", AgentStatus.WORKING)
        await host.set_status("c_t2", AgentStatus.WORKING)
        await host.set_status("c_t2", AgentStatus.FINISHED)
    assert [change.status for change in heard] == ["working", "finished"]
    assert turns == ["start", "end"]


async def test_agents_that_came_or_went_are_heard_of_as_the_whole_list() -> None:
    card = make_card()
    heard: list[list[tuple[str, bool]]] = []
    stop = card.on_agents_changed(lambda agents: heard.append([(one.id, one.connected) for one in agents]))
    async with make_host(card) as host:
        listed = host.world.answers["agents.list"]({})
        await host.event("agents.changed", {"agents": listed})
        await host.event("agents.changed", {"agents": listed[1:]})
        stop()
        await host.event("agents.changed", {"agents": []})
    assert heard == [[("c_t1", True), ("c_t2", True)], [("c_t2", True)]]


async def test_agents_are_listed_with_whether_an_arrow_joins_them() -> None:
    card = make_card()
    async with CardHost(card, permissions=["agents.output"], peers=[T1], agents=[shell("c_t1"), shell("c_x")]):
        assert [(agent.id, agent.connected) for agent in await card.agents.list()] == [("c_t1", True), ("c_x", False)]
        assert (await card.agents.get("c_x")).status is AgentStatus.IDLE
        with pytest.raises(CallError) as caught:
            await card.agents.get("c_none")
    assert caught.value.code is ErrorCode.NOT_FOUND


async def test_screens_and_commands_go_through_the_host() -> None:
    card = make_card()
    host = CardHost(card, permissions=["agents.output", "terminals.write"], peers=[T1], agents=[shell("c_t1")])
    async with host:
        host.answer_with("agents.readScreen", lambda params: {"text": f"{params['lines']} lines"})
        host.answer_with(
            "terminals.run",
            lambda params: {"exitCode": 0, "output": params["command"], "truncated": False, "timedOut": False},
        )
        written: list[Any] = []
        host.answer_with("terminals.write", written.append)
        assert await card.agents.read_screen("c_t1", 80) == "80 lines"
        assert await card.terminals.run("c_t1", "true") == CommandResult(0, "true", False, False)
        await card.terminals.write("c_t1", "ls", submit=True)
        assert written == [{"agentId": "c_t1", "text": "ls", "submit": True}]


async def test_calls_while_the_host_is_away_fail_and_ready_handlers_run_after_each_handshake() -> None:
    card = make_card()
    ready: list[str] = []
    card.on_ready(lambda: ready.append(card.visibility))
    async with make_host(card) as host:
        await host.unmount()
        with pytest.raises(CallError) as caught:
            await card.emit("out", "x")
        assert caught.value.code is ErrorCode.UNAVAILABLE
        await host.mount()
        assert ready == ["visible", "visible"]


async def test_calls_under_way_fail_when_the_connection_closes() -> None:
    card = make_card()
    async with make_host(card) as host:
        host.fall_silent()
        await settle()
        waiting = asyncio.create_task(card.call("theme.get", {}))
        await settle()
        await host.unmount()
        with pytest.raises(CallError) as lost:
            await waiting
    assert lost.value.code is ErrorCode.UNAVAILABLE

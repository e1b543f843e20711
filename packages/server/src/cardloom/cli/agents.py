"""What the commands about agents do. Spec: agents, the command line."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Any

from cardloom_protocol.agents import HARNESSES, AgentStatus
from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_sdk import Client, Mirror

from .console import EXIT_FAILED, Answer, UsageError, say, table
from .given import given_text
from .session import Record, card_of, session, snapshots_of, workspace_of


async def list_agents(workspace: str | None) -> Answer:
    """The agents of a workspace, or of all open ones; those that wait for somebody first."""
    async with session() as client:
        snapshots = await snapshots_of(client, workspace)
    cards = [(shown["workspace"], card) for shown in snapshots for card in shown["cards"] if card["kind"] == "agent"]
    cards.sort(key=lambda pair: _status(pair[1]) != "needs-input")
    rows = [
        (card["id"], card["name"], card["type"], _status(card), _since(card), home["name"], _waits(card))
        for home, card in cards
    ]
    data = [{"workspaceId": home["id"], **card} for home, card in cards]
    heads = ("ID", "NAME", "HARNESS", "STATUS", "SINCE", "WORKSPACE", "WAITS FOR YOU")
    return Answer(data, table(heads, rows) if rows else "There is no agent. Make one with: cardloom agent new HARNESS")


async def list_harnesses(*, again: bool) -> Answer:
    """What is installed, first."""
    async with session() as client:
        found = (await client.call("agent.harnesses", {"again": again}))["harnesses"]
    rows = [
        (
            one["id"],
            one["name"],
            one["version"] or ("yes" if one["found"] else "-"),
            one["problem"] or "",
            one["install"] or "",
        )
        for one in found
    ]
    return Answer(found, table(("ID", "NAME", "VERSION", "PROBLEM", "INSTALL"), rows))


async def new(harness: str, workspace: str | None, wishes: Mapping[str, Any]) -> Answer:
    """Put an agent beside what stands on the canvas, and start it."""
    known = [one.id for one in HARNESSES.values() if one.kind == "ai"]
    if harness not in known:
        raise UsageError(f"{harness!r} is no agent that can be put on a canvas; there are {', '.join(known)}.")
    async with session() as client:
        home = await workspace_of(client, workspace)
        cards = (await client.call("canvas.snapshot", {"workspaceId": home["id"]}))["cards"]
        x = max((card["x"] + card["w"] for card in cards), default=-40.0) + 40
        y = min((card["y"] for card in cards), default=0.0)
        given = {name: value for name, value in wishes.items() if value not in (None, False)}
        card = await client.call(
            "agent.create", {"workspaceId": home["id"], "harness": harness, "x": x, "y": y, **given}
        )
    return Answer(card, f"{card['name']} runs ({card['id']}).")


async def start(name: str, first: str | None, workspace: str | None, *, fresh: bool) -> Answer:
    async with session() as client:
        card = await _agent(client, name, workspace)
        params: dict[str, Any] = {"cardId": card["id"], "fresh": fresh}
        if first is not None:
            params["prompt"] = first
        card = await client.call("agent.start", params)
    return Answer(card, f"{card['name']} runs.")


async def stop(name: str, workspace: str | None) -> Answer:
    async with session() as client:
        card = await _agent(client, name, workspace)
        await client.call("agent.stop", {"cardId": card["id"]})
    return Answer({"cardId": card["id"]}, f"{card['name']} has ended.")


async def prompt(
    name: str, text: str, workspace: str | None, when_busy: str, timeout_s: int, *, submit: bool, follow: bool
) -> Answer:
    """Send a prompt; with `follow`, wait for the end of its turn."""
    words = given_text(text)
    if not words.strip():
        raise UsageError("The prompt holds no text.")
    async with session() as client:
        card = await _agent(client, name, workspace)
        asked = {"agentId": card["id"], "text": words, "submit": submit, "whenBusy": when_busy}
        delivered = (await client.call("agents.prompt", asked))["delivered"]
        told = {"sent": "Sent.", "queued": "Queued; it goes out when the turn ends.", "inserted": "In the input box."}
        data: dict[str, Any] = {"cardId": card["id"], "delivered": delivered}
        if not follow or delivered == "inserted":
            return Answer(data, told[delivered])
        say(told[delivered])
        if delivered == "queued":
            waiting = (await client.call("queue.list", {"cardId": card["id"]}))["prompts"]
            newest = max(waiting, key=lambda one: one["atMs"], default={"id": ""})
            ended = await _wait_in_queue(client, card, newest["id"], timeout_s)
        else:
            ended = await _wait(client, card, _ENDS, timeout_s, after=True)
        reply = await client.call("agents.lastReply", {"agentId": card["id"]})
    data |= {"status": ended, "reply": reply["text"]}
    if ended != "finished":
        return Answer(data, f"{card['name']} is {ended}.", EXIT_FAILED)
    return Answer(data, reply["text"] or "The agent said nothing that its log tells.")


async def answer(name: str, choice: str | None, workspace: str | None) -> Answer:
    """Answer the open question, or show it."""
    async with session() as client:
        card = await _agent(client, name, workspace)
        question = (card["runtime"] or {}).get("question")
        if question is None:
            raise CallError(ErrorCode.BUSY, f"{card['name']} asks nothing now.")
        if choice is None:
            return Answer(question, f"{question['action']}\n(answer with: {', '.join(question['choices'])})")
        asked = {"cardId": card["id"], "choice": choice, "questionId": question["id"]}
        await client.call("agent.answer", asked)
    return Answer({**question, "choice": choice}, f"Answered: {choice}.")


async def interrupt(name: str, workspace: str | None) -> Answer:
    async with session() as client:
        card = await _agent(client, name, workspace)
        await client.call("agent.interrupt", {"cardId": card["id"]})
    return Answer({"cardId": card["id"]}, f"{card['name']} was told to stop.")


async def wait(name: str, until: str, workspace: str | None, timeout_s: int) -> Answer:
    """Wait for one of some statuses; exit code 1 when none came in time."""
    wanted = tuple(word.strip() for word in until.split(","))
    known = [status.value for status in AgentStatus]
    for word in wanted:
        if word not in known:
            raise UsageError(f"{word!r} is no status; there are {', '.join(known)}.")
    async with session() as client:
        card = await _agent(client, name, workspace)
        status = await _wait(client, card, wanted, timeout_s)
    reached = status in wanted
    return Answer(
        {"cardId": card["id"], "status": status}, f"{card['name']} is {status}.", 0 if reached else EXIT_FAILED
    )


async def queue(name: str, cancel: str | None, send: str | None, workspace: str | None) -> Answer:
    """The prompts that wait, after taking one away or sending it."""
    async with session() as client:
        card = await _agent(client, name, workspace)
        for method, prompt_id in (("queue.cancel", cancel), ("queue.send", send)):
            if prompt_id is not None:
                await client.call(method, {"cardId": card["id"], "promptId": prompt_id})
        waiting = (await client.call("queue.list", {"cardId": card["id"]}))["prompts"]
    rows = [
        (one["id"], one["fromName"] or "you", one["text"].replace("\n", " ")[:70], _standing(one)) for one in waiting
    ]
    return Answer(waiting, table(("ID", "FROM", "PROMPT", "PROBLEM"), rows) if rows else "No prompt waits.")


def _standing(prompt: Record) -> str:
    """Why a prompt still waits."""
    if prompt["state"] == "unsure":
        return "perhaps delivered: look at the agent, then send it again or take it away"
    return "is being typed" if prompt["state"] == "typing" else str(prompt["problem"] or "")


_ENDS = ("finished", "needs-input", "idle", "exited")


async def _agent(client: Client, named: str, workspace: str | None) -> Record:
    card = await card_of(client, named, workspace)
    if card["kind"] != "agent":
        raise CallError(ErrorCode.NOT_FOUND, f"{card['name']!r} is no agent but a {card['kind']}.")
    return card


async def _wait(client: Client, card: Record, wanted: tuple[str, ...], timeout_s: int, *, after: bool = False) -> str:
    """The status once it is a wanted one, or the one it has when the time is over. `after`: it must be another one."""
    canvas = await client.subscribe(card["workspaceId"])
    earlier = _moved(card)

    def reached(mirror: Mirror) -> bool:
        now = mirror.cards.get(card["id"])
        return now is None or (_status(now) in wanted and not (after and _moved(now) == earlier))

    with contextlib.suppress(CallError):
        await canvas.wait_for(reached, timeout_s * 1000)
    return await _status_now(client, card)


async def _wait_in_queue(client: Client, card: Record, prompt_id: str, timeout_s: int) -> str:
    """The status once a queued prompt has gone out and its turn is over, or the one it has when the time is over."""
    canvas = await client.subscribe(card["workspaceId"])
    waits, last = True, (0, "")

    def reached(mirror: Mirror) -> bool:
        now = mirror.cards.get(card["id"])
        if now is None or _status(now) == "exited":
            return True
        return _queued(now) != last if waits else _status(now) in _ENDS

    with contextlib.suppress(CallError, TimeoutError):
        async with asyncio.timeout(timeout_s):
            while waits:
                waiting = (await client.call("queue.list", {"cardId": card["id"]}))["prompts"]
                waits = any(one["id"] == prompt_id for one in waiting)
                mirror = await canvas.wait_for(reached, timeout_s * 1000)
                now = mirror.cards.get(card["id"])
                if now is None or _status(now) == "exited":
                    break
                last = _queued(now)
    return await _status_now(client, card)


async def _status_now(client: Client, card: Record) -> str:
    now = (await client.call("canvas.snapshot", {"workspaceId": card["workspaceId"]}))["cards"]
    return next((_status(one) for one in now if one["id"] == card["id"]), "exited")


def _queued(card: Record) -> tuple[int, str]:
    """What changes when a prompt leaves the queue."""
    return (card["runtime"] or {}).get("queued") or 0, _status(card)


def _moved(card: Record) -> tuple[Any, Any]:
    """What changes with every change of status."""
    runtime = card["runtime"] or {}
    return runtime.get("sinceMs"), runtime.get("lastTurn")


def _status(card: Record) -> str:
    return str((card["runtime"] or {}).get("status") or "idle")


def _since(card: Record) -> str:
    since_ms = (card["runtime"] or {}).get("sinceMs")
    return time.strftime("%H:%M:%S", time.localtime(since_ms / 1000)) if since_ms else ""


def _waits(card: Record) -> str:
    question = (card["runtime"] or {}).get("question")
    return str(question["detail"]) if question else ""

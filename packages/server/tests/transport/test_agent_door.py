"""The agents' server is loaded with the first proven agent, and for nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from cardloom.core.records import Change
from cardloom.transport.mcp.door import AgentDoor
from cardloom_protocol.ids import CardId, WorkspaceId


class Served:
    """A server that says hello and notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Response("hello")(scope, receive, send)

    async def run(self) -> None:
        self.told.append("runs")

    def close(self) -> None:
        self.told.append("closes")

    def look_again(self, *_: object) -> None:
        self.told.append("looks")

    def canvas_changed(self, workspace_id: WorkspaceId, changes: Sequence[Change], /) -> None:
        self.told.append(f"changed {workspace_id}")

    def forget(self, card_id: CardId) -> None:
        self.told.append(f"forgets {card_id}")


async def asked(door: AgentDoor, token: bytes) -> int:
    """The status that a request gets."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [(b"authorization", token)]}
    async with asyncio.timeout(60):
        await door(scope, receive, send)
    return statuses[0]


def door_to(served: Served, loads: list[Served]) -> AgentDoor:
    def load() -> Served:
        loads.append(served)
        return served

    return AgentDoor(lambda headers: CardId("c_1") if headers["authorization"] == "good" else None, load)


async def test_a_stranger_is_refused_and_loads_nothing() -> None:
    loads: list[Served] = []
    door = door_to(Served(), loads)
    life = asyncio.create_task(door.run())
    assert await asked(door, b"bad") == 403
    door.look_again()
    door.canvas_changed(WorkspaceId("w_1"), [])
    door.forget(CardId("c_1"))
    door.close()
    assert loads == []
    life.cancel()


async def test_the_first_agent_loads_the_server_and_the_next_ones_find_it() -> None:
    loads: list[Served] = []
    served = Served()
    door = door_to(served, loads)
    life = asyncio.create_task(door.run())
    assert [await asked(door, b"good"), await asked(door, b"good")] == [200, 200]
    door.look_again()
    door.canvas_changed(WorkspaceId("w_1"), [])
    door.forget(CardId("c_1"))
    door.close()
    await life
    assert loads == [served]
    assert served.told == ["runs", "looks", "changed w_1", "forgets c_1", "closes"]


async def test_an_agent_that_comes_while_the_server_ends_is_told_so() -> None:
    door = door_to(Served(), [])
    door.close()
    assert await asked(door, b"good") == 503


async def test_a_library_that_cannot_be_loaded_leaves_the_canvas_alone() -> None:
    def load() -> Served:
        raise ImportError("no such library")

    door = AgentDoor(lambda _: CardId("c_1"), load)
    life = asyncio.create_task(door.run())
    assert await asked(door, b"good") == 503
    await life

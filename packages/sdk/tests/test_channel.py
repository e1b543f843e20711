"""A channel over a real socket, whose other side may stand still."""

from __future__ import annotations

import asyncio

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from cardloom_sdk.channel import dial

CAP_S = 60.0


async def test_a_server_that_answers_no_ping_for_a_while_is_still_there_afterwards() -> None:
    missed = 0

    async def stand_still(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a socket, answer none of its pings, and go on after many."""
        nonlocal missed
        protocol = ServerProtocol()
        while missed < 20 and (data := await reader.read(1 << 16)):
            protocol.receive_data(data)
            for event in protocol.events_received():
                if isinstance(event, Request):
                    protocol.send_response(protocol.accept(event))
                    writer.writelines(protocol.data_to_send())
                elif isinstance(event, Frame) and event.opcode is Opcode.PING:
                    missed += 1
                    protocol.data_to_send()
        writer.write(Frame(Opcode.TEXT, b"I am back").serialize(mask=False))
        writer.close()

    server = await asyncio.start_server(stand_still, "127.0.0.1", 0)
    async with asyncio.timeout(CAP_S), server:
        port = server.sockets[0].getsockname()[1]
        channel = await dial(f"http://127.0.0.1:{port}", "/ws", "key", ping_s=0.01)
        assert await channel.receive() == "I am back"
        await channel.close()
    assert missed == 20

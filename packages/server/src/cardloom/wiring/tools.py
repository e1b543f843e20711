"""The door for agents: cards' tools over MCP."""

from __future__ import annotations

from ..features.canvas.service import CanvasService
from ..features.cards.contract import CardContract
from ..transport.mcp.desk import Hall
from ..transport.mcp.door import AgentDoor, AgentServer
from .shared import Shared


def join_tools(shared: Shared, canvas: CanvasService, contract: CardContract) -> AgentDoor:
    """Make the door; what stands behind it is loaded when the first agent comes."""
    hall = Hall(shared.dispatcher, shared.bus, shared.graph, shared.directory, contract.growing.children)

    def load_agent_server() -> AgentServer:
        from ..transport.mcp.server import McpServer

        return McpServer(hall, contract.tools, shared.doorkeeper.agent_by_header)

    door = AgentDoor(shared.doorkeeper.agent_by_header, load_agent_server)
    shared.agent_tokens.revoked = door.forget
    canvas.listeners.changed.append(door.canvas_changed)
    canvas.listeners.changed.append(lambda *_: contract.tools.look_again())
    contract.tools.changed.append(door.look_again)
    shared.directory.listen(door.look_again)
    shared.bus.listen("packages.changed", door.look_again)
    shared.life.background.append(door.run)
    return door

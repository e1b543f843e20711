"""Terminals."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.call import Cause
from ..features.canvas.folders import check_folder
from ..features.canvas.service import CanvasService
from ..features.ports.service import PortsService
from ..features.terminals import handlers as terminal_handlers
from ..features.terminals.service import KIND, CommandRecord, Hooks, TerminalService
from .kinds import join_kind
from .shared import Shared


@dataclass(frozen=True, slots=True)
class ProgramsGroup:
    """Terminals."""

    terminals: TerminalService


def join_programs(shared: Shared, canvas: CanvasService, ports: PortsService) -> ProgramsGroup:
    """Make the terminals, which send values and leave their commands in the journal."""
    graph, bus, clock = shared.graph, shared.bus, shared.clock

    async def record_command(record: CommandRecord) -> Cause:
        return await ports.record_act(
            "command", record.sender, record.to, record.command, record.cause, error=record.error
        )

    hooks = Hooks(
        canvas.commits.patch_runtime, check_folder, emit=ports.emit, record=record_command, count=shared.gate.count
    )
    terminals = TerminalService(graph, bus, clock, shared.directory, shared.subscriptions, hooks)
    terminals.set_scheme(canvas.preferences["scheme"])
    shared.handlers.add(terminal_handlers.handlers(terminals, ports.post.cause_of))
    ports.receivers[KIND] = terminals.receive
    join_kind(canvas.listeners, graph, KIND, terminals.card_comes, terminals.card_goes)
    canvas.listeners.changed.append(terminals.canvas_changed)
    shared.life.on_stop.append(terminals.close)
    return ProgramsGroup(terminals)

"""Usage: what agents spent, told to cards and the owner, and budgets that hold prompts of cards back."""

from __future__ import annotations

from ..features.canvas.service import CanvasService
from ..features.usage import handlers
from ..features.usage.ledger import UsageLedger
from ..features.usage.service import UsageService
from .shared import Shared


def join_usage(shared: Shared, canvas: CanvasService) -> UsageService:
    """Make the usage service; the agents ask it whether a budget allows a prompt and tell it who prompted."""
    usage = UsageService(
        shared.graph,
        shared.bus,
        shared.clock,
        shared.directory,
        UsageLedger(shared.database),
        shared.settings.data_folder,
    )
    shared.handlers.add(handlers.card_handlers(usage, shared.graph))
    shared.handlers.add(handlers.owner_handlers(usage, shared.graph, shared.clock))
    shared.handlers.add(handlers.budget_handlers(usage))
    canvas.listeners.changed.append(usage.canvas_changed)
    shared.life.on_start.append(usage.start)
    shared.life.on_stop.append(usage.close)
    shared.life.background.append(usage.run)
    return usage

"""The canvas: workspaces, cards and arrows."""

from __future__ import annotations

from dataclasses import dataclass

from ..features.canvas import handlers
from ..features.canvas.handlers import Surroundings
from ..features.canvas.service import CanvasService
from ..host.shells import usual_shell
from .shared import Shared


@dataclass(frozen=True, slots=True)
class CanvasGroup:
    """The canvas, and what it tells pages of its surroundings."""

    canvas: CanvasService
    surroundings: Surroundings


def join_canvas(shared: Shared) -> CanvasGroup:
    """Make the canvas, which everything else changes through `commit`."""
    canvas = CanvasService(shared.database, shared.graph, shared.bus, shared.clock, shared.dialogs)
    canvas.default_shell = usual_shell()
    surroundings = Surroundings(
        shared.bus, shared.presence, shared.dialogs, shared.doorkeeper.new_address, notices=shared.notices
    )
    shared.handlers.add(handlers.handlers(canvas, surroundings))
    return CanvasGroup(canvas, surroundings)

"""The events that pages, the command line and the SDK receive with the owner's key.

Spec: decisions 36-46; the shapes named here are described in the protocol guide.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from .method_row import EventRow


def _row(name: str, doc: str, data: str) -> EventRow:
    return EventRow(name, doc, data, ns="cardloom")


_ROWS = (
    _row(
        "canvas.changed",
        "What changed on a subscribed canvas; `seq` grows by one each time, so a hole shows a loss.",
        "{workspaceId, seq, by: pageId|null, changes: [{op, …}]}",
    ),
    _row(
        "arrow.activity",
        "What passed along arrows in the last tenth of a second.",
        "{workspaceId, arrows: [{arrowId, direction, stats, outcome, type}]}",
    ),
    _row("workspace.changed", "The list of workspaces changed.", "{workspaces}"),
    _row("preferences.changed", "The theme or the language was chosen anew.", "{scheme, language}"),
    _row("grants.changed", "What a package may do in a workspace changed.", "{workspaceId, packageId}"),
    _row("packages.changed", "The list of packages changed.", "{packages}"),
    _row(
        "terminal.output",
        "Output of an attached terminal; `offset` counts characters after this piece.",
        "{cardId, generation, offset, data}",
    ),
    _row(
        "terminal.resync",
        "A repaint for a viewer that fell behind or whose terminal started anew.",
        "{cardId, generation, offset, cols, rows, data}",
    ),
    _row("dialog.opened", "A question for the owner.", "{dialog}"),
    _row("dialog.closed", "A question was answered or ran out of time.", "{dialogId}"),
    _row("ui.toast", "A card says something in passing.", "{cardId, name, message, tone, durationMs}"),
    _row("card.taken", "Another page took over a card's frame from this one.", "{cardId, pageId}"),
    _row("card.wake", "This page should mount a card that is needed, though it may not be in sight.", "{cardId}"),
    _row("canvas.focus", "A card asks this page to bring another card into view.", "{workspaceId, cardId}"),
    _row("card.openSettings", "A card asks this page to open its settings form.", "{cardId, name}"),
    _row(
        "clipboard.write",
        "A card asks this page to copy a text; answer with `clipboard.written`.",
        "{writeId, cardId, name, text}",
    ),
    _row(
        "files.changed",
        "What changed below a path that this connection watches; the types are those of `fs.changed`.",
        "{watchId, changes: [{path, type: change|rename|rescan|ended}]}",
    ),
    _row(
        "session.stream",
        "What a stream of sessions brought: a run's events with the id to go on behind, changed files, or a service's "
        "events. Nothing follows `ended`.",
        "{streamId, events: [{id|null, event}], ended, error: {code, message}|null}",
    ),
    _row(
        "session.run",
        "A run of a session began, waits for an answer, goes on or ended, whoever began it.",
        "{backend, sessionId, runId, status: running|needs-input|done|cancelled|error}",
    ),
    _row("session.changed", "A session was made, changed or removed over some page.", "{backend, sessionId}"),
    _row("session.engineChanged", "The engine's models are elsewhere now, or it works in another workspace.", "{}"),
    _row("session.backendsChanged", "A backend was set up, changed or removed.", "{}"),
    _row("card.log", "A card logged or printed lines.", "{cardId, lines}"),
    _row("stream.gap", "This connection was too slow and lost events: subscribe again.", "{}"),
    _row("server.closing", "The server is about to end.", "{}"),
    _row("usage.progress", "A scan of the agents' logs goes on; told when it takes long.", "{done, total}"),
    _row("usage.changed", "The agents' logs were read anew.", "{scannedAt}"),
    _row(
        "budget.changed",
        "Budgets of a workspace were set, or what is spent of one passed 50, 80 or 100 per cent.",
        "{workspaceId, budgets, crossed: {budgetId, percent}|null}",
    ),
)

CANVAS_EVENTS: Final = MappingProxyType({row.name: row for row in _ROWS})

"""The events a card may receive, one row each, in the order of the published contract.

Spec: cards, events; decision 5 for `storage.changed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .method_row import EventRow

_ROWS = (
    EventRow("host.ping", "Heartbeat; the card answers with `host.pong`.", "{seq}"),
    EventRow("lifecycle.visibility", "The card came on screen, became a tile or went off.", "{state}"),
    EventRow("lifecycle.suspend", "The frame goes after the grace; last chance to store.", "{graceMs}"),
    EventRow("lifecycle.expanded", "The card fills the window, or no longer does.", "{expanded}"),
    EventRow("lifecycle.resized", "The card has a new size.", "{w, h}"),
    EventRow("settings.changed", "Settings changed; all of them.", "{values, secrets}"),
    EventRow("theme.changed", "The theme changed; all of it.", "the theme object"),
    EventRow("i18n.changed", "Language or locale changed.", "{language, locale}"),
    EventRow("permissions.changed", "A grant was given or taken back.", "the permission list"),
    EventRow("ui.menu", "The user chose an entry of the card's menu.", "{id}", buffered=True),
    EventRow(
        "ports.message",
        "A value arrived at an input.",
        "{from, fromKind, output, input, type, sourceType, data, at}",
        buffered=True,
    ),
    EventRow(
        "ports.request",
        "Another card asks; answer with `ports.respond` before the deadline (epoch ms).",
        "{requestId, from, input, data, deadline}",
    ),
    EventRow("ports.peersChanged", "The joined cards changed; all of them.", "PeerInfo[]"),
    EventRow(
        "tools.call",
        "An agent calls a tool of the card; answer with `tools.respond` before the deadline (epoch ms).",
        "{callId, tool, args, agent: {id, name}, deadline}",
    ),
    EventRow("tools.cancel", "The agent no longer wants the answer.", "{callId}"),
    EventRow(
        "net.chunk",
        "A piece of a streamed response body.",
        "{requestId, chunk, encoding: text|base64, done, error?}",
    ),
    EventRow(
        "fs.changed",
        "Below a watched path an entry changed (`change`), came, went or was replaced (`rename`); or changes were "
        "lost: look again (`rescan`); or the path leads elsewhere now and the watch is over (`ended`).",
        "{watchId, path, type: change|rename|rescan|ended}",
        buffered=True,
    ),
    EventRow(
        "storage.changed",
        "Another card sharing the scope wrote; an empty key stands for all keys of a store that was emptied.",
        "{scope, key, deleted}",
        topic=True,
    ),
    EventRow(
        "agents.status", "An agent changed its status.", "{agentId, status, at}", topic=True, permission="agents.read"
    ),
    EventRow(
        "agents.turn",
        "A turn of an agent began or ended.",
        "{agentId, phase: start|end, at}",
        topic=True,
        permission="agents.read",
    ),
    EventRow(
        "agents.changed",
        "Agents came, went or were renamed; all of them.",
        "{agents: AgentInfo[]}",
        topic=True,
        permission="agents.read",
    ),
    EventRow(
        "agents.output",
        "Text printed by a joined agent, without control sequences.",
        "{agentId, text, at}",
        topic=True,
        permission="agents.output",
    ),
)

CARD_EVENTS: Mapping[str, EventRow] = MappingProxyType({row.name: row for row in _ROWS})

CARD_TOPICS: tuple[str, ...] = ("agents.status", "agents.turn", "agents.changed", "agents.output", "storage.changed")
"""The events that flow only after `events.subscribe`, in the order of its parameter."""

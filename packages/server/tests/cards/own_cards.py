"""A card that somebody runs themselves, for tests of what the host promises to it."""

from __future__ import annotations

from typing import Any

READY = {"sdkVersion": "1.3.0", "protocol": 1}
MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "protocol": 1,
    "version": "1.0.0",
    "name": "own-card",
    "displayName": "Own Card",
    "python": "card.py",
    "permissions": [{"id": "agents.read"}, {"id": "cards.connected", "optional": True}],
    "ports": {"inputs": [{"id": "in", "label": "In", "type": "ns:text"}]},
}


async def own_card(desk: Any, clients: Any, manifest: dict[str, Any] = MANIFEST) -> tuple[str, Any, dict[str, Any]]:
    """A card that somebody runs themselves, its connection and its context."""
    made = await desk.page.call("card.run", workspaceId=desk.id, manifest=manifest, x=1, y=2)
    client = clients.card(made["cardId"])
    context = await client.call("host.ready", **READY)
    return made["cardId"], client, context

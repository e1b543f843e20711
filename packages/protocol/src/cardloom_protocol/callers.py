"""Who may call: one row a kind of caller, with its credential, its Origin rule and its methods.

The server's doorkeeper reads this table before anything else happens to a request. Spec: decisions 36-38.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Literal

from .ids import CardId, ConnectionId, PageId, WorkspaceId
from .method_row import MethodRow
from .methods import OWNER_CARD_METHODS

OriginRule = Literal["own-or-none", "none-only", "own-none-or-null"]


class CallerKind(StrEnum):
    """The kinds of caller.

    OWNER holds the owner's key (page, command line, SDK). CARD is one card instance with its own token. AGENT holds an
    MCP token or a hook path. SESSION holds the session protocol's key. MOUNT is a card's frame, known by its path.
    """

    OWNER = "owner"
    CARD = "card"
    AGENT = "agent"
    SESSION = "session"
    MOUNT = "mount"


@dataclass(frozen=True, slots=True)
class CallerRow:
    """One kind of caller: `routes` are the path prefixes it may reach, `ns` the namespaces it may speak."""

    kind: CallerKind
    credential: str
    origin: OriginRule
    routes: tuple[str, ...]
    ns: tuple[str, ...]
    doc: str


_ROWS = (
    CallerRow(
        CallerKind.OWNER,
        "the owner's key: Authorization header, or the first message of a page's socket",
        "own-or-none",
        ("/ws", "/call"),
        ("cardloom",),
        "The person: the page, the command line and the SDK.",
    ),
    CallerRow(
        CallerKind.CARD,
        "a one-card token in the Authorization header",
        "none-only",
        ("/ws/card",),
        ("nscard",),
        "One headless card.",
    ),
    CallerRow(
        CallerKind.AGENT,
        "a token of its own: Authorization header on /mcp, an HMAC path on /hooks",
        "none-only",
        ("/mcp", "/hooks"),
        (),
        "One agent, through its tools and its hooks. It never grants, answers, budgets or installs.",
    ),
    CallerRow(
        CallerKind.SESSION,
        "the session protocol's own key in the Authorization header",
        "own-or-none",
        ("/protocol", "/ag-ui"),
        (),
        "A chat front end.",
    ),
    CallerRow(
        CallerKind.MOUNT,
        "the path token of one mounted frame",
        "own-none-or-null",
        ("/frames", "/ws/card"),
        ("nscard",),
        "One card's frame in one page.",
    ),
)

CALLERS: Final[Mapping[CallerKind, CallerRow]] = {row.kind: row for row in _ROWS}

AGENT_METHODS: Final[Mapping[str, str | None]] = {
    "note.edit": "cardId",
    "todo.edit": "cardId",
    "kanban.edit": "cardId",
    "terminals.run": "agentId",
    "terminals.write": "agentId",
    "agents.readScreen": "agentId",
    "agents.lastReply": "agentId",
    "agents.prompt": "agentId",
    "canvas.connect": None,
    "canvas.disconnect": None,
    "canvas.removeCard": None,
    "card.spawn": None,
    "ports.peers": None,
    "fs.stat": None,
    "fs.list": None,
    "fs.read": None,
    "fs.write": None,
    "fs.mkdir": None,
    "fs.trash": None,
    "fs.watch": None,
    "fs.unwatch": None,
    "clipboard.writeText": None,
}
"""The methods that an agent's tools call in its name, with the parameter that names the card an arrow must join."""


def for_agent(row: MethodRow) -> MethodRow:
    """The row as it holds for an agent: its arrows are what the owner granted it, permissions are for packages."""
    return replace(row, permissions_any_of=(), needs_arrow=AGENT_METHODS.get(row.name))


@dataclass(frozen=True, slots=True)
class Caller:
    """Who stands behind one call. A card's `card_id` comes from its credential, never from a message."""

    kind: CallerKind
    connection_id: ConnectionId
    card_id: CardId | None = None
    workspace_id: WorkspaceId | None = None
    page_id: PageId | None = None

    def may_call(self, row: MethodRow) -> bool:
        """Whether this kind of caller is ever allowed the method; permissions and arrows come after."""
        if self.kind is CallerKind.OWNER:
            return row.ns == "cardloom" or row.name in OWNER_CARD_METHODS
        if self.kind is CallerKind.AGENT:
            return row.name in AGENT_METHODS
        return self.kind in (CallerKind.CARD, CallerKind.MOUNT) and row.ns == "nscard"

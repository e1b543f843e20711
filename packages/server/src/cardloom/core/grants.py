"""What each package may do in a workspace, as the gate asks it: the closure of what the owner granted.

The cards feature stores grants and sets them here; revoking tells its listeners, who end what relied on it. Built-in
cards act for the owner and need none. Spec: decision 6; cards, permissions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.permissions import closure

GrantListener: TypeAlias = Callable[[WorkspaceId, PackageId], None]


class Grants:
    """Granted permission ids by workspace and package, and which package each custom card is of.

    `version` grows whenever the answer of `effective` may have changed, so that routing may remember answers.
    """

    def __init__(self) -> None:
        self.version = 0
        self._granted: dict[tuple[WorkspaceId, PackageId], frozenset[str]] = {}
        self._package_of: dict[CardId, tuple[WorkspaceId, PackageId]] = {}
        self._listeners: list[GrantListener] = []

    def bind(self, card_id: CardId, workspace_id: WorkspaceId, package_id: PackageId) -> None:
        """Remember which package a card is of."""
        self._package_of[card_id] = (workspace_id, package_id)
        self.version += 1

    def unbind(self, card_id: CardId) -> None:
        self._package_of.pop(card_id, None)
        self.version += 1

    def set(self, workspace_id: WorkspaceId, package_id: PackageId, permissions: Iterable[str]) -> None:
        """Replace what a package may do, and tell listeners when that changes anything."""
        granted = frozenset(permissions)
        if self._granted.get((workspace_id, package_id), frozenset()) != granted:
            self._granted[(workspace_id, package_id)] = granted
            self.version += 1
            for listener in self._listeners:
                listener(workspace_id, package_id)

    def literal(self, workspace_id: WorkspaceId, package_id: PackageId) -> frozenset[str]:
        """What was granted, word for word."""
        return self._granted.get((workspace_id, package_id), frozenset())

    def effective(self, card_id: CardId) -> frozenset[str]:
        """What a card may do, implied permissions included; nothing for a card of no package."""
        key = self._package_of.get(card_id)
        return closure(self._granted.get(key, frozenset())) if key is not None else frozenset()

    def listen(self, listener: GrantListener) -> None:
        """Be told whenever a package's grants change."""
        self._listeners.append(listener)

"""What packages may do: the owner's consents and grants, kept on disk and set where the gate reads them.

The first start of a package in a workspace asks. With the consent go the permissions it requires; what it asks for
later, in a new version, is asked again. Spec: decisions 6, 44.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId, PageId, WorkspaceId

from ...core.clock import Clock
from ...core.dialogs import UNANSWERED, Dialogs
from ...core.grants import Grants
from ...core.graph import Graph
from ...core.presence import Page, Presence
from ...core.records import Card
from .model import Package, question
from .store import CardsStore, Key


class Consents:
    """Asks, remembers, grants and revokes."""

    def __init__(
        self,
        store: CardsStore,
        grants: Grants,
        dialogs: Dialogs,
        presence: Presence,
        graph: Graph,
        clock: Clock,
        language: Callable[[], str],
    ) -> None:
        self._store = store
        self._grants = grants
        self._dialogs = dialogs
        self._presence = presence
        self._graph = graph
        self._clock = clock
        self._language = language
        self._granted = store.grants()
        self._consents = store.consents()
        self._changing = asyncio.Lock()
        self._asking: dict[Key, tuple[CardId, asyncio.Task[bool]]] = {}
        self._read_by: dict[CardId, set[PageId]] = {}
        presence.listen_pages(self._page_told)
        for key, granted in self._granted.items():
            grants.set(*key, granted)

    def granted(self, workspace_id: WorkspaceId, package_id: PackageId) -> frozenset[str]:
        """What the owner granted, word for word."""
        return frozenset(self._granted.get((workspace_id, package_id), ()))

    def may_run(self, workspace_id: WorkspaceId, package: Package) -> bool:
        """Whether the owner let the package run here with all that it requires now."""
        consented = self._consents.get((workspace_id, package.id))
        return consented is not None and package.required <= consented

    async def ask(self, card: Card, package: Package) -> bool:
        """Whether a package may run: as said before, else as the owner says now. One question a package at a time."""
        key = (card.workspace_id, package.id)
        while not self.may_run(card.workspace_id, package):
            asked_for, answer = self._asking.get(key, (None, None))
            if answer is None:
                asked_for, answer = card.id, asyncio.create_task(self._question(card, package))
                self._asking[key] = (asked_for, answer)
                answer.add_done_callback(lambda _: self._asking.pop(key, None))
            if await asyncio.shield(answer):
                continue
            if asked_for != card.id and asked_for is not None and self._graph.find_card(asked_for) is None:
                continue  # the card that asked went away; that was no answer
            return False
        return True

    async def consent(self, workspace_id: WorkspaceId, package: Package) -> None:
        """Let a package run, with what it requires and was agreed to."""
        key = (workspace_id, package.id)
        async with self._changing:
            granted = (self._granted.get(key, set()) & package.declared) | package.agreed
            await self._store.set_consent(key, package.agreed, granted, self._clock.now_ms())
            self._consents[key] = package.agreed
            self._set(key, granted)

    async def welcome(self, workspace_id: WorkspaceId, package: Package) -> None:
        """Give a package what installing it granted, at its first card in a workspace."""
        if (workspace_id, package.id) not in self._consents:
            await self.consent(workspace_id, package)

    def granted_to(self, package_id: PackageId) -> dict[WorkspaceId, frozenset[str]]:
        """What a package may do in each workspace that it was let into."""
        keys = {key for key in (*self._granted, *self._consents) if key[1] == package_id}
        return {key[0]: frozenset(self._granted.get(key, ())) for key in keys}

    async def replace_grants(self, package_id: PackageId, granted: Mapping[WorkspaceId, set[str]]) -> None:
        """Replace what a package may do in some workspaces."""
        async with self._changing:
            for workspace_id, permissions in granted.items():
                key = (workspace_id, package_id)
                if permissions != self._granted.get(key, set()):
                    await self._store.set_grants(key, permissions)
                    self._set(key, permissions)

    async def forget_package(self, package_id: PackageId) -> None:
        """Take everything from a package that was removed; installed again, it begins anew."""
        async with self._changing:
            for key in [key for key in self._granted if key[1] == package_id]:
                self._set(key, set())
                del self._granted[key]
            for key in [key for key in self._consents if key[1] == package_id]:
                del self._consents[key]
            await self._store.forget_package(package_id)

    async def grant(self, workspace_id: WorkspaceId, package: Package, permission: str, *, granted: bool) -> None:
        """Grant or revoke one permission. INVALID_PARAMS when the package does not declare it."""
        if granted and permission not in package.declared:
            raise CallError(ErrorCode.INVALID_PARAMS, f"{package.name} does not ask for {permission}", [])
        if granted:
            await self.grant_all(workspace_id, package, [permission])
            return
        key = (workspace_id, package.id)
        async with self._changing:
            held = set(self._granted.get(key, set())) - {permission}
            await self._store.set_grants(key, held)
            self._set(key, held)

    async def grant_all(self, workspace_id: WorkspaceId, package: Package, permissions: Iterable[str]) -> None:
        """Grant declared permissions as one change; those granted already stay."""
        key = (workspace_id, package.id)
        async with self._changing:
            before = self._granted.get(key, set())
            held = set(before).union(permissions)
            if held != before:
                await self._store.set_grants(key, held)
                self._set(key, held)

    def workspaces(self) -> set[WorkspaceId]:
        """The workspaces in which anything was consented to or granted."""
        return {workspace_id for workspace_id, _ in (*self._granted, *self._consents)}

    async def forget(self, workspace_id: WorkspaceId) -> None:
        """Drop all of a workspace that is gone."""
        for key in [key for key in self._granted if key[0] == workspace_id]:
            self._set(key, set())
            del self._granted[key]
        for key in [key for key in self._consents if key[0] == workspace_id]:
            del self._consents[key]
        await self._store.forget_workspace(workspace_id)

    async def close(self) -> None:
        """Stop asking: the server ends."""
        tasks = [answer for _, answer in self._asking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _question(self, card: Card, package: Package) -> bool:
        """Ask the owner. Silence while no page shows the workspace is no answer: then it is asked again."""
        data: dict[str, Any] = question(package, self._language())
        answer = UNANSWERED
        while answer.silent and self._graph.find_card(card.id) is not None:
            self._read_by[card.id] = {page.id for page in self._presence.showing(card.workspace_id)}
            try:
                answer = await self._dialogs.ask_which("startProgram", card.workspace_id, card.id, card.name, data)
            finally:
                del self._read_by[card.id]
            if self._presence.showing(card.workspace_id):
                break
        if answer.accepted:
            await self.consent(card.workspace_id, package)
        return answer.accepted

    def _page_told(self, page: Page) -> None:
        """Whoever opens a page while a question waits gets the whole time to read it, however long it has waited."""
        for card_id, read_by in self._read_by.items():
            card = self._graph.find_card(card_id)
            if card is not None and card.workspace_id == page.workspace_id and page.id not in read_by:
                read_by.add(page.id)
                self._dialogs.begin_anew("startProgram", card_id)

    def _set(self, key: Key, granted: set[str] | frozenset[str]) -> None:
        self._granted[key] = set(granted)
        self._grants.set(*key, granted)

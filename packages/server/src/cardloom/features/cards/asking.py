"""Questions that cards put to the owner: may I have this, is that right, shall this address be opened.

Each says which card asks; no answer in time refuses. A permission that was given is known to the gate and told to the
cards before the answer comes. Spec: cards, permissions and ui; decisions 6, 40.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from cardloom_protocol.hosting import invalid_params, permission_denied
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import declared_permissions
from cardloom_protocol.permissions import PERMISSIONS, view
from cardloom_protocol.schema import Issue

from ...core.dialogs import Answer, DialogKind, Dialogs
from ...core.graph import Graph
from ...core.records import Card
from .book import CardBook
from .consent import Consents
from .model import Package

_Key = tuple[WorkspaceId, PackageId]


class Asking:
    """Asks the owner in a card's name. `timeout_ms` is how long a question waits."""

    def __init__(
        self,
        dialogs: Dialogs,
        graph: Graph,
        book: CardBook,
        consents: Consents,
        language: Callable[[], str],
        *,
        timeout_ms: int = limit("cardDialogTimeoutMs"),
    ) -> None:
        self.timeout_ms = timeout_ms
        self._dialogs = dialogs
        self._graph = graph
        self._book = book
        self._consents = consents
        self._language = language
        self._turns: dict[_Key, asyncio.Lock] = {}

    async def confirm(self, card_id: CardId, question: Mapping[str, Any]) -> bool:
        """Whether the owner says yes to a card's own question."""
        data = {
            "message": question["message"],
            "confirmLabel": question.get("confirmLabel"),
            "cancelLabel": question.get("cancelLabel"),
            "tone": question.get("tone", "default"),
        }
        return (await self._ask("confirm", self._graph.card(card_id), question["title"], data)).accepted

    async def open_link(self, card_id: CardId, url: str) -> bool:
        """Whether the owner had an address opened. INVALID_PARAMS for any but a plain https address."""
        fault = _link_fault(url)
        if fault is not None:
            raise invalid_params([Issue("/url", "format", fault)], "card.openLink")
        card = self._graph.card(card_id)
        return (await self._ask("link", card, card.name, {"url": url, "host": urlsplit(url).hostname})).accepted

    async def permissions(self, card_id: CardId, ids: Sequence[str]) -> list[str]:
        """Ask for optional permissions; gives those of them that are granted now.

        PERMISSION_DENIED naming the first that the manifest does not declare as optional.
        """
        card, package = self._book.entry(card_id)
        optional = {entry["id"] for entry in package.manifest["permissions"] if entry["optional"]}
        for permission in ids:
            if permission not in optional:
                raise permission_denied(permission)
        # Cards of one package ask one after the other, so that none asks for what another was just given.
        async with self._turns.setdefault((card.workspace_id, package.id), asyncio.Lock()):
            lacking = [one for one in ids if one not in self._granted(card, package)]
            if lacking:
                answer = await self._ask("permission", card, card.name, self._request(package, lacking))
                await self._consents.grant_all(card.workspace_id, package, _given(answer, lacking))
        granted = self._granted(card, package)
        return [one for one in ids if one in granted]

    async def _ask(self, kind: DialogKind, card: Card, title: str, data: Mapping[str, Any]) -> Answer:
        package = self._book.package_of(card)
        named: dict[str, Any] = {"packageId": self._book.package_id(card.id), "package": None}
        if package is not None:
            # A card gives itself its title; the name of its package was checked when it was installed.
            named["package"] = package.display_name(self._language())
        asked = {**data, "cardName": card.name, **named}
        return await self._dialogs.ask_which(kind, card.workspace_id, card.id, title, asked, timeout_ms=self.timeout_ms)

    def _request(self, package: Package, lacking: Sequence[str]) -> dict[str, Any]:
        language = self._language()
        asked = [
            {**row, "risk": PERMISSIONS[str(row["id"])].risk.value}
            for row in view(declared_permissions(package.manifest), (), language)
            if row["id"] in lacking
        ]
        return {"permissions": asked}

    def _granted(self, card: Card, package: Package) -> frozenset[str]:
        return self._consents.granted(card.workspace_id, package.id)


def _given(answer: Answer, lacking: Sequence[str]) -> list[str]:
    if not answer.accepted:
        return []
    return [one for one in lacking if answer.permissions is None or one in answer.permissions]


def _link_fault(url: str) -> str | None:
    """Why an address is not opened for a card, None for one that may be."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "this is no address"
    if parts.scheme != "https" or not host:
        return "only https addresses are opened"
    if parts.username is not None or parts.password is not None:
        return "an address with a name or a password is not opened"
    return None

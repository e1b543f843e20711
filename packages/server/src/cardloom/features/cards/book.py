"""Which package each card is of: one of our folders, or a manifest that its owner gave when running it themselves."""

from __future__ import annotations

from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.manifest import Manifest

from ...core.graph import Graph
from ...core.records import Card
from .model import Package, is_run_id
from .packages import Packages, checked_manifest
from .store import CardsStore


class CardBook:
    """Cards and their packages."""

    def __init__(self, graph: Graph, packages: Packages, store: CardsStore) -> None:
        self.packages = packages
        self._graph = graph
        self._store = store
        self._outside = {card_id: checked_manifest(manifest) for card_id, manifest in store.manifests().items()}

    def package_of(self, card: Card) -> Package | None:
        """The package of a card, None for one that is not installed here."""
        manifest = self._outside.get(card.id)
        if manifest is not None:
            return Package(PackageId(str(card.content["packageId"])), manifest)
        package_id = card.content.get("packageId")
        return self.packages.find(package_id) if isinstance(package_id, str) else None

    def package_id(self, card_id: CardId) -> PackageId | None:
        """The id of a card's package, installed here or not; None for a card that is gone or of no package."""
        card = self._graph.find_card(card_id)
        package_id = None if card is None else card.content.get("packageId")
        return PackageId(package_id) if isinstance(package_id, str) else None

    def entry(self, card_id: CardId) -> tuple[Card, Package]:
        """A card and its package. NOT_FOUND; UNAVAILABLE when the package is not installed here."""
        card = self._graph.card(card_id)
        package = self.package_of(card)
        if package is None:
            raise CallError(ErrorCode.UNAVAILABLE, f"the package of {card.name!r} is not installed here")
        return card, package

    def is_outside(self, card: Card) -> bool:
        """Whether somebody runs a card's program themselves."""
        if card.id in self._outside:
            return True
        return is_run_id(self.package_id(card.id) or "") and self.package_of(card) is None

    def packages_in(self, workspace_id: WorkspaceId) -> list[Package]:
        """The packages that have a card in a workspace."""
        found: dict[PackageId, Package] = {}
        for card in self._graph.cards_of(workspace_id):
            package = self.package_of(card) if card.kind == "custom" else None
            if package is not None:
                found.setdefault(package.id, package)
        return list(found.values())

    async def add_outside(self, card_id: CardId, manifest: Manifest, raw: Any) -> None:
        """Remember the manifest of a card whose program somebody runs themselves."""
        self._outside[card_id] = manifest
        await self._store.set_manifest(card_id, raw)

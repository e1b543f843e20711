"""Cards of packages as the canvas and the owner know them: made, run by us or from outside, allowed, stopped.

What they ask for themselves is in `surface`, built-in cards are in `builtin`. Spec: cards, lifecycle; decisions 6,
31, 44.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import CardId, PackageId, WorkspaceId
from cardloom_protocol.limits import limit

from ...core.bus import OWNERS
from ...core.dialogs import Dialogs
from ...core.graph import Graph
from ...core.mounts import FrameFiles
from ...core.recipes import Recipe
from ...core.records import Card, Change, PutCard, Workspace
from ...core.supervised import Supervised
from ...core.tokens import CardTokens
from . import model
from .book import CardBook
from .consent import Consents
from .frames.service import Frames, FrameTrade
from .heartbeats import Heartbeats
from .logs import CardLogs
from .model import Package, Runtime
from .packages import Packages, checked_manifest
from .programs import Patience, Programs, Trade
from .store import CardsStore
from .surface import CardSurface, Rooms, Surroundings

_log = logging.getLogger(__name__)
_USUAL: Final = Patience()


class CardsService:
    """Cards of packages on the canvas: where they come from, what runs for them, what they may do."""

    def __init__(
        self,
        rooms: Rooms,
        store: CardsStore,
        packages: Packages,
        tokens: CardTokens,
        dialogs: Dialogs,
        around: Surroundings,
        patience: Patience = _USUAL,
    ) -> None:
        self._graph = rooms.graph
        self._bus = rooms.bus
        self._rooms = rooms
        self._tokens = tokens
        self._dialogs = dialogs
        self._around = around
        self.dismiss: Callable[[CardId], None] = lambda _: None
        self.look_at_settings: Callable[[Card], Awaitable[None]] = _look_at_nothing
        self.packages = packages
        self.book = CardBook(rooms.graph, packages, store)
        self.logs = CardLogs(rooms.bus, rooms.graph, rooms.clock)
        self.consents = Consents(
            store, rooms.grants, dialogs, rooms.presence, rooms.graph, rooms.clock, lambda: around.taste().language
        )
        self.surface = CardSurface(rooms, store, self.book, self.consents, self.logs, around)
        self.heartbeats = Heartbeats(rooms.bus, rooms.clock, self._silence)
        frame_trade = FrameTrade(
            files=self._frame_files,
            background=lambda card_id: "background" in rooms.grants.effective(card_id),
            show=lambda card_id, runtime: around.patch_runtime(card_id, runtime.to_wire()),
            dismiss=lambda card_id: self.dismiss(card_id),
        )
        self.frames = Frames(rooms.graph, rooms.bus, rooms.clock, rooms.presence, rooms.mounts, frame_trade)
        self.surface.slept, self.surface.expanded = self.frames.slept, self.frames.is_expanded
        trade = Trade(
            ask=self.consents.ask,
            granted=lambda card, package: self.consents.granted(card.workspace_id, package.id),
            package=self._package_now,
            show=self._show,
        )
        self.programs = Programs(rooms.graph, tokens, self.logs, rooms.clock, trade, patience=patience)
        packages.changed = self._tell_packages
        self._beside = Supervised(_log, "the cards' change of language")
        rooms.bus.listen("preferences.changed", lambda _: self._preferences_changed())
        for workspace_id in rooms.graph.workspaces:
            for card in rooms.graph.cards_of(workspace_id):
                self._bind(card)

    # Packages and cards

    def packages_to_wire(self) -> list[dict[str, Any]]:
        """The list of packages as pages read it."""
        return model.packages_to_wire(self.packages.all(), self.language)

    def package_to_wire(self, package_id: str) -> dict[str, Any]:
        """One package as the list shows it. NOT_FOUND."""
        return model.package_to_wire(self.packages.get(package_id), self.language)

    @property
    def language(self) -> str:
        """The language that the owner chose."""
        return self._around.taste().language

    async def list_packages(self) -> list[dict[str, Any]]:
        """The list of packages, after another look at the disk."""
        await asyncio.to_thread(self.packages.look)
        self.packages.take()
        return self.packages_to_wire()

    async def package_changed(self, package_id: PackageId) -> None:
        """A package was installed, became another one or went: its cards follow, running or not."""
        await self.list_packages()
        for workspace_id in list(self._graph.workspaces):
            for card in self._graph.cards_of(workspace_id):
                if self.book.package_id(card.id) == package_id and not self.book.is_outside(card):
                    await self._follow(card)

    def describe(self, package_id: str, given: Mapping[str, Any]) -> Recipe:
        """What a card of a package is made of. NOT_FOUND."""
        return model.recipe(self.packages.get(package_id), self.language, given)

    async def run_outside(
        self,
        workspace_id: str,
        raw: Mapping[str, Any],
        place: Mapping[str, Any],
        card_id: str | None,
        by: str | None,
    ) -> tuple[CardId, str]:
        """Make room for a program that somebody runs themselves: its card, made or given, and a one-card token.

        INVALID_PARAMS: the manifest, or a card of another package. NOT_FOUND. The owner's asking is the consent.
        """
        manifest = checked_manifest(raw)
        package = Package(model.run_package_id(manifest), manifest)
        home = self._graph.workspace(workspace_id).id
        recipe = model.recipe(package, self.language, {})
        if card_id is None:
            card = await self._around.add_card(home, recipe, place, by=by)
        else:
            card = self._graph.card(card_id)
            if card.workspace_id != home or card.content.get("packageId") != package.id:
                raise CallError(ErrorCode.INVALID_PARAMS, f"{card.name!r} is no card of {package.name} there", [])
            await self._refit(card, recipe, by)
        await self.book.add_outside(card.id, manifest, raw)
        await self.consents.consent(home, package)
        await self.look_at_settings(self._graph.card(card.id))
        self._bind(self._graph.card(card.id))
        self._show_outside(card.id)
        self._tokens.revoke(card.id)
        return card.id, self._tokens.issue(card.id)

    def card(self, card_id: str) -> Card:
        """A card on the canvas. NOT_FOUND."""
        return self._graph.card(card_id)

    async def restart(self, card_id: str) -> Card:
        """Start a card's program again. NOT_FOUND; INVALID_PARAMS for a card without one of ours."""
        card = self._program_card(card_id)
        await self.programs.stop(card.id)
        self.programs.start(card)
        return self._graph.card(card_id)

    async def stop(self, card_id: str) -> Card:
        """Stop a card's program until it is started again. NOT_FOUND; INVALID_PARAMS for a card without one of ours."""
        card = self._program_card(card_id)
        await self.programs.stop(card.id)
        self._show(card.id, Runtime("stopped"))
        return self._graph.card(card_id)

    # What the canvas tells

    async def card_added(self, card: Card) -> None:
        """A card came, or came back."""
        if card.kind != "custom":
            return
        self._bind(card)
        await self._welcome(card)
        self._begin(card)

    async def card_removed(self, card: Card) -> None:
        """A card is gone: so is its program or its frame."""
        if card.kind != "custom":
            return
        await self.programs.stop(card.id)
        self.frames.end(card.id)
        self.surface.forget(card.id)
        self._rooms.grants.unbind(card.id)
        self.logs.forget(card.id)

    async def workspace_opened(self, workspace: Workspace) -> None:
        for card in self._graph.cards_of(workspace.id):
            if card.kind == "custom":
                self._begin(card)

    async def workspace_closed(self, workspace: Workspace) -> None:
        cards = [card for card in self._graph.cards_of(workspace.id) if card.kind == "custom"]
        await asyncio.gather(*(self.programs.stop(card.id) for card in cards))
        for card in cards:
            self._dialogs.refuse_of(card.id)
            if self.has_frame(card):
                self.frames.end(card.id)
            else:
                self._show(card.id, Runtime("stopped"))

    async def close(self) -> None:
        """End every program: the server ends."""
        await self._beside.end()
        await self.programs.stop_all()
        await self.consents.close()

    # What a card's connection tells

    def connected(self, card_id: CardId) -> None:
        """A card's program did its handshake."""
        self.surface.connected.add(card_id)
        self.heartbeats.connected(card_id)
        self.programs.connected(card_id)
        if self.frames.has(card_id):
            self.frames.connected(card_id)
        elif not self.programs.runs(card_id):
            self._show(card_id, Runtime("external"))

    def disconnected(self, card_id: CardId, reason: str) -> None:
        """A card's connection is gone, and with it what it had subscribed to."""
        self.surface.connected.discard(card_id)
        self.heartbeats.disconnected(card_id)
        self._rooms.subscriptions.drop(card_id)
        self.frames.disconnected(card_id, reason)
        card = self._graph.find_card(card_id)
        if card is not None and not self.has_frame(card) and not self.programs.supervises(card_id):
            self._show_outside(card_id)

    def wake(self, card_id: CardId) -> bool:
        """Bring a card's program or frame up where it can be; whoever asks waits for the handshake."""
        card = self._graph.find_card(card_id)
        if card is not None and self.has_frame(card):
            return self.frames.wake(card_id)
        return self.programs.supervises(card_id)

    def has_frame(self, card: Card) -> bool:
        """Whether a card is a page in a frame."""
        package = self.book.package_of(card) if card.kind == "custom" else None
        return package is not None and package.kind == "frame"

    def canvas_changed(self, _workspace_id: WorkspaceId, changes: Sequence[Change]) -> None:
        """The canvas changed: cards follow their size."""
        self.surface.resized(changes)

    # Grants

    def grants_of(self, workspace_id: str) -> list[dict[str, Any]]:
        """What each package with a card in a workspace may do there."""
        home = self._graph.workspace(workspace_id).id
        return [
            row
            for package in self.book.packages_in(home)
            for row in model.grants_to_wire(package, self.consents.granted(home, package.id))
        ]

    async def set_grant(self, workspace_id: str, package_id: str, permission: str, *, granted: bool) -> None:
        """Grant or revoke. NOT_FOUND: no such workspace or package there; INVALID_PARAMS: it does not ask for that."""
        home = self._graph.workspace(workspace_id).id
        for package in (*self.book.packages_in(home), *self.packages.all()):
            if package.id == package_id:
                await self.consents.grant(home, package, permission, granted=granted)
                return
        raise CallError(ErrorCode.NOT_FOUND, f"there is no package {package_id!r}")

    async def forget_unknown(self) -> None:
        """Drop what is remembered of workspaces that are gone."""
        for workspace_id in self.consents.workspaces() - set(self._graph.workspaces):
            await self.consents.forget(workspace_id)

    # Inside

    def _bind(self, card: Card) -> None:
        package_id = card.content.get("packageId") if card.kind == "custom" else None
        if isinstance(package_id, str):
            self._rooms.grants.bind(card.id, card.workspace_id, PackageId(package_id))

    def _begin(self, card: Card) -> None:
        """Start a card's program, where it has one of ours and its workspace is open."""
        if not self._graph.workspace(card.workspace_id).is_open:
            return
        if self.has_frame(card):
            self.frames.begin(card.id)
        elif self.book.is_outside(card):
            self._show_outside(card.id)
        else:
            self._show(card.id, Runtime("starting"))
            self.programs.start(card)

    async def _follow(self, card: Card) -> None:
        """Let a card be what its package is now. A program that was stopped by hand stays so."""
        stopped = (card.runtime or {}).get("status") == "stopped"
        await self.programs.stop(card.id)
        if self.frames.has(card.id):
            self.frames.end(card.id)
        package = self.book.package_of(card)
        if package is None or package.kind == "frame":
            self._dialogs.refuse_of(card.id)  # what is granted now would be to files that are gone
        if package is not None:
            await self._welcome(card)
            await self._refit(card, model.recipe(package, self.language, card.content), None)
            await self.look_at_settings(self._graph.card(card.id))
        if not stopped:
            self._begin(self._graph.card(card.id))

    async def _welcome(self, card: Card) -> None:
        """Give a page's package what installing it granted; a program's first start asks."""
        package = self.book.package_of(card)
        if package is not None and package.kind == "frame":
            await self.consents.welcome(card.workspace_id, package)

    def _frame_files(self, card_id: CardId) -> FrameFiles | None:
        """What a card's frame is made of, None for a card without one. UNAVAILABLE: its package is not installed."""
        _, package = self.book.entry(card_id)
        if package.kind != "frame" or package.folder is None:
            return None
        return FrameFiles(Path(package.folder), package.manifest["entry"], package.tree_hash)

    async def _package_now(self, card: Card) -> Package | None:
        """A card's package as it is on disk now; the card follows what changed."""
        await self.list_packages()
        package = self.book.package_of(card)
        if package is not None:
            await self._refit(card, model.recipe(package, self.language, card.content), None)
        return package

    async def _refit(self, card: Card, recipe: Recipe, by: str | None) -> None:
        """Give a card the ports and the version that its package has now."""

        def make(graph: Graph) -> list[Change]:
            now = graph.card(card.id)
            content = {**now.content, **recipe.content}
            if (now.inputs, now.outputs, dict(now.content)) == (recipe.inputs, recipe.outputs, content):
                return []
            fitted = replace(now, content=content, type=recipe.type, inputs=recipe.inputs, outputs=recipe.outputs)
            return [PutCard(fitted, ("content", "type", "name", "ports"))]

        await self._around.commit(card.workspace_id, make, by)

    def _program_card(self, card_id: str) -> Card:
        card = self._graph.card(card_id)
        if card.kind != "custom" or self.book.is_outside(card) or self.has_frame(card):
            raise CallError(ErrorCode.INVALID_PARAMS, f"Cardloom runs no program for {card.name!r}", [])
        return card

    def _show(self, card_id: CardId, runtime: Runtime) -> None:
        self._around.patch_runtime(card_id, runtime.to_wire())

    def _show_outside(self, card_id: CardId) -> None:
        """Show whether a card's outside program is connected."""
        card = self._graph.find_card(card_id)
        if card_id in self.surface.connected:
            self._show(card_id, Runtime("external"))
        elif card is not None:
            self._show(card_id, Runtime("stopped", 0, "Its program is not connected. Run it with: cardloom card run"))

    def _silence(self, card_id: CardId, silent: bool) -> None:
        """A connected card fell silent, or answers again."""
        error = f"It has not answered for {limit('unresponsiveMs') // 1000} s." if silent else None
        if self.frames.has(card_id):
            self.frames.silent(card_id, silent, error)
            return
        status: model.ProgramStatus = "running" if self.programs.runs(card_id) else "external"
        self._show(card_id, Runtime(status, self.programs.restarts(card_id), error, silent))

    def _preferences_changed(self) -> None:
        """The texts of packages may have another language, also those that cards keep of theirs."""
        self._tell_packages()
        for workspace_id in self._graph.workspaces:
            for card in self._graph.cards_of(workspace_id):
                package = self.book.package_of(card) if card.kind == "custom" else None
                if package is not None:
                    self._beside.start(self._refit(card, model.recipe(package, self.language, card.content), None))

    def _tell_packages(self) -> None:
        self._bus.publish("packages.changed", {"packages": self.packages_to_wire()}, OWNERS)


async def _look_at_nothing(_card: Card) -> None:
    return None

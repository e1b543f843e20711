"""Cards of packages: their programs and pages, what the card contract offers them, and how packages are installed."""

from __future__ import annotations

from dataclasses import dataclass

from cardloom_protocol.ids import CardId

from ..core.bus import Event
from ..features.canvas.model import SIZES
from ..features.cards import handlers as card_handlers
from ..features.cards.contract import CardContract, Outside
from ..features.cards.frames import handlers as frame_handlers
from ..features.cards.growing import CanvasTools
from ..features.cards.model import Taste
from ..features.cards.packages import Packages, bundled_folders
from ..features.cards.packaging import Packaging
from ..features.cards.service import CardsService
from ..features.cards.store import CardsStore
from ..features.cards.surface import Rooms, Surroundings
from ..host.fetch import Fetcher
from ..host.vault import Vault, system_keyring
from .canvas import CanvasGroup
from .shared import Shared
from .values import ValuesGroup


@dataclass(frozen=True, slots=True)
class CardsGroup:
    """Cards of packages and all that is theirs."""

    cards: CardsService
    contract: CardContract
    packaging: Packaging
    fetcher: Fetcher


def join_cards(shared: Shared, canvas_group: CanvasGroup, values: ValuesGroup) -> CardsGroup:
    """Make the cards of packages."""
    canvas, settings = canvas_group.canvas, shared.settings
    folders = bundled_folders() if settings.package_folders is None else settings.package_folders
    surroundings = Surroundings(
        canvas.commit,
        canvas.add_made,
        canvas.commits.patch_runtime,
        values.ports.peers,
        lambda: Taste(canvas.preferences["scheme"], canvas.preferences["language"]),
    )
    rooms = Rooms(
        shared.graph, shared.bus, shared.clock, shared.presence, shared.grants, shared.subscriptions, shared.mounts
    )
    store, packages = CardsStore(shared.database), Packages(folders)
    cards = CardsService(rooms, store, packages, shared.tokens, shared.dialogs, surroundings)
    _join_programs(shared, canvas_group, cards)

    fetcher = Fetcher(lambda: shared.address.port)
    vault = Vault(settings.data_folder, system_keyring if settings.use_keyring else None)
    canvas_tools = CanvasTools(
        canvas.commit,
        canvas.add_made,
        canvas.connect,
        canvas.built_in_recipe,
        SIZES.__getitem__,
        surroundings.taste,
    )
    outside = Outside(shared.database, fetcher, vault)
    contract = CardContract(cards, rooms, surroundings, store, canvas_tools, shared.dialogs, outside)
    _join_contract(shared, canvas_group, values, cards, contract)

    packaging = Packaging(
        cards,
        shared.database,
        fetcher,
        shared.clock,
        settings.data_folder / "packages",
        bundled=bundled_folders(),
        drop_data=contract.drop_data,
    )
    shared.handlers.add(packaging.handlers())

    def look_at_settings(_: Event) -> None:
        canvas.commits.start(contract.settings.look_again())

    shared.bus.listen("packages.changed", look_at_settings)
    shared.life.on_start.append(packaging.library.begin)
    return CardsGroup(cards, contract, packaging, fetcher)


def _join_programs(shared: Shared, canvas_group: CanvasGroup, cards: CardsService) -> None:
    canvas, hooks = canvas_group.canvas, shared.sockets.hooks
    shared.handlers.add(card_handlers.handlers(cards))
    shared.handlers.add(frame_handlers.handlers(cards.frames, shared.presence))
    cards.dismiss = shared.sockets.dismiss_card
    canvas.listeners.changed.append(cards.canvas_changed)
    canvas.describe_package = cards.describe
    canvas_group.surroundings.packages = cards.packages_to_wire
    canvas.listeners.card_added.append(cards.card_added)
    canvas.listeners.card_removed.append(cards.card_removed)
    canvas.listeners.workspace_opened.append(cards.workspace_opened)
    canvas.listeners.workspace_closed.append(cards.workspace_closed)
    hooks.connected.append(lambda card_id, _connection_id: cards.connected(card_id))
    hooks.disconnected.append(lambda card_id, _connection_id, reason: cards.disconnected(card_id, reason))
    shared.life.on_start.append(cards.forget_unknown)
    shared.life.on_stop.append(cards.close)
    shared.life.background.extend((cards.heartbeats.run, cards.frames.run))


def _join_contract(
    shared: Shared, canvas_group: CanvasGroup, values: ValuesGroup, cards: CardsService, contract: CardContract
) -> None:
    canvas = canvas_group.canvas
    shared.handlers.add(contract.handlers())
    canvas.copy_kept = contract.copy_kept
    canvas.listeners.card_added.append(contract.card_added)
    canvas.listeners.card_removed.append(contract.card_removed)
    shared.sockets.hooks.disconnected.append(lambda card_id, _connection_id, _reason: contract.disconnected(card_id))

    async def wake(card_id: CardId) -> bool:
        """A question to a card that sleeps or is on its way up waits for it."""
        if not cards.wake(card_id):
            return False
        await values.catch_up.wait_connected(card_id)
        return True

    values.questions.wake = contract.tools.wake = wake

    async def begin_contract() -> None:
        await contract.begin(canvas.kept_cards())

    shared.life.on_start.append(begin_contract)
    shared.life.on_stop.append(contract.close)

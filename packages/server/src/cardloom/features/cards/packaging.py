"""Installed packages, joined to the cards on the canvas. Made once by the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from cardloom_protocol.ids import PackageId

from ...core.call import Handler
from ...core.clock import Clock
from ...host.database import Database
from ...host.fetch import Fetcher
from ...host.git import Git
from .installed import handlers as installed_handlers
from .installed.catalogues import Catalogues
from .installed.fetching import Shelves
from .installed.service import Library, Trade
from .installed.source import Source
from .installed.store import SCHEMA, InstalledStore
from .service import CardsService

__all__ = ["SCHEMA", "Packaging"]


class Packaging:
    """The library of installed packages as the cards feature uses it.

    `folder` is where packages are kept; `bundled` are the folders that come with Cardloom. `drop_data` is told when
    the data of a package's cards shall go.
    """

    def __init__(
        self,
        cards: CardsService,
        database: Database,
        fetcher: Fetcher,
        clock: Clock,
        folder: Path,
        *,
        bundled: Sequence[Path],
        drop_data: Callable[[PackageId], Awaitable[None]],
    ) -> None:
        store = InstalledStore(database)
        own_folders = tuple(path.resolve() for path in bundled)

        def ours(source: Source) -> bool:
            return source.kind == "path" and any(Path(source.location).is_relative_to(own) for own in own_folders)

        trade = Trade(
            granted=cards.consents.granted_to,
            grant=cards.consents.replace_grants,
            forget=cards.consents.forget_package,
            changed=cards.package_changed,
            drop_data=drop_data,
            language=lambda: cards.language,
            ours=ours,
        )
        shelves = Shelves(folder, Git(), fetcher)
        self.library = Library(store, shelves, Catalogues(store, fetcher, clock, shelves.staging), clock, trade)
        self._cards = cards
        cards.packages.include(self.library.packages)

    def handlers(self) -> Mapping[str, Handler]:
        """The handlers by method name."""
        return installed_handlers.handlers(self.library, self._cards.package_to_wire, self._cards.list_packages)

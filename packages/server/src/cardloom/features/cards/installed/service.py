"""The packages that the owner installed: looked at, installed, updated, returned to a former version, removed.

A package is installed as it was looked at: whoever installs names the hash of the tree that was shown. What an update
asks for beyond what was agreed to stays off until the owner accepts it. Spec: cards, install; decisions 6, 13, 14.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.ids import PackageId, WorkspaceId
from cardloom_protocol.limits import limit
from cardloom_protocol.manifest import Manifest

from ....core.clock import Clock
from ..model import Package
from ..packages import icon_of, manifest_path, read_manifest
from . import model
from .catalogues import Catalogues
from .check import Checked
from .fetching import Shelves, Staged
from .looking import Looks
from .model import Agreed, Version
from .source import Source, package_id_of
from .store import InstalledStore


@dataclass(frozen=True, slots=True)
class Trade:
    """What installing takes from the rest of the feature.

    `granted` gives what a package may do by workspace, `grant` replaces that, `forget` drops it with all consents.
    `changed` is told when a package became another one or went, `drop_data` when its data shall go. `ours` tells
    whether a source is a folder that comes with Cardloom.
    """

    granted: Callable[[PackageId], dict[WorkspaceId, frozenset[str]]]
    grant: Callable[[PackageId, Mapping[WorkspaceId, set[str]]], Awaitable[None]]
    forget: Callable[[PackageId], Awaitable[None]]
    changed: Callable[[PackageId], Awaitable[None]]
    drop_data: Callable[[PackageId], Awaitable[None]]
    language: Callable[[], str]
    ours: Callable[[Source], bool]


class Library:
    """The installed packages, each with the versions that it can return to, the current one last."""

    def __init__(
        self,
        store: InstalledStore,
        shelves: Shelves,
        catalogues: Catalogues,
        clock: Clock,
        trade: Trade,
        *,
        max_versions: int = limit("packageVersions"),
    ) -> None:
        self.catalogues = catalogues
        self.looks = Looks(shelves, catalogues, trade.ours)
        self._trade = trade
        self._store = store
        self._shelves = shelves
        self._clock = clock
        self._max_versions = max_versions
        self._versions = store.versions()
        self._changing = asyncio.Lock()

    def packages(self) -> list[Package]:
        """The installed packages as they are now. Touches the disk: a linked folder is read anew."""
        found = (self._package(versions) for versions in list(self._versions.values()))
        return sorted(found, key=lambda package: (package.name, package.id))

    # Looking

    async def inspect(self, source: Source) -> dict[str, Any]:
        """What a source holds, for the owner to judge, and what it would change when it is installed already."""
        staged, checked = await self.looks.look(await self._shelves.whole(source))
        package_id = package_id_of(staged.source, checked.manifest["name"])
        return self._review(package_id, staged, checked)

    async def inspect_update(self, package_id: str, source: Source | None, ref: str | None) -> dict[str, Any]:
        """What an installed package would become from its own source or another one. NOT_FOUND."""
        current = self._current(package_id)
        whole = await self._shelves.whole(_at(source or current.source, ref))
        _check_place(current, whole)
        staged, checked = await self.looks.look(whole)
        _check_successor(current, checked)
        return self._review(current.package_id, staged, checked)

    # Changing

    async def install(self, source: Source, tree: str) -> PackageId:
        """Install what was looked at. INVALID_PARAMS: it changed meanwhile, or it is installed already."""
        async with self._changing:
            staged, checked = await self.looks.take(await self._shelves.whole(source), tree)
            package_id = package_id_of(staged.source, checked.manifest["name"])
            if package_id in self._versions:
                raise _unfit(f"{package_id} is installed already; update it")
            agreed = model.agreed_by_installing(checked.manifest)
            await self._put([await self._version(package_id, 1, staged, checked, agreed)])
            await self._trade.changed(package_id)
        return package_id

    async def update(self, package_id: str, source: Source | None, ref: str | None, tree: str, *, accept: bool) -> None:
        """Put what was looked at in a package's place. Without `accept` nothing new is granted.

        NOT_FOUND; INVALID_PARAMS: it changed meanwhile, or is another package.
        """
        async with self._changing:
            current = self._current(package_id)
            whole = await self._shelves.whole(_at(source or current.source, ref))
            _check_place(current, whole)
            staged, checked = await self.looks.take(whole, tree)
            _check_successor(current, checked)
            agreed = model.agreed_after(current.agreed, current.manifest, checked.manifest, accept=accept)
            granted = self._trade.granted(current.package_id)
            fresh = await self._version(current.package_id, current.number + 1, staged, checked, agreed)
            before = self._versions[current.package_id][:-1]
            if fresh.tree_hash != current.tree_hash:
                before = [*before, replace(current, left=granted)]
            await self._put([*before, fresh][-self._max_versions :])
            await self._grant_after_update(current, fresh, granted)
            await self._trade.changed(current.package_id)
            await self._tidy()

    async def accept(self, package_id: str) -> None:
        """Agree to what a package's current version asks for beyond what was agreed to before. NOT_FOUND."""
        async with self._changing:
            current = self._current(package_id)
            manifest = self._manifest(current)[0]
            fresh = replace(current, agreed=model.agreed_by_installing(manifest))
            await self._put([*self._versions[current.package_id][:-1], fresh])
            await self._grant_after_update(current, fresh, self._trade.granted(current.package_id))
            await self._trade.changed(current.package_id)

    async def roll_back(self, package_id: str) -> None:
        """Return to the version before, with what it was granted. NOT_FOUND; INVALID_PARAMS: there is none."""
        async with self._changing:
            current = self._current(package_id)
            versions = self._versions[current.package_id][:-1]
            if not versions:
                raise _unfit(f"{current.name} has no version to return to")
            former = versions[-1]
            granted = self._trade.granted(current.package_id)
            await self._put([*versions[:-1], replace(former, left={})])
            grants = {
                workspace_id: model.grants_after_return(
                    now, former.left.get(workspace_id, ()), current.manifest, former.manifest
                )
                for workspace_id, now in granted.items()
            }
            await self._trade.grant(current.package_id, grants)
            await self._trade.changed(current.package_id)
            await self._tidy()

    async def remove(self, package_id: str, *, drop_data: bool) -> None:
        """Remove a package with its grants, and with what its cards keep when `drop_data`. NOT_FOUND."""
        async with self._changing:
            current = self._current(package_id)
            await self._store.remove(current.package_id)
            del self._versions[current.package_id]
            await self._trade.changed(current.package_id)
            await self._trade.forget(current.package_id)
            if drop_data:
                await self._trade.drop_data(current.package_id)
            await self._tidy()

    async def begin(self) -> None:
        """The server starts: remove what a killed one left behind."""
        await self._shelves.tidy(self._trees(), staging=True)

    # Inside

    async def _version(
        self, package_id: PackageId, number: int, staged: Staged, checked: Checked, agreed: Agreed
    ) -> Version:
        await self._shelves.keep(staged)
        return Version(
            package_id,
            number,
            "" if staged.source.dev else staged.tree_hash,
            checked.manifest,
            checked.raw,
            staged.unpacked.files,
            staged.source,
            staged.commit,
            agreed,
            self._clock.now_ms(),
        )

    async def _put(self, versions: list[Version]) -> None:
        await self._store.put(versions)
        self._versions[versions[-1].package_id] = versions

    async def _grant_after_update(
        self, old: Version, new: Version, granted: Mapping[WorkspaceId, frozenset[str]]
    ) -> None:
        """Take away what is not asked for any more, and give what the owner accepted with the update."""
        asked = model.declared_in(new.manifest)
        # A program's first start asks for what it requires; a page's grants go with installing and accepting.
        fresh = set() if "python" in new.manifest else new.agreed.permissions - old.agreed.permissions
        await self._trade.grant(
            new.package_id, {workspace_id: (set(now) & asked) | set(fresh) for workspace_id, now in granted.items()}
        )

    async def _tidy(self) -> None:
        await self._shelves.tidy(self._trees())

    def _trees(self) -> set[str]:
        return {version.tree_hash for versions in self._versions.values() for version in versions}

    def _current(self, package_id: str) -> Version:
        versions = self._versions.get(PackageId(package_id))
        if versions is None:
            raise CallError(ErrorCode.NOT_FOUND, f"there is no installed package {package_id!r}")
        return versions[-1]

    def _manifest(self, version: Version) -> tuple[Manifest, str | None]:
        """A version's manifest, read anew where its folder is linked; and what is wrong there."""
        if not version.source.dev:
            return version.manifest, None
        path = manifest_path(self._folder(version))
        try:
            return read_manifest(path), None
        except ValueError as error:
            return version.manifest, str(error)

    def _folder(self, version: Version) -> Path:
        return self._shelves.folder_of(version.source, version.tree_hash)

    def _package(self, versions: list[Version]) -> Package:
        version = versions[-1]
        folder = self._folder(version)
        whole, problem = self._manifest(version)
        agreed = version.agreed
        if version.source.dev:
            agreed = model.agreed_after(agreed, version.manifest, whole, accept=False)
        manifest, held_hosts = model.with_agreed_hosts(whole, agreed)
        tree = version.tree_hash or None
        entry = self.catalogues.voucher(version.package_id, version.name, version.commit, tree)
        return Package(
            version.package_id,
            manifest,
            str(folder),
            tree_hash=tree,
            source=version.source.text,
            commit=version.commit,
            dev=version.source.dev,
            verified=entry is not None,
            accepted=None if "python" in manifest else agreed.permissions,
            held_hosts=held_hosts,
            problem=problem or (None if folder.is_dir() else "its files are gone; update it"),
            former=versions[-2].manifest["version"] if len(versions) > 1 else None,
            icon=icon_of(folder, manifest),
        )

    def _review(self, package_id: PackageId, staged: Staged, checked: Checked) -> dict[str, Any]:
        versions = self._versions.get(package_id)
        entry = self.catalogues.voucher(package_id, checked.manifest["name"], staged.commit, staged.tree_hash)
        package = Package(
            package_id,
            checked.manifest,
            str(staged.root),
            source=staged.source.text,
            commit=staged.commit,
            dev=staged.source.dev,
            verified=entry is not None,
        )
        unpacked = staged.unpacked
        warnings = (*checked.warnings, *unpacked.warnings)
        shown = model.review(package, unpacked.files, unpacked.total_bytes, warnings, self._trade.language())
        others = [
            other for other, known in self._versions.items() if other != package_id and known[-1].name == package.name
        ]
        return {
            **shown,
            "treeHash": staged.tree_hash,
            "icon": icon_of(staged.root, checked.manifest),
            "sameName": others,
            "installed": None if versions is None else _compared(versions[-1], staged, checked),
        }


def _compared(installed: Version, staged: Staged, checked: Checked) -> dict[str, Any]:
    """What of an installed package would become another."""
    same = dict(installed.files) == staged.unpacked.files and installed.commit == staged.commit
    return {
        "version": installed.manifest["version"],
        "commit": installed.commit,
        "treeHash": installed.tree_hash or None,
        "isCurrent": same,
        "difference": model.difference(installed, checked.manifest, staged.unpacked.files).to_wire(),
    }


def _at(source: Source, ref: str | None) -> Source:
    return source if ref is None else replace(source, ref=ref)


def _check_place(current: Version, source: Source) -> None:
    """A package may be updated from another file or repository, but not under a name that is somebody else's."""
    there = package_id_of(source, current.name)
    if there != current.package_id and not (there.startswith("file:") and current.package_id.startswith("file:")):
        raise _unfit(f"what is there is {there}, another package than {current.package_id}; install it instead")


def _check_successor(current: Version, checked: Checked) -> None:
    if checked.manifest["name"] != current.name:
        raise _unfit(f"that is {checked.manifest['name']}, not {current.name}")
    if ("python" in checked.manifest) != ("python" in current.manifest):
        raise _unfit(f"{current.name} became another kind of card; remove it and install it anew")


def _unfit(message: str) -> CallError:
    return CallError(ErrorCode.INVALID_PARAMS, message, [{"path": "", "keyword": "package", "message": message}])

"""What was looked at and waits for the owner's answer: brought, checked, kept for a while, handed over once.

Spec: cards, install; decision 14.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from cardloom_protocol.errors import CallError, ErrorCode
from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.limits import limit

from .catalogues import Catalogues
from .check import Checked, check_package
from .fetching import Shelves, Staged
from .source import Source, package_id_of

Looked = tuple[Staged, Checked]


class Looks:
    """The packages that wait, by source and hash; the oldest gives way. `ours` tells of folders of Cardloom's own."""

    def __init__(
        self,
        shelves: Shelves,
        catalogues: Catalogues,
        ours: Callable[[Source], bool],
        *,
        max_waiting: int = limit("inspectedPackages"),
    ) -> None:
        self._shelves = shelves
        self._catalogues = catalogues
        self._ours = ours
        self._max_waiting = max_waiting
        self._waiting: OrderedDict[tuple[Source, str], Looked] = OrderedDict()

    async def look(self, source: Source) -> Looked:
        """Bring a package from a whole source and remember it. INVALID_PARAMS names every fault."""
        staged = await self._shelves.fetch(source)
        try:
            checked = await asyncio.to_thread(self._check, staged)
        except BaseException:
            await self._shelves.drop(staged)
            raise
        key = (source, staged.tree_hash)
        forgotten = [self._waiting.pop(key)] if key in self._waiting else []
        self._waiting[key] = (staged, checked)
        while len(self._waiting) > self._max_waiting:
            forgotten.append(self._waiting.popitem(last=False)[1])
        for old, _ in forgotten:
            await self._shelves.drop(old)
        return staged, checked

    async def take(self, source: Source, tree: str) -> Looked:
        """What was looked at under a hash; brought anew when it does not wait any more. INVALID_PARAMS: it changed."""
        key = (source, tree)
        if source.dev or key not in self._waiting:  # a linked folder goes on changing
            await self.look(source)
        found = self._waiting.pop(key, None)
        if found is None:
            message = "the package is not the one that was looked at any more; look at it again"
            data: JsonValue = {"path": "/treeHash", "keyword": "package", "message": message}
            raise CallError(ErrorCode.INVALID_PARAMS, message, [data])
        return found

    def forget(self) -> None:
        """Remember nothing; the files go when the server starts again."""
        self._waiting.clear()

    def _check(self, staged: Staged) -> Checked:
        def official(name: str) -> bool:
            package_id = package_id_of(staged.source, name)
            entry = self._catalogues.voucher(package_id, name, staged.commit, staged.tree_hash)
            return self._ours(staged.source) or (entry is not None and entry.official)

        return check_package(staged.root, staged.unpacked.files, official=official)

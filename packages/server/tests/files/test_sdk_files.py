"""A Python card's `card.fs` over a real socket."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from cardloom_sdk import Card, FileChange
from cardloom_sdk.channel import dial

from .conftest import CAP_S

MANIFEST: dict[str, Any] = {
    "manifestVersion": 1,
    "protocol": 1,
    "version": "1.0.0",
    "name": "filing-card",
    "displayName": "Filing Card",
    "python": "card.py",
    "permissions": [{"id": "fs.read"}, {"id": "fs.write"}],
}


async def test_a_python_card_works_with_files_and_hears_of_changes(
    listening: Any, page: Any, workspace_id: str, folder: Path
) -> None:
    made = await page.call("card.run", workspaceId=workspace_id, manifest=MANIFEST)
    card = Card(MANIFEST)
    ready = asyncio.Event()
    card.on_ready(ready.set)
    life = asyncio.create_task(card.attend(await dial(listening.url, "/ws/card", made["token"])))
    heard: asyncio.Queue[FileChange] = asyncio.Queue()
    async with asyncio.timeout(CAP_S):
        await ready.wait()
        written = await card.fs.write_text("reports/latest.md", "# Report\n", create_dirs=True)
        assert (folder / "reports" / "latest.md").read_text() == "# Report\n"
        stop = await card.fs.watch("reports", heard.put_nowait)
        await card.fs.write_text("reports/latest.md", "# New\n", if_mtime_ms=written.mtime_ms)
        assert await heard.get() == FileChange("reports/latest.md", "rename")
        await stop()
        content = bytes(range(256)) * 30_000
        await card.fs.write_bytes("big.bin", content)
        assert await card.fs.read_bytes("big.bin") == content
        assert [entry.path for entry in (await card.fs.list(recursive=True)).entries] == [
            "big.bin",
            "reports",
            "reports/latest.md",
        ]
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)

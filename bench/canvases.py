"""Canvases to measure with: cards of every quiet kind in a grid, and arrows between neighbours, put on disk at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from cardloom.app import running
from cardloom.core.ids import new_arrow_id, new_card_id
from cardloom.core.records import Arrow, Card, DrawnBy, PutArrow, PutCard
from cardloom.settings import Settings
from cardloom_protocol.ids import WorkspaceId
from cardloom_protocol.ports.builtin import BUILTIN_PORTS

_KINDS = ("note", "todo", "kanban", "sticky")
_SIZES = {"note": (320, 240), "todo": (300, 320), "kanban": (640, 380), "sticky": (220, 180)}
_CELL = (720, 460)


@asynccontextmanager
async def filled(cards: int, arrows: int) -> AsyncIterator[Path]:
    """A folder with `data` and `project`: one workspace of that size, for a server to start on."""
    with TemporaryDirectory(prefix="cardloom-bench-") as folder:
        await _fill(Path(folder), cards, arrows)
        yield Path(folder)


async def _fill(folder: Path, cards: int, arrows: int) -> None:
    project = folder / "project"
    await asyncio.to_thread(project.mkdir)
    async with running(Settings(folder / "data", package_folders=())) as app:
        workspace = await app.canvas.workspaces.at(str(project), "Bench")
        if cards:
            made = _cards(workspace.id, cards)
            drawn = _arrows(workspace.id, made, arrows)
            await app.canvas.commit(workspace.id, lambda _: [*map(PutCard, made), *map(PutArrow, drawn)])
            await app.builtin_cards.flush()  # now each output has said what it says


def _cards(home: WorkspaceId, count: int) -> list[Card]:
    columns = max(1, round((count * _CELL[1] / _CELL[0] * 1.6) ** 0.5))
    made = []
    for number in range(count):
        kind = _KINDS[number % len(_KINDS)]
        x, y = number % columns * _CELL[0], number // columns * _CELL[1]
        ports = BUILTIN_PORTS[kind]
        w, h = _SIZES[kind]
        made.append(
            Card(
                new_card_id(),
                home,
                kind,
                x,
                y,
                w,
                h,
                number,
                number,
                title=f"Card {number}",
                content=_content(kind, number),
                inputs=ports.inputs,
                outputs=ports.outputs,
            )
        )
    return made


def _content(kind: str, number: int) -> dict[str, object]:
    tasks = [
        {"id": f"t{at}", "text": f"Look at case {number}.{at}", "status": ("pending", "done", "error")[at % 3]}
        for at in range(6)
    ]
    match kind:
        case "note":
            return {"text": f"# Note {number}\n\n" + "Some words about what was found, **with** a few marks.\n\n" * 4}
        case "todo":
            return {"items": tasks}
        case "kanban":
            columns = [{"id": f"k{at}", "title": title} for at, title in enumerate(("Later", "Now", "Done"))]
            return {"columns": columns, "tasks": [{**task, "column": f"k{at % 3}"} for at, task in enumerate(tasks)]}
        case _:
            return {"color": ("yellow", "blue", "green")[number % 3]}


def _arrows(home: WorkspaceId, cards: Sequence[Card], count: int) -> list[Arrow]:
    """Arrows from notes into task lists and boards near them, so that no value goes on or round."""
    pairs = [
        (one, cards[at + step])
        for step in (1, 2, 5, 6, 9, 10, 13, 14)
        for at, one in enumerate(cards[: len(cards) - step])
        if one.kind == "note" and cards[at + step].kind in ("todo", "kanban")
    ]
    assert len(pairs) >= count
    return [
        Arrow(new_arrow_id(), home, one.id, two.id, "forward", DrawnBy(), 0, rank)
        for rank, (one, two) in enumerate(pairs[:count])
    ]

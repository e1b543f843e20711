"""Journals of the first form, a row for each delivery, brought into the present one: once, at the start of a server."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import apsw

from cardloom_protocol.ids import ChainId

from .journal import Filed, RouteBook, last_numbers, save_sheet
from .model import Place, Receipt, Sheet

_ENTRY: Final = (
    "entry.body_id, entry.id, entry.at_ms, entry.workspace_id, entry.kind, entry.via, entry.from_card, entry.output, "
    "entry.type, entry.to_card, entry.input_id, entry.input_type, entry.arrow_id, entry.outcome, entry.code, "
    "entry.message, entry.chain, entry.hop, entry.cause, entry.landed"
)
_ROWS: Final = (
    f"SELECT {_ENTRY}, body.size_bytes, body.preview, body.text, body.head, body.sha256, body.mark "  # noqa: S608
    "FROM journal AS entry JOIN journal_bodies AS body ON body.id = entry.body_id ORDER BY entry.id"
)


def move_first_form(connection: apsw.Connection) -> None:
    """Move every entry of the first form and drop its tables; nothing to do where there are none."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal_bodies'").get is None:
        return
    book = RouteBook(last_numbers(connection)[1])
    for sheet, body in _sheets(connection):
        save_sheet(connection, sheet, book.route(sheet), body)
    connection.execute("DROP TABLE journal")
    connection.execute("DROP TABLE journal_bodies")


def _sheets(connection: apsw.Connection) -> Iterator[tuple[Sheet, Filed]]:
    for body_id, group in groupby(connection.execute(_ROWS), key=lambda row: row[0]):
        rows = list(group)
        size_bytes, preview, text, head, *hashes = rows[0][20:]
        marks = list(dict.fromkeys(row[19] for row in rows if row[19] is not None))
        at_ms, workspace_id, _, _, from_card, output, type_ = rows[0][2:9]
        place = Place(ChainId(rows[0][16]), rows[0][17], rows[0][18])
        receipts = [_receipt(row, body_id, marks) for row in rows]
        sheet = Sheet(body_id, at_ms, workspace_id, from_card, output, type_, place, receipts, marks)
        yield (
            sheet,
            Filed(size_bytes, preview, text) if head is None else Filed(size_bytes, preview, None, head, *hashes),
        )


def _receipt(row: tuple[Any, ...], body_id: int, marks: list[str]) -> Receipt:
    landed = None if row[19] is None else marks.index(row[19])
    return Receipt._make((row[1] - body_id, *row[4:6], *row[9:16], landed))

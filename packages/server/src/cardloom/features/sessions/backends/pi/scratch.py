"""The file that pi works on in a run: one branch of a session, in a form that pi can read.

pi gets a copy, so that the session itself only ever holds ids that clients were told, and a program that is killed
leaves it whole. Pure. Spec: session protocol, pi JSONL v3.
"""

from __future__ import annotations

from cardloom_protocol.jstext import compact_json
from cardloom_protocol.session.codecs.pi import PiEntry, PiFile
from cardloom_protocol.session.codecs.pi_message import whole_answer
from cardloom_protocol.session.errors import NotFound
from cardloom_protocol.session.json_text import is_object


def branch_text(file: PiFile, leaf_id: str | None) -> str:
    """The text of a file that ends with an entry. NOT_FOUND for an unknown one."""
    lines = [file.header_raw]
    lines += [entry_line(entry) for entry in branch(file, leaf_id)]
    return "\n".join(lines) + "\n"


def branch(file: PiFile, leaf_id: str | None) -> list[PiEntry]:
    """The entries from the root to one of them; none for None. A cycle is cut where it would repeat."""
    entries = {entry.id: entry for entry in file.entries}
    if leaf_id is not None and leaf_id not in entries:
        raise NotFound(f"The session has no message {leaf_id!r}.")
    way: list[PiEntry] = []
    seen: set[str] = set()
    here = leaf_id
    while here is not None and here in entries and here not in seen:
        seen.add(here)
        way.append(entries[here])
        here = entries[here].parent
    way.reverse()
    return way


def entry_line(entry: PiEntry) -> str:
    """The line of an entry; answers that pi did not make itself get the fields without which it cannot read them."""
    message = entry.data.get("message")
    if not is_object(message):
        return entry.raw
    whole = whole_answer(message)
    return entry.raw if whole is message else compact_json({**entry.data, "message": whole})

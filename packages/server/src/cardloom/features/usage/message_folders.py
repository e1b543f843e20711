"""What OpenCode kept before it had a database: one file of JSON for each message, session and part of a message.

`storage/message/<session>/` is one log; its path ends with a slash. Copies of its messages that a later OpenCode put
into its database come first. Spec: harnesses, OpenCode storage.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from .readers import opencode
from .readers.lines import TOO_LONG, Output
from .reading import LONGEST_LINE_BYTES, Cursor, LogFile, Reading

_MOST_PARENTS: Final = 64


class _Session(msgspec.Struct):
    parentID: str | None = None
    directory: str | None = None


_SESSIONS: Final = msgspec.json.Decoder(_Session)


def is_message_folder(path: str) -> bool:
    """Whether a folder is where the messages of one session are."""
    parts = Path(path).parts
    return parts[-3:-1] == ("storage", "message") and parts[-1].startswith("ses_")


def list_folder(path: str) -> LogFile:
    """The folder as a log: all its messages together, changed when the last of them was. OSError."""
    size = changed_ns = 0
    for entry in _files(path):
        with suppress(FileNotFoundError):  # gone since the folder was listed
            status = entry.stat()
            size, changed_ns = size + status.st_size, max(changed_ns, status.st_mtime_ns)
    return LogFile(opencode.OPENCODE, f"{path}{os.sep}", size, changed_ns, os.stat(path).st_ino)


def read_folder(log: LogFile, most_bytes: int = LONGEST_LINE_BYTES) -> Reading:
    """Read all messages of a session. One that cannot be read is told, and the others count."""
    skipped, rows = Output(), []
    session = Path(log.path).name
    try:
        for entry in _files(log.path):
            row = _row(entry, session, skipped, most_bytes)
            if row is not None:
                rows.append(row)
    except OSError as error:
        return Reading(log, Cursor(), error=error.strerror or str(error))
    output = opencode.read_rows(rows, _family(log.path, session))
    records = [msgspec.structs.replace(record, copied=True) for record in output.records.values()]
    return Reading(log, Cursor(offset=1), True, records, skips=[*output.skips, *skipped.skips])


def calls_of_parts(path: str, message: str) -> tuple[tuple[str, str], ...]:
    """The tool calls of one message; none when its parts are gone or its id is no name of a folder."""
    if not message or message != _plain(message):
        return ()
    folder = os.path.join(_storage(path), "part", message)
    try:
        texts = [_text(entry.path, Output(), LONGEST_LINE_BYTES) for entry in _files(folder)]
    except OSError:
        return ()
    calls = (opencode.call_of(text) for text in texts if text is not None)
    return tuple(call for call in calls if call is not None)


def counts_in_folder(path: str, message: str) -> dict[str, object] | None:
    """The counts that a message's file holds now; None when it is gone or cannot be read."""
    text = _text(os.path.join(path, f"{os.path.basename(message)}.json"), Output(), LONGEST_LINE_BYTES)
    return None if text is None else opencode.counts_of(text)


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from sorted(
            (entry for entry in entries if entry.name.endswith(".json") and entry.is_file()),
            key=lambda entry: entry.name,
        )


def _row(entry: os.DirEntry[str], session: str, told: Output, most_bytes: int) -> opencode.MessageRow | None:
    try:
        changed_ms = entry.stat().st_mtime_ns // 1_000_000
    except FileNotFoundError:
        return None
    text = _text(entry.path, told, most_bytes)
    if text is None:
        return None
    name = os.fsencode(entry.name).decode("utf-8", "replace")
    return opencode.MessageRow(name.removesuffix(".json"), session, changed_ms, text)


def _text(path: str, told: Output, most_bytes: int) -> bytes | None:
    try:
        with open(path, "rb") as file:
            text = file.read(most_bytes + 1)
    except FileNotFoundError:  # deleted since the folder was listed: nothing that could not be read
        return None
    except OSError as error:
        told.skip(error.strerror or str(error))
        return None
    if len(text) > most_bytes:
        told.skip(TOO_LONG)
        return None
    return text


def _family(path: str, session: str) -> Mapping[str, opencode.SessionRow]:
    """A session and those that called it."""
    found: dict[str, opencode.SessionRow] = {}
    wanted: str | None = session
    while wanted and wanted not in found and len(found) < _MOST_PARENTS:
        known = _session(path, wanted)
        found[wanted] = opencode.SessionRow(wanted, known.parentID, None, known.directory)
        wanted = known.parentID
    return found


def _session(path: str, session: str) -> _Session:
    for place in Path(_storage(path), "session").glob(f"*/{_plain(session)}.json"):
        text = _text(str(place), Output(), LONGEST_LINE_BYTES)
        try:
            return _Session() if text is None else _SESSIONS.decode(text)
        except msgspec.DecodeError:
            break
    return _Session()


def _plain(name: str) -> str:
    """A name in which nothing stands for other names."""
    return "".join(letter for letter in name if letter.isalnum() or letter in "_-")


def _storage(path: str) -> str:
    return str(Path(path).parent.parent)

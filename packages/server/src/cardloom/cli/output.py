"""Standard output that can fail: a full disk is told in one line, a reader who has enough is met without a word."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXIT_UNWRITTEN: Final = 1


class OutputError(Exception):
    """Standard output took nothing more; the message says why, and is empty when its reader went away.

    No OSError, so that nobody takes it for a failure of what they did themselves.
    """


@contextmanager
def watched_output() -> Iterator[None]:
    """Standard output for a whole program. What it does not take ends the program with `EXIT_UNWRITTEN`.

    Everything that prints is met in this way, whatever it makes of errors of its own.
    """
    before = sys.stdout
    sys.stdout = stream = _watched(before)
    try:
        try:
            yield
        finally:
            if stream is not None:
                stream.flush()
    except OutputError as error:
        if str(error):
            with suppress(OSError):
                print(f"cardloom: {error}", file=sys.stderr)
        raise SystemExit(EXIT_UNWRITTEN) from None
    finally:
        sys.stdout = before
        if stream is not before:
            with suppress(OutputError):  # it is tried a last time, and would be once more when Python ends
                stream.close()


class _Outlet(io.FileIO):
    """A descriptor whose failures can be told from all others."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise OutputError from None
        except OSError as error:
            raise OutputError(f"the output could not be written: {error.strerror or error}") from error


def _watched(stream: TextIO) -> TextIO:
    """The same stream over an outlet; a stream that is no plain file stays, as do Windows consoles."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    if not (isinstance(stream, io.TextIOWrapper) and isinstance(raw, io.FileIO)):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_Outlet(raw.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or stream.write_through,
    )

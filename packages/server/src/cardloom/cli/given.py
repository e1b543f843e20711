"""Texts that a person gives to a command: as an argument, or by standard input where the argument is `-`."""

from __future__ import annotations

import io
import os
import sys

from .console import UsageError


def given_text(argument: str) -> str:
    """The text that an argument stands for. UsageError for bytes that are no UTF-8: half of them would be kept."""
    if argument == "-":
        with io.TextIOWrapper(io.BytesIO(_text_bytes(sys.stdin.buffer.read(), "input")), "utf-8") as lines:
            return lines.read()  # any end of a line becomes \n, as in every text that Python reads
    if not argument.isascii():
        _text_bytes(os.fsencode(argument), "argument")
    return argument


def _text_bytes(data: bytes, what: str) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {error.start + 1} is 0x{data[error.start]:02x}"
        raise UsageError(f"The {what} is no UTF-8 text: {place}.") from None
    return data

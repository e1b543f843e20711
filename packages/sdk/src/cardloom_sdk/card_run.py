"""Being a card for as long as there is one: connect, stay, connect again after a loss; the end of a program's life.

Spec: decisions 31, 44.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from cardloom_protocol.errors import CallError, ErrorCode

from .backoff import BackOff
from .channel import Channel, dial

if TYPE_CHECKING:
    from .card import Card

URL_VARIABLE: Final = "CARDLOOM_URL"
TOKEN_VARIABLE: Final = "CARDLOOM_CARD_TOKEN"  # noqa: S105 - the variable's name
CARD_PATH: Final = "/ws/card"

REFUSED_CODE: Final = 4403
REPLACED_CODE: Final = 4409
GONE_CODE: Final = 4410

EXIT_OVER: Final = 0
EXIT_USAGE: Final = 2
EXIT_REFUSED: Final = 73
"""The host does not know the token any more: whoever started the program may get a new one. No code that a program of
its own ends with."""
EXIT_REPLACED: Final = 74
"""Another program took over as this card."""

Connect: TypeAlias = Callable[[], Awaitable[Channel]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a card's life ended: the exit code of its program and what to say about it."""

    exit_code: int
    message: str


async def be(card: Card, connect: Connect, backoff: BackOff | None = None) -> Ended:
    """Be a card until the host says that it is over; losses are waited out."""
    waits = backoff or BackOff()
    try:
        while True:
            try:
                closed = await card.attend(await connect())
            except CallError as error:
                if error.code is ErrorCode.PERMISSION_DENIED:
                    return Ended(EXIT_REFUSED, "the host does not accept this card's token")
                if error.code is ErrorCode.PROTOCOL_MISMATCH:
                    return Ended(EXIT_USAGE, error.message)
            else:
                waits.reset()
                ended = _ENDS.get(closed.code)
                if ended is not None:
                    return ended
            await card.timing.sleep_ms(waits.next_ms())
    finally:
        card.stop_handlers()


_ENDS: Final = {
    REFUSED_CODE: Ended(EXIT_REFUSED, "the host does not accept this card's token"),
    REPLACED_CODE: Ended(EXIT_REPLACED, "another program took over as this card"),
    GONE_CODE: Ended(EXIT_OVER, "the card is not on the canvas any more"),
}


def run_from_environment(card: Card) -> int:
    """Be the card that the environment names; gives the exit code. Interrupting ends it quietly."""
    url, token = os.environ.get(URL_VARIABLE), os.environ.get(TOKEN_VARIABLE)
    if not url or not token:
        _say(f"{URL_VARIABLE} and {TOKEN_VARIABLE} are not set. Run a card with: cardloom card run FOLDER")
        return EXIT_USAGE
    # Programs that the card starts have no business with its token.
    del os.environ[TOKEN_VARIABLE]
    try:
        ended = asyncio.run(_until_told(card, lambda: dial(url, CARD_PATH, token)))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    if ended is None:
        return EXIT_OVER
    _say(ended.message)
    return ended.exit_code


async def _until_told(card: Card, connect: Connect) -> Ended | None:
    """Be the card until it is over or the process is asked to end (None)."""
    life = asyncio.ensure_future(be(card, connect))
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, life.cancel)
    try:
        return await life
    except asyncio.CancelledError:
        return None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

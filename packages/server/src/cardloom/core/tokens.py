"""One-card tokens: each lets one program be one card, and nothing else.

Only digests are kept; a token is seen once, by whoever made it. Spec: decisions 37, 44.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from cardloom_protocol.ids import CardId


class CardTokens:
    """The tokens that are good now. `revoked` is told of a card whose tokens are not good any more."""

    def __init__(self) -> None:
        self.revoked: Callable[[CardId], None] = lambda _: None
        self._cards: dict[bytes, CardId] = {}

    def issue(self, card_id: CardId) -> str:
        """Make a token for a card; those made before stay good until revoked."""
        token = secrets.token_urlsafe(32)
        self._cards[digest(token)] = card_id
        return token

    def card_of(self, token: str) -> CardId | None:
        """The card that a token stands for. The look-up is by digest, so its time tells nothing of the token."""
        return self._cards.get(digest(token))

    def revoke(self, card_id: CardId) -> None:
        """Make all tokens of a card worthless."""
        for known in [known for known, owner in self._cards.items() if owner == card_id]:
            del self._cards[known]
        self.revoked(card_id)


def digest(secret: str) -> bytes:
    """What is kept of a secret that only has to be known again."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()

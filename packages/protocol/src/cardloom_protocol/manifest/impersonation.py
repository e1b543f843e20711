"""Packages that give themselves out for somebody else's: names that a package may not show. Spec: impersonation."""

from __future__ import annotations

import unicodedata

from ..texts import placed_texts
from .model import Manifest, ManifestIssue

GUARDED_WORDS: tuple[str, ...] = ("neurosquad", "cardloom", "official", "verified")
"""Words that only packages of their owners may have in their names, however they are spaced or written."""


def impersonations(manifest: Manifest) -> tuple[ManifestIssue, ...]:
    """Every name of a manifest that claims an office, each at its place."""
    named = placed_texts("/displayName", manifest["displayName"])
    author = manifest.get("author")
    if author is not None:
        named["/author/name"] = author["name"]
    return tuple(
        ManifestIssue(path, "semantic", f"{text!r} holds {word!r}, which would pass the card off as somebody else's.")
        for path, text in named.items()
        if (word := _guarded_word(text)) is not None
    )


def _guarded_word(text: str) -> str | None:
    plain = "".join(char for char in unicodedata.normalize("NFKC", text).lower() if char.isalnum())
    return next((word for word in GUARDED_WORDS if word in plain), None)

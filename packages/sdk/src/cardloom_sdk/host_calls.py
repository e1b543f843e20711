"""How the parts of a card reach its host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

Call: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Makes a call of the card contract and gives its result; CallError for every refusal."""

Post: TypeAlias = Callable[[str, dict[str, Any]], None]
"""Makes a call whose answer nobody waits for."""

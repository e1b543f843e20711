"""What a new card is made of, apart from its place: made by the feature that knows the kind, used by the canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cardloom_protocol.ports.types import PortInfo

from .records import JsonObject


@dataclass(frozen=True, slots=True)
class Recipe:
    """A card's kind, content, ports and size. `size` None means the kind's own."""

    kind: str
    content: JsonObject = field(default_factory=dict)
    type: str | None = None
    inputs: tuple[PortInfo, ...] = ()
    outputs: tuple[PortInfo, ...] = ()
    size: tuple[float, float] | None = None


DescribePackage: TypeAlias = Callable[[str, Mapping[str, Any]], Recipe]
"""Gives the recipe of a package's card from the package id and the given content. NOT_FOUND: no such package."""

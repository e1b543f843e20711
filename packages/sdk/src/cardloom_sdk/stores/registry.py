"""Stores by name, so that a configuration can choose one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from cardloom_protocol.jstext import JsonValue
from cardloom_protocol.session.errors import NotFound

from .contract import SessionStore

StoreFactory: TypeAlias = Callable[[Mapping[str, JsonValue]], SessionStore]


class StoreRegistry:
    """Names and what makes a store of each. A name registered again is replaced."""

    def __init__(self) -> None:
        self._factories: dict[str, StoreFactory] = {}

    @property
    def names(self) -> list[str]:
        """The registered names in their order."""
        return list(self._factories)

    def register(self, name: str, factory: StoreFactory) -> None:
        """Makes a store known."""
        self._factories[name] = factory

    def create(self, name: str, options: Mapping[str, JsonValue] | None = None) -> SessionStore:
        """A store of that name. NOT_FOUND lists the names that there are."""
        factory = self._factories.get(name)
        if factory is None:
            raise NotFound(f"There is no store {name!r}; there are: {', '.join(self._factories) or 'none'}.")
        return factory(options or {})

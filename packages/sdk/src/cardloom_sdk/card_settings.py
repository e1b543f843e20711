"""The settings that the manifest declares, as the card reads and changes them. Spec: cards, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .context import CardContext
from .host_calls import Call
from .listeners import Listeners, Stop

SettingValue: TypeAlias = str | int | float | bool


class CardSettings:
    """Values with their defaults, and which secrets are set; what a secret is no card learns."""

    def __init__(self, context: Callable[[], CardContext], call: Call, listeners: Listeners) -> None:
        self._context = context
        self._call = call
        self._listeners = listeners

    @property
    def values(self) -> Mapping[str, SettingValue]:
        """The values now, defaults filled in; a setting without either is not there."""
        values: Mapping[str, SettingValue] = self._context().wire["settings"]["values"]
        return values

    @property
    def secrets(self) -> Mapping[str, bool]:
        """Which secrets are set."""
        secrets: Mapping[str, bool] = self._context().wire["settings"]["secrets"]
        return secrets

    def has_secret(self, key: str) -> bool:
        """Whether a secret is set."""
        return self.secrets.get(key) is True

    async def get(self) -> Mapping[str, SettingValue]:
        """Ask the host for the values."""
        self._take(await self._call("settings.get", {}))
        return self.values

    async def set(self, **values: SettingValue) -> None:
        """Change some values. INVALID_PARAMS with `[{key, message}]` names what does not fit; then none is changed."""
        self._take(await self._call("settings.set", {"values": values}))

    async def open(self) -> None:
        """Open the host's form, where the owner types secrets in. NOT_VISIBLE while the card is out of sight."""
        await self._call("settings.open", {})

    def on_changed(self, handler: Callable[..., Any]) -> Stop:
        """Call a function with the values whenever a setting or a secret changed; gives how to stop."""
        return self._listeners.add(
            "settings.changed", handler, wants=lambda _: True, convert=lambda data: (data["values"],)
        )

    def _take(self, settings: Any) -> None:
        self._context().take("settings.changed", settings)

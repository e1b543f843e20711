"""Every harness that can be an agent, by its id, in the order people are offered them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from . import (
    acp,
    amp,
    claude_code,
    codex_cli,
    command,
    cursor,
    gemini_cli,
    hermes_agent,
    kilo_code,
    opencode,
    pi,
    qwen_code,
)
from .shape import Harness

_MODULES: Final = (
    claude_code,
    codex_cli,
    opencode,
    kilo_code,
    qwen_code,
    hermes_agent,
    amp,
    cursor,
    gemini_cli,
    pi,
    acp,
    command,
)

HARNESSES: Final[Mapping[str, Harness]] = MappingProxyType({one.HARNESS.id: one.HARNESS for one in _MODULES})

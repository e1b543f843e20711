"""The manifest of a card package: read it, or learn at once everything that is wrong with it. Spec: manifest."""

from ..vocabulary import ICONS, THEME_TOKENS, TONES
from .model import (
    CardSizes,
    Manifest,
    ManifestIssue,
    ManifestResult,
    ManifestWarning,
    PortDefinition,
    PortDefinitions,
    ResponseDefinition,
    Size,
    ToolDefinition,
    declared_permissions,
)
from .names import BUILTIN_TOOLS, RESERVED_NAMES, tool_full_name
from .parse import parse_manifest, parse_python_manifest
from .structure import MANIFEST_SCHEMA, PYTHON_MANIFEST_SCHEMA

__all__ = [
    "BUILTIN_TOOLS",
    "ICONS",
    "MANIFEST_SCHEMA",
    "PYTHON_MANIFEST_SCHEMA",
    "RESERVED_NAMES",
    "THEME_TOKENS",
    "TONES",
    "CardSizes",
    "Manifest",
    "ManifestIssue",
    "ManifestResult",
    "ManifestWarning",
    "PortDefinition",
    "PortDefinitions",
    "ResponseDefinition",
    "Size",
    "ToolDefinition",
    "declared_permissions",
    "parse_manifest",
    "parse_python_manifest",
    "tool_full_name",
]

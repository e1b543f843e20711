"""What reading a manifest gives: the normalised manifest, or everything that is wrong with it."""

from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias, TypedDict

from ..jstext import JsonValue
from ..permissions import Permission, PermissionWire
from ..settings import SettingDefinition
from ..texts import LocalizedText

IssueCode: TypeAlias = Literal["schema", "semantic", "protocol"]


class Size(TypedDict):
    """A size on the canvas in pixels."""

    w: int
    h: int


class CardSizes(TypedDict):
    """The sizes of a card, each one filled in."""

    defaultSize: Size
    minSize: Size
    maxSize: Size


class Author(TypedDict):
    """Who wrote the card."""

    name: str
    url: NotRequired[str]


class ResponseDefinition(TypedDict):
    """What a request input answers with."""

    type: str
    schema: NotRequired[dict[str, JsonValue]]


class PortDefinition(TypedDict):
    """One declared port. `mode`, `response` and `default` occur on inputs alone, `retain` on outputs alone."""

    id: str
    label: LocalizedText
    type: str
    description: NotRequired[LocalizedText]
    schema: NotRequired[dict[str, JsonValue]]
    mode: NotRequired[Literal["stream", "request"]]
    response: NotRequired[ResponseDefinition]
    retain: NotRequired[bool]
    default: NotRequired[bool]


class PortDefinitions(TypedDict):
    """All declared ports."""

    inputs: list[PortDefinition]
    outputs: list[PortDefinition]


class ToolDefinition(TypedDict):
    """One declared tool; `timeoutMs` is the usual tool limit when not given."""

    name: str
    description: str
    inputSchema: dict[str, JsonValue]
    title: NotRequired[str]
    readOnly: NotRequired[bool]
    timeoutMs: NotRequired[int]


Manifest = TypedDict(
    "Manifest",
    {
        "$schema": NotRequired[str],
        "manifestVersion": int,
        "name": str,
        "displayName": LocalizedText,
        "version": str,
        "protocol": int,
        "description": NotRequired[LocalizedText],
        "author": NotRequired[Author],
        "license": NotRequired[str],
        "homepage": NotRequired[str],
        "icon": NotRequired[str],
        "minAppVersion": NotRequired[str],
        "keywords": NotRequired[list[str]],
        "entry": NotRequired[str],
        "python": NotRequired[str],
        "card": CardSizes,
        "permissions": list[PermissionWire],
        "settings": list[SettingDefinition],
        "ports": PortDefinitions,
        "tools": list[ToolDefinition],
    },
)
"""A manifest as read: what the file gives, under the same names, and every default filled in.

Exactly one of `entry` (a card with a page) and `python` (a card written in Python) is there.
"""


@dataclass(frozen=True, slots=True)
class ManifestIssue:
    """One fault. `path` is a JSON pointer into the file.

    The code says what kind: `schema`, the shape is wrong; `semantic`, the shape is right and the meaning
    is not; `protocol`, the card needs a newer Cardloom.
    """

    path: str
    code: IssueCode
    message: str

    def to_wire(self) -> dict[str, JsonValue]:
        """The issue as `{path, code, message}`."""
        return {"path": self.path, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class ManifestWarning:
    """Something odd that does not keep the card from being used."""

    path: str
    message: str

    def to_wire(self) -> dict[str, JsonValue]:
        """The warning as `{path, message}`."""
        return {"path": self.path, "message": self.message}


@dataclass(frozen=True, slots=True)
class ManifestResult:
    """A manifest when there are no issues, else None beside the issues."""

    manifest: Manifest | None
    issues: tuple[ManifestIssue, ...] = ()
    warnings: tuple[ManifestWarning, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the manifest can be used."""
        return self.manifest is not None


def declared_permissions(manifest: Manifest) -> tuple[Permission, ...]:
    """The permissions that a manifest asks for, in canonical order."""
    return tuple(Permission.from_wire(entry) for entry in manifest["permissions"])

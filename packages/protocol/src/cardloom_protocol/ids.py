"""The identifiers of Cardloom. Each is an opaque text, made at random once and never used again."""

from typing import NewType

WorkspaceId = NewType("WorkspaceId", str)
CardId = NewType("CardId", str)
ArrowId = NewType("ArrowId", str)
PageId = NewType("PageId", str)
PackageId = NewType("PackageId", str)
ConnectionId = NewType("ConnectionId", str)
DialogId = NewType("DialogId", str)
ChainId = NewType("ChainId", str)

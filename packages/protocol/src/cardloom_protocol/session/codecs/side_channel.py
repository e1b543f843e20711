"""The neutral node beside a foreign record: what the record's own form cannot say is kept in `nrs…` fields.

Readers that know these fields prefer them; the program that owns the file ignores them. Spec: session protocol,
surgery and fidelity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ...jstext import JsonValue
from ..json_text import JsonObject, is_object, object_of
from ..messages import current_flags
from ..model import StoreNode
from ..parts import AnyPart


@dataclass(frozen=True, slots=True)
class NodeContent:
    """A node without its place: what a record says of a message."""

    role: str
    parts: list[AnyPart]
    name: str | None = None
    flags: JsonObject | None = None
    meta: JsonObject | None = None

    def node(self, node_id: str, parent: JsonValue, created_at: JsonValue) -> StoreNode:
        """The node in its place; `created_at` is the record's time, used where the meta has none of its own."""
        meta = dict(self.meta or {})
        if isinstance(created_at, str):
            meta.setdefault("createdAt", created_at)
        return StoreNode(
            id=node_id,
            parent=parent if isinstance(parent, str) else None,
            role=self.role,
            parts=self.parts,
            name=self.name,
            flags=self.flags or None,
            meta=meta or None,
        )


def side_content(record: JsonObject) -> NodeContent | None:
    """The node beside a record, None when there is none."""
    role, parts, name = record.get("nrsRole"), record.get("nrsParts"), record.get("nrsName")
    if not isinstance(role, str) or not isinstance(parts, list):
        return None
    return NodeContent(
        role=role,
        parts=[part for part in parts if is_object(part)],
        name=name if isinstance(name, str) else None,
        flags=current_flags(object_of(record.get("nrsFlags"))) or None,
        meta=object_of(record.get("nrsMeta")) or None,
    )


def side_fields(content: NodeContent) -> JsonObject:
    """The fields to write beside a record; what is empty is left out."""
    fields: JsonObject = {"nrsRole": content.role, "nrsParts": cast(list[JsonValue], content.parts)}
    if content.name:
        fields["nrsName"] = content.name
    if content.flags:
        fields["nrsFlags"] = content.flags
    if content.meta:
        fields["nrsMeta"] = content.meta
    return fields

"""The tree of a session: which messages are shown, in which order, with which alternatives.

Nodes are addressed by their position, since files may hold an id twice. No function recurses: a long chat is one deep
branch. Spec: session protocol, tree math.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .hashing import content_hash
from .json_text import JsonObject
from .messages import Message, Swipes, ThreadEntry
from .model import StoredSession, StoreNode


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes of a session and how they hang together, all by position.

    `by_id` knows the last node of an id; `duplicates` lists the ids found more than once.
    """

    nodes: Sequence[StoreNode]
    by_id: dict[str, int]
    parents: list[int | None]
    children: list[list[int]]
    roots: list[int]
    duplicates: list[str]

    def find(self, node_id: str) -> StoreNode | None:
        """The node of that id."""
        at = self.by_id.get(node_id)
        return None if at is None else self.nodes[at]

    def siblings(self, at: int) -> list[int]:
        """The children of the same parent, this node included; of a root, all roots."""
        parent = self.parents[at]
        return self.roots if parent is None else self.children[parent]

    def swipes(self, at: int) -> Swipes:
        """Which of its siblings a node is, and of how many."""
        siblings = self.siblings(at)
        return {"active": bisect_left(siblings, at), "count": len(siblings)}

    def descend(self, at: int) -> int:
        """The end of the branch below a node: the last child of the last child, and so on."""
        seen = {at}
        while self.children[at]:
            at = self.children[at][-1]
            if at in seen:
                break
            seen.add(at)
        return at

    def path(self, at: int | None) -> list[int]:
        """The way from the root to a node, cut where a cycle would repeat."""
        way: list[int] = []
        seen: set[int] = set()
        while at is not None and at not in seen:
            seen.add(at)
            way.append(at)
            at = self.parents[at]
        way.reverse()
        return way

    def walk(self) -> Iterator[tuple[int, int]]:
        """Every node that a root reaches with its depth, parents before children."""
        waiting = [(root, 0) for root in reversed(self.roots)]
        while waiting:
            at, depth = waiting.pop()
            yield at, depth
            waiting.extend((child, depth + 1) for child in reversed(self.children[at]))

    def subtree(self, at: int) -> list[int]:
        """A node and everything below it, parents before children."""
        found: list[int] = []
        waiting, seen = [at], {at}
        while waiting:
            here = waiting.pop()
            found.append(here)
            below = [child for child in reversed(self.children[here]) if child not in seen]
            seen.update(below)
            waiting.extend(below)
        return found


def tree_of(nodes: Sequence[StoreNode]) -> Tree:
    """The tree of some nodes. One whose parent is missing, unknown or itself is a root."""
    by_id: dict[str, int] = {}
    duplicates: list[str] = []
    for at, node in enumerate(nodes):
        if node.id in by_id:
            duplicates.append(node.id)
        by_id[node.id] = at
    parents: list[int | None] = []
    children: list[list[int]] = [[] for _ in nodes]
    roots: list[int] = []
    for at, node in enumerate(nodes):
        parent = None if node.parent in (None, node.id) else by_id.get(node.parent)
        if parent is None:
            parents.append(None)
            roots.append(at)
        else:
            parents.append(parent)
            children[parent].append(at)
    return Tree(nodes, by_id, parents, children, roots, duplicates)


def active_leaf(tree: Tree, meta: JsonObject | None) -> int | None:
    """The node that a session ends with: the recorded one where it exists, else the last one. It may have children."""
    named = (meta or {}).get("activeLeaf")
    if isinstance(named, str) and named in tree.by_id:
        return tree.by_id[named]
    return len(tree.nodes) - 1 if tree.nodes else None


def active_path(session: StoredSession) -> list[StoreNode]:
    """The nodes from the root to the active leaf."""
    tree = tree_of(session.nodes)
    return [session.nodes[at] for at in tree.path(active_leaf(tree, session.meta))]


def to_history(session: StoredSession) -> list[Message]:
    """The messages of the active path."""
    tree = tree_of(session.nodes)
    return [to_message(tree, at) for at in tree.path(active_leaf(tree, session.meta))]


def to_thread(session: StoredSession) -> list[ThreadEntry]:
    """The messages of all branches with their depth; nodes of a cycle that no root reaches are left out."""
    tree = tree_of(session.nodes)
    return [{"message": to_message(tree, at), "depth": depth} for at, depth in tree.walk()]


def to_message(tree: Tree, at: int, known_hash: str | None = None) -> Message:
    """The message of a node, with its swipes where it has siblings, and its hash; stores that keep hashes give it."""
    node = tree.nodes[at]
    message: Message = {"id": node.id, "role": node.role, "parts": node.parts}
    if node.name is not None:
        message["name"] = node.name
    flags = _shown_flags(node)
    if flags:
        message["flags"] = flags
    meta = _shown_meta(node.meta or {})
    if meta:
        message["meta"] = meta
    if len(tree.siblings(at)) > 1:
        message["swipes"] = tree.swipes(at)
    message["hash"] = known_hash or content_hash(node.role, node.parts)
    return message


def _shown_flags(node: StoreNode) -> JsonObject:
    flags = dict(node.flags or {})
    for name in ("hidden", "frozen", "injected"):  # older files keep these beside the node's meta
        if (node.meta or {}).get(name) is True:
            flags[name] = True
    return flags


def _shown_meta(meta: JsonObject) -> JsonObject:
    shown = {name: meta[name] for name in ("createdAt", "model") if isinstance(meta.get(name), str)}
    if isinstance(meta.get("usage"), dict | list):
        shown["usage"] = meta["usage"]
    return shown


def swiped_leaf(tree: Tree, at: int, *, index: int | None = None, step: int = 0) -> int:
    """Where the session ends after switching a node to a sibling: at the end of that sibling's branch.

    `index` counts from 0; `step` is 1 for the next and -1 for the previous one. Both stop at the ends.
    """
    siblings = tree.siblings(at)
    wanted = bisect_left(siblings, at) + step if index is None else index
    return tree.descend(siblings[min(max(wanted, 0), len(siblings) - 1)])

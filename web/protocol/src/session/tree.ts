import type { JsonObject } from "../json";
import { contentHash } from "./hashing";
import type { StoredSession } from "./info";
import type { Message, MessageMeta, StoreNode, Swipes, ThreadEntry } from "./messages";

/**
 * The nodes of a session and how they hang together, all by position, since files may hold an id twice.
 *
 * `byId` knows the last node of an id; `duplicates` lists the ids found more than once.
 */
export interface Tree {
  readonly nodes: readonly StoreNode[];
  readonly byId: ReadonlyMap<string, number>;
  readonly parents: readonly (number | null)[];
  readonly children: readonly (readonly number[])[];
  readonly roots: readonly number[];
  readonly duplicates: readonly string[];
}

/** The tree of some nodes. One whose parent is missing, unknown or itself is a root. */
export function treeOf(nodes: readonly StoreNode[]): Tree {
  const byId = new Map<string, number>();
  const duplicates: string[] = [];
  nodes.forEach((node, at) => {
    if (byId.has(node.id)) duplicates.push(node.id);
    byId.set(node.id, at);
  });
  const parents: (number | null)[] = [];
  const children: number[][] = nodes.map(() => []);
  const roots: number[] = [];
  nodes.forEach((node, at) => {
    const parent = typeof node.parent === "string" && node.parent !== node.id ? byId.get(node.parent) : undefined;
    parents.push(parent ?? null);
    (parent === undefined ? roots : children[parent])?.push(at);
  });
  return { nodes, byId, parents, children, roots, duplicates };
}

/** The node that a session ends with: the recorded one where it exists, else the last one. */
export function activeLeaf(tree: Tree, meta?: JsonObject): number | null {
  const named = meta?.["activeLeaf"];
  const at = typeof named === "string" ? tree.byId.get(named) : undefined;
  return at ?? (tree.nodes.length > 0 ? tree.nodes.length - 1 : null);
}

/** The children of the same parent, this node included; of a root, all roots. */
export function siblingsOf(tree: Tree, at: number): readonly number[] {
  const parent = tree.parents[at] ?? null;
  return parent === null ? tree.roots : (tree.children[parent] ?? []);
}

/** Which of its siblings a node is, and of how many. */
export function swipesOf(tree: Tree, at: number): Swipes {
  const siblings = siblingsOf(tree, at);
  return { active: siblings.indexOf(at), count: siblings.length };
}

/** The end of the branch below a node: the last child of the last child, and so on. */
export function descendToLeaf(tree: Tree, start: number): number {
  const seen = new Set([start]);
  let at = start;
  for (;;) {
    const next = tree.children[at]?.at(-1);
    if (next === undefined) return at;
    at = next;
    if (seen.has(at)) return at;
    seen.add(at);
  }
}

/** The way from the root to a node, cut where a cycle would repeat. */
export function pathTo(tree: Tree, leaf: number | null): number[] {
  const way: number[] = [];
  const seen = new Set<number>();
  let at = leaf;
  while (at !== null && !seen.has(at)) {
    seen.add(at);
    way.push(at);
    at = tree.parents[at] ?? null;
  }
  return way.reverse();
}

/** The messages of the active path. */
export function toHistory(session: StoredSession): Message[] {
  const tree = treeOf(session.nodes);
  return pathTo(tree, activeLeaf(tree, session.meta)).flatMap((at) => messagesAt(tree, at));
}

/** The messages of all branches with their depth; nodes of a cycle that no root reaches are left out. */
export function toThread(session: StoredSession): ThreadEntry[] {
  const tree = treeOf(session.nodes);
  const thread: ThreadEntry[] = [];
  const waiting = tree.roots.map((at) => ({ at, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, depth } = next;
    thread.push(...messagesAt(tree, at).map((message) => ({ message, depth })));
    const below = (tree.children[at] ?? []).map((child) => ({ at: child, depth: depth + 1 }));
    waiting.push(...below.reverse());
  }
  return thread;
}

function messagesAt(tree: Tree, at: number): Message[] {
  const node = tree.nodes[at];
  return node === undefined ? [] : [toMessage(tree, node, at)];
}

function toMessage(tree: Tree, node: StoreNode, at: number): Message {
  const flags: Record<string, boolean> = { ...node.flags };
  for (const name of ["hidden", "frozen", "injected"]) {
    if (node.meta?.[name] === true) flags[name] = true; // older files keep these beside the node's meta
  }
  const meta = shownMeta(node.meta ?? {});
  const swipes = swipesOf(tree, at);
  return {
    id: node.id,
    role: node.role,
    parts: node.parts,
    ...(node.name === undefined ? {} : { name: node.name }),
    ...(Object.keys(flags).length > 0 ? { flags } : {}),
    ...(Object.keys(meta).length > 0 ? { meta } : {}),
    ...(swipes.count > 1 ? { swipes } : {}),
    hash: contentHash(node.role, node.parts),
  };
}

function shownMeta({ createdAt, model, usage }: JsonObject): MessageMeta {
  return {
    ...(typeof createdAt === "string" ? { createdAt } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof usage === "object" && usage !== null ? { usage: usage as unknown as MessageMeta["usage"] } : {}),
  };
}

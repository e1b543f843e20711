import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AnyPart, StoredSession } from "../src/session";
import * as session from "../src/session";

/** A record holds its own results; an adapter gives it back with the results it saw. */
type Record_ = Readonly<Record<string, unknown>>;
type Adapter = (record: never) => Record_;

const FOLDER = new URL("../../../tests/vectors/ui/", import.meta.url);

function page(items: readonly number[], opts: { limit?: number | string; cursor?: string } | null) {
  const limit = typeof opts?.limit === "string" ? Number.parseFloat(opts.limit) : opts?.limit;
  return session.pageOf(items, limit, opts?.cursor);
}

function pagesOf(total: number, limit: number) {
  const items = Array.from({ length: total }, (_, index) => index);
  const pages = [session.pageOf(items, limit)];
  for (let last = pages.at(-1); last?.cursor !== undefined; last = pages.at(-1)) {
    pages.push(session.pageOf(items, limit, last.cursor));
  }
  return pages;
}

function treeSeen(model: StoredSession) {
  const tree = session.treeOf(model.nodes);
  const leaf = session.activeLeaf(tree, model.meta);
  const everything = [...model.nodes.keys()];
  return {
    duplicate_warnings: tree.duplicates.length,
    root_indexes: tree.roots,
    parent_index: tree.parents,
    child_indexes: tree.children,
    active_leaf_index: leaf,
    active_path_indexes: session.pathTo(tree, leaf),
    sibling_indexes: everything.map((at) => session.siblingsOf(tree, at)),
    swipe: everything.map((at) => session.swipesOf(tree, at)),
    descend_index: everything.map((at) => session.descendToLeaf(tree, at)),
    history: session.toHistory(model),
    thread: session.toThread(model),
  };
}

const guarded = (accepted: boolean, value: unknown) =>
  accepted ? { ok: true, value } : { ok: false, code: "invalid_id", error_name: "StoreInvalidId" };

/** By the name of the vector file; session files of other programs are read by the server alone. */
const ADAPTERS: Readonly<Record<string, Adapter>> = {
  asset_names: ({ value }: { value: unknown }) => ({ result: guarded(session.isAssetName(value), value) }),
  safe_ids: ({ value }: { value: unknown }) => ({ result: guarded(session.isSafeId(value), value) }),
  content_hash: ({ role, parts_json }: { role: string; parts_json: string }) => {
    const parts = JSON.parse(parts_json) as AnyPart[];
    return { canonical: session.canonicalContent(role, parts), hash: session.contentHash(role, parts) };
  },
  gitignore: (record: { gitignore: Record<string, string>; path: string; is_dir: boolean }) => {
    const rules = new Map(
      Object.entries(record.gitignore).map(([folder, text]) => [folder, session.parseGitignore(text)]),
    );
    return { ignored: session.isIgnoredPath(record.path, record.is_dir, (folder) => rules.get(folder)) };
  },
  paginate: (record: {
    items: number[];
    opts: { limit?: number; cursor?: string } | null;
    walk?: { total: number; limit: number };
  }) =>
    record.walk ? { pages: pagesOf(record.walk.total, record.walk.limit) } : { result: page(record.items, record.opts) },
  parts_helpers: (record: { fn: string; input: { parts?: AnyPart[]; text?: string }; parts: AnyPart[]; text: string }) => ({
    result: record.fn === "parts_of" ? session.partsOf(record.input) : session.replaceTextParts(record.parts, record.text),
  }),
  tree: ({ model }: { model: StoredSession }) => ({ expect: treeSeen(model) }),
};

describe("recorded behaviour of sessions", () => {
  for (const [name, adapter] of Object.entries(ADAPTERS)) {
    test(`every case of ${name}.json gives what was recorded`, () => {
      const { cases } = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf-8")) as { cases: Record_[] };
      expect(cases.length).toBeGreaterThan(0);
      for (const recorded of cases) {
        expect({ ...recorded, ...adapter(recorded as never) }, JSON.stringify(recorded).slice(0, 200)).toEqual(recorded);
      }
    });
  }
});

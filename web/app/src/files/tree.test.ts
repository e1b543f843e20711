import { describe, expect, test } from "vitest";
import { EMPTY_TREE, foldersAbove, foldersShown, rowsOf, rowTyped, sorted, stepFrom, type Folder, type Tree } from "./tree";

const file = (path: string) => ({ path, type: "file" as const, size: 1 });
const folder = (path: string) => ({ path, type: "directory" as const });
const ready = (...entries: ReturnType<typeof file | typeof folder>[]): Folder => ({ phase: "ready", entries, truncated: false });

function tree(folders: Record<string, Folder>, ...open: string[]): Tree {
  return { folders: new Map(Object.entries(folders)), open: new Set(open) };
}

const SHOP = tree(
  { "": ready(folder("src"), file("README.md")), src: ready(folder("src/ui"), file("src/a.py")), "src/ui": { phase: "loading" } },
  "src",
);

const shown = (known: Tree) => rowsOf(known).map((row) => (row.kind === "entry" ? `${row.level} ${row.name}` : `${row.level} (${row.note})`));

describe("the rows of a tree", () => {
  test("an unfolded folder's entries stand below it, one level deeper", () => {
    expect(shown(SHOP)).toEqual(["1 src", "2 ui", "2 a.py", "1 README.md"]);
    expect(rowsOf(SHOP)[2]).toMatchObject({ path: "src/a.py", place: 2, siblings: 2, isFolder: false });
  });

  test("what is being read, empty, refused or cut says so in its place", () => {
    expect(shown(EMPTY_TREE)).toEqual(["1 (loading)"]);
    expect(shown(tree({ "": ready() }))).toEqual(["1 (empty)"]);
    const cut: Folder = { phase: "ready", entries: [folder("a")], truncated: true };
    expect(shown(tree({ "": cut, a: { phase: "failed", message: "denied" } }, "a"))).toEqual(["1 a", "2 (failed)", "1 (truncated)"]);
  });

  test("a folder inside a folded one is not on the screen and not watched", () => {
    const deep = { ...SHOP, open: new Set(["src", "src/ui"]) };
    expect(foldersShown(deep)).toEqual(["", "src", "src/ui"]);
    expect(foldersShown({ ...deep, open: new Set(["src/ui"]) })).toEqual([""]);
  });

  test("folders come first and numbers count", () => {
    const names = sorted([file("b10"), file("B2"), folder("z"), file("a")]).map((entry) => entry.path);
    expect(names).toEqual(["z", "a", "B2", "b10"]);
  });

  test("the folders above a path lead from the outside in", () => {
    expect(foldersAbove("a/b/c.ts")).toEqual(["a", "a/b"]);
    expect(foldersAbove("c.ts")).toEqual([]);
  });
});

describe("keys in a tree", () => {
  const step = (key: string, at: string | null) => stepFrom(rowsOf(SHOP), at, key, 2);

  test.each([
    ["ArrowDown", "src", { go: "src/ui" }],
    ["ArrowDown", null, { go: "src" }],
    ["ArrowUp", "src", { go: "src" }],
    ["Home", "README.md", { go: "src" }],
    ["End", "src", { go: "README.md" }],
    ["PageDown", "src", { go: "src/a.py" }],
    ["PageUp", "README.md", { go: "src/ui" }],
    ["ArrowRight", "src/ui", { unfold: "src/ui" }],
    ["ArrowRight", "src", { go: "src/ui" }],
    ["ArrowRight", "src/a.py", null],
    ["ArrowLeft", "src", { fold: "src" }],
    ["ArrowLeft", "src/a.py", { go: "src" }],
    ["ArrowLeft", "README.md", null],
    ["x", "src", null],
  ])("%s at %s", (key, at, wanted) => expect(step(key, at)).toEqual(wanted));

  test("letters lead to the next name that begins with them, round and round", () => {
    const rows = rowsOf(tree({ "": ready(file("alpha"), file("beta"), file("Bravo")) }));
    expect(rowTyped(rows, "alpha", "b")).toBe("beta");
    expect(rowTyped(rows, "beta", "b")).toBe("Bravo");
    expect(rowTyped(rows, "Bravo", "b")).toBe("beta");
    expect(rowTyped(rows, "beta", "br")).toBe("Bravo");
    expect(rowTyped(rows, "beta", "x")).toBeNull();
  });
});

import type { FileEntry } from "../wire/records";

/** What is known of one folder. */
export type Folder =
  | { phase: "loading" }
  | { phase: "failed"; message: string }
  | { phase: "ready"; entries: readonly FileEntry[]; truncated: boolean };

/** The folders that were looked into, and those that are unfolded; "" is the workspace's own, which always is. */
export interface Tree {
  folders: ReadonlyMap<string, Folder>;
  open: ReadonlySet<string>;
}

export const EMPTY_TREE: Tree = { folders: new Map(), open: new Set() };

export interface EntryRow {
  kind: "entry";
  path: string;
  name: string;
  isFolder: boolean;
  isOpen: boolean;
  /** 1 for what lies in the workspace folder itself. */
  level: number;
  /** 1 for the first among its siblings. */
  place: number;
  siblings: number;
}

/** Words in the place of entries: there are none, not yet, or not all of them. */
export interface NoteRow {
  kind: "note";
  path: string;
  level: number;
  note: "loading" | "failed" | "empty" | "truncated";
  message: string;
}

type TreeRow = EntryRow | NoteRow;

const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The folders above a path, from the outermost inwards, without the workspace's own. */
export function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

export function isWithin(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** Folders first, then by name as people count. */
export function sorted(entries: readonly FileEntry[]): FileEntry[] {
  return [...entries].sort(
    (one, other) =>
      Number(other.type === "directory") - Number(one.type === "directory") ||
      order.compare(nameOf(one.path), nameOf(other.path)) ||
      (one.path < other.path ? -1 : 1),
  );
}

/** The rows of the unfolded tree from top to bottom. */
export function rowsOf(tree: Tree): TreeRow[] {
  const rows: TreeRow[] = [];
  addRows(tree, "", 1, rows);
  return rows;
}

function addRows(tree: Tree, path: string, level: number, rows: TreeRow[]): void {
  const folder = tree.folders.get(path) ?? { phase: "loading" };
  const say = (note: NoteRow["note"], message = "") => rows.push({ kind: "note", path, level, note, message });
  if (folder.phase === "loading") say("loading");
  else if (folder.phase === "failed") say("failed", folder.message);
  else {
    if (folder.entries.length === 0) say("empty");
    folder.entries.forEach((entry, index) => {
      const isFolder = entry.type === "directory";
      const isOpen = isFolder && tree.open.has(entry.path);
      rows.push({
        kind: "entry",
        path: entry.path,
        name: nameOf(entry.path),
        isFolder,
        isOpen,
        level,
        place: index + 1,
        siblings: folder.entries.length,
      });
      if (isOpen) addRows(tree, entry.path, level + 1, rows);
    });
    if (folder.truncated) say("truncated");
  }
}

/** The folders whose entries are on the screen: the workspace's own and the unfolded ones that can be reached. */
export function foldersShown(tree: Tree): string[] {
  return ["", ...rowsOf(tree).flatMap((row) => (row.kind === "entry" && row.isOpen ? [row.path] : []))];
}

/** Where a key leads from a row: the path of another row, or what shall happen to this one. */
type TreeStep = { go: string } | { unfold: string } | { fold: string } | null;

export function stepFrom(rows: readonly TreeRow[], at: string | null, key: string, pageRows: number): TreeStep {
  const entries = rows.filter((row) => row.kind === "entry");
  const index = entries.findIndex((row) => row.path === at);
  const row = entries[index];
  const to = (wanted: number): TreeStep => {
    const found = entries[Math.max(0, Math.min(entries.length - 1, wanted))];
    return found === undefined ? null : { go: found.path };
  };
  switch (key) {
    case "ArrowDown":
      return to(index + 1);
    case "ArrowUp":
      return to(index - 1);
    case "Home":
      return to(0);
    case "End":
      return to(entries.length - 1);
    case "PageDown":
      return to(index + pageRows);
    case "PageUp":
      return to(index - pageRows);
    case "ArrowRight":
      if (row === undefined || !row.isFolder) return null;
      return row.isOpen ? (entries[index + 1]?.level === row.level + 1 ? to(index + 1) : null) : { unfold: row.path };
    case "ArrowLeft":
      if (row === undefined) return null;
      if (row.isOpen) return { fold: row.path };
      return row.level > 1 ? { go: parentOf(row.path) } : null;
    default:
      return null;
  }
}

/** The next row whose name begins with what was typed; a single letter goes on from the row one is at. */
export function rowTyped(rows: readonly TreeRow[], at: string | null, typed: string): string | null {
  const entries = rows.filter((row) => row.kind === "entry");
  const index = entries.findIndex((row) => row.path === at);
  const from = typed.length === 1 ? index + 1 : Math.max(0, index);
  const wanted = typed.toLowerCase();
  const found = [...entries.slice(from), ...entries.slice(0, from)].find((row) => row.name.toLowerCase().startsWith(wanted));
  return found?.path ?? null;
}

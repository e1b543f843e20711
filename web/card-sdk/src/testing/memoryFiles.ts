import { CARD_LIMITS, isProtectedPath, normalizeWorkspacePath } from "@cardloom/protocol";
import { asBytes, fromBase64, toBase64 } from "../bytes";
import { CardSdkError } from "../errors";
import type { FsChange, FsEntry, FsStat } from "../types";
import type { Answers } from "./world";

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
}

interface Watch {
  readonly path: string;
  readonly recursive: boolean;
}

const SKIPPED = new Set([".git", "node_modules"]);

/** A workspace folder in memory. */
export class MemoryFiles {
  /** What was moved to the trash. */
  readonly trashed: string[] = [];
  readonly #files = new Map<string, StoredFile>();
  readonly #folders = new Set<string>([""]);
  readonly #watches = new Map<string, Watch>();
  #count = 0;

  constructor(files: Readonly<Record<string, string | Uint8Array>>) {
    for (const [path, content] of Object.entries(files)) this.put(path, content);
  }

  /** Puts a file there with the folders it needs, as somebody outside the card would; gives the changes to tell. */
  put(path: string, content: string | Uint8Array): readonly FsChange[] {
    const type = this.#files.has(path) ? "change" : "rename";
    for (const folder of parents(path)) this.#folders.add(folder);
    this.#files.set(path, { bytes: asBytes(content) ?? new TextEncoder().encode(content as string), mtimeMs: Date.now() });
    return this.#changes(path, type);
  }

  /** A file's text. Throws where there is none. */
  text(path: string): string {
    return new TextDecoder().decode(this.#file(path).bytes);
  }

  /** The answers to the card's calls; `tell` is told of changes to watched paths. */
  answers(tell: (change: FsChange) => void): Answers {
    const changed = (changes: readonly FsChange[]) => changes.forEach(tell);
    return {
      "fs.stat": ({ path }) => this.#stat(fenced(path)),
      "fs.list": ({ path, recursive = false, maxEntries = CARD_LIMITS.fsListEntries }) => {
        const entries = this.#entries(fenced(path), recursive);
        return { entries: entries.slice(0, maxEntries), truncated: entries.length > maxEntries };
      },
      "fs.read": ({ path, encoding = "utf8", maxBytes = CARD_LIMITS.fsReadBytes }) => {
        const { bytes } = this.#file(fenced(path));
        const head = bytes.subarray(0, maxBytes);
        const data = encoding === "utf8" ? new TextDecoder().decode(head) : toBase64(head);
        return { data, encoding, size: bytes.length, truncated: bytes.length > maxBytes };
      },
      "fs.write": ({ path: given, data, encoding = "utf8", createDirs = false, ifMtimeMs }) => {
        const path = writable(given);
        this.#checkTarget(path, createDirs, ifMtimeMs);
        const changes = this.put(path, encoding === "utf8" ? data : fromBase64(data));
        queueMicrotask(() => changed(changes));
        return this.#stat(path);
      },
      "fs.mkdir": ({ path: given }) => {
        const path = writable(given);
        if (this.#files.has(path)) throw failed("exists", `${path} is a file.`);
        for (const folder of [...parents(path), path]) this.#folders.add(folder);
        return this.#stat(path);
      },
      "fs.trash": ({ path: given }) => {
        const path = writable(given);
        this.#stat(path);
        const gone = [...this.#files.keys()].filter((file) => file === path || file.startsWith(`${path}/`));
        for (const file of gone) this.#files.delete(file);
        for (const folder of [...this.#folders]) if (`${folder}/`.startsWith(`${path}/`)) this.#folders.delete(folder);
        this.trashed.push(path);
        queueMicrotask(() => changed(this.#changes(path, "rename")));
      },
      "fs.watch": ({ path, recursive = false }) => {
        if (this.#watches.size >= CARD_LIMITS.fsWatchers) {
          throw new CardSdkError("QUOTA_EXCEEDED", `A card may watch ${CARD_LIMITS.fsWatchers} paths.`);
        }
        this.#count += 1;
        this.#watches.set(`w${this.#count}`, { path: fenced(path), recursive });
        return { watchId: `w${this.#count}` };
      },
      "fs.unwatch": ({ watchId }) => {
        this.#watches.delete(watchId);
      },
    };
  }

  #file(path: string): StoredFile {
    const file = this.#files.get(path);
    if (file !== undefined) return file;
    if (this.#folders.has(path)) throw failed("is_a_directory", `${path || "The workspace"} is a folder.`);
    throw failed("not_found", `There is no ${path}.`);
  }

  #stat(path: string): FsStat {
    if (this.#folders.has(path)) return { path, type: "directory", size: 0, mtimeMs: 0 };
    const { bytes, mtimeMs } = this.#file(path);
    return { path, type: "file", size: bytes.length, mtimeMs };
  }

  #entries(path: string, recursive: boolean): FsEntry[] {
    if (this.#files.has(path)) throw failed("not_a_directory", `${path} is a file.`);
    if (!this.#folders.has(path)) throw failed("not_found", `There is no ${path}.`);
    const prefix = path === "" ? "" : `${path}/`;
    const inside = (other: string) => {
      if (other === path || !other.startsWith(prefix)) return false;
      const below = other.slice(prefix.length).split("/");
      return recursive ? !below.slice(0, -1).some((name) => SKIPPED.has(name)) : below.length === 1;
    };
    const folders = [...this.#folders].filter(inside).map((one): FsEntry => ({ path: one, type: "directory" }));
    const files = [...this.#files].filter(([one]) => inside(one));
    const sized = files.map(([one, { bytes }]): FsEntry => ({ path: one, type: "file", size: bytes.length }));
    return [...folders, ...sized].sort((one, two) => (one.path < two.path ? -1 : 1));
  }

  #checkTarget(path: string, createDirs: boolean, ifMtimeMs: number | undefined): void {
    if (this.#folders.has(path)) throw failed("is_a_directory", `${path} is a folder.`);
    const folder = parents(path).at(-1) ?? "";
    if (!createDirs && !this.#folders.has(folder)) throw failed("not_found", `There is no folder ${folder}.`);
    const mtimeMs = this.#files.get(path)?.mtimeMs ?? null;
    if (ifMtimeMs !== undefined && mtimeMs !== ifMtimeMs) {
      throw new CardSdkError("FS_ERROR", `${path} was changed meanwhile.`, { conflict: true, mtimeMs });
    }
  }

  #changes(path: string, type: FsChange["type"]): FsChange[] {
    return [...this.#watches].flatMap(([watchId, watch]) => {
      const below = watch.path === "" ? path : path.slice(watch.path.length + 1);
      const inside = watch.path === "" || path === watch.path || path.startsWith(`${watch.path}/`);
      return inside && (watch.recursive || !below.includes("/")) ? [{ watchId, path, type }] : [];
    });
  }
}

function fenced(path: string): string {
  const normal = normalizeWorkspacePath(path);
  if (normal === null) throw new CardSdkError("FS_DENIED", `${path} does not lie in the workspace folder.`);
  return normal;
}

function writable(path: string): string {
  const normal = fenced(path);
  if (normal === "" || isProtectedPath(normal)) throw new CardSdkError("FS_DENIED", `No card may write to ${path || "."}.`);
  return normal;
}

/** The folders above a path, the topmost first; the workspace folder itself is not among them. */
function parents(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function failed(reason: string, message: string): CardSdkError {
  return new CardSdkError("FS_ERROR", message, { reason });
}

import { fromBase64, toBase64 } from "./bytes";
import type { CardMethodResults } from "./contract";
import { given } from "./given";
import type { EventHub } from "./hub";
import type { HostLink } from "./link";
import type { FsChange, FsStat } from "./types";

export interface WriteOptions {
  /** Makes missing folders. */
  readonly createDirs?: boolean | undefined;
  /** Refuses with FS_ERROR and `data.conflict` when the file was changed since this moment. */
  readonly ifMtimeMs?: number | undefined;
}

const CHANGED = "fs.changed";

/** Files below the workspace folder; paths are relative to it, "" is the folder itself. Needs fs.read, fs.write. */
export class Files {
  readonly #link: HostLink;
  readonly #hub: EventHub;
  readonly #watchers = new Map<string, (change: FsChange) => void>();

  constructor(link: HostLink, hub: EventHub) {
    this.#link = link;
    this.#hub = hub;
  }

  async stat(path: string): Promise<FsStat> {
    return (await this.#link.call("fs.stat", { path })) as FsStat;
  }

  /** What is in a folder, at most 5 000 entries; a recursive list leaves `.git` and `node_modules` out. */
  async list(
    path = "",
    { recursive, maxEntries }: { readonly recursive?: boolean | undefined; readonly maxEntries?: number | undefined } = {},
  ): Promise<CardMethodResults["fs.list"]> {
    const params = { path, ...given({ recursive, maxEntries }) };
    return (await this.#link.call("fs.list", params)) as CardMethodResults["fs.list"];
  }

  /** A file as the host gives it: as text, or as base64. */
  async read(
    path: string,
    { encoding, maxBytes }: { readonly encoding?: "utf8" | "base64" | undefined; readonly maxBytes?: number | undefined } = {},
  ): Promise<CardMethodResults["fs.read"]> {
    const params = { path, ...given({ encoding, maxBytes }) };
    return (await this.#link.call("fs.read", params)) as CardMethodResults["fs.read"];
  }

  async readText(path: string, { maxBytes }: { readonly maxBytes?: number | undefined } = {}): Promise<string> {
    return (await this.read(path, { encoding: "utf8", maxBytes })).data;
  }

  async readBytes(path: string, { maxBytes }: { readonly maxBytes?: number | undefined } = {}): Promise<Uint8Array> {
    return fromBase64((await this.read(path, { encoding: "base64", maxBytes })).data);
  }

  /** Writes a file whole, in one step. */
  async writeText(path: string, text: string, options: WriteOptions = {}): Promise<FsStat> {
    return this.#write(path, text, "utf8", options);
  }

  /** Writes a file whole, in one step; about 9 MiB fit into one message. */
  async writeBytes(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<FsStat> {
    return this.#write(path, toBase64(bytes), "base64", options);
  }

  async mkdir(path: string): Promise<FsStat> {
    return (await this.#link.call("fs.mkdir", { path })) as FsStat;
  }

  /** Moves a file or folder to the system's trash. */
  async trash(path: string): Promise<void> {
    await this.#link.call("fs.trash", { path });
  }

  /**
   * Calls a function with every change below a path; gives how to stop.
   *
   * A watch ends with the card's page: watch again after a resume. It also ends with a change of type `ended`.
   */
  async watch(
    path: string,
    handler: (change: FsChange) => void,
    { recursive }: { readonly recursive?: boolean | undefined } = {},
  ): Promise<() => Promise<void>> {
    const params = { path, ...given({ recursive }) };
    const { watchId } = (await this.#link.call("fs.watch", params)) as CardMethodResults["fs.watch"];
    this.#watchers.set(watchId, handler);
    const early = this.#hub.claim(CHANGED, (change) => (change as FsChange).watchId === watchId);
    for (const change of early) handler(change as FsChange);
    let told: Promise<unknown> = Promise.resolve();
    return async () => {
      if (this.#watchers.delete(watchId)) told = this.#link.call("fs.unwatch", { watchId });
      await told;
    };
  }

  /** Hands a change to its watcher; false when there is none for it yet. */
  hear(event: string, data: unknown): boolean {
    if (event !== CHANGED) return false;
    const change = data as FsChange;
    const handler = this.#watchers.get(change.watchId);
    if (change.type === "ended") this.#watchers.delete(change.watchId);
    handler?.(change);
    return handler !== undefined;
  }

  async #write(path: string, data: string, encoding: "utf8" | "base64", options: WriteOptions): Promise<FsStat> {
    const { createDirs, ifMtimeMs } = options;
    const params = { path, data, encoding, ...given({ createDirs, ifMtimeMs }) };
    return (await this.#link.call("fs.write", params)) as FsStat;
  }
}

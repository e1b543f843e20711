import type { CanvasClient, Timers } from "../connection/client";
import { isFailure } from "../connection/failure";
import { AskingOrder } from "../state/askingOrder";
import { createStore } from "../state/store";
import type { FilesChanged } from "../wire/records";
import { FIRST_BYTES, imageContent, imageType, MOST_BYTES, textContent, type Content } from "./content";
import type { FileRef } from "./fileRef";
import { EMPTY_TREE, foldersAbove, foldersShown, isWithin, parentOf, sorted, type Folder, type Tree } from "./tree";
import { Watches } from "./watches";

/** The file that is looked at. `turn` grows with each opening, so that the same line can be shown again. */
export interface Shown {
  ref: FileRef;
  turn: number;
  phase: "loading" | "ready" | "failed";
  content: Content | null;
  sizeBytes: number | null;
  message: string;
}

const AGAIN_MS = 250;

/**
 * The files of the workspace on the screen: folders as they are unfolded, one file to look at, and watches that keep
 * both true. Folders are read when they are unfolded and not before, so that a tree of any size opens at once.
 */
export class FileDesk {
  readonly tree = createStore<Tree>(EMPTY_TREE);
  readonly shown = createStore<Shown | null>(null);
  /** The row that keys act on. */
  readonly chosen = createStore<string | null>(null);
  private workspaceId: string | null = null;
  private active = false;
  private turn = 0;
  private readonly watches: Watches;
  /** How often each folder was read, so that an answer that was overtaken changes nothing. */
  private readonly reads = new Map<string, number>();
  private readonly loads = new AskingOrder();
  private readonly due = new Set<string>();
  private cancelDue: (() => void) | null = null;

  constructor(
    private readonly client: Pick<CanvasClient, "call" | "on">,
    private readonly timers: Timers,
    /** What a person reads of a refusal. */
    private readonly reasonOf: (error: unknown) => string,
  ) {
    this.watches = new Watches(client);
    client.on("files.changed", (event: FilesChanged) => this.changed(event));
    client.on("stream.gap", () => this.refresh());
  }

  /** The drawer is open over a workspace and the server is there. */
  enter(workspaceId: string): void {
    if (this.workspaceId !== workspaceId) this.forget();
    this.workspaceId = workspaceId;
    this.active = true;
    this.watches.begin(workspaceId);
    this.refresh();
    const shown = this.shown.get();
    if (shown !== null) void this.reveal(shown.ref.path);
  }

  /** The drawer is closed, or the server is away; what was read stays on the screen. */
  leave(): void {
    this.active = false;
    this.watches.end();
    this.cancelDue?.();
    this.cancelDue = null;
    this.due.clear();
  }

  /** Another workspace: nothing of this one is worth keeping. */
  forget(): void {
    this.leave();
    this.workspaceId = null;
    this.tree.set(EMPTY_TREE);
    this.shown.set(null);
    this.chosen.set(null);
  }

  /** Reads everything on the screen again. */
  refresh(): void {
    for (const folder of foldersShown(this.tree.get())) void this.read(folder);
    const shown = this.shown.get();
    if (shown === null || !this.active) return;
    void this.watches.add(parentOf(shown.ref.path));
    void this.load(shown, isWhole(shown));
  }

  unfold(path: string): Promise<void> {
    this.tree.update((tree) => ({ ...tree, open: new Set(tree.open).add(path) }));
    return this.read(path);
  }

  fold(path: string): void {
    this.tree.update((tree) => {
      const open = new Set(tree.open);
      open.delete(path);
      return { ...tree, open };
    });
    const chosen = this.chosen.get();
    if (chosen !== null && isWithin(chosen, path)) this.chosen.set(path);
    this.watches.keep(this.foldersToWatch());
  }

  /** Shows a file, at a line if the reference names one, and where it lies in the tree. */
  open(ref: FileRef): void {
    this.turn += 1;
    const shown: Shown = { ref, turn: this.turn, phase: "loading", content: null, sizeBytes: null, message: "" };
    this.shown.set(shown);
    this.chosen.set(ref.path);
    if (!this.active) return;
    this.watches.keep(this.foldersToWatch());
    void this.watches.add(parentOf(ref.path));
    void this.load(shown, false);
    void this.reveal(ref.path);
  }

  /** Reads as much of the shown file as the server gives. */
  readMore(): void {
    const shown = this.shown.get();
    if (shown !== null) void this.load(shown, true);
  }

  /** Marks a line of the shown file, or takes the mark away. */
  pickLine(line: number | null): void {
    const shown = this.shown.get();
    if (shown === null) return;
    const { path } = shown.ref;
    this.shown.set({ ...shown, ref: line === null ? { path } : { path, line } });
  }

  close(): void {
    this.shown.set(null);
  }

  async makeFolder(path: string): Promise<void> {
    await this.client.call("files.mkdir", { workspaceId: this.workspaceId, path });
    this.chosen.set(path);
    void this.reveal(path).then(() => this.read(parentOf(path)));
  }

  async trash(path: string): Promise<void> {
    await this.client.call("files.trash", { workspaceId: this.workspaceId, path });
    const shown = this.shown.get();
    if (shown !== null && isWithin(shown.ref.path, path)) this.shown.set(null);
    if (this.chosen.get() === path) this.chosen.set(parentOf(path) || null);
    void this.read(parentOf(path));
  }

  /** The folders on the screen, and the one of the file that is looked at. */
  private foldersToWatch(): ReadonlySet<string> {
    const shown = this.shown.get();
    return new Set([...foldersShown(this.tree.get()), ...(shown === null ? [] : [parentOf(shown.ref.path)])]);
  }

  private async reveal(path: string): Promise<void> {
    for (const folder of foldersAbove(path)) {
      if (!this.tree.get().open.has(folder)) await this.unfold(folder);
      if (this.tree.get().folders.get(folder)?.phase !== "ready") return;
    }
  }

  private async read(path: string): Promise<void> {
    const { workspaceId } = this;
    if (!this.active || workspaceId === null) return;
    if (this.tree.get().folders.get(path)?.phase !== "ready") this.put(path, { phase: "loading" });
    // First the watch, then the look: what changes between the two is told.
    await this.watches.add(path);
    const turn = (this.reads.get(path) ?? 0) + 1;
    this.reads.set(path, turn);
    let folder: Folder;
    try {
      const { entries, truncated } = await this.client.call("files.list", { workspaceId, path });
      folder = { phase: "ready", entries: sorted(entries), truncated };
    } catch (error) {
      if (isFailure(error, "UNAVAILABLE")) return;
      folder = { phase: "failed", message: this.reasonOf(error) };
    }
    if (this.workspaceId !== workspaceId || this.reads.get(path) !== turn) return;
    this.put(path, folder);
    if (folder.phase === "ready") this.dropGone();
  }

  private put(path: string, folder: Folder): void {
    this.tree.update((tree) => ({ ...tree, folders: new Map(tree.folders).set(path, folder) }));
  }

  /** Forgets folders that no listing names any more, so that one of the same name begins folded. */
  private dropGone(): void {
    const tree = this.tree.get();
    const gone = [...tree.folders.keys()].filter((path) => {
      const above = path === "" ? undefined : tree.folders.get(parentOf(path));
      return above?.phase === "ready" && !above.entries.some((entry) => entry.path === path && entry.type === "directory");
    });
    if (gone.length === 0) return;
    const isGone = (path: string) => gone.some((folder) => isWithin(path, folder));
    this.tree.set({
      folders: new Map([...tree.folders].filter(([path]) => !isGone(path))),
      open: new Set([...tree.open].filter((path) => !isGone(path))),
    });
    this.watches.keep(this.foldersToWatch());
  }

  private async load(shown: Shown, whole: boolean): Promise<void> {
    const { workspaceId } = this;
    if (!this.active || workspaceId === null) return;
    const isNews = this.loads.ask();
    const { path, line } = shown.ref;
    const picture = imageType(path) !== null && line === undefined;
    const maxBytes = picture || whole || line !== undefined ? MOST_BYTES : FIRST_BYTES;
    let next: Omit<Shown, "ref" | "turn">;
    try {
      const read = await this.client.call("files.read", {
        workspaceId,
        path,
        encoding: picture ? "base64" : "utf8",
        maxBytes,
      });
      const content = picture ? imageContent(path, read) : textContent(path, read);
      next = { phase: "ready", content, sizeBytes: read.size, message: "" };
    } catch (error) {
      if (isFailure(error, "UNAVAILABLE")) return;
      next = { phase: "failed", content: null, sizeBytes: null, message: this.reasonOf(error) };
    }
    const now = this.shown.get();
    if (isNews() && now?.turn === shown.turn) this.shown.set({ ...now, ...next });
  }

  private changed({ watchId, changes }: FilesChanged): void {
    const folder = this.watches.folderOf(watchId);
    if (folder === null) return;
    for (const { path, type } of changes) {
      if (type === "ended") this.watches.forget(watchId);
      if (type !== "change") this.due.add(folder);
      if (type === "ended" && folder !== "") this.due.add(parentOf(folder));
      const shown = this.shown.get();
      if (shown !== null && (path === shown.ref.path || type === "rescan")) this.due.add(shown.ref.path);
    }
    if (this.due.size > 0) this.cancelDue ??= this.timers.after(AGAIN_MS, () => this.readDue());
  }

  private readDue(): void {
    this.cancelDue = null;
    const { folders } = this.tree.get();
    const shown = this.shown.get();
    for (const path of this.due) {
      if (shown !== null && path === shown.ref.path) void this.load(shown, isWhole(shown));
      else if (folders.has(path)) void this.read(path);
    }
    this.due.clear();
  }
}

/** Whether all of a text is on the screen, and shall be when it changed. */
function isWhole({ content }: Shown): boolean {
  return content?.kind === "text" && !content.truncated;
}

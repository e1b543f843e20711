import type { CanvasClient } from "../connection/client";
import { isFailure } from "../connection/failure";

/** A folder's watch; without an id while it begins, or where there can be none. */
interface Watched {
  id: string | null;
}

/**
 * One watch a folder on the screen, not recursive, so that what is watched is what is seen. A folder that cannot be
 * watched is still shown; it is then read again when it is unfolded or refreshed.
 */
export class Watches {
  private workspaceId: string | null = null;
  private readonly watched = new Map<string, Watched>();

  constructor(private readonly client: Pick<CanvasClient, "call">) {}

  begin(workspaceId: string): void {
    this.end();
    this.workspaceId = workspaceId;
  }

  end(): void {
    for (const one of this.watched.values()) this.release(one.id);
    this.watched.clear();
    this.workspaceId = null;
  }

  async add(folder: string): Promise<void> {
    const { workspaceId } = this;
    if (workspaceId === null || this.watched.has(folder)) return;
    const one: Watched = { id: null };
    this.watched.set(folder, one);
    try {
      const { watchId } = await this.client.call("files.watch", { workspaceId, path: folder });
      if (this.watched.get(folder) === one) one.id = watchId;
      else this.release(watchId);
    } catch (error) {
      // Too many watches stays so until some are let go; anything else may be over at the next look.
      const again = this.watched.get(folder) === one && !isFailure(error, "QUOTA_EXCEEDED");
      if (again) this.watched.delete(folder);
    }
  }

  /** Lets go of every folder but these. */
  keep(folders: ReadonlySet<string>): void {
    for (const [folder, one] of this.watched) {
      if (folders.has(folder)) continue;
      this.watched.delete(folder);
      this.release(one.id);
    }
  }

  folderOf(watchId: string): string | null {
    for (const [folder, one] of this.watched) if (one.id === watchId) return folder;
    return null;
  }

  /** The server ended it. */
  forget(watchId: string): void {
    const folder = this.folderOf(watchId);
    if (folder !== null) this.watched.delete(folder);
  }

  private release(id: string | null): void {
    if (id !== null) this.client.call("files.unwatch", { watchId: id }).catch(() => undefined);
  }
}

import { WORKSPACE_TRASH_DIR, type FileEntry } from "@cardloom/protocol/session";

/** Something in the trash: where it lies, where it came from, when it went. */
export interface Discarded extends FileEntry {
  readonly deletedAt: Date | null;
}

const MAX_TURNS = 200;
const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/;

/** The path that something in the trash had; null for the trash and the folder of one deletion. */
export function originOf(path: string): string | null {
  const [first, , ...rest] = path.split("/");
  return first === WORKSPACE_TRASH_DIR && rest.length > 0 ? rest.join("/") : null;
}

/** When the deletion happened whose folder has this name; null where the name tells no time. */
export function deletedAt(name: string): Date | null {
  const found = STAMP.exec(name);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1).map(Number) as [number, number, number, number, number, number];
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** What was deleted, the last first: each deletion has a folder of its own in the trash, which nobody wants to see. */
export async function readTrash(list: (path: string) => Promise<readonly FileEntry[]>): Promise<readonly Discarded[]> {
  const all = await list(WORKSPACE_TRASH_DIR);
  const turns = all.toSorted((one, other) => other.name.localeCompare(one.name)).slice(0, MAX_TURNS);
  const found = await Promise.all(
    turns.map(async (turn) => {
      if (turn.type !== "dir") return [{ ...turn, deletedAt: null }];
      const entries = await list(turn.path).catch(() => []); // emptied meanwhile
      return entries.map((entry) => ({ ...entry, deletedAt: deletedAt(turn.name) }));
    }),
  );
  return found.flat();
}

/** Some items, and the cursor of the next ones. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/**
 * The items from the cursor on, at most `limit` of them.
 *
 * An unreadable cursor means the start, no limit means the rest. Limits are rounded down, negative ones count as 0; the
 * cursor of an empty page does not move.
 */
export function pageOf<T>(items: readonly T[], limit?: number | null, cursor?: string | null): Page<T> {
  const start = cursorOffset(cursor);
  if (limit === undefined || limit === null) return { items: items.slice(start) };
  if (Number.isNaN(limit)) return { items: [] };
  const end = start + Math.max(0, Math.floor(limit));
  const page = items.slice(start, end);
  return end < items.length ? { items: page, cursor: cursorOf(end) } : { items: page };
}

/** The cursor of an offset. */
export function cursorOf(offset: number): string {
  return btoa(`nrs:${offset}`);
}

/** The offset in a cursor; 0 for one that we did not make. */
export function cursorOffset(cursor: string | null | undefined): number {
  const [body = ""] = (cursor ?? "").split("=");
  const text = body.replace(/-/g, "+").replace(/_/g, "/").replace(/[^A-Za-z0-9+/]/g, "");
  const found = /^nrs:([0-9]+)$/.exec(text.length % 4 === 1 ? "" : atob(text));
  return found ? Number(found[1]) : 0;
}

/** Rules for lists whose rows carry an id. All pure. */

interface Row {
  id: string;
}

/** The list with one row moved to an index counted without it. */
export function moved<T extends Row>(rows: readonly T[], id: string, index: number): T[] {
  const row = rows.find((each) => each.id === id);
  if (row === undefined) return [...rows];
  const rest = rows.filter((each) => each.id !== id);
  rest.splice(Math.max(0, Math.min(index, rest.length)), 0, row);
  return rest;
}

/** The list with one row inserted; no index means the end. */
export function inserted<T extends Row>(rows: readonly T[], row: T, index?: number): T[] {
  const next = [...rows];
  next.splice(index === undefined ? next.length : Math.max(0, Math.min(index, next.length)), 0, row);
  return next;
}

/** The list with fields of one row changed; `undefined` removes a field. */
export function changed<T extends Row>(rows: readonly T[], id: string, fields: Partial<T>): T[] {
  return rows.map((row) => (row.id === id ? withFields(row, fields) : row));
}

function withFields<T extends Row>(row: T, fields: Partial<T>): T {
  const next = Object.entries({ ...row, ...fields }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(next) as unknown as T;
}

/**
 * Carries the change that leads from one list to another over to a third, which others may have edited meanwhile:
 * rows added come in after their predecessor, rows removed go, fields that changed are set, a new order is taken.
 * What the change did not touch stays, so that undoing one's own step keeps everybody else's.
 */
export function carriedOver<T extends Row>(from: readonly T[], to: readonly T[], current: readonly T[]): T[] {
  const before = new Map(from.map((row) => [row.id, row]));
  const after = new Map(to.map((row) => [row.id, row]));
  let rows = current.filter((row) => !before.has(row.id) || after.has(row.id));
  rows = rows.map((row) => {
    const old = before.get(row.id);
    const wanted = after.get(row.id);
    return old === undefined || wanted === undefined ? row : withFields(row, difference(old, wanted));
  });
  rows = inOrder(rows, sharedOrder(from, after), sharedOrder(to, before));
  to.forEach((row, place) => {
    if (before.has(row.id) || rows.some((each) => each.id === row.id)) return;
    const known = to.slice(0, place).reverse().find((earlier) => rows.some((each) => each.id === earlier.id));
    const index = known === undefined ? 0 : rows.findIndex((each) => each.id === known.id) + 1;
    rows = inserted(rows, row, index);
  });
  return rows;
}

function difference<T extends Row>(old: T, wanted: T): Partial<T> {
  const fields: Record<string, unknown> = {};
  const one = old as unknown as Record<string, unknown>;
  const other = wanted as unknown as Record<string, unknown>;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (one[name] !== other[name]) fields[name] = other[name];
  }
  return fields as Partial<T>;
}

function sharedOrder<T extends Row>(rows: readonly T[], other: ReadonlyMap<string, T>): string[] {
  return rows.filter((row) => other.has(row.id)).map((row) => row.id);
}

/** Fills the places that the ordered rows hold with the same rows in their new order. */
function inOrder<T extends Row>(rows: T[], old: readonly string[], wanted: readonly string[]): T[] {
  if (old.every((id, place) => wanted[place] === id)) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const queue = wanted.map((id) => byId.get(id)).filter((row) => row !== undefined);
  const ordered = new Set(queue.map((row) => row.id));
  return rows.map((row) => (ordered.has(row.id) ? (queue.shift() ?? row) : row));
}

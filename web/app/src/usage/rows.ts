import type { UsageRow } from "../wire/records";
import { isReadable } from "./readable";

/** The lines of a report: put in order, and written down for other programs. */

export const NUMBER_COLUMNS = [
  "requests",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "totalTokens",
  "costMicroUsd",
] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];
export type Column = NumberColumn | "name" | "cacheShare";

export interface Order {
  column: Column;
  down: boolean;
}

/** The lines in an order; what was not reported stands last either way, equal lines by name. */
export function sortRows(
  rows: readonly UsageRow[],
  { column, down }: Order,
  valueOf: (row: UsageRow) => number | string | null,
): UsageRow[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((one, other) => {
    const a = valueOf(one);
    const b = valueOf(other);
    if (a === null || b === null) return a === b ? one.name.localeCompare(other.name) : a === null ? 1 : -1;
    const found = typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
    return found === 0 ? (column === "name" ? 0 : one.name.localeCompare(other.name)) : sign * found;
  });
}

/** A press on a column's head: it leads, numbers the largest first; once more turns it round. */
export function nextOrder(order: Order, column: Column): Order {
  return order.column === column ? { column, down: !order.down } : { column, down: column !== "name" };
}

const CSV_COLUMNS = [
  "key",
  "name",
  "harness",
  "requests",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "totalTokens",
  "costMicroUsd",
  "unpricedRequests",
] as const;

const NOTHING = { requests: null, unpricedRequests: null };

/** Whether a line is of an agent whose logs are not read: nobody knows how many requests it made. */
export function isSilent({ harness, requests }: UsageRow): boolean {
  return harness !== undefined && requests === 0 && !isReadable(harness);
}

/** The lines as CSV (RFC 4180); a cell is empty where nothing was reported. */
export function toCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => CSV_COLUMNS.map((column) => cell(isSilent(row) && column in NOTHING ? null : row[column])).join(","));
  return [CSV_COLUMNS.join(","), ...lines, ""].join("\r\n");
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  // A spreadsheet would run a name that begins like a formula; some take the wide signs for the others.
  const text = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands a text to the browser as a file to keep. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

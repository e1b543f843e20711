import type { AnyPart } from "./parts";

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** Eight hexadecimal digits that change with the role or any part: what a client compares before it edits. */
export function contentHash(role: string, parts: readonly AnyPart[]): string {
  return fnv1a(canonicalContent(role, parts));
}

/** The JSON text that is hashed. */
export function canonicalContent(role: string, parts: readonly AnyPart[]): string {
  return JSON.stringify({ role, parts });
}

/** FNV-1a of 32 bits, where UTF-16 units take the place of bytes. */
export function fnv1a(text: string): string {
  let state = OFFSET;
  for (let at = 0; at < text.length; at += 1) {
    state = Math.imul(state ^ text.charCodeAt(at), PRIME);
  }
  return (state >>> 0).toString(16).padStart(8, "0");
}

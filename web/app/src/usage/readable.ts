import type { HarnessId } from "../wire/records";

/** The agents whose logs Cardloom does not read: their tokens are not reported. */
const UNREADABLE: ReadonlySet<HarnessId> = new Set<HarnessId>(["amp", "cursor", "acp", "command"]);

export function isReadable(harness: HarnessId): boolean {
  return !UNREADABLE.has(harness);
}

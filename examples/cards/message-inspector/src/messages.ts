import { useCard, usePortMessage, usePortRequest, useStored } from "@cardloom/card-sdk/react";
import type { PortMessage } from "@cardloom/card-sdk";

/** One line of the list. */
export interface Seen {
  readonly at: number;
  readonly from: string;
  readonly kind: string;
  readonly route: string;
  readonly text: string;
}

const SEEN_TYPE = "message-inspector/seen";
const MAX_SEEN = 50;
const MAX_CHARS = 500;
const MAX_HITS = 5;

export function seenOf({ at, from, fromKind, output, input, type, sourceType, data }: PortMessage): Seen {
  const types = sourceType === undefined || sourceType === type ? type : `${sourceType} → ${type}`;
  const text = typeof data === "string" ? data : JSON.stringify(data, null, 1);
  return { at, from, kind: fromKind, route: `${output} → ${input} · ${types}`, text: text.slice(0, MAX_CHARS) };
}

/** What arrived, the newest first: kept across reloads, told through the output `last`, answered through `find`. */
export function useSeen(): readonly [readonly Seen[], () => void] {
  const card = useCard();
  const [seen, setSeen] = useStored<readonly Seen[]>("seen", []);
  usePortMessage((_, message) => {
    const line = seenOf(message);
    setSeen((before) => [line, ...before].slice(0, MAX_SEEN));
    // What another inspector tells is not told again: two that are joined would go on for ever.
    if (message.sourceType === SEEN_TYPE) return;
    // Where it comes too fast the list has it all the same.
    card.ports.emit("last", line).catch((error: unknown) => card.log.debug("last was not told:", error));
  });
  usePortRequest<string>("find", (query) => ({
    query,
    hits: seen.filter(({ text }) => text.includes(query)).slice(0, MAX_HITS).map(({ text }) => text),
  }));
  return [seen, () => setSeen([])];
}

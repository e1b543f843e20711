import { readFileSync } from "node:fs";

/** One line of a recorded exchange: a message of either side, or something seen. */
export type Step = Readonly<Record<string, unknown>>;

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly steps: readonly Step[];
}

const FILE = new URL("../../../../tests/vectors/cards/sdk_traces.json", import.meta.url);

/** The recorded exchanges between the SDK and its host. */
export const SCENARIOS = (JSON.parse(readFileSync(FILE, "utf-8")) as { scenarios: Scenario[] }).scenarios;

/** Some texts of the record stand for others: `<requestId>` for any id, `<log text, 24 chars>` for any words. */
const STANDS_FOR_TEXT = /^<(requestId|error text|log text|dropped)\b.*>$/;
const LONG_TEXT = /^<string of (\d+)>$/;

/** Whether something sent is what was recorded. */
export function matches(sent: unknown, recorded: unknown): boolean {
  if (typeof recorded === "string" && typeof sent === "string") {
    const length = LONG_TEXT.exec(recorded)?.[1];
    if (length !== undefined) return sent.length === Number(length);
    return sent === recorded || (STANDS_FOR_TEXT.test(recorded) && sent !== "");
  }
  if (typeof sent !== "object" || typeof recorded !== "object" || sent === null || recorded === null) return sent === recorded;
  if (Array.isArray(sent) !== Array.isArray(recorded)) return false;
  const keys = Object.keys(recorded);
  const members = (value: object, key: string): unknown => (value as Record<string, unknown>)[key];
  return keys.length === Object.keys(sent).length && keys.every((key) => matches(members(sent, key), members(recorded, key)));
}

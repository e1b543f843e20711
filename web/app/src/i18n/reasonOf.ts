import { ERROR_CODES, type ErrorCode } from "@cardloom/protocol";
import type { Translate } from "./catalogue";
import { sentenceOf } from "./said/sentences";

/** Places that may hold a sentence of the server themselves. */
const NESTED: ReadonlySet<string> = new Set(["what", "why", "how"]);

/** Codes of the session protocol, and what each is among the codes of calls. */
const OF_SESSIONS: Readonly<Record<string, ErrorCode>> = {
  not_found: "NOT_FOUND",
  conflict: "BUSY",
  bad_request: "INVALID_PARAMS",
  invalid_id: "INVALID_PARAMS",
  not_supported: "METHOD_NOT_FOUND",
  internal: "INTERNAL",
  unavailable: "UNAVAILABLE",
};

/**
 * Why something failed, in the person's language.
 *
 * A sentence that the page knows is told in full. Of any other, the code is told with the server's own words behind it;
 * where a backend invented the code, they are words of a foreign program, and stand as a quote.
 */
export function reasonOf(t: Translate, error: unknown): string {
  const { code, message } = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const detail = typeof message === "string" ? message : String(error);
  const told = knownSentence(t, detail);
  if (told !== null) return told;
  if (typeof code !== "string") return detail;
  const known = ERROR_CODES.find((one) => one === code) ?? OF_SESSIONS[code];
  return known === undefined ? t("because.words", { detail }) : t(`because.${known}`, { detail });
}

/** A sentence of the server in the person's language; as it is where it is another's, such as a card's own words. */
export function toldOf(t: Translate, message: string): string {
  return knownSentence(t, message) ?? message;
}

/** The same where a sentence of ours stands beside what foreign programs say: their words are a quote. */
export function quotedOf(t: Translate, message: string): string {
  return knownSentence(t, message) ?? t("because.words", { detail: message });
}

function knownSentence(t: Translate, message: string): string | null {
  const found = sentenceOf(message.trim());
  if (found === null) return withoutStop(t, message.trim());
  // Filled again with what it was read from, an English text is the message itself, its marks and all.
  if (t(found.key, found.values) === message.trim()) return message;
  const values = Object.entries(found.values).map(([place, value]) => {
    const nested = NESTED.has(place) ? knownSentence(t, value) : null;
    return [place, nested ?? unmarked(value)];
  });
  return t(found.key, Object.fromEntries(values) as Record<string, string>);
}

/** What is a part of one sentence may stand alone in another, as a whole one. */
function withoutStop(t: Translate, message: string): string | null {
  const part = message.endsWith(".") ? sentenceOf(message.slice(0, -1)) : null;
  const told = part === null ? null : knownSentence(t, message.slice(0, -1));
  return told === null ? null : t("because.sentence", { told });
}

/** A name without the marks that the server puts around it: each language has its own. */
function unmarked(value: string): string {
  return /^(['"])(.*)\1$/s.exec(value)?.[2] ?? value;
}

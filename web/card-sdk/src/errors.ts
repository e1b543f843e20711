import { hasOwn, isPlainObject } from "@cardloom/protocol";
import type { ErrorCode, Issue } from "@cardloom/protocol";

/** A code of the table, or one that a newer host brings. */
export type CardErrorCode = ErrorCode | (string & Record<never, never>);

/** What to do about an error, where its message alone does not say. For card authors, in English. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  PERMISSION_DENIED:
    "Declare the permission in the manifest; ask for an optional one with permissions.request() when it is needed.",
  NOT_CONNECTED: "Ask the user to draw an arrow between the two cards, pointing the way the data goes.",
  NOT_VISIBLE: "Call this while the card is on screen; lifecycle.onVisibility tells when that is.",
  NOT_READY: "Wait for connect() before calling anything.",
  PROTOCOL_MISMATCH: "This card needs a newer Cardloom; the user has to update it.",
  HOST_NOT_ALLOWED: "List the host under the network permission in the manifest; only https is spoken beyond this computer.",
  BUDGET_PAUSED: "The workspace spent its budget. Only the user can lift that; try no more until then.",
  FS_DENIED: "Stay below the workspace folder and off the files that agents, git and tools run or read as orders.",
};

const NAME = "CardSdkError";

/** Every failure that the SDK reports. Branch on `code`; `message` is for people. */
export class CardSdkError extends Error {
  override readonly name = NAME;
  readonly code: CardErrorCode;
  readonly data: unknown;

  constructor(code: CardErrorCode, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** What a card author may do about it, or undefined where the message says all. */
  get hint(): string | undefined {
    return hasOwn(HINTS, this.code) ? HINTS[this.code as ErrorCode] : undefined;
  }

  /** After how many milliseconds a call that came too often may be tried again. */
  get retryAfterMs(): number | undefined {
    const wait = this.#member("retryAfterMs");
    return typeof wait === "number" ? wait : undefined;
  }

  /** The permission that was missing. */
  get permission(): string | undefined {
    const id = this.#member("permission");
    return typeof id === "string" ? id : undefined;
  }

  /** What was wrong with the parameters or the value, each with its place; empty for other errors. */
  get issues(): readonly Issue[] {
    return (Array.isArray(this.data) ? this.data : [this.data]).filter(isIssue);
  }

  #member(key: string): unknown {
    return isPlainObject(this.data) && hasOwn(this.data, key) ? this.data[key] : undefined;
  }
}

/** Whether something thrown came from the SDK, with that code if one is named. Works across copies of the SDK. */
export function isCardSdkError(error: unknown, code?: CardErrorCode): error is CardSdkError {
  if (!(error instanceof Error) || error.name !== NAME || !("code" in error)) return false;
  return code === undefined || error.code === code;
}

/** The words of anything thrown, at most `maxChars` long. */
export function reasonOf(error: unknown, maxChars: number): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return cut(text === "" ? "unknown error" : text, maxChars);
}

/** The first `maxUnits` UTF-16 units of a text, without half a character at its end. */
export function cut(text: string, maxUnits: number): string {
  const head = text.slice(0, maxUnits);
  return text.length > maxUnits && /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
}

function isIssue(value: unknown): value is Issue {
  return isPlainObject(value) && typeof value["message"] === "string";
}

import { CARD_LIMITS, checkJson } from "@cardloom/protocol";
import { cut } from "./errors";
import type { HostLink } from "./link";

export type LogLevel = "debug" | "info" | "warn" | "error";

const WINDOW_MS = 1000;

/** Lines to the card's log: 49 a second at most, the others counted and told of with the next line that passes. */
export class Log {
  readonly #link: HostLink;
  readonly #maxLines: number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #dropped = 0;

  constructor(link: HostLink, maxLines: number = CARD_LIMITS.logLinesPerSecond - 1) {
    this.#link = link;
    this.#maxLines = maxLines;
  }

  /** Writes a line; its parts are joined by spaces and cut at 2 000 characters. */
  write(level: LogLevel, ...parts: readonly unknown[]): void {
    const now = performance.now();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#lines = 0;
    }
    if (this.#lines >= this.#maxLines) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) this.#send("warn", `${this.#dropped} lines were left out: more than ${this.#maxLines} in a second.`);
    this.#dropped = 0;
    this.#send(level, parts.map(words).join(" "));
  }

  debug(...parts: readonly unknown[]): void {
    this.write("debug", ...parts);
  }

  info(...parts: readonly unknown[]): void {
    this.write("info", ...parts);
  }

  warn(...parts: readonly unknown[]): void {
    this.write("warn", ...parts);
  }

  error(...parts: readonly unknown[]): void {
    this.write("error", ...parts);
  }

  #send(level: LogLevel, text: string): void {
    this.#lines += 1;
    this.#link.post("host.log", { level, message: cut(text, CARD_LIMITS.logLineChars) });
  }
}

/** Anything as a person reads it in a log. */
function words(part: unknown): string {
  if (typeof part === "string") return part;
  if (part instanceof Error) return part.stack ?? String(part);
  return checkJson(part) === null ? JSON.stringify(part) : String(part);
}

/** Sends what nobody caught to the card's log, until `signal` aborts. */
export function forwardUncaught(scope: EventTarget, log: Log, signal: AbortSignal): void {
  scope.addEventListener(
    "error",
    (event) => {
      const { error, message } = event as ErrorEvent;
      if (error !== undefined || message !== undefined) log.error("uncaught:", error ?? message);
    },
    { signal },
  );
  scope.addEventListener(
    "unhandledrejection",
    (event) => log.error("unhandled rejection:", (event as PromiseRejectionEvent).reason),
    { signal },
  );
}

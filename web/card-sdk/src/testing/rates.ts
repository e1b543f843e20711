import type { MethodRow } from "@cardloom/protocol";

/** At most so many calls in any window, and a gap since the last one accepted. Refused calls do not count. */
export class RateWindow {
  readonly #maxCalls: number | null;
  readonly #minIntervalMs: number | null;
  readonly #windowMs: number;
  #accepted: number[] = [];
  #last: number | null = null;

  constructor({
    maxCalls = null,
    minIntervalMs = null,
    windowMs = 60_000,
  }: {
    readonly maxCalls?: number | null;
    readonly minIntervalMs?: number | null;
    readonly windowMs?: number;
  }) {
    this.#maxCalls = maxCalls;
    this.#minIntervalMs = minIntervalMs;
    this.#windowMs = windowMs;
  }

  /** The window that a method's row asks for, null when it asks for none. */
  static forRow({ perMinute, minIntervalMs }: MethodRow): RateWindow | null {
    return perMinute === null && minIntervalMs === null ? null : new RateWindow({ maxCalls: perMinute, minIntervalMs });
  }

  /** Accepts a call and gives 0, or gives the milliseconds to wait and accepts nothing. */
  take(now: number): number {
    const wait = Math.max(0, this.#gap(now), this.#crowd(now));
    if (wait === 0) {
      this.#last = now;
      if (this.#maxCalls !== null) this.#accepted.push(now);
    }
    return wait;
  }

  #gap(now: number): number {
    return this.#minIntervalMs === null || this.#last === null ? 0 : this.#last + this.#minIntervalMs - now;
  }

  #crowd(now: number): number {
    if (this.#maxCalls === null) return 0;
    this.#accepted = this.#accepted.filter((at) => at > now - this.#windowMs);
    const [oldest = now] = this.#accepted;
    return this.#accepted.length >= this.#maxCalls ? oldest + this.#windowMs - now : 0;
  }
}

/** So many calls at once, refilled by the second. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number | null = null;

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Takes one token and gives 0, or gives the milliseconds until there is one. */
  take(now: number): number {
    const passedMs = this.#at === null ? 0 : Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + (passedMs * this.#perSecond) / 1000);
    this.#at = Math.max(this.#at ?? now, now);
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) * 1000) / this.#perSecond));
    this.#tokens -= 1;
    return 0;
  }
}

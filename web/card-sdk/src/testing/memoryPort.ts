import type { HostPort } from "../link";

/** One end of a channel in memory. Messages arrive in the next microtask, as copies; those before a listener wait. */
export class MemoryPort implements HostPort {
  #other: MemoryPort | null = null;
  #listener: HostPort["onmessage"] = null;
  #inbox: unknown[] = [];
  #closed = false;

  /** Two joined ends. */
  static pair(): readonly [MemoryPort, MemoryPort] {
    const one = new MemoryPort();
    const two = new MemoryPort();
    one.#other = two;
    two.#other = one;
    return [one, two];
  }

  get onmessage(): HostPort["onmessage"] {
    return this.#listener;
  }

  set onmessage(listener: HostPort["onmessage"]) {
    this.#listener = listener;
    queueMicrotask(() => this.#deliver());
  }

  /** Whether either end closed the channel. */
  get closed(): boolean {
    return this.#closed;
  }

  postMessage(message: unknown): void {
    if (this.#closed || this.#other === null) return;
    // Between a page and its host lies JSON, so what JSON drops is dropped here too.
    const text = JSON.stringify(message) as string | undefined;
    if (text !== undefined) this.#other.#receive(JSON.parse(text));
  }

  close(): void {
    this.#closed = true;
    if (this.#other !== null) this.#other.#closed = true;
  }

  #receive(message: unknown): void {
    this.#inbox.push(message);
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    while (this.#listener !== null && this.#inbox.length > 0) this.#listener({ data: this.#inbox.shift() });
  }
}

const SETTLE_TURNS = 100;

/** Lets everything run that can run without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await Promise.resolve();
}

import type { ChatConnection } from "./wire";

/** A server that a test plays: answers by method name, events by hand. */
export class PlayedServer implements ChatConnection {
  online = true;
  readonly calls: { method: string; params: Record<string, unknown> }[] = [];
  private readonly answers = new Map<string, (params: Record<string, unknown>) => unknown>();
  private readonly listeners = new Map<string, Set<(data: never) => void>>();

  /** What a method answers from now on: the data of its envelope. */
  answer(method: string, answer: (params: Record<string, unknown>) => unknown): this {
    this.answers.set(method, (params) => ({ ok: true, data: answer(params) }));
    return this;
  }

  /** The same of a method that stands beside the session protocol. */
  answerPlainly(method: string, answer: (params: Record<string, unknown>) => unknown): this {
    this.answers.set(method, answer);
    return this;
  }

  refuse(method: string, code: string): this {
    this.answers.set(method, () => ({ ok: false, error: { code, message: code } }));
    return this;
  }

  call(method: string, params: object): Promise<unknown> {
    this.calls.push({ method, params: params as Record<string, unknown> });
    const answer = this.answers.get(method);
    if (!this.online || answer === undefined) return Promise.reject(new Error(`${method} is not answered`));
    return Promise.resolve(answer(params as Record<string, unknown>));
  }

  on(event: string, listener: (data: never) => void): () => void {
    const known = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, known.add(listener));
    return () => known.delete(listener);
  }

  event(name: string, data: unknown = {}): void {
    for (const listener of [...(this.listeners.get(name) ?? [])]) listener(data as never);
  }

  /** Events of a run's stream, numbered from `first`. */
  stream(streamId: string, events: readonly object[], first: number, ended = false): void {
    const numbered = events.map((event, at) => ({ id: `r1:${first + at}`, event: { runId: "r1", ...event } }));
    this.event("session.stream", { streamId, events: numbered, ended, error: null });
  }

  calledWith(method: string): Record<string, unknown>[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params);
  }
}

/** Lets everything that waits for an answer go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

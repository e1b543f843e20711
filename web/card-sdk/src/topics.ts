import { CARD_EVENTS, hasOwn } from "@cardloom/protocol";
import type { CardEventName } from "@cardloom/protocol";
import { isCardSdkError } from "./errors";
import type { HostLink } from "./link";
import type { Log } from "./log";
import type { Stop } from "./types";

export const OUTPUT = "agents.output";

/**
 * What the host was asked to tell of.
 *
 * A topic is subscribed with its first listener and ended with its last. Output is asked for by the union of the
 * agents listened to, since a new subscription replaces the old one; changes made in one go are told together.
 */
export class Topics {
  readonly #link: HostLink;
  readonly #log: Log;
  readonly #wanted = new Map<string, number>();
  readonly #watches = new Set<readonly string[]>();
  #told = "";
  #stale = false;

  constructor(link: HostLink, log: Log) {
    this.#link = link;
    this.#log = log;
  }

  /** Whether listening to an event is enough to have it subscribed: output needs agents named. */
  static isPlain(event: string): boolean {
    return event !== OUTPUT && hasOwn(CARD_EVENTS, event) && CARD_EVENTS[event as CardEventName].topic;
  }

  /** Wants a topic until stopped. */
  want(topic: string): Stop {
    const before = this.#wanted.get(topic) ?? 0;
    this.#wanted.set(topic, before + 1);
    if (before === 0) this.#subscribe(topic);
    return once(() => {
      const left = (this.#wanted.get(topic) ?? 1) - 1;
      this.#wanted.set(topic, left);
      if (left === 0) this.#link.post("events.unsubscribe", { topics: [topic] });
    });
  }

  /** Wants the output of these agents until stopped. */
  watch(agentIds: readonly string[]): Stop {
    const watch = [...agentIds];
    this.#watches.add(watch);
    this.#tellSoon();
    return once(() => {
      this.#watches.delete(watch);
      this.#tellSoon();
    });
  }

  #tellSoon(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#stale = false;
    const agentIds = [...new Set([...this.#watches].flat())];
    const told = JSON.stringify(agentIds);
    if (told === this.#told) return;
    const wasWatching = this.#told !== "";
    this.#told = agentIds.length > 0 ? told : "";
    if (agentIds.length > 0) this.#subscribe(OUTPUT, { agentIds });
    else if (wasWatching) this.#link.post("events.unsubscribe", { topics: [OUTPUT] });
  }

  #subscribe(topic: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.#link.call("events.subscribe", { topics: [topic], ...more }).then(
      (answer) => {
        const { topics } = answer as { readonly topics: readonly string[] };
        if (!topics.includes(topic)) this.#log.warn(`${topic} is not granted: nothing will come`);
      },
      (error: unknown) => {
        if (!isCardSdkError(error, "UNAVAILABLE")) this.#log.warn(`${topic} cannot be followed:`, error);
      },
    );
  }
}

/** A function that acts the first time only. */
function once(act: () => void): Stop {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}

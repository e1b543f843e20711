import type { ChatWire, StreamedEvent } from "./wire";

interface FollowerOptions {
  backend: string;
  runId: string;
  onEvents(events: readonly StreamedEvent["event"][]): void;
  /** The run ended, or the server does not know it any more: the messages tell how. */
  onOver(): void;
}

/**
 * Follows one run over as many connections as it takes, without a loss and without a double.
 *
 * A new stream begins behind the last event that had an id; an event that was told already is left out. The state that a
 * server tells instead of events long gone has no ids but for its last, and resets what it speaks of.
 */
export class RunFollower {
  private after: string | null = null;
  private leave: (() => void) | null = null;
  private attempt = 0;
  private stopped = false;
  private readonly forget: (() => void)[];

  constructor(
    private readonly wire: ChatWire,
    private readonly options: FollowerOptions,
  ) {
    this.forget = [
      wire.on("client.online", () => void this.open()),
      wire.on("stream.gap", () => void this.open()),
    ];
    void this.open();
  }

  stop(): void {
    this.stopped = true;
    this.attempt += 1;
    this.leave?.();
    this.leave = null;
    for (const forget of this.forget) forget();
  }

  private async open(): Promise<void> {
    if (this.stopped) return;
    const attempt = ++this.attempt;
    this.leave?.();
    this.leave = null;
    const { backend, runId } = this.options;
    const isOld = () => this.stopped || attempt !== this.attempt;
    try {
      const leave = await this.wire.stream(
        backend,
        "follow",
        { runId, ...(this.after === null ? {} : { after: this.after }) },
        {
          onEvents: (events) => {
            if (!isOld()) this.take(events);
          },
          onEnd: () => {
            if (!isOld()) this.over();
          },
        },
      );
      if (isOld()) leave();
      else this.leave = leave;
    } catch {
      // Away: the next greeting opens it again. Refused: the run is gone, and its messages tell the rest.
      if (!isOld() && this.wire.online) this.over();
    }
  }

  private take(events: readonly StreamedEvent[]): void {
    const fresh: StreamedEvent["event"][] = [];
    for (const { id, event } of events) {
      if (id !== null) {
        if (this.after !== null && numberOf(id) <= numberOf(this.after)) continue;
        this.after = id;
      }
      fresh.push(event);
    }
    if (fresh.length === 0) return;
    this.options.onEvents(fresh);
    if (fresh.some((event) => event.type === "run_end")) this.over();
  }

  private over(): void {
    if (this.stopped) return;
    this.stop();
    this.options.onOver();
  }
}

function numberOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf(":") + 1));
}

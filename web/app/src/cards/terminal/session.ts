import type { CardApi } from "../contract";
import { OutputStream, type Output, type Repaint } from "./stream";
import { TerminalScreen, type Cells } from "./screen";
import { Typing } from "./typing";

/** How long a resized card rests before the program is told, in milliseconds. */
const settleMs = 120;

export interface SessionEvents {
  onSearch(): void;
  onLeave(): void;
  onMatches(at: number, count: number): void;
  /** Drawn for the first time, or again after a failure. */
  onShown(): void;
  onFailure(error: unknown): void;
  onTypingFailure(error: unknown): void;
  /** Enter was pressed in a terminal whose shell has ended. */
  onStart(): void;
}

/**
 * One card's terminal on this page: screen, stream of output and what is typed, joined to the server.
 *
 * The page that is looked at decides the size; the others draw what fits the size they are told.
 */
export class TerminalSession {
  private readonly stream: OutputStream;
  private readonly typing: Typing;
  private readonly stops: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private told: Cells | null = null;
  private alive = true;

  private constructor(
    private readonly cardId: string,
    private readonly api: CardApi,
    private readonly events: SessionEvents,
    readonly screen: TerminalScreen,
  ) {
    this.stream = new OutputStream({
      attach: () => api.call<Repaint>("terminal.attach", { cardId }),
      ack: (offset) => api.call("terminal.ack", { cardId, offset }),
      paint: (repaint, done) => screen.paint(repaint, done),
      write: (data, done) => screen.write(data, done),
      onAttached: ({ cols, rows }) => {
        this.told = { cols, rows };
        events.onShown();
        this.fitSoon();
      },
      onFailure: (error) => events.onFailure(error),
    });
    const input = (data: string) => api.call("terminal.input", { cardId, data });
    this.typing = new Typing(
      // Until it is attached there may be no shell yet that could take it.
      (data) => (this.stream.attaching ? this.stream.settled().then(() => input(data)) : input(data)),
      (error) => events.onTypingFailure(error),
    );
  }

  static async open(
    host: HTMLElement,
    card: { id: string; name: string },
    api: CardApi,
    events: SessionEvents,
  ): Promise<TerminalSession> {
    const early: string[] = [];
    let session: TerminalSession | null = null;
    const screen = await TerminalScreen.open(
      host,
      {
        onType: (data) => (session === null ? early.push(data) : session.type(data)),
        onFocus: () => session?.fitSoon(),
        onCopy: (text) => void navigator.clipboard.writeText(text).catch(events.onTypingFailure),
        onSearch: events.onSearch,
        onLeave: events.onLeave,
        onMatches: events.onMatches,
      },
      api.t("terminal.screen", { name: card.name }),
    );
    session = new TerminalSession(card.id, api, events, screen);
    session.start(host);
    for (const data of early) session.type(data);
    return session;
  }

  attach(): void {
    void this.stream.attach();
  }

  /** The terminal has another size, decided here or on another page. */
  sized(cells: Cells): void {
    this.told = cells;
    this.screen.resize(cells);
  }

  /** The shell has ended, or runs again. What is left of an ended one takes any size without a word to the server. */
  running(alive: boolean): void {
    if (this.alive === alive) return;
    this.alive = alive;
    if (alive && this.told !== null) this.screen.resize(this.told);
    this.fitSoon();
  }

  close(): void {
    clearTimeout(this.timer);
    this.stream.stop();
    for (const stop of this.stops) stop();
    this.screen.dispose();
    // When the server is away there is nobody to tell, and nothing left to end.
    this.api.call("terminal.detach", { cardId: this.cardId }).catch(() => undefined);
  }

  private start(host: HTMLElement): void {
    const own = (data: { cardId: string }) => data.cardId === this.cardId;
    const watcher = new ResizeObserver(() => this.fitSoon());
    watcher.observe(host);
    const onFocus = () => this.fitSoon();
    window.addEventListener("focus", onFocus);
    this.stops.push(
      this.api.on("terminal.output", (data: Output & { cardId: string }) => {
        if (own(data)) this.stream.receive(data);
      }),
      this.api.on("terminal.resync", (data: Repaint & { cardId: string }) => {
        if (own(data)) this.stream.resync(data);
      }),
      this.api.on("client.online", () => this.attach()),
      this.api.on("stream.gap", () => this.attach()),
      () => watcher.disconnect(),
      () => window.removeEventListener("focus", onFocus),
    );
    this.attach();
  }

  private type(data: string): void {
    if (this.alive) void this.typing.type(data);
    else if (data === "\r") this.events.onStart();
  }

  private fitSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fit(), settleMs);
  }

  private fit(): void {
    const room = this.screen.room;
    if (room === null || this.told === null) return;
    if (!this.alive) return this.screen.resize(room);
    if (!document.hasFocus()) return;
    if (room.cols === this.told.cols && room.rows === this.told.rows) return;
    this.api.call("terminal.resize", { cardId: this.cardId, ...room }).then(
      () => this.sized(room),
      // The size is asked for again with the next change or focus; nothing is lost by a wrong one.
      () => undefined,
    );
  }
}

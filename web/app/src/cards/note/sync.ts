import { merged } from "./merge";

export interface Stored {
  revision: number;
  text: string;
}
export type SaveAnswer = Stored | { conflict: Stored };

/** What the person sees of a note's way to the server. */
export interface NoteState {
  text: string;
  /** Their text, when it and ours changed the same place; ours is `text`. */
  conflict: Stored | null;
  state: "saved" | "dirty" | "saving" | "failed";
}

interface NoteSyncOptions {
  save(baseRevision: number, text: string): Promise<SaveAnswer>;
  /** Told once a row of failures, with what was thrown. */
  onFailure(error: unknown): void;
  /** True when trying again cannot help, as when the card is gone. */
  final(error: unknown): boolean;
  /** How long typing rests before it is saved. */
  quietMs: number;
  /** How long until a failed save is tried again. */
  retryMs: number;
}

/**
 * Keeps one note's text in step with the server: what is typed is saved when typing rests, what others write comes in,
 * and when both changed the same place the two texts stand side by side until the person chooses.
 *
 * It knows neither editor nor page, and outlives the card's body, so that text typed into a card that scrolls away is
 * still saved. One save is on its way at a time.
 */
export class NoteSync {
  private base: Stored;
  private text: string;
  private sent: string | null = null;
  private news: Stored | null = null;
  private conflict: Stored | null = null;
  private failed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private snapshot: NoteState;
  private readonly listeners = new Set<() => void>();

  constructor(
    stored: Stored,
    private readonly options: NoteSyncOptions,
  ) {
    this.base = stored;
    this.text = stored.text;
    this.snapshot = this.view();
  }

  /** The state; the same object until something changes. */
  readonly get = (): NoteState => this.snapshot;

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** True when the server has all that was typed. */
  get settled(): boolean {
    return this.sent === null && this.conflict === null && this.text === this.base.text;
  }

  /** The person changed the text. */
  edit(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.schedule(this.options.quietMs);
    this.tell();
  }

  /** The card holds another text now; our own saves come back this way too. */
  receive(stored: Stored): void {
    if (stored.revision <= this.base.revision) return;
    if (this.sent !== null) {
      if (this.news === null || stored.revision > this.news.revision) this.news = stored;
      return;
    }
    this.take(stored);
    this.tell();
  }

  /** Saves at once what waits. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.sent !== null || this.conflict !== null || this.text === this.base.text) return;
    const text = this.text;
    this.sent = text;
    this.options.save(this.base.revision, text).then(
      (answer) => this.answered(text, answer),
      (error: unknown) => this.refused(error),
    );
    this.tell();
  }

  /** Ends a conflict; `both` puts theirs first, a line between, then ours. */
  resolve(choice: "mine" | "theirs" | "both"): void {
    const theirs = this.conflict;
    if (theirs === null) return;
    if (choice === "theirs") this.text = theirs.text;
    if (choice === "both") this.text = `${theirs.text.trimEnd()}\n\n---\n\n${this.text}`;
    this.base = theirs;
    this.conflict = null;
    this.flush();
    this.tell();
  }

  private answered(text: string, answer: SaveAnswer): void {
    this.sent = null;
    this.failed = false;
    const news = this.news;
    this.news = null;
    if ("conflict" in answer) this.take(answer.conflict);
    else this.base = answer.text === text ? answer : this.adopt(answer, text);
    if (news !== null && news.revision > this.base.revision) this.take(news);
    if (this.conflict === null && this.text !== this.base.text) this.schedule(this.options.quietMs);
    this.tell();
  }

  /** The server stored our text in another form; what was typed since is kept on top of it. */
  private adopt(stored: Stored, sent: string): Stored {
    this.text = merged(sent, this.text, stored.text) ?? this.text;
    return stored;
  }

  private refused(error: unknown): void {
    const first = !this.failed;
    this.sent = null;
    this.failed = true;
    const news = this.news;
    this.news = null;
    if (news !== null) this.take(news);
    const again = this.conflict === null && this.text !== this.base.text && !this.options.final(error);
    if (again) this.schedule(this.options.retryMs);
    if (first) this.options.onFailure(error);
    this.tell();
  }

  /** Brings in a newer text of the server. */
  private take(stored: Stored): void {
    if (this.conflict !== null) {
      this.conflict = stored;
      return;
    }
    const both = merged(this.base.text, this.text, stored.text);
    if (both === null) {
      this.conflict = stored;
      clearTimeout(this.timer);
      return;
    }
    this.base = stored;
    this.text = both;
    if (both !== stored.text) this.schedule(this.options.quietMs);
  }

  private schedule(afterMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), afterMs);
  }

  private tell(): void {
    this.snapshot = this.view();
    for (const listener of this.listeners) listener();
  }

  private view(): NoteState {
    const dirty = this.text !== this.base.text;
    const state = this.sent !== null ? "saving" : !dirty ? "saved" : this.failed ? "failed" : "dirty";
    return { text: this.text, conflict: this.conflict, state };
  }
}

import type { Attachment } from "./attachments";

export interface Draft {
  readonly text: string;
  readonly files: readonly Attachment[];
}

interface DraftLimits {
  /** Sessions whose drafts outlive the page; of more, those that were written longest ago are let go. */
  readonly sessions: number;
  /** Characters of a text, and of the files of one session as base64; beyond that they stay for this page's life only. */
  readonly textChars: number;
  readonly filesChars: number;
}

const LIMITS: DraftLimits = { sessions: 40, textChars: 100_000, filesChars: 700_000 };
const TEXT = "cardloom.draft.text:";
const FILES = "cardloom.draft.files:";
const NOTHING: Draft = { text: "", files: [] };

/**
 * What is typed into a chat and attached, by session, until it is sent.
 *
 * It outlives the page as far as the browser's store has room; text and files lie apart, so that a letter typed writes
 * no file anew. A store that is full or shut off takes nothing away from the page itself.
 */
export class Drafts {
  private readonly known = new Map<string, Draft>();

  constructor(
    private readonly storage: Storage,
    private readonly now: () => number = Date.now,
    private readonly limits: DraftLimits = LIMITS,
  ) {}

  of(key: string): Draft {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const read = { text: this.readText(key), files: this.readFiles(key) };
    this.known.set(key, read);
    return read;
  }

  write(key: string, text: string): void {
    this.known.set(key, { ...this.of(key), text });
    this.storeText(key, text);
  }

  hold(key: string, files: readonly Attachment[]): void {
    this.known.set(key, { ...this.of(key), files });
    this.storeFiles(key, files);
  }

  /** Empties the draft because it is being sent; it is still there for a page that begins before it was. */
  take(key: string): Draft {
    const taken = this.of(key);
    this.known.set(key, NOTHING);
    return taken;
  }

  /** The draft that was taken has gone out: what was typed since is all there is. */
  settle(key: string): void {
    const { text, files } = this.of(key);
    this.storeText(key, text);
    this.storeFiles(key, files);
  }

  /** The session is gone, and what was to be said in it. */
  forget(key: string): void {
    this.known.delete(key);
    this.storage.removeItem(TEXT + key);
    this.storage.removeItem(FILES + key);
  }

  private readText(key: string): string {
    const kept = this.read(TEXT + key);
    return isRecord(kept) && typeof kept["text"] === "string" ? kept["text"] : "";
  }

  private readFiles(key: string): readonly Attachment[] {
    const kept = this.read(FILES + key);
    return isRecord(kept) && Array.isArray(kept["files"]) ? kept["files"].filter(isAttachment) : [];
  }

  private read(place: string): unknown {
    try {
      return JSON.parse(this.storage.getItem(place) ?? "null");
    } catch {
      return null; // What an earlier page, or somebody else, left there.
    }
  }

  private storeText(key: string, text: string): void {
    this.store(TEXT + key, text === "" || text.length > this.limits.textChars ? null : { text });
  }

  private storeFiles(key: string, files: readonly Attachment[]): void {
    const chars = files.reduce((sum, file) => sum + file.content.length, 0);
    this.store(FILES + key, files.length === 0 || chars > this.limits.filesChars ? null : { files });
  }

  private store(place: string, held: object | null): void {
    if (held === null) {
      this.storage.removeItem(place);
      return;
    }
    const isNew = this.storage.getItem(place) === null;
    try {
      this.storage.setItem(place, JSON.stringify({ ...held, atMs: this.now() }));
    } catch {
      this.storage.removeItem(place); // Full, or shut off: an older state of the draft would be a wrong one.
      return;
    }
    if (isNew) this.makeRoom();
  }

  private makeRoom(): void {
    for (const kind of [TEXT, FILES]) {
      const places = Array.from({ length: this.storage.length }, (_, at) => this.storage.key(at) ?? "").filter((place) => place.startsWith(kind));
      const atMs = (place: string) => {
        const kept = this.read(place);
        return isRecord(kept) && typeof kept["atMs"] === "number" ? kept["atMs"] : 0;
      };
      const tooMany = places.length - this.limits.sessions;
      if (tooMany <= 0) continue;
      const oldest = places.map((place) => ({ place, atMs: atMs(place) })).sort((one, two) => one.atMs - two.atMs);
      for (const { place } of oldest.slice(0, tooMany)) this.storage.removeItem(place);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isAttachment(value: unknown): value is Attachment {
  return isRecord(value) && ["name", "mime", "content"].every((name) => typeof value[name] === "string");
}

/** The drafts of this browser. */
export const drafts = new Drafts(localStorage);

export function draftKey(backend: string, sessionId: string): string {
  return `${backend}\n${sessionId}`;
}

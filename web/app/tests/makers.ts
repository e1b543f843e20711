import type { Timers, Socket } from "../src/connection/client";
import type { Arrow, Card, CustomCard, FrameRuntime, Hello, NoteCard, PortInfo, Snapshot, TodoCard, Workspace } from "../src/wire/records";

/** Records for tests: whole ones, with only what matters given. */

export function port(id: string, type: string, more: Partial<PortInfo> = {}): PortInfo {
  return { id, label: id, type, mode: "stream", retain: false, default: false, ...more };
}

const PLAIN_CHROME: Card["chrome"] = { title: null, status: null, badge: null, overview: null, attention: null };

function frame(id: string) {
  return {
    id,
    workspaceId: "w1",
    type: null,
    title: null,
    name: id,
    x: 0,
    y: 0,
    w: 200,
    h: 100,
    z: 0,
    revision: 1,
    chrome: PLAIN_CHROME,
    runtime: null,
    createdAtMs: 0,
  } as const;
}

export function note(id: string, more: Partial<NoteCard> = {}): NoteCard {
  return {
    ...frame(id),
    kind: "note",
    content: { text: "" },
    ports: {
      inputs: [port("append", "ns:markdown", { default: true }), port("replace", "ns:markdown")],
      outputs: [port("text", "ns:markdown", { retain: true })],
    },
    ...more,
  };
}

export function todo(id: string, more: Partial<TodoCard> = {}): TodoCard {
  return {
    ...frame(id),
    kind: "todo",
    content: { items: [] },
    ports: {
      inputs: [port("add", "ns:tasks", { default: true }), port("update", "ns:task-patch")],
      outputs: [port("items", "ns:tasks", { retain: true })],
    },
    ...more,
  };
}

export function terminal(id: string): Card {
  return {
    ...frame(id),
    kind: "terminal",
    content: { shell: "shell-bash", cwd: null },
    ports: {
      inputs: [port("command", "ns:text", { default: true })],
      outputs: [port("exit", "ns:event")],
    },
  };
}

export const unmounted: FrameRuntime = { kind: "frame", status: "unmounted", error: null, pageId: null, expanded: false };

/** A card that is a page of its own. */
export function framed(id: string, runtime: FrameRuntime = unmounted): CustomCard {
  return {
    ...frame(id),
    kind: "custom",
    type: "a",
    runtime,
    content: { packageId: "file:a", version: "1.0.0" },
    ports: { inputs: [], outputs: [] },
  };
}

export function arrow(id: string, a: string, b: string, more: Partial<Arrow> = {}): Arrow {
  return {
    id,
    workspaceId: "w1",
    a,
    b,
    direction: "forward",
    drawnBy: { kind: "owner" },
    drawnAtMs: 0,
    pending: false,
    paused: false,
    rank: 1,
    stats: { passed: 0, dropped: 0, refused: 0, loops: 0, lastAtMs: null },
    ...more,
  };
}

export function workspace(id = "w1", more: Partial<Workspace> = {}): Workspace {
  return { id, name: id, path: `/${id}`, open: true, problem: null, strict: false, cards: 0, createdAtMs: 0, ...more };
}

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return { workspace: workspace(), seq: 1, cards: [], arrows: [], dialogs: [], ...more };
}

export function hello(more: Partial<Hello> = {}): Hello {
  return {
    protocol: 1,
    version: "0.1.0",
    pageId: "page-1",
    limits: {},
    methods: [],
    events: [],
    preferences: { scheme: "dark", language: "en" },
    workspaces: [],
    packages: [],
    ...more,
  };
}

interface Call {
  id: number;
  method: string;
  params: Record<string, unknown>;
}

/** A socket that a test plays the server on. */
export class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly calls: Call[] = [];
  closed = false;

  send(text: string): void {
    this.calls.push(JSON.parse(text) as Call);
  }

  close(): void {
    this.closed = true;
  }

  /** The last call of a method; fails the test when there is none. */
  call(method: string): Call {
    const found = this.calls.filter((call) => call.method === method).at(-1);
    if (found === undefined) throw new Error(`${method} was not called`);
    return found;
  }

  answer(method: string, result: unknown): Promise<void> {
    return this.say({ kind: "res", id: this.call(method).id, ok: true, result });
  }

  refuse(method: string, code: string, message = "no"): Promise<void> {
    return this.say({ kind: "res", id: this.call(method).id, ok: false, error: { code, message } });
  }

  event(event: string, data: unknown): Promise<void> {
    return this.say({ kind: "evt", event, data });
  }

  async say(frame: object): Promise<void> {
    this.onmessage?.({ data: JSON.stringify({ ns: "cardloom", v: 1, ...frame }) });
    await settle();
  }

  async open(): Promise<void> {
    this.onopen?.();
    await settle();
  }

  async lose(): Promise<void> {
    this.onclose?.();
    await settle();
  }
}

/** Lets everything that already has its answer run to its end. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

/** A clock that moves when told to. */
export class FakeTimers implements Timers {
  private now = 0;
  private waiting: { atMs: number; run: () => void }[] = [];

  nowMs(): number {
    return this.now;
  }

  after(delayMs: number, run: () => void): () => void {
    const entry = { atMs: this.now + delayMs, run };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== entry);
    };
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    const due = this.waiting.filter((entry) => entry.atMs <= this.now);
    this.waiting = this.waiting.filter((entry) => entry.atMs > this.now);
    for (const entry of due) entry.run();
    await settle();
  }
}

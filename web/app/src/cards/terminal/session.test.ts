import { beforeEach, describe, expect, test, vi } from "vitest";
import { translator } from "../../i18n/catalogue";
import type { CardApi } from "../contract";
import type { Cells, ScreenEvents } from "./screen";
import { TerminalSession } from "./session";
import type { Repaint } from "./stream";

/** The drawn side, which needs a real browser; here it remembers what it was told. */
const screen = vi.hoisted(() => ({
  drawn: [] as string[],
  cells: [] as Cells[],
  room: { cols: 100, rows: 30 } as Cells | null,
  events: undefined as ScreenEvents | undefined,
}));
vi.mock("./screen", () => ({
  TerminalScreen: {
    open: async (_host: HTMLElement, events: ScreenEvents) => {
      screen.events = events;
      return {
        get room() {
          return screen.room;
        },
        resize: (cells: Cells) => screen.cells.push({ ...cells }),
        paint: ({ data }: Repaint, done: () => void) => (screen.drawn.push(`[${data}]`), done()),
        write: (data: string, done: () => void) => (screen.drawn.push(data), done()),
        dispose: () => screen.drawn.push("closed"),
      };
    },
  },
}));

class NoObserver {
  observe() {
    // Nothing is laid out here: sizes come from `screen.room`.
  }
  disconnect() {
    // See above.
  }
}

async function open() {
  const calls: { method: string; params: Record<string, unknown> }[] = [];
  const listeners = new Map<string, (data: never) => void>();
  const started = vi.fn();
  const api: CardApi = {
    t: translator("en"),
    call: async <T,>(method: string, params: object) => {
      calls.push({ method, params: params as Record<string, unknown> });
      return (method === "terminal.attach" ? { generation: 1, offset: 2, cols: 80, rows: 24, data: "$ " } : {}) as T;
    },
    on: (event, listener) => {
      listeners.set(event, listener);
      return () => listeners.delete(event);
    },
    pushUndo: () => undefined,
    holdUndo: (action) => action,
    toast: () => undefined,
  };
  const nothing = () => undefined;
  const session = await TerminalSession.open(document.createElement("div"), { id: "t1", name: "T" }, api, {
    onSearch: nothing,
    onLeave: nothing,
    onMatches: nothing,
    onShown: nothing,
    onFailure: nothing,
    onTypingFailure: nothing,
    onStart: started,
  });
  await vi.advanceTimersByTimeAsync(0);
  const sent = (method: string) => calls.filter((call) => call.method === method).map((call) => call.params);
  const emit = (event: string, data: object) => listeners.get(event)?.(data as never);
  return { session, sent, emit, listeners, started };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("ResizeObserver", NoObserver);
  Object.assign(screen, { drawn: [], cells: [], room: { cols: 100, rows: 30 }, events: undefined });
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
});

describe("a terminal on this page", () => {
  test("draws the output of its own card alone", async () => {
    const { emit } = await open();
    emit("terminal.output", { cardId: "t2", generation: 1, offset: 5, data: "not" });
    emit("terminal.output", { cardId: "t1", generation: 1, offset: 5, data: "yes" });
    expect(screen.drawn).toEqual(["[$ ]", "yes"]);
  });

  test("attaches again when the server is back", async () => {
    const { sent, emit } = await open();
    emit("client.online", {});
    expect(sent("terminal.attach")).toHaveLength(2);
  });

  test("attaches again after events were lost: what it missed would never be told", async () => {
    const { sent, emit } = await open();
    emit("stream.gap", {});
    expect(sent("terminal.attach")).toHaveLength(2);
  });

  test("keeps what is typed until it is attached again: the shell of a server that is back is still to start", async () => {
    const { sent, emit } = await open();
    emit("client.online", {});
    screen.events?.onType("ls");
    screen.events?.onType("\r");
    expect(sent("terminal.input")).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent("terminal.input").map(({ data }) => data).join("")).toBe("ls\r");
  });

  test("sends what is typed while the shell lives, and starts it anew by Enter when it has ended", async () => {
    const { session, sent, started } = await open();
    screen.events?.onType("ls\r");
    expect(sent("terminal.input")).toEqual([{ cardId: "t1", data: "ls\r" }]);
    session.running(false);
    screen.events?.onType("x");
    screen.events?.onType("\r");
    expect(sent("terminal.input")).toHaveLength(1);
    expect(started).toHaveBeenCalledTimes(1);
  });

  test("stops listening and says so when it closes", async () => {
    const { session, sent, listeners } = await open();
    session.close();
    expect(listeners.size).toBe(0);
    expect(sent("terminal.detach")).toEqual([{ cardId: "t1" }]);
    expect(screen.drawn.at(-1)).toBe("closed");
  });
});

describe("the size of a terminal", () => {
  test("is set by the page that is looked at, once it rests", async () => {
    const { sent } = await open();
    await vi.advanceTimersByTimeAsync(200);
    expect(sent("terminal.resize")).toEqual([{ cardId: "t1", cols: 100, rows: 30 }]);
    expect(screen.cells.at(-1)).toEqual({ cols: 100, rows: 30 });
  });

  test("is left alone by a page that is not looked at", async () => {
    vi.mocked(document.hasFocus).mockReturnValue(false);
    const { session, sent } = await open();
    session.sized({ cols: 90, rows: 20 });
    await vi.advanceTimersByTimeAsync(200);
    expect(sent("terminal.resize")).toEqual([]);
    expect(screen.cells.at(-1)).toEqual({ cols: 90, rows: 20 });
  });

  test("is not touched while the card has none", async () => {
    screen.room = null;
    const { sent } = await open();
    await vi.advanceTimersByTimeAsync(200);
    expect(sent("terminal.resize")).toEqual([]);
  });

  test("of an ended shell changes on this page alone, and goes back when it runs again", async () => {
    const { session, sent } = await open();
    session.running(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(sent("terminal.resize")).toEqual([]);
    expect(screen.cells.at(-1)).toEqual({ cols: 100, rows: 30 });
    session.running(true);
    expect(screen.cells.at(-1)).toEqual({ cols: 80, rows: 24 });
  });
});

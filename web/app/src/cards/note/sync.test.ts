import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NoteSync, type SaveAnswer, type Stored } from "./sync";

interface Save {
  baseRevision: number;
  text: string;
  answer(answer: SaveAnswer): Promise<void>;
  fail(error: Error): Promise<void>;
}

function setUp(stored: Stored) {
  const saves: Save[] = [];
  const failures: unknown[] = [];
  const sync = new NoteSync(stored, {
    quietMs: 400,
    retryMs: 3000,
    final: (error) => error instanceof RangeError,
    onFailure: (error) => failures.push(error),
    save: (baseRevision, text) =>
      new Promise((resolve, reject) => {
        const settled = () => vi.advanceTimersByTimeAsync(0).then(() => undefined);
        saves.push({
          baseRevision,
          text,
          answer: (answer) => (resolve(answer), settled()),
          fail: (error) => (reject(error), settled()),
        });
      }),
  });
  const last = () => {
    const save = saves.at(-1);
    if (save === undefined) throw new Error("nothing was saved");
    return save;
  };
  return { sync, saves, failures, last };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("saving a note", () => {
  test("typing is saved once when it rests, on the revision it began from", async () => {
    const { sync, saves, last } = setUp({ revision: 3, text: "" });
    sync.edit("h");
    vi.advanceTimersByTime(399);
    sync.edit("hi");
    vi.advanceTimersByTime(399);
    expect(saves).toHaveLength(0);
    vi.advanceTimersByTime(1);
    expect(saves.map(({ baseRevision, text }) => [baseRevision, text])).toEqual([[3, "hi"]]);
    await last().answer({ revision: 4, text: "hi" });
    expect(sync.get()).toEqual({ text: "hi", conflict: null, state: "saved" });
    expect(sync.settled).toBe(true);
  });

  test("what is typed during a save goes out with the next one", async () => {
    const { sync, saves, last } = setUp({ revision: 1, text: "" });
    sync.edit("a");
    sync.flush();
    sync.edit("ab");
    vi.advanceTimersByTime(400);
    expect(saves).toHaveLength(1);
    await last().answer({ revision: 2, text: "a" });
    vi.advanceTimersByTime(400);
    expect(last()).toMatchObject({ baseRevision: 2, text: "ab" });
  });

  test("a failed save keeps the text, says so once and tries again", async () => {
    const { sync, saves, failures, last } = setUp({ revision: 1, text: "" });
    sync.edit("kept");
    sync.flush();
    await last().fail(new Error("server away"));
    expect(sync.get()).toMatchObject({ text: "kept", state: "failed" });
    vi.advanceTimersByTime(3000);
    await last().fail(new Error("server away"));
    expect(failures).toHaveLength(1);
    vi.advanceTimersByTime(3000);
    expect(saves).toHaveLength(3);
    await last().answer({ revision: 2, text: "kept" });
    expect(sync.get().state).toBe("saved");
  });

  test("a save that can never succeed is not repeated, and the text stays", async () => {
    const { sync, saves, last } = setUp({ revision: 1, text: "" });
    sync.edit("kept");
    sync.flush();
    await last().fail(new RangeError("the card is gone"));
    vi.advanceTimersByTime(60_000);
    expect(saves).toHaveLength(1);
    expect(sync.get()).toMatchObject({ text: "kept", state: "failed" });
  });

  test("our own save coming back as news changes nothing", async () => {
    const { sync, saves, last } = setUp({ revision: 1, text: "" });
    sync.edit("mine");
    sync.flush();
    sync.receive({ revision: 2, text: "mine" });
    await last().answer({ revision: 2, text: "mine" });
    vi.advanceTimersByTime(10_000);
    expect(saves).toHaveLength(1);
    expect(sync.settled).toBe(true);
  });
});

describe("a note that others edit too", () => {
  test("news replace a text that was not touched", () => {
    const { sync } = setUp({ revision: 1, text: "old" });
    sync.receive({ revision: 2, text: "new" });
    expect(sync.get()).toEqual({ text: "new", conflict: null, state: "saved" });
  });

  test("older news are passed over", () => {
    const { sync } = setUp({ revision: 5, text: "new" });
    sync.receive({ revision: 4, text: "old" });
    expect(sync.get().text).toBe("new");
  });

  test("a paragraph appended meanwhile joins what is being typed", async () => {
    const { sync, last } = setUp({ revision: 1, text: "one\n\nend" });
    sync.edit("ONE\n\nend");
    sync.receive({ revision: 2, text: "one\n\nend\n\nappended" });
    expect(sync.get().text).toBe("ONE\n\nend\n\nappended");
    vi.advanceTimersByTime(400);
    expect(last()).toMatchObject({ baseRevision: 2, text: "ONE\n\nend\n\nappended" });
  });

  test("a refused save that can be merged is merged and saved anew", async () => {
    const { sync, last } = setUp({ revision: 1, text: "a b" });
    sync.edit("A b");
    sync.flush();
    await last().answer({ conflict: { revision: 7, text: "a b c" } });
    vi.advanceTimersByTime(400);
    expect(last()).toMatchObject({ baseRevision: 7, text: "A b c" });
  });
});

describe("two texts that cannot be merged", () => {
  async function inConflict() {
    const made = setUp({ revision: 1, text: "x" });
    made.sync.edit("mine");
    made.sync.flush();
    await made.last().answer({ conflict: { revision: 2, text: "theirs" } });
    return made;
  }

  test("both stand there and nothing is saved until the person chooses", async () => {
    const { sync, saves } = await inConflict();
    vi.advanceTimersByTime(10_000);
    expect(sync.get()).toMatchObject({ text: "mine", conflict: { revision: 2, text: "theirs" } });
    expect(sync.settled).toBe(false);
    expect(saves).toHaveLength(1);
  });

  test("keeping mine writes it over theirs on their revision", async () => {
    const { sync, last } = await inConflict();
    sync.resolve("mine");
    expect(last()).toMatchObject({ baseRevision: 2, text: "mine" });
  });

  test("keeping theirs writes nothing", async () => {
    const { sync, saves } = await inConflict();
    sync.resolve("theirs");
    expect(sync.get()).toEqual({ text: "theirs", conflict: null, state: "saved" });
    expect(saves).toHaveLength(1);
  });

  test("keeping both loses neither", async () => {
    const { sync, last } = await inConflict();
    sync.resolve("both");
    expect(last().text).toBe("theirs\n\n---\n\nmine");
  });

  test("their next edit shows in the conflict", async () => {
    const { sync } = await inConflict();
    sync.receive({ revision: 3, text: "theirs, again" });
    expect(sync.get().conflict).toEqual({ revision: 3, text: "theirs, again" });
  });
});

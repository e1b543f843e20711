import { describe, expect, test } from "vitest";
import { UndoHistory } from "./undo";

function recorder() {
  const log: string[] = [];
  const entry = (name: string) => ({
    label: name,
    undo: () => Promise.resolve(void log.push(`undo ${name}`)),
    redo: () => Promise.resolve(void log.push(`redo ${name}`)),
  });
  return { log, entry };
}

describe("the history", () => {
  test("takes back the newest first and does it again", async () => {
    const { log, entry } = recorder();
    const history = new UndoHistory();
    history.push(entry("a"));
    history.push(entry("b"));
    await history.undo();
    await history.undo();
    await history.redo();
    expect(log).toEqual(["undo b", "undo a", "redo a"]);
    expect(history.view.get()).toEqual({ undoLabel: "a", redoLabel: "b" });
  });

  test("something new forgets what was undone", async () => {
    const { entry } = recorder();
    const history = new UndoHistory();
    history.push(entry("a"));
    await history.undo();
    history.push(entry("b"));
    expect(history.view.get()).toEqual({ undoLabel: "b", redoLabel: null });
    expect(await history.redo()).toBeNull();
  });

  test("steps asked for at once run one after the other", async () => {
    const log: string[] = [];
    let release = () => undefined as void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const history = new UndoHistory();
    history.push({ label: "fast", undo: () => Promise.resolve(void log.push("fast")), redo: () => Promise.resolve() });
    history.push({ label: "slow", undo: () => gate.then(() => void log.push("slow")), redo: () => Promise.resolve() });
    const both = Promise.all([history.undo(), history.undo()]);
    await Promise.resolve();
    expect(log).toEqual([]);
    release();
    await both;
    expect(log).toEqual(["slow", "fast"]);
  });

  test("a step that is refused is dropped and the others stay", async () => {
    const { log, entry } = recorder();
    const history = new UndoHistory();
    history.push(entry("a"));
    history.push({ label: "bad", undo: () => Promise.reject(new Error("gone")), redo: () => Promise.resolve() });
    expect(await history.undo()).toMatchObject({ done: false, label: "bad" });
    expect(history.view.get()).toEqual({ undoLabel: "a", redoLabel: null });
    await history.undo();
    expect(log).toEqual(["undo a"]);
  });

  test("keeps no more than it was told to", async () => {
    const { log, entry } = recorder();
    const history = new UndoHistory(2);
    for (const name of ["a", "b", "c"]) history.push(entry(name));
    await history.undo();
    await history.undo();
    expect(await history.undo()).toBeNull();
    expect(log).toEqual(["undo c", "undo b"]);
  });
});

test("an undo waits for the action that is under way and has not pushed its entry yet", async () => {
  const history = new UndoHistory();
  const undone: string[] = [];
  const entry = (label: string) => ({ label, undo: async () => void undone.push(label), redo: async () => undefined });
  history.push(entry("earlier"));
  let land = () => {};
  const action = new Promise<void>((landed) => (land = landed)).then(() => history.push(entry("under way")));
  void history.after(action);
  const undoing = history.undo();
  land();
  await undoing;
  expect(undone).toEqual(["under way"]);
});

test("an action that fails leaves undo to what came before it", async () => {
  const history = new UndoHistory();
  history.push({ label: "earlier", undo: async () => undefined, redo: async () => undefined });
  await history.after(Promise.reject(new Error("refused"))).catch(() => undefined);
  expect(await history.undo()).toEqual({ done: true, label: "earlier" });
});

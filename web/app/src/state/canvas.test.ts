import { describe, expect, test } from "vitest";
import { arrow, note, snapshot, todo } from "../../tests/makers";
import { applyActivity, applyChanges, applyEvent, arrowBetween, arrowsOf, closeDialog, fromSnapshot, openDialog } from "./canvas";
import type { Change, Dialog } from "../wire/records";

const start = fromSnapshot(snapshot({ cards: [note("n"), todo("t")], arrows: [arrow("r", "n", "t")], seq: 4 }));
const change = (seq: number, ...changes: Change[]) => ({ workspaceId: "w1", seq, by: null, changes });

describe("events", () => {
  test("the next one is applied", () => {
    const next = applyEvent(start, change(5, { op: "patchCard", cardId: "n", fields: { x: 7 } }));
    if (next === "gap") throw new Error("no gap expected");
    expect(next.seq).toBe(5);
    expect(next.cards.get("n")?.x).toBe(7);
  });

  test("one that the snapshot already held changes nothing", () => {
    expect(applyEvent(start, change(4, { op: "removeCard", cardId: "n" }))).toBe(start);
  });

  test("a hole in the numbers asks for a new snapshot", () => {
    expect(applyEvent(start, change(6, { op: "removeCard", cardId: "n" }))).toBe("gap");
  });

  test("one of another workspace changes nothing", () => {
    expect(applyEvent(start, { ...change(5, { op: "removeCard", cardId: "n" }), workspaceId: "w2" })).toBe(start);
  });
});

describe("changes", () => {
  test("touch only what they name", () => {
    const next = applyChanges(start, [{ op: "putCard", card: note("new") }]);
    expect(next.cards.get("n")).toBe(start.cards.get("n"));
    expect(next.arrows).toBe(start.arrows);
    expect(start.cards.has("new")).toBe(false);
  });

  test("a patch of an unknown card is ignored", () => {
    expect(applyChanges(start, [{ op: "patchCard", cardId: "gone", fields: { x: 1 } }]).cards).toBe(start.cards);
  });

  test("removing a card takes its question away", () => {
    const dialog: Dialog = { id: "d", kind: "confirm", workspaceId: "w1", cardId: "n", title: "?", data: {}, deadlineAtMs: 0 };
    const asked = openDialog(start, dialog);
    expect(applyChanges(asked, [{ op: "removeCard", cardId: "n" }]).dialogs).toEqual([]);
    expect(closeDialog(asked, "d").dialogs).toEqual([]);
    expect(closeDialog(asked, "other")).toBe(asked);
    expect(openDialog(asked, dialog).dialogs).toHaveLength(1);
    expect(openDialog(start, { ...dialog, workspaceId: "w2" })).toBe(start);
  });

  test("a question that got more time keeps its place", () => {
    const dialog: Dialog = { id: "d", kind: "confirm", workspaceId: "w1", cardId: "n", title: "?", data: {}, deadlineAtMs: 1 };
    const asked = openDialog(openDialog(start, dialog), { ...dialog, id: "e" });
    const dialogs = openDialog(asked, { ...dialog, deadlineAtMs: 2 }).dialogs;
    expect(dialogs.map((one) => [one.id, one.deadlineAtMs])).toEqual([["d", 2], ["e", 1]]);
  });

  test("arrows come, go, and change", () => {
    const next = applyChanges(start, [
      { op: "removeArrow", arrowId: "r" },
      { op: "putArrow", arrow: arrow("s", "t", "n") },
      { op: "patchWorkspace", fields: { name: "New" } },
    ]);
    expect([...next.arrows.keys()]).toEqual(["s"]);
    expect(next.workspace.name).toBe("New");
  });
});

test("activity renews the counts of arrows that are still there", () => {
  const stats = { passed: 3, dropped: 0, refused: 0, loops: 0, lastAtMs: 9 };
  const beat = { direction: "forward", stats, outcome: "accepted", type: "ns:text" } as const;
  const next = applyActivity(start, { workspaceId: "w1", arrows: [{ ...beat, arrowId: "r" }, { ...beat, arrowId: "gone" }] });
  expect(next.arrows.get("r")?.stats.passed).toBe(3);
  expect(next.arrows.size).toBe(1);
  expect(applyActivity(start, { workspaceId: "w2", arrows: [] })).toBe(start);
});

test("the arrow between two cards is found from either side", () => {
  expect(arrowBetween(start, "t", "n")?.id).toBe("r");
  expect(arrowBetween(start, "n", "x")).toBeNull();
  expect(arrowsOf(start, "t").map((each) => each.id)).toEqual(["r"]);
});

import { describe, expect, test } from "vitest";
import { translator } from "../i18n/catalogue";
import type { CardKind } from "../wire/records";
import { cardBodies } from "./registry";
import { firstLine } from "./note/summary";
import { cardOf } from "./testing/cardHost";

const t = translator("en");
const overview = (kind: CardKind, content: object, rest: object = {}) =>
  cardBodies[kind].overview(cardOf({ kind, content, ...rest }), t);
const item = (status: string) => ({ id: status, text: status, status });

describe("a card from far away", () => {
  test("a to-do list says how many items are open, and shows errors", () => {
    const items = [item("pending"), item("error"), item("done"), { ...item("done"), id: "2" }];
    expect(overview("todo", { items })).toEqual({ primary: "2 open", progress: 0.5, tone: "danger" });
    expect(overview("todo", { items: [item("done")] })).toMatchObject({ primary: "all done", tone: "success" });
    expect(overview("todo", { items: [] })).toEqual({ primary: "no items" });
  });

  test("a board counts its columns", () => {
    const columns = [
      { id: "a", title: "To do" },
      { id: "b", title: "Done" },
    ];
    const tasks = [{ id: "1", text: "x", status: "pending", column: "a" }];
    expect(overview("kanban", { columns, tasks })).toEqual({
      primary: "1 task",
      secondary: "To do 1 · Done 0",
      tone: "default",
    });
  });

  test("a note gives its first line without its marks", () => {
    expect(firstLine("\n\n## **Plan** for [Monday](https://x.y)\nmore")).toBe("Plan for Monday");
    expect(firstLine("- [ ] 1. go")).toBe("[ ] 1. go");
    expect(overview("note", { text: " \n" })).toEqual({ primary: "Empty note" });
  });

  test("a card with a program gives what it says, unless the program failed", () => {
    const chrome = {
      title: null,
      badge: null,
      attention: null,
      status: null,
      overview: { primary: "3 failing", secondary: null, progress: 0.25, tone: "warning", icon: null },
    };
    const running = { status: "running", restarts: 0, error: null };
    expect(overview("custom", {}, { chrome, runtime: running })).toEqual({
      primary: "3 failing",
      progress: 0.25,
      tone: "warning",
    });
    expect(overview("custom", {}, { chrome, runtime: { ...running, status: "failed" } })).toEqual({
      primary: "The card's program failed.",
      tone: "danger",
    });
  });
});

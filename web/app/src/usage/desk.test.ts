import { describe, expect, test, vi } from "vitest";
import { FakeTimers, settle } from "../../tests/makers";
import type { ConnectionState } from "../connection/client";
import { CallFailure } from "../connection/failure";
import { placeOf, stepOf, UsageDesk, type Question } from "./desk";
import { budget, usageReport, usageRow } from "./testing/reports";

const QUESTION: Question = { by: "agent", period: "today", workspaceId: "w1" };

/** A desk at a server that a test plays. */
function openDesk() {
  const listeners = new Map<string, (data: never) => void>();
  let stateChanged: (state: ConnectionState) => void = () => undefined;
  const answers = new Map<string, unknown>([
    ["usage.report", usageReport([usageRow("a1")])],
    ["budget.get", { budgets: [budget("b1")] }],
    ["usage.scan", {}],
  ]);
  const call = vi.fn((method: string) => {
    const answer = answers.get(method);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  const client = {
    call,
    on: (event: string, listener: (data: never) => void) => {
      listeners.set(event, listener);
      return () => undefined;
    },
    onState: (listener: (state: ConnectionState) => void) => {
      stateChanged = listener;
      return () => undefined;
    },
  };
  const timers = new FakeTimers();
  const crossed = vi.fn();
  const desk = new UsageDesk(client as never, timers, crossed, (error) => `told: ${(error as Error).message}`);
  const say = (event: string, data: unknown) => listeners.get(event)?.(data as never);
  const asked = () => call.mock.calls.filter(([method]) => method === "usage.report").length;
  return { desk, say, asked, answers, timers, crossed, lose: () => stateChanged({ phase: "offline", attempt: 1, retryAtMs: 0 }) };
}

describe("usage on a page", () => {
  test("what is shown is asked for anew after events were lost", async () => {
    const { desk, say, asked, timers } = openDesk();
    desk.hold(QUESTION);
    say("stream.gap", {});
    await timers.pass(1_000);
    expect(asked()).toBe(2);
  });

  test("a report that two parts show is asked for once, and anew when logs were read", async () => {
    const { desk, say, asked, timers } = openDesk();
    const first = desk.hold(QUESTION);
    const second = desk.hold({ ...QUESTION });
    await settle();
    expect(asked()).toBe(1);
    expect(desk.answerTo(QUESTION).get().report?.rows[0]?.key).toBe("a1");
    say("usage.changed", { scannedAt: 2 });
    say("usage.changed", { scannedAt: 3 });
    await timers.pass(1_000);
    expect(asked()).toBe(2);
    first();
    second();
    say("usage.changed", { scannedAt: 4 });
    await timers.pass(1_000);
    expect(asked()).toBe(2);
  });

  test("a part that takes over from another sees what comes after", async () => {
    const { desk, answers, timers, say } = openDesk();
    const release = desk.hold(QUESTION);
    await settle();
    const drawn = desk.answerTo(QUESTION);
    release();
    desk.hold(QUESTION);
    answers.set("usage.report", usageReport([usageRow("a2")]));
    say("usage.changed", { scannedAt: 2 });
    await timers.pass(1_000);
    expect(drawn.get().report?.rows[0]?.key).toBe("a2");
  });

  test("when an answer fails the last one stays, and why is known", async () => {
    const { desk, answers, say, timers } = openDesk();
    desk.hold(QUESTION);
    await settle();
    answers.set("usage.report", new Error("the index is locked"));
    say("usage.changed", { scannedAt: 2 });
    await timers.pass(1_000);
    const answer = desk.answerTo(QUESTION).get();
    expect([answer.report?.rows.length, answer.problem, answer.busy]).toEqual([1, "told: the index is locked", false]);
  });

  test("a server that is away is no problem of usage", async () => {
    const { desk, answers, say, timers, lose } = openDesk();
    desk.hold(QUESTION);
    await settle();
    answers.set("usage.report", new CallFailure("UNAVAILABLE", "The server is away."));
    say("usage.changed", { scannedAt: 2 });
    lose();
    await timers.pass(1_000);
    expect(desk.answerTo(QUESTION).get()).toMatchObject({ problem: null, busy: false });
  });

  test("progress is shown while a scan goes on and not after it, nor when the server is away", () => {
    const { desk, say, lose } = openDesk();
    say("usage.progress", { done: 3, total: 10 });
    expect(desk.progress.get()).toEqual({ done: 3, total: 10 });
    say("usage.progress", { done: 10, total: 10 });
    expect(desk.progress.get()).toBeNull();
    say("usage.progress", { done: 4, total: 10 });
    lose();
    expect(desk.progress.get()).toBeNull();
  });

  test("a budget that passes a step is told once, and only for the workspace that is shown", async () => {
    const { desk, say, crossed } = openDesk();
    await desk.loadBudgets("w1");
    const passed = budget("b1", { percent: 83 });
    say("budget.changed", { workspaceId: "w2", budgets: [passed], crossed: { budgetId: "b1", percent: 80 } });
    expect(crossed).not.toHaveBeenCalled();
    say("budget.changed", { workspaceId: "w1", budgets: [passed], crossed: { budgetId: "b1", percent: 80 } });
    expect(crossed).toHaveBeenCalledExactlyOnceWith(passed, 80);
    expect(desk.budgets.get()?.budgets).toEqual([passed]);
    desk.markSeen();
    expect(desk.seenSteps.get().get(placeOf(passed))).toBe(80);
  });

  test("a budget that was looked at is not told again before its next step", async () => {
    const { desk, say } = openDesk();
    await desk.loadBudgets("w1");
    say("budget.changed", { workspaceId: "w1", budgets: [budget("b1", { percent: 60 }), budget("b2", { paused: true })], crossed: null });
    desk.markSeen("b1");
    expect([...desk.seenSteps.get().values()]).toEqual([50]);
    desk.markSeen();
    expect([...desk.seenSteps.get().values()]).toEqual([50, 100]);
  });

  test("budgets that were overtaken on their way do not come back", async () => {
    const { desk, answers, say } = openDesk();
    const answerLate: ((answer: object) => void)[] = [];
    const late = () => new Promise((resolve) => answerLate.push(resolve));
    answers.set("budget.get", late());
    const first = desk.loadBudgets("w1");
    answers.set("budget.get", late());
    const second = desk.loadBudgets("w1");
    answerLate[1]?.({ budgets: [budget("newer")] });
    await second;
    answerLate[0]?.({ budgets: [budget("old")] });
    await first;
    expect(desk.budgets.get()?.budgets.map(({ id }) => id)).toEqual(["newer"]);
    answers.set("budget.get", late());
    const third = desk.loadBudgets("w1");
    say("budget.changed", { workspaceId: "w1", budgets: [budget("told")], crossed: null });
    answerLate[2]?.({ budgets: [budget("old")] });
    await third;
    expect(desk.budgets.get()?.budgets.map(({ id }) => id)).toEqual(["told"]);
  });

  test("late budgets of a workspace that was left do not stand in the way of those of the next", async () => {
    const { desk, answers, say } = openDesk();
    const answerLate: ((answer: object) => void)[] = [];
    const late = () => new Promise((resolve) => answerLate.push(resolve));
    answers.set("budget.get", late());
    const left = desk.loadBudgets("w1");
    desk.forget();
    answers.set("budget.get", late());
    const shown = desk.loadBudgets("w2");
    answerLate[0]?.({ budgets: [budget("of w1")] });
    await left;
    say("budget.changed", { workspaceId: "w1", budgets: [budget("of w1")], crossed: null });
    answerLate[1]?.({ budgets: [budget("of w2")] });
    await shown;
    expect(desk.budgets.get()).toMatchObject({ workspaceId: "w2", budgets: [{ id: "of w2" }] });
  });

  test("a budget of the next day has not been looked at", () => {
    expect(placeOf(budget("b1", { from: 1 }))).not.toBe(placeOf(budget("b1", { from: 2 })));
  });

  test("what is shown of today is asked for anew when the next day begins", async () => {
    const { desk, asked, timers } = openDesk();
    desk.hold(QUESTION);
    await settle();
    expect(asked()).toBe(1);
    const midnight = new Date(timers.nowMs());
    midnight.setHours(24, 0, 0, 0);
    const leftMs = midnight.getTime() - timers.nowMs();
    await timers.pass(leftMs - 1);
    expect(asked()).toBe(1);
    await timers.pass(2_000);
    await timers.pass(1_000);
    expect(asked()).toBe(2);
  });

  test("steps are passed at 50, 80 and 100 per cent", () => {
    expect([0, 49, 50, 79, 80, 99, 100, 250].map(stepOf)).toEqual([0, 0, 50, 50, 80, 80, 100, 100]);
  });
});

import type { CanvasClient, Timers } from "../connection/client";
import { isFailure } from "../connection/failure";
import { AskingOrder } from "../state/askingOrder";
import { createStore, type Store } from "../state/store";
import type { Budget, BudgetChanged, UsageGroup, UsageReport, UsageSpan } from "../wire/records";

/** What a report is asked for. */
export interface Question {
  by: UsageGroup;
  period: UsageSpan;
  workspaceId?: string;
  agentId?: string;
  split?: "agent" | "model" | "sender";
}

/** A report and how it is with it; the last one stays while a newer is on its way. */
export interface Answer {
  report: UsageReport | null;
  busy: boolean;
  problem: string | null;
}

interface Asked {
  question: Question;
  answer: Store<Answer>;
  users: number;
  turn: number;
}

/** The budgets of the workspace on the screen; null until they were told. */
interface KnownBudgets {
  workspaceId: string;
  budgets: readonly Budget[];
}

const NO_ANSWER: Answer = { report: null, busy: true, problem: null };
const GATHER_MS = 800;
const MOMENT_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Shares of a budget at which its owner is told. */
export const BUDGET_STEPS = [50, 80, 100] as const;

/** The last step that a share has passed; 0 for none. */
export function stepOf(percent: number): number {
  return BUDGET_STEPS.findLast((step) => percent >= step) ?? 0;
}

/** The step that its owner is told of: one that pauses cards is the last, whatever it is that pauses them. */
export function noticeStepOf(budget: Budget): number {
  return budget.paused ? 100 : stepOf(budget.percent);
}

/** A budget in its period: the next one begins with nothing seen. */
export function placeOf({ id, from }: Budget): string {
  return `${id}@${String(from)}`;
}

/** The next midnight of the clock on the wall. */
function nextMidnightMs(nowMs: number): number {
  const day = new Date(nowMs);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime();
}

/**
 * Usage as this page needs it: each report that something on the screen shows is asked for once, and anew when logs
 * were read; nothing is asked for that nobody shows.
 */
export class UsageDesk {
  readonly progress = createStore<{ done: number; total: number } | null>(null);
  readonly budgets = createStore<KnownBudgets | null>(null);
  /** The step of each budget in its period that its owner has looked at already. */
  readonly seenSteps = createStore<ReadonlyMap<string, number>>(new Map());
  private readonly asked = new Map<string, Asked>();
  private readonly budgetOrder = new AskingOrder();
  /** The workspace whose budgets were asked for last. */
  private budgetsOf: string | null = null;
  private cancelAgain: (() => void) | null = null;
  private online = true;

  constructor(
    private readonly client: Pick<CanvasClient, "call" | "on" | "onState">,
    private readonly timers: Timers,
    private readonly onCrossed: (budget: Budget, percent: number) => void,
    /** What a person reads of a refusal. */
    private readonly reasonOf: (error: unknown) => string,
  ) {
    client.on("usage.progress", ({ done, total }: { done: number; total: number }) => {
      this.progress.set(done >= total ? null : { done, total });
    });
    client.on("usage.changed", () => this.askAgainSoon());
    client.on("stream.gap", () => this.askAgainSoon());
    client.on("budget.changed", (event: BudgetChanged) => this.budgetsChanged(event));
    this.askAgainAtMidnight(nextMidnightMs(timers.nowMs()));
    client.onState(({ phase }) => {
      this.online = phase === "online";
      if (!this.online) this.progress.set(null);
      else this.askAgainSoon();
    });
  }

  /** The answer to a question; hold it while it is shown. */
  answerTo(question: Question): Store<Answer> {
    return this.entry(question).answer;
  }

  /** Keeps an answer true until the function it gives is called. */
  hold(question: Question): () => void {
    const entry = this.entry(question);
    entry.users += 1;
    if (entry.users === 1) void this.ask(entry);
    // The entry stays: another part may have drawn its answer and not yet said that it holds it.
    return () => {
      entry.users -= 1;
    };
  }

  /** Reads the logs to their ends and asks anew for all that is shown. */
  async scan(): Promise<void> {
    try {
      await this.client.call("usage.scan", {});
    } finally {
      this.progress.set(null);
    }
    await Promise.all([...this.asked.values()].filter(({ users }) => users > 0).map((entry) => this.ask(entry)));
  }

  /** Reads the budgets of a workspace; an answer after newer ones, or for a workspace that was left, is dropped. */
  async loadBudgets(workspaceId: string): Promise<void> {
    this.budgetsOf = workspaceId;
    const isNews = this.budgetOrder.ask();
    const { budgets } = await this.client.call("budget.get", { workspaceId });
    if (this.budgetsOf === workspaceId && isNews()) this.budgets.set({ workspaceId, budgets });
  }

  /** The budgets of a workspace as they were told; what was asked for before is old. */
  takeBudgets(workspaceId: string, budgets: readonly Budget[]): void {
    this.budgetOrder.ask()();
    this.budgets.set({ workspaceId, budgets });
  }

  /** Forgets what belongs to the workspace that was shown. */
  forget(): void {
    this.budgets.set(null);
    this.budgetsOf = null;
    this.seenSteps.set(new Map());
  }

  /** The owner has looked at the budgets as they stand, or at one of them. */
  markSeen(budgetId?: string): void {
    const looked = (this.budgets.get()?.budgets ?? []).filter(({ id }) => budgetId === undefined || id === budgetId);
    this.seenSteps.update((seen) => new Map([...seen, ...looked.map((budget): [string, number] => [placeOf(budget), noticeStepOf(budget)])]));
  }

  private entry(question: Question): Asked {
    const key = keyOf(question);
    const known = this.asked.get(key);
    if (known !== undefined) return known;
    const made: Asked = { question, answer: createStore(NO_ANSWER), users: 0, turn: 0 };
    this.asked.set(key, made);
    return made;
  }

  private async ask(entry: Asked): Promise<void> {
    const turn = ++entry.turn;
    entry.answer.update((answer) => ({ ...answer, busy: true }));
    try {
      const report = await this.client.call("usage.report", entry.question);
      if (entry.turn === turn) entry.answer.set({ report, busy: false, problem: null });
    } catch (error) {
      // The page says in its own place that the server is away, and asks again when it is back.
      const isAway = isFailure(error, "UNAVAILABLE") && !this.online;
      const problem = isAway ? null : this.reasonOf(error);
      if (entry.turn === turn) entry.answer.update(({ report }) => ({ report, busy: false, problem }));
    }
  }

  /** Changes come in bursts while agents work. */
  private askAgainSoon(): void {
    this.cancelAgain ??= this.timers.after(GATHER_MS, () => {
      this.cancelAgain = null;
      for (const entry of this.asked.values()) if (entry.users > 0) void this.ask(entry);
      const known = this.budgets.get();
      if (known !== null) this.loadBudgets(known.workspaceId).catch(() => undefined);
    });
  }

  /** What is shown of today is of another day then. A computer that slept is late by an hour at most. */
  private askAgainAtMidnight(midnightMs: number): void {
    this.timers.after(Math.min(Math.max(midnightMs - this.timers.nowMs(), MOMENT_MS), HOUR_MS), () => {
      const isNewDay = this.timers.nowMs() >= midnightMs;
      if (isNewDay) this.askAgainSoon();
      this.askAgainAtMidnight(isNewDay ? nextMidnightMs(this.timers.nowMs()) : midnightMs);
    });
  }

  private budgetsChanged({ workspaceId, budgets, crossed }: BudgetChanged): void {
    if (this.budgetsOf !== null && this.budgetsOf !== workspaceId) return;
    this.takeBudgets(workspaceId, budgets);
    const budget = budgets.find(({ id }) => id === crossed?.budgetId);
    if (budget !== undefined && crossed !== null) this.onCrossed(budget, crossed.percent);
  }
}

function keyOf({ by, period, workspaceId, agentId, split }: Question): string {
  return [by, period, workspaceId, agentId, split].join("\n");
}

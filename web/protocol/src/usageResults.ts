import type { AgentStatus, HarnessId } from "./generated";
import type { CardId, WorkspaceId } from "./ids";

/** Counts and money of some requests. Null is "not reported" and never 0; money is in micro-dollars, rounded up once. */
export interface UsageSums {
  readonly requests: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly totalTokens: number | null;
  readonly costMicroUsd: number | null;
}

/** The same, with how many of the requests have no known price: the cost is that of the others. */
export interface PricedSums extends UsageSums {
  readonly unpricedRequests: number;
}

export type UsageGroup = "day" | "agent" | "model" | "session" | "sender";
export type UsageSpan = "today" | "7d" | "30d" | "all";

/** A part of a day, by agent or model. */
export interface UsagePart extends PricedSums {
  readonly key: string | null;
  readonly name: string;
}

/** One line of a report. Days have `from` and `to`; what belongs to an agent has its harness; `gone` cards are removed. */
export interface UsageRow extends UsagePart {
  readonly harness?: HarnessId;
  readonly agentId?: CardId | null;
  readonly gone?: boolean;
  readonly from?: number;
  readonly to?: number;
  readonly parts?: readonly UsagePart[];
}

/** Content of logs that could not be read, by agent and reason. */
export interface UsageSkip {
  readonly harness: HarnessId;
  readonly reason: string;
  readonly count: number;
}

/** Sums by one group; `to` is not included, `from` is null for all time. */
export interface UsageReport {
  readonly by: UsageGroup;
  readonly from: number | null;
  readonly to: number;
  readonly rows: readonly UsageRow[];
  readonly total: PricedSums;
  readonly skipped: number;
  readonly skips: readonly UsageSkip[];
  readonly partial: boolean;
  readonly prices: string;
  readonly scannedAt: number | null;
}

/** What `usage.scan` did: how many logs there are, how many of them were read, and how many could not be. */
export interface UsageScan {
  readonly logs: number;
  readonly read: number;
  readonly readBytes: number;
  readonly failed: number;
}

/** What an agent's next turn may cost, by the median of its last ones. */
export interface TurnEstimate {
  readonly turns: number;
  readonly costMicroUsd: number | null;
  readonly totalTokens: number | null;
}

/** One agent's work in a span. Every count is null where `usageReadable` is false. */
export interface AgentUsage extends Omit<UsageSums, "requests"> {
  readonly agentId: CardId;
  readonly harness: HarnessId;
  readonly since: number;
  readonly until: number;
  readonly status: AgentStatus;
  readonly usageReadable: boolean;
  readonly requests: number | null;
  readonly prompts: number;
  readonly costPartial: boolean;
  readonly workingMs: number;
  readonly elapsedMs: number | null;
  readonly firstPromptAt: number | null;
  readonly lastFinishedAt: number | null;
  readonly timingComplete: boolean;
  readonly scannedAt: number | null;
  readonly model?: string;
  readonly provider?: string;
  readonly subagents?: UsageSums & { readonly count: number };
  readonly mainOnly?: UsageSums;
}

export interface TimelineRequest {
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly subagent?: { readonly id: string; readonly name?: string };
}

export interface TimelineStatus {
  readonly status: AgentStatus;
  readonly from: number;
  readonly to: number;
}

/** From a prompt to its end, null while it goes on; a turn without any request is not counted. */
export interface TimelineTurn {
  readonly start: number;
  readonly end: number | null;
  readonly counted: boolean;
  readonly endedAs?: "finished" | "needs-input";
}

/** An agent's requests, statuses and turns in a span; `truncated` when only the newest requests are here. */
export interface AgentTimeline {
  readonly agentId: CardId;
  readonly harness: HarnessId;
  readonly since: number;
  readonly until: number;
  readonly usageReadable: boolean;
  readonly requestTimes: "start-end" | "end" | "none";
  readonly requests: readonly TimelineRequest[];
  readonly truncated: boolean;
  readonly statuses: readonly TimelineStatus[];
  readonly turns: readonly TimelineTurn[];
  readonly scannedAt: number | null;
}

/** A limit in money, in tokens or both; `unpriced` is what requests without a known price do to a limit in money. */
export interface BudgetLimit {
  readonly id?: string;
  readonly period: "day" | "week" | "month" | "total";
  readonly unpriced: "ignore" | "pause";
  readonly agentId: CardId | null;
  readonly limitMicroUsd: number | null;
  readonly limitTokens: number | null;
}

/** A budget and what is spent of it; `paused` keeps cards from prompting, never people. */
export interface Budget extends BudgetLimit {
  readonly id: string;
  readonly from: number | null;
  readonly spentMicroUsd: number | null;
  readonly spentTokens: number | null;
  readonly unpricedRequests: number;
  readonly percent: number;
  readonly paused: boolean;
}

/** What the methods of usage and budgets answer. */
export interface UsageMethodResults {
  "usage.report": UsageReport;
  "usage.scan": UsageScan;
  "usage.agent": { readonly usage: AgentUsage; readonly estimate: TurnEstimate | null };
  "usage.timeline": AgentTimeline;
  "budget.get": { readonly budgets: readonly Budget[] };
  "budget.set": { readonly budgets: readonly Budget[] } | { readonly conflict: { readonly budgets: readonly Budget[] } };
}

/** The data of the events of usage and budgets. */
export interface UsageEventData {
  "usage.progress": { readonly done: number; readonly total: number };
  "usage.changed": { readonly scannedAt: number | null };
  "budget.changed": {
    readonly workspaceId: WorkspaceId;
    readonly budgets: readonly Budget[];
    readonly crossed: { readonly budgetId: string; readonly percent: number } | null;
  };
}

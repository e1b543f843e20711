import type { Budget, UsageReport, UsageRow } from "../../wire/records";

/** Reports for tests: whole ones, with only what matters given. */

export function usageRow(key: string | null, more: Partial<UsageRow> = {}): UsageRow {
  return {
    key,
    name: key ?? "person",
    requests: 1,
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 0,
    reasoningTokens: null,
    totalTokens: 6,
    costMicroUsd: 100_000,
    unpricedRequests: 0,
    ...more,
  };
}

export function usageReport(rows: readonly UsageRow[], more: Partial<UsageReport> = {}): UsageReport {
  return {
    by: "agent",
    from: 0,
    to: 86_400_000,
    rows,
    total: usageRow("total"),
    skipped: 0,
    skips: [],
    partial: false,
    prices: "genai-prices 1",
    scannedAt: 1,
    ...more,
  };
}

export function budget(id: string, more: Partial<Budget> = {}): Budget {
  return {
    id,
    period: "week",
    unpriced: "ignore",
    agentId: null,
    limitMicroUsd: 10_000_000,
    limitTokens: null,
    from: 0,
    spentMicroUsd: 4_200_000,
    spentTokens: 1000,
    unpricedRequests: 0,
    percent: 42,
    paused: false,
    ...more,
  };
}
